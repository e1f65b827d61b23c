// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/owned_call.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

bool Read(const std::optional<std::string>& text, std::optional<JsonDocument>& document,
          std::optional<JsonValue>& root) {
  root.reset();
  if (!text) return true;
  auto parsed = JsonDocument::Parse(*text);
  if (!parsed.ok()) return false;
  document.emplace(*std::move(parsed));
  root = document->root();
  return true;
}

}  // namespace

bool OwnedCall::Bind() {
  const auto view = [](const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
  };
  call.tool = tool;
  call.server = view(server);
  call.connection = view(connection);
  call.connection_type = view(connection_type);
  call.definition_digest = view(digest);
  return Read(arguments_json, arguments_, call.arguments) &&
         Read(payload_json, payload_, call.payload);
}

std::string OwnedCall::Text() const {
  const auto quoted = [](const std::optional<std::string>& text) {
    return text ? absl::StrFormat("`%s`", EscapeForPeople(*text)) : std::string("-");
  };
  return absl::StrFormat(
      "tool `%s` server %s builtin_catalog %d connection %s type %s arguments %s payload %s digest "
      "%s declared %s read_only_hint %d listed_by_server %d read_only_bridge %d",
      EscapeForPeople(tool), quoted(server), call.builtin_catalog, quoted(connection),
      quoted(connection_type), quoted(arguments_json), quoted(payload_json), quoted(digest),
      call.declared_risk ? Name(*call.declared_risk) : "-", call.read_only_hint,
      call.listed_by_server, call.read_only_bridge);
}

}  // namespace bridgekeeper
