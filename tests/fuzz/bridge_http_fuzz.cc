// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The way of an HTTP request, from its bytes to what a server is sent: the input is what
// a client says on one connection, any number of requests. Where it begins with `!`, the
// rest is one request whose Content-Length is added, so that a body may grow.
//
// There are two sessions, 0...01 at /mcp and 0...02 at /servers/one/mcp, one server `one`
// with the tools `read` (allowed), `drop` (denied) and `sql` (allowed where its payload
// says nothing of a drop), and a client of data-studio.
//
// What must hold whatever is said: nothing that breaks a rule of the listener comes to a
// handler; a request that does is answered at most once, with a status that is one of
// ours and whole JSON where it says so; `drop` never reaches the server, and no call does
// for which no decision was made, nor one whose payload was judged to drop; every other
// method that does is one that passes.

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/http/error.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/http/all_servers.h"
#include "clients/bridge/http/data_studio.h"
#include "clients/bridge/http/http_reader.h"
#include "clients/bridge/http/judge_desk.h"
#include "clients/bridge/http/link.h"
#include "clients/bridge/http/mcp_endpoint.h"
#include "clients/bridge/mcp/methods.h"
#include "clients/bridge/upstream/upstream.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "policy/base/check.h"
#include "policy/guard/judge.h"
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

constexpr std::string_view kDrops = "drop";

// Judges at once: what names a drop is one.
class WordJudge : public PayloadJudge {
 public:
  bool Knows(std::string_view) const override { return true; }
  Judgement JudgeText(std::string_view, std::string_view text, const JudgeOptions&) const override {
    const bool drops = text.find(kDrops) != std::string_view::npos;
    return {.risk = drops ? Risk::kDestructive : Risk::kSafe,
            .statements = 1,
            .error = Judgement::Error::kNone};
  }
  Judgement JudgeObject(std::string_view, JsonValue, const JudgeOptions&) const override {
    return {};  // unreadable
  }
  std::optional<Judgement> TryJudgeText(std::string_view dialect, std::string_view text,
                                        const JudgeOptions& options) const override {
    return JudgeText(dialect, text, options);
  }
  std::optional<Judgement> TryJudgeObject(std::string_view dialect, JsonValue object,
                                          const JudgeOptions& options) const override {
    return JudgeObject(dialect, object, options);
  }
};

// What the endpoint and the data-studio contract answer with; HttpServer adds what breaks a
// rule of the listener, which is looked at in Read().
// Source: MCP 2025-11-25 and 2026-07-28, Streamable HTTP; data_studio.h.
bool IsOfTheContract(int status) {
  constexpr int kStatuses[] = {200, 202, 204, 400, 403, 404, 405, 406, 409, 503, 504};
  return std::ranges::find(kStatuses, status) != std::end(kStatuses);
}

// The same of what is refused before it is read: http_listener_rules.h, http_reader.h.
bool IsOfTheListener(int status) {
  constexpr int kStatuses[] = {400, 403, 413, 415, 431, 505};
  return std::ranges::find(kStatuses, status) != std::end(kStatuses);
}

// A server that answers everything at once, and looks at what it is sent.
class WatchedServer : public Transport {
 public:
  WatchedServer(boost::asio::io_context& io, Granted& granted) : io_(io), granted_(granted) {}

  void Start(Listener& listener) override {
    listener_ = &listener;
    listener.OnConnected();
  }

  void Send(std::string_view message) override {
    const auto read = ReadMessage(message);
    const Message* sent = std::get_if<Message>(&read);
    BK_CHECK(sent != nullptr);
    if (sent->kind == Message::Kind::kNotification) {
      BK_CHECK(Notification(sent->method) != Treatment::kRefused);
      return;
    }
    if (sent->kind != Message::Kind::kRequest) return;
    BK_CHECK(ClientRequest(sent->method) != Treatment::kRefused);
    if (sent->method == "tools/call") {
      BK_CHECK(granted_.calls-- > 0);
      const std::string_view name = sent->Param("name")->string();
      BK_CHECK(name == "read" || name == "sql");
      const auto arguments = sent->Param("arguments");
      const auto sql = arguments ? arguments->Find("sql") : std::nullopt;
      BK_CHECK(name != "sql" ||
               (sql && sql->is_string() && sql->string().find(kDrops) == std::string_view::npos));
    }
    std::string_view result = "{}";
    if (sent->method == "initialize") {
      result = R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{}})";
    } else if (sent->method == "tools/list") {
      result =
          R"({"tools":[{"name":"read","inputSchema":{}},{"name":"drop","inputSchema":{}},{"name":"sql","inputSchema":{}}]})";
    } else if (sent->method == "tools/call") {
      result = R"({"content":[{"type":"text","text":"done"}]})";
    }
    boost::asio::post(io_, [this, line = absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":%s})",
                                                         sent->id_token, result)] {
      listener_->OnFrame({Frame::Kind::kLine, line}, "");
    });
  }

  size_t queued_bytes() const override { return 0; }
  void Reconnect() override {}
  void Stop(std::function<void()> done) override { done(); }

 private:
  boost::asio::io_context& io_;
  Granted& granted_;
  Listener* listener_ = nullptr;
};

AppData Data() {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = Mode::kReadOnly;
  for (const auto& [name, risk] :
       {std::pair("read", Risk::kSafe), std::pair("drop", Risk::kDestructive),
        std::pair("sql", Risk::kSafe)}) {
    CatalogEntry entry;
    entry.key = {AppId("app"), ServerId("one"), ToolName(name)};
    entry.risk = risk;
    entry.needs_connection = NeedsConnection::kNo;
    if (entry.key.tool == ToolName("sql")) {
      entry.payload_rule = PayloadRule{.payload = "{sql}", .dialect = "postgres"};
    }
    data.catalog.push_back(entry);
  }
  return data;
}

ServerConfig Config() {
  ServerConfig config;
  config.name = "one";
  config.app = AppId("app");
  config.command = {"server"};
  config.prefix = "one__";
  return config;
}

constexpr std::string_view kInitialize =
    R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}})";

class Connection {
 public:
  Connection() {
    policies_.SetPolicy(Data());
    endpoint_.AddPath("/mcp", [this](Front::Listener& listener, std::string session) {
      return std::make_unique<AllServers>(
          io_, servers_, AllServersParts{.version = version_, .log = log_, .counts = counts_},
          std::move(session), listener);
    });
    endpoint_.AddPath("/servers/one/mcp", [this](Front::Listener& listener, std::string session) {
      return std::make_unique<Link>(io_, servers_[0], listener,
                                    LinkOptions{.session = std::move(session)});
    });
    upstream_.Start();
    for (const char* path : {"/mcp", "/servers/one/mcp"}) {
      HttpRequest request;
      request.method = "POST";
      request.path = path;
      request.body = kInitialize;
      Handle(std::move(request));
      BK_CHECK(exchanges_.back()->has_response() && exchanges_.back()->response().status == 200);
    }
  }

  ~Connection() {
    for (const ExchangePtr& exchange : exchanges_) exchange->SetGone();
    Poll();
    endpoint_.EndAll();
  }

  // Reads requests until the connection is of no more use.
  void Read(std::string_view bytes) {
    while (!bytes.empty()) {
      HttpRequestParser parser;
      SetLimits(parser);
      boost::system::error_code error;
      while (!parser.is_header_done()) {
        const size_t n = parser.put(boost::asio::buffer(bytes), error);
        bytes.remove_prefix(n);
        if (error) return Refused(error);
      }
      HttpRequest request = HeadOf(parser);
      if (const auto refusal = CheckHead(rules_, parser, request)) {
        BK_CHECK(IsOfTheListener(refusal->status) && !refusal->message.empty());
        return;
      }
      CheckIsGood(request);
      parser.eager(true);
      while (!parser.is_done()) {
        const size_t n = parser.put(boost::asio::buffer(bytes), error);
        bytes.remove_prefix(n);
        if (error) return Refused(error);
        if (n == 0) return;  // more would be read from a socket
      }
      request.body = std::move(parser.get().body());
      Handle(std::move(request));
    }
  }

 private:
  static void Refused(const boost::system::error_code& error) {
    // More would be read from a socket: here the client has left.
    if (error == boost::beast::http::error::need_more) return;
    const auto refusal = RefusalOf(error);
    BK_CHECK(!refusal || (IsOfTheListener(refusal->status) && !refusal->message.empty()));
  }

  // The rules once more, in the words of who wants to get around them.
  static void CheckIsGood(const HttpRequest& request) {
    BK_CHECK(request.Count("host") == 1);
    BK_CHECK(request.Field("host")->find("evil") == std::string_view::npos);
    BK_CHECK(request.Count("origin") <= 1);
    BK_CHECK(!request.Field("origin") ||
             request.Field("origin")->size() == request.Field("host")->size() + strlen("http://"));
    BK_CHECK(request.Count("content-encoding") == 0);
    BK_CHECK(request.Count("content-length") + request.Count("transfer-encoding") <= 1);
    if (request.method != "POST") return;
    BK_CHECK(request.Count("content-length") + request.Count("transfer-encoding") == 1);
    BK_CHECK(request.Count("content-type") == 1);
    BK_CHECK(request.Field("content-type")->size() >= strlen("application/json"));
  }

  void Handle(HttpRequest request) {
    request.peer_uid = [] { return getuid(); };
    auto exchange = std::make_shared<Exchange>();
    exchanges_.push_back(exchange);
    const bool is_post = request.method == "POST";
    if (endpoint_.Serves(request.path)) {
      endpoint_.OnRequest(request, exchange);
    } else if (request.path == "/tools") {
      data_studio_.Tools(request, exchange);
    } else if (request.path == "/invoke") {
      data_studio_.Invoke(request, exchange);
    }
    Poll();
    if (!exchange->has_response()) return;
    const HttpResponse& response = exchange->response();
    BK_CHECK(IsOfTheContract(response.status));
    BK_CHECK(is_post || response.status != 202);
    if (response.content_type == "application/json") {
      BK_CHECK(JsonDocument::Parse(response.body).ok());
    }
    for (const auto& [name, value] : response.fields) {
      BK_CHECK(value.find_first_of("\r\n") == std::string::npos);
    }
  }

  void Poll() {
    io_.restart();
    io_.poll();
  }

  const HttpListenerRules rules_ = {
      .host_names = {}, .origins = {}, .media_types = {"application/json"}, .tls = false};
  const std::string version_ = "0";
  clients::FakePolicySource policies_;
  FakeClock clock_;
  FakeIdSource ids_;
  FakeIdSource session_ids_;
  FakeLogger log_;
  Granted granted_;
  const WordJudge judge_;
  CoreStats counts_;
  boost::asio::io_context io_{1};
  JudgeDesk desk_{io_, judge_, clock_};
  Upstream upstream_{io_,    "one", version_, std::make_unique<WatchedServer>(io_, granted_),
                     clock_, log_};
  const std::vector<std::shared_ptr<Server>> servers_ = {
      std::make_shared<Server>(Config(),
                               CoreParts{.policies = policies_,
                                         .judge = &judge_,
                                         .clock = clock_,
                                         .ids = ids_,
                                         .log = log_,
                                         .observers = {&granted_}},
                               upstream_, &desk_)};
  McpEndpoint endpoint_{io_, clock_, session_ids_, version_, McpEndpoint::Limits()};
  DataStudio data_studio_{io_, servers_, DataStudioConfig(), Announce::kNone};
  std::vector<ExchangePtr> exchanges_;
};

// `text` with the length of its body in its head.
std::string WithLength(std::string_view text) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t end = text.find(kEnd);
  if (end == std::string_view::npos) return std::string(text);
  const std::string_view body = text.substr(end + kEnd.size());
  return absl::StrFormat("%s\r\nContent-Length: %d\r\n\r\n%s", text.substr(0, end), body.size(),
                         body);
}

}  // namespace
}  // namespace bridgekeeper::bridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bridgekeeper::bridge::WithLength;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool add_length = text.starts_with('!');
  bridgekeeper::bridge::Connection().Read(add_length ? WithLength(text.substr(1)) : text);
  return 0;
}
