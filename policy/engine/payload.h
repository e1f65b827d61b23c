// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to policy/engine: from a call's arguments to the payload that is judged.
//
// Thread safety: PayloadTemplate is immutable; free functions without state.
// Source: policy/spec.md, clauses C7, D9 to D12.

#ifndef BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_
#define BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/json.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper::internal {

// The text of a PayloadRule, read once. `{name}` with a name of [A-Za-z0-9_.-]
// takes an argument; any other text, other braces included, stands for itself.
class PayloadTemplate {
 public:
  explicit PayloadTemplate(std::string_view text);

  struct Piece {
    bool is_argument;
    std::string text;  // the argument's name, or what stands for itself
  };
  const std::vector<Piece>& pieces() const { return pieces_; }

  // True where the payload is one argument as it is, whatever its kind.
  bool is_one_argument() const { return pieces_.size() == 1 && pieces_[0].is_argument; }

  bool Takes(std::string_view argument) const;

 private:
  std::vector<Piece> pieces_;
};

// Returns the first argument that neither the rule's template takes nor the entry
// names harmless or as the connection; nullopt where there is none.
// REQUIRES: arguments.is_object(), entry.payload_rule is set
std::optional<std::string_view> FirstUnknownArgument(const CatalogEntry& entry,
                                                     const PayloadTemplate& payload,
                                                     JsonValue arguments);

// What is judged: a text, or an object of the caller's document.
struct Payload {
  std::string text;
  std::optional<JsonValue> object;
};

// The payload of a JSON string or object; nullopt for any other kind.
std::optional<Payload> PayloadOf(JsonValue value);

// Puts the arguments into the template. nullopt where one is absent or is neither a
// string nor, where the payload is that one argument, an object.
std::optional<Payload> FillTemplate(const PayloadTemplate& payload, JsonValue arguments);

// True where both are the same text, or objects with the same canonical form.
bool SamePayload(const Payload& a, const Payload& b);

}  // namespace bridgekeeper::internal

#endif  // BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_
