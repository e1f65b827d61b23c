// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CoreHarness holds a BridgeCore between two sides that a test plays.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_TEST_UTIL_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/fake_clock.h"
#include "runtime/testing/fake_id_source.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {

// Keeps what it is told.
class FakeObserver : public BridgeObserver {
 public:
  void OnDecision(const DecidedCall& call) override { decisions.push_back(call); }
  void OnToolsListed(const UpstreamToolList& list) override {
    lists.emplace_back();
    for (const UpstreamTool& tool : list.tools()) lists.back().push_back(tool.name);
  }

  std::vector<DecidedCall> decisions;
  std::vector<std::vector<std::string>> lists;
};

// Lines that came out, taken apart.
struct Sent {
  std::vector<std::string> to_client;
  std::vector<std::string> to_server;
  struct ToJudge {
    uint64_t ticket = 0;
    PayloadToJudge payload;
  };
  std::vector<ToJudge> to_judge;
};

inline std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      ADD_FAILURE() << "a line has no end: " << text;
      break;
    }
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// A parsed line: keeps the text that the document looks into.
class Json {
 public:
  explicit Json(std::string text)
      : text_(std::make_unique<const std::string>(std::move(text))),
        document_(JsonDocument::Parse(*text_)) {
    EXPECT_TRUE(document_.ok()) << document_.status() << ": " << *text_;
  }

  // The value at a path of member names and array indices, "error/data/reason_code";
  // its text where it is a string, else as it is written; "<none>" where there is
  // none.
  std::string At(std::string_view path) const {
    if (!document_.ok()) return "<none>";
    JsonValue value = document_->root();
    while (!path.empty()) {
      const std::string_view step = path.substr(0, path.find('/'));
      path.remove_prefix(std::min(path.size(), step.size() + 1));
      std::optional<JsonValue> next = value.Find(step);
      if (value.is_array()) {
        size_t index = 0;
        for (const JsonValue element : value) {
          if (std::to_string(index++) == step) next = element;
        }
      }
      if (!next) return "<none>";
      value = *next;
    }
    return std::string(value.is_string() ? value.string() : value.raw());
  }

 private:
  std::unique_ptr<const std::string> text_;
  absl::StatusOr<JsonDocument> document_;
};

inline std::string Request(std::string_view method, std::string_view id = "1",
                           std::string_view params = "{}") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"method":"%s","params":%s})", id, method,
                         params);
}

inline std::string Notify(std::string_view method, std::string_view params = "{}") {
  return absl::StrFormat(R"({"jsonrpc":"2.0","method":"%s","params":%s})", method, params);
}

inline std::string At(const std::string& line, std::string_view path) {
  return Json(line).At(path);
}

// The names in the answer to a tools/list.
inline std::vector<std::string> NamesIn(const Sent& sent) {
  std::vector<std::string> names;
  if (sent.to_client.empty()) return names;
  const Json json(sent.to_client.back());
  for (int i = 0;; ++i) {
    const std::string name = json.At(absl::StrFormat("result/tools/%d/name", i));
    if (name == "<none>") return names;
    names.push_back(name);
  }
}

// The reason_code of a denied call, or "" where `sent` is none.
inline std::string DenialIn(const Sent& sent) {
  if (!sent.to_server.empty() || sent.to_client.size() != 1) return "";
  const auto document = JsonDocument::Parse(sent.to_client[0]);
  if (!document.ok()) return "";
  auto value = document->root().Find("result");
  for (const char* key : {"_meta", "bridgekeeper/denial", "reason_code"}) {
    if (value) value = value->Find(key);
  }
  return value ? std::string(value->string()) : "";
}

class CoreHarness {
 public:
  explicit CoreHarness(CoreOptions options = DefaultOptions(), const PayloadJudge* judge = nullptr)
      : core_(std::move(options), {.policies = policies,
                                   .judge = judge,
                                   .clock = clock,
                                   .ids = ids,
                                   .log = log,
                                   .observers = {&observer}}) {}

  static CoreOptions DefaultOptions() {
    return {.app = AppId("dockit"), .server = ServerId("stdio")};
  }

  BridgeCore& core() { return core_; }

  Sent Client(std::string_view line) { return ClientFrame({Frame::Kind::kLine, line}); }
  Sent Server(std::string_view line) { return ServerFrame({Frame::Kind::kLine, line}); }
  Sent ClientFrame(const Frame& frame) {
    return Run([&](Output& out) { core_.OnClientFrame(frame, out); });
  }
  Sent ServerFrame(const Frame& frame) {
    return Run([&](Output& out) { core_.OnServerFrame(frame, out); });
  }
  Sent Judged(uint64_t ticket, std::optional<Judgement> judgement) {
    return Run([&](Output& out) { core_.OnJudged(ticket, std::move(judgement), out); });
  }
  Sent PolicyChanged() {
    return Run([&](Output& out) { core_.OnPolicyChange(out); });
  }
  Sent ServerEnds(std::string_view how) {
    return Run([&](Output& out) { core_.OnServerEnd(how, out); });
  }
  // Lets the time pass and what is due happen.
  Sent Pass(absl::Duration time) {
    clock.Advance(time);
    return Run([&](Output& out) { core_.OnTime(out); });
  }

  // A policy in force, with entries for tools `read` (SAFE), `write` (ELEVATED) and
  // `drop` (DESTRUCTIVE) of the server.
  static AppData Data(Mode mode = Mode::kFullAccess) {
    AppData data;
    data.policy.app = AppId("dockit");
    data.policy.mode = mode;
    data.policy_revision = {3};
    data.catalog_revision = {2};
    const std::pair<const char*, Risk> tools[] = {
        {"read", Risk::kSafe}, {"write", Risk::kElevated}, {"drop", Risk::kDestructive}};
    for (const auto& [name, risk] : tools) {
      CatalogEntry entry;
      entry.key = {AppId("dockit"), ServerId("stdio"), ToolName(name)};
      entry.risk = risk;
      entry.needs_connection = NeedsConnection::kNo;
      data.catalog.push_back(entry);
    }
    return data;
  }
  Sent SetPolicy(AppData data) {
    policies.SetPolicy(std::move(data));
    return PolicyChanged();
  }

  // The three tools, as the server lists them.
  static constexpr std::string_view kTools =
      R"({"name":"read","inputSchema":{}},{"name":"write","inputSchema":{}},)"
      R"({"name":"drop","inputSchema":{}})";

  // Answers the bridge's own tools/list among `sent`, if there is one, with `tools`.
  Sent AnswerList(const Sent& sent, std::string_view tools = kTools) {
    return Server(R"({"jsonrpc":"2.0","id":")" + OwnListId(sent) + R"(","result":{"tools":[)" +
                  std::string(tools) + "]}}");
  }
  static std::string OwnListId(const Sent& sent) {
    for (const std::string& line : sent.to_server) {
      if (At(line, "method") == "tools/list") return At(line, "id");
    }
    ADD_FAILURE() << "no tools/list was sent to the server";
    return "";
  }

  // A session in which the client has read the list of the three tools.
  void StartSession(AppData data = Data(), std::string_view capabilities = "{}") {
    SetPolicy(std::move(data));
    Client(absl::StrFormat(
        R"({"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":)"
        R"("2025-11-25","capabilities":%s,"clientInfo":{"name":"tester","version":"1"}}})",
        capabilities));
    Server(R"({"jsonrpc":"2.0","id":"i","result":{"capabilities":{"tools":{}}}})");
    Client(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
    AnswerList(Client(R"({"jsonrpc":"2.0","id":"l","method":"tools/list"})"));
  }

  static std::string Call(std::string_view tool, std::string_view id = "1",
                          std::string_view arguments = "{}") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":)" + std::string(arguments) + "}}";
  }
  // The same in the stateless era.
  static std::string StatelessCall(std::string_view tool, std::string_view id = "1") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) +
           R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
           R"(","arguments":{},"_meta":)" + std::string(kStatelessMeta) + "}}";
  }
  static constexpr std::string_view kStatelessMeta =
      R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
      R"("io.modelcontextprotocol/clientInfo":{"name":"modern","version":"2"},)"
      R"("io.modelcontextprotocol/clientCapabilities":{}})";

  uint64_t Messages(Peer sender, Outcome outcome) const {
    return core_.stats().messages[static_cast<size_t>(sender)][static_cast<size_t>(outcome)];
  }

  clients::FakePolicySource policies;
  FakeClock clock;
  FakeIdSource ids;
  FakeLogger log;
  FakeObserver observer;

 private:
  template <typename Act>
  Sent Run(Act act) {
    Output out;
    act(out);
    std::vector<Sent::ToJudge> to_judge;
    for (const uint64_t ticket : out.to_judge) {
      // One whose server ended in the same breath has none.
      if (auto payload = core_.PayloadOf(ticket)) to_judge.push_back({ticket, *std::move(payload)});
    }
    return {LinesOf(out.to_client), LinesOf(out.to_server), std::move(to_judge)};
  }

  BridgeCore core_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_TEST_UTIL_H_
