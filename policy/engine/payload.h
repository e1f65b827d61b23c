// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to policy/engine: from a call's arguments to the payload that is judged.
//
// Thread safety: PayloadTemplate is immutable; free functions without state.
// Source: policy/spec.md, clauses C7, C8, D9 to D12.

#ifndef BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_
#define BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/json.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper::internal {

// A JSON document with the text that its values are views of.
struct JsonText {
  // Null where `text` is no JSON text within `limits`.
  static std::unique_ptr<const JsonText> Parse(std::string text, const JsonLimits& limits);

  std::string text;
  std::optional<JsonDocument> document;
};

// What a template says of one place that an argument takes, or the text between.
struct TemplatePiece {
  bool is_argument = false;
  std::string text;       // the argument's name, or what stands for itself
  bool optional = false;  // `{name?}`, in objects only
  bool json = false;      // `{name:json}`, in objects only: a string holds JSON text
};

// The text of a PayloadRule, read once.
class PayloadTemplate {
 public:
  explicit PayloadTemplate(std::string_view text);

  enum class Form {
    kNothing,   // empty: the tool has no payload
    kArgument,  // one argument as it is, whatever its kind
    kText,      // text around arguments
    kObject,    // a JSON object with arguments in its strings
  };
  Form form() const { return form_; }

  // Those of a text; of an object, the arguments that its strings take.
  const std::vector<TemplatePiece>& pieces() const { return pieces_; }

  // REQUIRES: form() is kObject
  JsonValue object() const { return object_->document->root(); }

  bool Takes(std::string_view argument) const;

 private:
  Form form_ = Form::kText;
  std::vector<TemplatePiece> pieces_;
  std::unique_ptr<const JsonText> object_;
};

// Returns the first argument that neither the rule's template takes nor the entry
// names harmless or as the connection; nullopt where there is none.
// REQUIRES: arguments.is_object(), entry.payload_rule is set
std::optional<std::string_view> FirstUnknownArgument(const CatalogEntry& entry,
                                                     const PayloadTemplate& payload,
                                                     JsonValue arguments);

// What is judged: a text, or an object.
struct Payload {
  std::string text;
  std::optional<JsonValue> object;  // of the caller's document, or of `made`
  std::unique_ptr<const JsonText> made;
};

// The payload of a JSON string or object; nullopt for any other kind.
std::optional<Payload> PayloadOf(JsonValue value);

// Puts the arguments into the template. nullopt where one is absent or of a kind that
// its place does not take.
// REQUIRES: payload.form() is not kNothing
std::optional<Payload> FillTemplate(const PayloadTemplate& payload, JsonValue arguments);

// True where both are the same text, or objects with the same canonical form.
bool SamePayload(const Payload& a, const Payload& b);

}  // namespace bridgekeeper::internal

#endif  // BRIDGEKEEPER_POLICY_ENGINE_PAYLOAD_H_
