// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"

namespace bridgekeeper::convert {
namespace {

v1::ReasonCode ToProto(Judgement::Error error) {
  switch (error) {
    case Judgement::Error::kNone:
      return v1::REASON_CODE_UNSPECIFIED;
    case Judgement::Error::kEmpty:
      return v1::REASON_CODE_STATEMENT_EMPTY;
    case Judgement::Error::kUnreadable:
      return v1::REASON_CODE_STATEMENT_UNREADABLE;
    case Judgement::Error::kMultiple:
      return v1::REASON_CODE_STATEMENT_MULTIPLE;
  }
  return v1::REASON_CODE_STATEMENT_UNREADABLE;
}

std::string_view KindName(JsonKind kind) {
  switch (kind) {
    case JsonKind::kNull:
      return "null";
    case JsonKind::kBool:
      return "a boolean";
    case JsonKind::kNumber:
      return "a number";
    case JsonKind::kString:
      return "a string";
    case JsonKind::kArray:
      return "an array";
    case JsonKind::kObject:
      return "an object";
  }
  return "something else";
}

// Parses `text` into `document`; nothing where it is not valid JSON within limits.
void ReadJson(std::string_view field, std::string_view text, size_t max_bytes,
              std::optional<JsonDocument>& document, Problems& problems) {
  if (text.size() > max_bytes) {
    problems.OverLimit(field, text.size(), max_bytes, "bytes");
    return;
  }
  absl::StatusOr<JsonDocument> parsed = JsonDocument::Parse(text, {.max_depth = kMaxJsonDepth});
  if (parsed.ok()) {
    document.emplace(*std::move(parsed));
  } else {
    problems.Add(field, parsed.status());
  }
}

void CheckSubject(const v1::Subject& subject, Problems& problems) {
  problems.CheckText("subject.client_name", subject.client_name(), kMaxSubjectFieldBytes);
  problems.CheckText("subject.client_version", subject.client_version(), kMaxClientVersionBytes);
  problems.CheckText("subject.session", subject.session(), kMaxSubjectFieldBytes);
  problems.CheckText("subject.user", subject.user(), kMaxSubjectFieldBytes);
  problems.CheckText("subject.host", subject.host(), kMaxSubjectFieldBytes);
}

}  // namespace

absl::Status CheckedCall::Read(const v1::ToolCall& call, CheckedCall& out) {
  Problems problems;
  ToolCall& to = out.call_;
  to = ToolCall();
  out.arguments_.reset();
  out.payload_.reset();

  problems.CheckId("app", call.app());
  out.app_ = call.app();
  problems.CheckId("tool", call.tool());
  to.tool = call.tool();
  if (call.has_server()) {
    problems.CheckId("server", call.server());
    to.server = call.server();
  }
  // The form of a connection id is a check of the decision (CONNECTION_INVALID),
  // since an argument of the call may name it too.
  if (call.has_connection_id()) to.connection = call.connection_id();
  if (call.has_arguments_json()) {
    ReadJson("arguments_json", call.arguments_json(), kMaxArgumentsBytes, out.arguments_, problems);
    if (out.arguments_) {
      to.arguments = out.arguments_->root();
      if (!to.arguments->is_object()) {
        problems.Invalid("arguments_json",
                         absl::StrFormat("got %s, want an object", KindName(to.arguments->kind())));
      }
    }
  }
  if (call.has_payload_json()) {
    ReadJson("payload_json", call.payload_json(), kMaxPayloadBytes, out.payload_, problems);
    if (out.payload_) {
      to.payload = out.payload_->root();
      if (!to.payload->is_object() && !to.payload->is_string()) {
        problems.Invalid("payload_json", absl::StrFormat("got %s, want a string or an object",
                                                         KindName(to.payload->kind())));
      }
    }
  }
  if (call.declared_risk() != v1::RISK_UNSPECIFIED) {
    to.declared_risk = FromProto(call.declared_risk());
  }
  if (call.has_definition_digest()) {
    problems.CheckDigest("definition_digest", call.definition_digest());
    to.definition_digest = call.definition_digest();
  }
  to.read_only_hint = call.read_only_hint();
  to.listed_by_server = call.listed_by_server();
  to.builtin_catalog = call.builtin_catalog();
  if (call.has_subject()) CheckSubject(call.subject(), problems);
  return problems.ToStatus();
}

v1::Judgement ToProto(const Judgement& judgement) {
  v1::Judgement out;
  out.set_risk(ToProto(judgement.risk));
  for (const Effect& effect : judgement.effects) {
    v1::Effect& to = *out.add_effects();
    to.set_kind(effect.kind);
    to.set_object(effect.object);
    if (effect.position) to.set_position(static_cast<int64_t>(*effect.position));
    to.set_risk(ToProto(effect.risk));
    to.set_why(effect.why);
  }
  out.set_statements(judgement.statements);
  out.set_proven(judgement.proven);
  out.set_error(ToProto(judgement.error));
  out.set_message(judgement.message);
  return out;
}

void ToProto(const Decision& decision, AskMode ask_mode, std::string reason,
             Revision policy_revision, Revision catalog_revision, v1::Decision& out) {
  out.set_verdict(ToProto(decision.verdict));
  out.set_reason_code(ToProto(decision.reason));
  out.set_effective_risk(ToProto(decision.effective_risk));
  out.set_reason(std::move(reason));
  out.set_policy_revision(policy_revision.value);
  out.set_catalog_revision(catalog_revision.value);
  out.set_judged(decision.judged);
  if (decision.obligations != nullptr) *out.mutable_obligations() = ToProto(*decision.obligations);
  if (decision.verdict == Verdict::kAsk) out.set_ask_mode(ToProto(ask_mode));
}

}  // namespace bridgekeeper::convert
