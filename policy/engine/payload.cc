// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/payload.h"

#include <algorithm>

namespace bridgekeeper::internal {
namespace {

constexpr std::string_view kNameBytes =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

}  // namespace

PayloadTemplate::PayloadTemplate(std::string_view text) {
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pieces_.push_back({false, std::move(literal)});
    literal.clear();
  };
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '{') {
      const size_t end = text.find_first_not_of(kNameBytes, at + 1);
      if (end != std::string_view::npos && text[end] == '}' && end > at + 1) {
        flush();
        pieces_.push_back({true, std::string(text.substr(at + 1, end - at - 1))});
        at = end + 1;
        continue;
      }
    }
    literal += text[at++];
  }
  flush();
}

bool PayloadTemplate::Takes(std::string_view argument) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
    return piece.is_argument && piece.text == argument;
  });
}

std::optional<std::string_view> FirstUnknownArgument(const CatalogEntry& entry,
                                                     const PayloadTemplate& payload,
                                                     JsonValue arguments) {
  const auto& harmless = entry.payload_rule->harmless_arguments;
  for (const JsonValue argument : arguments) {
    const std::string_view name = argument.key();
    const bool is_connection =
        !entry.connection_argument.empty() && name == entry.connection_argument;
    if (!is_connection && !payload.Takes(name) && !harmless.contains(std::string(name)))
      return name;
  }
  return std::nullopt;
}

std::optional<Payload> PayloadOf(JsonValue value) {
  if (value.is_string()) return Payload{std::string(value.string()), std::nullopt};
  if (value.is_object()) return Payload{{}, value};
  return std::nullopt;
}

std::optional<Payload> FillTemplate(const PayloadTemplate& payload, JsonValue arguments) {
  if (payload.is_one_argument()) {
    const auto argument = arguments.Find(payload.pieces()[0].text);
    return argument ? PayloadOf(*argument) : std::nullopt;
  }
  Payload filled;
  for (const PayloadTemplate::Piece& piece : payload.pieces()) {
    if (!piece.is_argument) {
      filled.text += piece.text;
      continue;
    }
    const auto argument = arguments.Find(piece.text);
    if (!argument || !argument->is_string()) return std::nullopt;
    filled.text += argument->string();
  }
  return filled;
}

bool SamePayload(const Payload& a, const Payload& b) {
  if (a.object.has_value() != b.object.has_value()) return false;
  return a.object ? CanonicalJson(*a.object) == CanonicalJson(*b.object) : a.text == b.text;
}

}  // namespace bridgekeeper::internal
