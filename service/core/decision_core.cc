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

bool DecisionCore::MayJudge(const AppState& app, const ToolCall& call) const {
  if (judge_ == nullptr || app.policy == nullptr) return false;
  if (call.payload) return true;
  if (!call.arguments) return false;
  const CatalogEntry* entry =
      app.policy->catalog().Find(call.tool, call.server, call.builtin_catalog);
  return entry != nullptr && entry->payload_rule && entry->payload_rule->makes_payload();
}

DecisionOutcome DecisionCore::Decide(AppState app, const ToolCall& call, Transport transport) {
  const absl::Duration begin = clock_.SinceBoot();
  DecisionOutcome out{std::move(app), {}};
  out.decision = bridgekeeper::Decide(out.app.view(), call, judge_);
  metrics_.decision_duration.Record(clock_.SinceBoot() - begin);
  metrics_.CountDecision(out.decision.verdict, out.decision.reason, transport);
  return out;
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
