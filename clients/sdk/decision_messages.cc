// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/decision_messages.h"

#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::clients {

v1::ToolCall ToProto(const Question& question) {
  v1::ToolCall call;
  call.set_app(question.app);
  call.set_tool(question.tool);
  if (question.server) call.set_server(*question.server);
  if (question.connection) call.set_connection_id(*question.connection);
  if (question.arguments_json) call.set_arguments_json(*question.arguments_json);
  if (question.payload_json) call.set_payload_json(*question.payload_json);
  if (question.declared_risk) call.set_declared_risk(convert::ToProto(*question.declared_risk));
  if (question.definition_digest) call.set_definition_digest(*question.definition_digest);
  call.set_read_only_hint(question.read_only_hint);
  call.set_listed_by_server(question.listed_by_server);
  call.set_builtin_catalog(question.builtin_catalog);
  return call;
}

v1::Decision ToProto(const Answer& answer) {
  v1::Decision decision;
  decision.set_verdict(convert::ToProto(answer.verdict));
  decision.set_reason_code(convert::ToProto(answer.reason_code));
  decision.set_effective_risk(convert::ToProto(answer.effective_risk));
  decision.set_reason(answer.reason);
  decision.set_policy_revision(answer.policy_revision.value);
  decision.set_catalog_revision(answer.catalog_revision.value);
  decision.set_decision_id(answer.decision_id);
  decision.set_judged(answer.judged);
  if (answer.obligations) *decision.mutable_obligations() = convert::ToProto(*answer.obligations);
  if (answer.ask_mode) decision.set_ask_mode(convert::ToProto(*answer.ask_mode));
  return decision;
}

Answer FromProto(const v1::Decision& decision) {
  Answer answer;
  answer.verdict = convert::FromProto(decision.verdict());
  answer.reason_code = convert::FromProto(decision.reason_code());
  answer.effective_risk = convert::FromProto(decision.effective_risk());
  answer.reason = decision.reason();
  answer.policy_revision = Revision{decision.policy_revision()};
  answer.catalog_revision = Revision{decision.catalog_revision()};
  answer.decision_id = decision.decision_id();
  answer.judged = decision.judged();
  if (decision.has_obligations()) answer.obligations = convert::FromProto(decision.obligations());
  if (answer.verdict == Verdict::kAsk) answer.ask_mode = convert::FromProto(decision.ask_mode());
  return answer;
}

absl::StatusOr<Answer> Failed(FailureMode mode, ReasonCode reason, absl::Status status) {
  switch (mode) {
    case FailureMode::kReturnError:
      return status;
    case FailureMode::kDeny:
      break;
  }
  Answer answer;
  answer.reason_code = reason;
  answer.reason =
      absl::StrFormat("Denied, since no decision could be had: %s.", AsStd(status.message()));
  return answer;
}

}  // namespace bridgekeeper::clients
