// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The dispatcher of the bridge. The input is a script, a step a line; the first
// character says what the rest is:
//
//   c  a line of the client          s  a line of the server
//   C  the same with a CR inside     S  the same
//   l  the server lists the tools `read`, `write`, `drop`
//   t  that many seconds pass        p  the policy's mode becomes the digit, or it goes
//   e  the server ends
//
// What must hold whatever is said: every line that goes out is one JSON object; a
// tool call reaches the server only if a decision that is no denial was made for it,
// as the very bytes; every other method that reaches the server is one that passes;
// what is in flight stays bounded.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/methods.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "policy/base/check.h"
#include "policy/testing/fake_clock.h"
#include "runtime/testing/fake_id_source.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper::bridge {
namespace {

class Granted : public BridgeObserver {
 public:
  void OnDecision(const DecidedCall& call) override {
    if (call.verdict != Verdict::kDeny) ++calls;
  }
  void OnToolsListed(const UpstreamToolList&) override {}
  int calls = 0;
};

AppData Data(Mode mode) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = mode;
  data.policy.limits.timeout = absl::Seconds(5);
  data.policy.limits.max_bytes = 200;
  for (const auto& [name, risk] :
       {std::pair("read", Risk::kSafe), std::pair("write", Risk::kElevated),
        std::pair("drop", Risk::kDestructive)}) {
    CatalogEntry entry;
    entry.key = {AppId("app"), ServerId("stdio"), ToolName(name)};
    entry.risk = risk;
    entry.needs_connection = NeedsConnection::kNo;
    data.catalog.push_back(entry);
  }
  return data;
}

class Script {
 public:
  void Run(std::string_view text) {
    while (!text.empty()) {
      const std::string_view step = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), step.size() + 1));
      if (!step.empty()) Step(step[0], std::string(step.substr(1)));
      Check(step.empty() ? ' ' : step[0], step.empty() ? step : step.substr(1));
    }
  }

 private:
  void Step(char what, const std::string& rest) {
    switch (what) {
      case 'c':
        return core_.OnClientFrame({Frame::Kind::kLine, rest}, out_);
      case 's':
        return core_.OnServerFrame({Frame::Kind::kLine, rest}, out_);
      case 'C':
        return core_.OnClientFrame({Frame::Kind::kBareCarriageReturn, rest}, out_);
      case 'S':
        return core_.OnServerFrame({Frame::Kind::kBareCarriageReturn, rest}, out_);
      case 'l': {
        if (own_list_.empty()) return;
        const std::string answer = absl::StrFormat(
            R"({"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"read","inputSchema":{}},{"name":"write","inputSchema":{}},{"name":"drop","inputSchema":{}}]}})",
            std::exchange(own_list_, ""));
        return core_.OnServerFrame({Frame::Kind::kLine, answer}, out_);
      }
      case 't':
        clock_.Advance(absl::Seconds(rest.empty() ? 1 : static_cast<uint8_t>(rest[0]) % 64));
        return core_.OnTime(out_);
      case 'p':
        if (rest.empty()) {
          policies_.SetState("app", PolicyView::State::kUnknownApp);
        } else {
          policies_.SetPolicy(Data(static_cast<Mode>(static_cast<uint8_t>(rest[0]) % 3)));
        }
        return core_.OnPolicyChange(out_);
      case 'e':
        return core_.OnServerEnd("the script says so", out_);
      default:
        return;
    }
  }

  void Check(char what, std::string_view said) {
    int calls = 0;
    ForEachLine(out_.to_client, [&](std::string_view line) {
      const auto document = JsonDocument::Parse(line);
      BK_CHECK(document.ok() && document->root().is_object());
    });
    ForEachLine(out_.to_server, [&](std::string_view line) {
      const auto document = JsonDocument::Parse(line);
      BK_CHECK(document.ok() && document->root().is_object());
      const auto method = document->root().Find("method");
      if (!method) return;
      const auto id = document->root().Find("id");
      const bool is_ours = id && id->is_string() && id->string().starts_with("bridgekeeper/0");
      if (method->string() == "tools/list") {
        BK_CHECK(is_ours);
        own_list_ = id->raw();
      } else if (method->string() == "tools/call") {
        ++calls;
        // A call that waited comes out later than it went in.
        BK_CHECK(what != 'c' || line == said);
      } else if (is_ours) {
        BK_CHECK(method->string() == "tasks/cancel");
      } else {
        BK_CHECK((id ? ClientRequest(method->string()) : Notification(method->string())) !=
                 Treatment::kRefused);
      }
    });
    BK_CHECK(calls == granted_.calls);
    BK_CHECK(core_.requests_in_flight() <= kMaxRequestsInFlight);
    granted_.calls = 0;
    out_.to_client.clear();
    out_.to_server.clear();
  }

  template <typename Function>
  static void ForEachLine(std::string_view text, Function function) {
    while (!text.empty()) {
      const size_t end = text.find('\n');
      BK_CHECK(end != std::string_view::npos);
      function(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  clients::FakePolicySource policies_;
  FakeClock clock_;
  FakeIdSource ids_;
  FakeLogger log_;
  Granted granted_;
  BridgeCore core_{{.app = AppId("app"), .server = ServerId("stdio")},
                   {.policies = policies_,
                    .judge = nullptr,
                    .clock = clock_,
                    .ids = ids_,
                    .log = log_,
                    .observers = {&granted_}}};
  Output out_;
  std::string own_list_;  // the id of the bridge's tools/list that is not answered
};

}  // namespace
}  // namespace bridgekeeper::bridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bridgekeeper::bridge::Script().Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
