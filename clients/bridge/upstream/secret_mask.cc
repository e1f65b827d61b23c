// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/secret_mask.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_replace.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kMasked = "[masked]";
// The values of one configuration, whole and without their scheme, and of the one before.
constexpr size_t kMaxSecrets = 4 * kMaxHeaders;

}  // namespace

void SecretMask::Add(const HttpFieldList& fields) {
  std::vector<std::string> added;
  for (const auto& [name, value] : fields) {
    added.push_back(value);
    const size_t space = value.find(' ');
    if (space != std::string::npos) added.push_back(value.substr(space + 1));
  }
  // The newest first, for the bound; then by length.
  std::vector<std::string> all;
  for (std::vector<std::string>* from : {&added, &secrets_}) {
    for (std::string& secret : *from) {
      if (secret.size() < kMinSecretBytes || all.size() >= kMaxSecrets) continue;
      if (std::ranges::find(all, secret) == all.end()) all.push_back(std::move(secret));
    }
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &std::string::size);
  secrets_ = std::move(all);
}

bool SecretMask::Has(std::string_view text) const {
  return std::ranges::any_of(
      secrets_, [&](const std::string& secret) { return text.find(secret) != text.npos; });
}

std::string SecretMask::Text(std::string_view text) const {
  std::string out(text);
  for (const std::string& secret : secrets_) {
    absl::StrReplaceAll({{AsAbsl(secret), AsAbsl(kMasked)}}, &out);
  }
  return out;
}

std::string SecretMask::Message(JsonValue envelope) const {
  JsonEdits edits(envelope);
  // Members of the envelope and of what it carries have names of the protocol, which a
  // secret may happen to be a part of: `depth` 0 and 1.
  const auto mask = [&](auto& self, JsonValue at, int depth) -> void {
    if (at.is_string() && Has(at.string())) edits.Replace(at, JsonString(Text(at.string())));
    if (!at.is_object() && !at.is_array()) return;
    for (const JsonValue item : at) {
      if (depth > 1 && Has(item.key())) return edits.Replace(at, JsonString(kMasked));
    }
    for (const JsonValue item : at) {
      const bool is_content =
          depth > 0 || item.key() == "error" || item.key() == "result" || item.key() == "params";
      if (is_content) self(self, item, depth + 1);
    }
  };
  if (!secrets_.empty()) mask(mask, envelope, 0);
  return std::move(edits).Apply();
}

}  // namespace bridgekeeper::bridge
