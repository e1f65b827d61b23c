// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/message.h"
#include "policy/base/check.h"
#include "policy/model/ids.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/fake_judge.h"
#include "runtime/testing/fake_id_source.h"
#include "runtime/testing/fake_logger.h"
#include "tests/vectors/faces/face.h"
#include "tests/vectors/faces/question.h"

namespace bridgekeeper::tests {
namespace {

using bridge::BridgeCore;
using bridge::Frame;
using bridge::JsonString;
using bridge::Output;

class LastDecision : public bridge::BridgeObserver {
 public:
  void OnDecision(const bridge::DecidedCall& call) override { decided = call; }
  void OnToolsListed(const bridge::UpstreamToolList&) override {}

  std::optional<bridge::DecidedCall> decided;
};

// The server behind the bridge: it lists the vector's tool where the vector says so,
// or where an entry covers it.
bool IsListed(const DecisionVector& vector) {
  return vector.call.call.listed_by_server || EntryOf(vector) != nullptr;
}

std::string CallLine(const OwnedCall& call) {
  return R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":)" +
         JsonString(call.tool) +
         (call.arguments_json ? R"(,"arguments":)" + *call.arguments_json : "") + "}}";
}

class BridgeFace : public Face {
 public:
  std::string CannotBeAsked(const DecisionVector& vector) const override {
    const OwnedCall& call = vector.call;
    if (call.server && !IsValidId(*call.server)) return "a bridge's server has a valid name";
    if (call.connection && !IsValidId(*call.connection)) return "a fixed connection is checked";
    if (call.call.declared_risk) return "an MCP client declares no risk";
    if (call.payload_json) return "an MCP client sends arguments";
    if (call.digest) return "a bridge makes the digest itself";
    if (vector.world.max_staleness) return "a bridge has no bound of its own";
    if (std::holds_alternative<bridge::Refusal>(bridge::ReadMessage(CallLine(call)))) {
      return "twin keys are refused before anything is decided";
    }
    if (call.arguments_json == "null") return "null arguments are none";
    const CatalogEntry* entry = EntryOf(vector);
    const bool arguments_matter =
        entry != nullptr && (entry->payload_rule || !entry->connection_argument.empty());
    if (!call.arguments_json && arguments_matter) return "a bridge always carries arguments";
    // Whoever lists a tool gives it a definition, which a pin is compared with.
    if (entry != nullptr && !entry->pin.empty()) return "a bridge makes the digest itself";
    return "";
  }

  ReasonCode WantedReason(const DecisionVector& vector) const override {
    if (vector.verdict == Verdict::kDeny) return vector.reason;
    const Limits limits = vector.world.data.policy.limits;
    if (limits.max_rows || limits.read_only_session) return ReasonCode::kObligationUnsupported;
    if (vector.verdict == Verdict::kAllow) return vector.reason;
    // ASK: where the client was shown the tool as destructive it has asked.
    const bool has_asked = vector.world.data.policy.ask_mode == AskMode::kClient &&
                           ListedRisk(vector) == Risk::kDestructive;
    return has_asked ? vector.reason : ReasonCode::kNoWayToAsk;
  }

  FaceAnswer Ask(const DecisionVector& vector) const override {
    WatchedState state(vector);
    FakeIdSource ids;
    FakeClock clock;
    FakeLogger log;
    FakeJudge judge;
    judge.proven = vector.proven;
    LastDecision observer;
    const OwnedCall& call = vector.call;
    bridge::CoreOptions options{.app = vector.world.data.policy.app,
                                // A bridge names a server always. What no server is named
                                // for is answered by the entries for all of them.
                                .server = ServerId(call.server.value_or("some-server")),
                                .builtin_catalog = call.call.builtin_catalog || !call.server,
                                .read_only = call.call.read_only_bridge};
    if (call.connection) options.connection = ConnectionId(*call.connection);
    if (call.connection_type) options.connection_type = *call.connection_type;
    BridgeCore core(std::move(options), {.policies = state,
                                         .judge = vector.judge ? &judge : nullptr,
                                         .clock = clock,
                                         .ids = ids,
                                         .log = log,
                                         .observers = {&observer}});
    FaceAnswer answer;
    const std::string list =
        Exchange(core, vector, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", clock);
    answer.has_listing = IsListed(vector);
    answer.listed = RiskIn(list);
    Exchange(core, vector, CallLine(call), clock);
    if (!observer.decided) return answer;  // names no reason, which no vector wants
    const bridge::DecidedCall& decided = *observer.decided;
    answer.verdict = decided.verdict;
    answer.reason = decided.reason;
    answer.effective_risk = decided.effective_risk;
    answer.judged = decided.judged;
    answer.obligations = decided.obligations;
    answer.text = decided.reason_text;
    return answer;
  }

 private:
  static std::optional<Risk> ListedRisk(const DecisionVector& vector) {
    if (!IsListed(vector)) return std::nullopt;
    ToolCall call = vector.call.call;
    call.arguments.reset();
    call.listed_by_server = true;
    return ReferenceListedRisk(vector.world, call);
  }

  // Sends a line of the client, plays the server's list, lets the time to wait for a
  // policy pass; returns what came to the client.
  static std::string Exchange(BridgeCore& core, const DecisionVector& vector,
                              const std::string& line, FakeClock& clock) {
    Output out;
    core.OnClientFrame({Frame::Kind::kLine, line}, out);
    clock.Advance(absl::Seconds(5));  // longer than a policy is waited for, not than a list
    core.OnTime(out);
    const size_t asked = out.to_server.find(R"("method":"tools/list")");
    if (asked == std::string::npos) return out.to_client;
    const auto request = JsonDocument::Parse(out.to_server);
    BK_CHECK(request.ok());
    const OwnedCall& call = vector.call;
    const std::string tool =
        R"({"name":)" + JsonString(call.tool) + R"(,"inputSchema":{})" +
        (call.call.read_only_hint ? R"(,"annotations":{"readOnlyHint":true})" : "") + "}";
    const std::string answer = R"({"jsonrpc":"2.0","id":)" +
                               std::string(request->root().Find("id")->raw()) +
                               R"(,"result":{"tools":[)" + (IsListed(vector) ? tool : "") + "]}}";
    core.OnServerFrame({Frame::Kind::kLine, answer}, out);
    return out.to_client;
  }

  // The risk that the hints of the only tool of a list tell; nullopt: none is listed.
  static std::optional<Risk> RiskIn(const std::string& line) {
    if (line.find(R"("annotations")") == std::string::npos) return std::nullopt;
    if (line.find(R"("destructiveHint":true)") != std::string::npos) return Risk::kDestructive;
    const bool only_reads = line.find(R"("readOnlyHint":true)") != std::string::npos;
    return only_reads ? Risk::kSafe : Risk::kElevated;
  }
};

}  // namespace

std::unique_ptr<Face> MakeBridgeFace() { return std::make_unique<BridgeFace>(); }

}  // namespace bridgekeeper::tests
