// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "clients/sdk/decision_client.h"
#include "clients/sdk/decision_messages.h"
#include "policy/engine/engine.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::clients {
namespace {

// The status of a denial that says nothing about the call, only that the copy
// cannot be decided on; OK for every other.
absl::Status NoDecision(ReasonCode reason, const std::string& text) {
  if (reason == ReasonCode::kPolicyMissing || reason == ReasonCode::kPolicyStale) {
    return absl::UnavailableError(text);
  }
  if (reason == ReasonCode::kNotAuthorized) return absl::PermissionDeniedError(text);
  return absl::OkStatus();
}

class CachedDecisionClient : public DecisionClient {
 public:
  CachedDecisionClient(const PolicySource& source, IdSource& ids,
                       const CachedDecisionOptions& options)
      : source_(source), ids_(ids), options_(options) {}

  absl::StatusOr<Answer> Decide(const Question& question) override {
    // The same limits and forms as over the network, by the same code.
    const v1::ToolCall message = ToProto(question);
    convert::CheckedCall checked;
    if (absl::Status status = convert::CheckedCall::Read(message, checked); !status.ok()) {
      return Failed(options_.failure_mode, ReasonCode::kInvalidRequest, std::move(status));
    }

    const PolicySnapshot snapshot = source_.View(checked.app());
    const PolicyView view = snapshot.view(options_.max_staleness);
    const Decision decision = bridgekeeper::Decide(view, checked.call(), options_.judge);
    std::string reason = ReasonText(view, checked.call(), decision);
    if (options_.failure_mode == FailureMode::kReturnError) {
      if (absl::Status status = NoDecision(decision.reason, reason); !status.ok()) return status;
    }

    Answer answer;
    answer.verdict = decision.verdict;
    answer.reason_code = decision.reason;
    answer.effective_risk = decision.effective_risk;
    answer.reason = std::move(reason);
    answer.decision_id = ids_.NewId();
    answer.judged = decision.judged;
    if (decision.obligations != nullptr) answer.obligations = *decision.obligations;
    if (snapshot.policy != nullptr) {
      answer.policy_revision = snapshot.policy->policy_revision();
      answer.catalog_revision = snapshot.policy->catalog_revision();
      if (decision.verdict == Verdict::kAsk) answer.ask_mode = snapshot.policy->policy().ask_mode;
    }
    return answer;
  }

 private:
  const PolicySource& source_;
  IdSource& ids_;
  const CachedDecisionOptions options_;
};

}  // namespace

std::unique_ptr<DecisionClient> MakeCachedDecisionClient(const PolicySource& source, IdSource& ids,
                                                         const CachedDecisionOptions& options) {
  return std::make_unique<CachedDecisionClient>(source, ids, options);
}

}  // namespace bridgekeeper::clients
