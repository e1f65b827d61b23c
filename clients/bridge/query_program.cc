// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/host_name.h"
#include "clients/bridge/http/link.h"
#include "clients/bridge/keeper_link.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/program.h"
#include "clients/bridge/query_output.h"
#include "clients/bridge/reloader.h"
#include "clients/bridge/report_observer.h"
#include "clients/bridge/sandbox/engines.h"
#include "clients/bridge/sandbox/own_databases.h"
#include "clients/bridge/sandbox/sandbox_transport.h"
#include "clients/bridge/upstream/upstream.h"
#include "policy/base/strings.h"
#include "policy/guard/guard.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/judge_worker.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kCallId = "1";

ExitCode Fail(std::string_view message, ExitCode code) {
  std::fprintf(stderr, "keeper-bridge: error: %s\n", EscapeForPeople(message).c_str());
  return code;
}

// All of standard input; nullopt: it cannot be read, or is more than is judged.
std::optional<std::string> ReadStatement() {
  std::string text;
  std::array<char, 1 << 16> piece;
  while (text.size() <= kMaxJudgedBytes) {
    const ssize_t n = read(STDIN_FILENO, piece.data(), piece.size());
    if (n == 0) return text;
    if (n > 0) text.append(piece.data(), static_cast<size_t>(n));
    if (n < 0 && errno != EINTR) return std::nullopt;
  }
  return std::nullopt;
}

// The server of a configuration that has this connection, with it alone.
std::optional<ServerConfig> ServerWith(const BridgeConfig& config, const std::string& connection) {
  for (const ServerConfig& server : config.servers) {
    for (const ConnectionConfig& each : server.connections) {
      if (each.id.value() != connection) continue;
      ServerConfig found = server;
      found.connections = {each};
      return found;
    }
  }
  return std::nullopt;
}

std::string CallLine(const QueryCommand& command, const std::string& sql) {
  std::string arguments;
  JsonObject object(arguments);
  object.String(kConnectionArgument, command.connection).String("sql", sql);
  object.Close();
  std::string params;
  JsonObject call(params);
  call.String("name", command.write ? "sqlkit__execute_write" : "sqlkit__execute_query")
      .Raw("arguments", arguments);
  call.Close();
  return RequestLine(kCallId, "tools/call", params);
}

// One client, which makes one call and takes its answer.
class Caller : public Front::Listener {
 public:
  Caller(boost::asio::io_context& io, std::shared_ptr<Server> server)
      : io_(io), link_(std::make_unique<Link>(io, std::move(server), *this)) {}
  // The link says its last words to us.
  ~Caller() override { link_.reset(); }

  // Runs the event loop until the answer is there.
  std::string Ask(const std::string& line) {
    boost::asio::post(io_, [this, &line] { Say(line); });
    io_.run();
    io_.restart();
    return answer_;
  }
  void OnPolicyChange() { link_->OnPolicyChange(); }
  void Cancel() {
    std::string params;
    JsonObject object(params);
    object.String("requestId", kCallId);
    object.Close();
    Say(NotificationLine("notifications/cancelled", params));
    io_.stop();
  }

 private:
  void Say(const std::string& line) {
    const auto read = ReadMessage(line);
    if (const Message* message = std::get_if<Message>(&read)) {
      return link_->FromClient(*message, line);
    }
    ToClient(ErrorLine({}, kInvalidRequest, std::get<Refusal>(read).message), {});
  }

  void ToClient(std::string_view line, const IdKey&) override {
    const Outline outline = OutlineOf(line);
    if (outline.has_method) {
      if (!outline.id_token.empty()) {
        Say(ErrorLine(outline.id_token, kMethodNotFound, "there is nobody who could be asked"));
      }
      return;
    }
    answer_ = std::string(line);
    io_.stop();
  }

  boost::asio::io_context& io_;
  std::string answer_;
  std::unique_ptr<Link> link_;
};

// Prints what came of it.
ExitCode Print(const QueryCommand& command, const std::string& line) {
  const auto read = ReadMessage(line);
  const Message* answer = std::get_if<Message>(&read);
  if (answer == nullptr) return Fail("the call was stopped", ExitCode::kFailed);
  if (answer->kind != Message::Kind::kResult) {
    return Fail(TextOf(answer->body->Find("message")), ExitCode::kFailed);
  }
  const JsonValue result = *answer->body;
  std::string text;
  if (const auto content = result.Find("content"); content && content->is_array()) {
    for (const JsonValue block : *content) text += TextOf(block.Find("text"));
  }
  if (IsTrue(result.Find("isError"))) {
    // A database's own error begins with its code.
    const auto denial = Member(result.Find("_meta"), "bridgekeeper/denial");
    if (!denial) return Fail(text, ExitCode::kFailed);
    return Fail(absl::StrFormat("%s: %s", TextOf(denial->Find("reason_code")), text),
                ExitCode::kDenied);
  }
  const auto output = RenderAnswer(text, command.output);
  if (!output.ok()) return Fail(AsStd(output.status().message()), ExitCode::kFailed);
  if (std::fwrite(output->text.data(), 1, output->text.size(), stdout) != output->text.size() ||
      std::fflush(stdout) != 0) {
    return Fail("standard output cannot be written", ExitCode::kFailed);
  }
  if (!output->truncated_by.empty()) {
    std::fprintf(stderr, "keeper-bridge: truncated by %s: there is more than the limits allow\n",
                 output->truncated_by.c_str());
  }
  return ExitCode::kOk;
}

}  // namespace

ExitCode RunQuery(const QueryCommand& command) {
  RealClock clock;
  RandomIdSource ids;
  JsonLogger log(STDERR_FILENO, LogLevel::kWarning, clock);

  const ServeCommand serve{
      .config_file = command.config_file, .announce = {}, .keeper = command.keeper};
  // Another connection's credential is nothing to this one.
  const auto config = LoadServed(serve, /*warnings=*/nullptr, /*checks_places=*/false);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return ExitCode::kUsage;
  }
  const auto behind = ServerWith(*config, command.connection);
  if (!behind) {
    return Fail(
        absl::StrFormat("%s: there is no connection `%s`", command.config_file, command.connection),
        ExitCode::kUsage);
  }
  const auto sql = command.sql ? command.sql : ReadStatement();
  if (!sql) {
    return Fail(absl::StrFormat("the statement on standard input cannot be read, or is longer "
                                "than %d bytes",
                                kMaxJudgedBytes),
                ExitCode::kUsage);
  }
  auto backend = MakeBackend(behind->connections[0], clock, log);
  if (!backend.ok()) return Fail(AsStd(backend.status().message()), ExitCode::kUsage);

  const std::string host = HostName();
  const std::string name = absl::StrFormat("%s/%d", host.substr(0, 100), getpid());
  KeeperLink::Target target = TargetOf(serve, *config);
  target.apps = {behind->app};
  const auto keeper =
      KeeperLink::Create(target, {.bridge = name, .version = BK_VERSION}, clock, ids);
  if (!keeper.ok()) return Fail(AsStd(keeper.status().message()), ExitCode::kUsage);

  const std::unique_ptr<PayloadJudge> judge =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1, .log = &log})});
  const auto own_databases = MakeOwnDatabases(behind->connections);
  ReportObserver reports(**keeper, behind->app.value(), behind->name, behind->builtin_catalog, host,
                         ids.NewId());
  boost::asio::io_context io(1);
  JudgeDesk desk(io, *judge, clock);
  std::vector<SandboxConnection> connections;
  connections.push_back({behind->connections[0], *std::move(backend)});
  Upstream upstream(
      io, behind->name, BK_VERSION,
      MakeSandboxTransport(io, behind->app, BK_VERSION, std::move(connections), **keeper), clock,
      log);
  std::string answer;
  {
    const auto caller = std::make_shared<Caller>(
        io, std::make_shared<Server>(*behind,
                                     CoreParts{.policies = **keeper,
                                               .judge = judge.get(),
                                               .clock = clock,
                                               .ids = ids,
                                               .log = log,
                                               .observers = {&reports},
                                               .own_databases = own_databases.get()},
                                     upstream, &desk));
    boost::asio::signal_set signals(io, SIGTERM, SIGINT);
    signals.async_wait([&](const boost::system::error_code& error, int) {
      if (!error) caller->Cancel();
    });
    const auto subscription = (*keeper)->Subscribe([&](std::span<const AppId>) {
      // Posted ones may outlive the call.
      boost::asio::post(io, [of = std::weak_ptr<Caller>(caller)] {
        if (const auto alive = of.lock()) alive->OnPolicyChange();
      });
    });
    upstream.Start();
    answer = caller->Ask(CallLine(command, *sql));
  }
  upstream.Stop([&io] { io.stop(); });
  io.run();
  const ExitCode code = Print(command, answer);
  if (!(*keeper)->Flush(kFlushTimeout)) {
    log.Warning("the decision was not reported", {{"keeper", target.channel.address}});
  }
  return code;
}

}  // namespace bridgekeeper::bridge
