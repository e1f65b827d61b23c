// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/guarded.h"

#include <memory>
#include <optional>

#include "absl/strings/str_format.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/sandbox/own_databases.h"
#include "policy/engine/engine.h"
#include "policy/guard/guard.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper::bridge {

std::string ReasonOf(std::string_view engine, std::string_view tool, const std::string& arguments,
                     Mode mode) {
  static const PayloadJudge* const judge =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1, .program = BK_JUDGE_WORKER}),
                 .deadline = absl::Seconds(60)})
          .release();
  ConnectionConfig connection;
  connection.id = ConnectionId("shop");
  connection.type = engine;
  const auto own = MakeOwnDatabases({connection});
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = mode;
  const auto policy = CompiledPolicy::Compile(std::move(data));
  const auto document = JsonDocument::Parse(arguments);
  if (!document.ok()) return document.status().ToString();
  const std::string name = absl::StrFormat("sqlkit__%s", tool);
  ToolCall call;
  call.tool = name;
  call.server = "databases";
  call.builtin_catalog = true;
  call.listed_by_server = true;
  call.connection = "shop";
  call.connection_type = own->TypeOf("shop");
  call.arguments = document->root();
  std::optional<Judgement> judgement;
  const Decision decision = Decide(PolicyView::Of(*policy), call, judge, &judgement);
  if (decision.verdict == Verdict::kDeny) return std::string(Name(decision.reason));
  const ReasonCode refusal =
      own->Refusal(*policy, name, decision, judgement ? &*judgement : nullptr);
  return std::string(Name(refusal == ReasonCode::kUnspecified ? ReasonCode::kAllowed : refusal));
}

}  // namespace bridgekeeper::bridge
