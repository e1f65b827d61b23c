// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/decision_core.h"

#include <algorithm>
#include <span>
#include <utility>

namespace bridgekeeper::service {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

void WriteHex(uint64_t value, char* out) {
  for (int i = 15; i >= 0; --i, value >>= 4) out[i] = kHexDigits[value & 0xf];
}

// Judges what needs no waiting. What it declines to judge has no meaning: the decision
// that was made with it is to be dropped.
class PromptJudge final : public PayloadJudge {
 public:
  explicit PromptJudge(const PayloadJudge& judge) : judge_(judge) {}

  bool Knows(std::string_view dialect) const override { return judge_.Knows(dialect); }
  Judgement JudgeText(std::string_view dialect, std::string_view text,
                      const JudgeOptions& options) const override {
    return OrDecline(judge_.TryJudgeText(dialect, text, options));
  }
  Judgement JudgeObject(std::string_view dialect, JsonValue object,
                        const JudgeOptions& options) const override {
    return OrDecline(judge_.TryJudgeObject(dialect, object, options));
  }

  bool declined() const { return declined_; }

 private:
  Judgement OrDecline(std::optional<Judgement> judgement) const {
    if (judgement) return *std::move(judgement);
    declined_ = true;
    return {.risk = Risk::kDestructive, .error = Judgement::Error::kUnreadable};
  }

  const PayloadJudge& judge_;
  mutable bool declined_ = false;
};

}  // namespace

DecisionIds::DecisionIds(IdSource& ids) {
  const std::string id = ids.NewId();
  std::copy_n(id.end() - static_cast<std::ptrdiff_t>(prefix_.size()), prefix_.size(),
              prefix_.begin());
}

std::string DecisionIds::Next() {
  std::string id(2 * prefix_.size(), '\0');
  std::copy(prefix_.begin(), prefix_.end(), id.begin());
  WriteHex(next_.fetch_add(1, std::memory_order_relaxed), id.data() + prefix_.size());
  return id;
}

DecisionOutcome DecisionCore::Counted(DecisionOutcome outcome, absl::Duration begin,
                                      Transport transport) {
  metrics_.decision_duration.Record(clock_.SinceBoot() - begin);
  metrics_.CountDecision(outcome.decision.verdict, outcome.decision.reason, transport);
  return outcome;
}

DecisionOutcome DecisionCore::Decide(AppState app, const ToolCall& call, Transport transport) {
  const absl::Duration begin = clock_.SinceBoot();
  DecisionOutcome out{std::move(app), {}};
  out.decision = bridgekeeper::Decide(out.app.view(), call, judge_);
  return Counted(std::move(out), begin, transport);
}

std::optional<DecisionOutcome> DecisionCore::TryDecide(AppState app, const ToolCall& call,
                                                       Transport transport) {
  const absl::Duration begin = clock_.SinceBoot();
  DecisionOutcome out{std::move(app), {}};
  if (judge_ == nullptr) {
    out.decision = bridgekeeper::Decide(out.app.view(), call, nullptr);
  } else {
    const PromptJudge judge(*judge_);
    out.decision = bridgekeeper::Decide(out.app.view(), call, &judge);
    if (judge.declined()) return std::nullopt;
  }
  return Counted(std::move(out), begin, transport);
}

Decision DecisionCore::Malformed(Transport transport) {
  metrics_.CountDecision(Verdict::kDeny, ReasonCode::kInvalidRequest, transport);
  return {.verdict = Verdict::kDeny, .reason = ReasonCode::kInvalidRequest};
}

absl::StatusOr<Explanation> DecisionCore::Explain(std::string_view app, const ToolCall& call,
                                                  AppState& state) {
  absl::StatusOr<AppState> loaded = cache_.Get(app);
  if (!loaded.ok()) return std::move(loaded).status();
  state = *std::move(loaded);
  return bridgekeeper::Explain(state.view(), call, judge_);
}

absl::StatusOr<DecisionCore::Listing> DecisionCore::ListTools(std::string_view app,
                                                              const ListContext& context) {
  absl::StatusOr<AppState> loaded = cache_.Get(app);
  if (!loaded.ok()) return std::move(loaded).status();
  Listing out{*std::move(loaded), {}, {}};
  if (out.app.policy != nullptr) {
    const Catalog& catalog = out.app.policy->catalog();
    for (const CatalogEntry* entry : catalog.Entries()) {
      const std::string& name = entry->key.tool.value();
      // Entries of one tool stand together.
      if (!out.names.empty() && out.names.back() == name) continue;
      if (catalog.Find(name, context.server, context.builtin_catalog) != nullptr) {
        out.names.push_back(name);
      }
    }
  }
  std::vector<ToolToList> tools;
  tools.reserve(out.names.size());
  for (const std::string& name : out.names) tools.push_back({.tool = name});
  out.listing = bridgekeeper::ListTools(out.app.view(), context, tools);
  return out;
}

}  // namespace bridgekeeper::service
