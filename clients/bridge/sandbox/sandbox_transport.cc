// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/sandbox_transport.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/message.h"
#include "clients/bridge/sandbox/tools.h"
#include "clients/bridge/upstream/upstream.h"
#include "policy/base/strings.h"
#include "policy/engine/compiled.h"

namespace bridgekeeper::bridge {
namespace {

// The connection that a call names, as text.
std::optional<std::string> ConnectionOf(JsonValue arguments) {
  const auto value = arguments.Find(kConnectionArgument);
  if (!value || value->is_null()) return std::nullopt;
  if (value->is_string()) return std::string(value->string());
  return std::string(value->raw());
}

// The answer of a tool that says `text`, which may be large: it is copied once.
std::string ToolLine(std::string_view id_token, std::string_view text, bool stateless) {
  std::string out;
  out.reserve(text.size() + text.size() / 4 + 256);
  JsonObject answer(out);
  answer.String("jsonrpc", "2.0").Raw("id", id_token).Key("result");
  JsonObject result(out);
  if (stateless) result.String("resultType", "complete");
  result.Key("content");
  out += '[';
  JsonObject block(out);
  block.String("type", "text").String("text", text);
  block.Close();
  out += ']';
  result.Bool("isError", false);
  result.Close();
  answer.Close();
  return out;
}

std::string ErrorResult(std::string_view id_token, const RunError& error, bool stateless) {
  std::string data;
  JsonObject object(data);
  object.String("code", error.code).String("message", error.message);
  if (error.code == kUnknownEffect) object.String("risk", Name(error.risk));
  object.Close();
  return ToolErrorLine(id_token, absl::StrFormat("%s: %s", error.code, error.message),
                       kErrorMetaKey, data, {.stateless = stateless, .structured_content = false});
}

constexpr std::string_view kFull = "too many calls on this database are running";

class SandboxTransport : public Transport {
 public:
  SandboxTransport(boost::asio::io_context& io, AppId app, std::string version,
                   std::vector<SandboxConnection> connections, clients::PolicySource& policies,
                   absl::Duration max_wait)
      : io_(io),
        app_(std::move(app)),
        version_(std::move(version)),
        connections_(std::move(connections)),
        policies_(policies),
        max_wait_(absl::ToChronoNanoseconds(max_wait)),
        running_of_(connections_.size()),
        pool_(kMaxSandboxCalls) {}

  ~SandboxTransport() override {
    for (const auto& [id, call] : calls_) call->stop.Raise();
    pool_.join();
  }

  void Start(Listener& listener) override {
    listener_ = &listener;
    Connected();
  }

  void Send(std::string_view message) override {
    auto read = ReadMessage(message);
    const Message* said = std::get_if<Message>(&read);
    // A bridge forwards only what it has read itself.
    if (said == nullptr) return;
    if (said->kind == Message::Kind::kNotification) {
      if (said->method == "notifications/cancelled") Cancel(*said);
      return;
    }
    if (said->kind == Message::Kind::kRequest) Answer(*said);
  }

  size_t queued_bytes() const override { return 0; }

  void Reconnect() override {
    StopAll();
    boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_)] {
      if (alive.expired() || listener_ == nullptr) return;
      listener_->OnDisconnected("it was told to end");
      Connected();
    });
  }

  void Stop(std::function<void()> done) override {
    listener_ = nullptr;
    done_ = std::move(done);
    StopAll();
    if (calls_.empty()) boost::asio::post(io_, std::exchange(done_, nullptr));
  }

 private:
  struct Call {
    std::string id_token;
    bool stateless = false;
    size_t connection = 0;
    Statement statement;
    RunLimits limits;
    StopSignal stop;
  };
  using CallPtr = std::shared_ptr<Call>;
  struct Waiting {
    IdKey id;
    CallPtr call;
    std::unique_ptr<boost::asio::steady_timer> timer;
  };

  void StopAll() {
    waiting_.clear();
    for (const auto& [id, call] : calls_) call->stop.Raise();
  }

  void Connected() {
    boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_)] {
      if (!alive.expired() && listener_ != nullptr) listener_->OnConnected();
    });
  }

  // Says a line, once we are back in the event loop.
  void Say(std::string line) {
    boost::asio::post(io_,
                      [this, alive = std::weak_ptr<const bool>(alive_), line = std::move(line)] {
                        if (!alive.expired() && listener_ != nullptr) {
                          listener_->OnFrame({Frame::Kind::kLine, line}, "");
                        }
                      });
  }

  void Answer(const Message& message) {
    if (message.method == "initialize")
      return Say(ResultLine(message.id_token, Initialized(message)));
    if (message.method == "ping") return Say(ResultLine(message.id_token, "{}"));
    if (message.method == "tools/list") {
      std::string result;
      JsonObject object(result);
      if (message.Meta(kMetaVersion)) object.String("resultType", "complete");
      object.Raw("tools", ToolsJson());
      object.Close();
      return Say(ResultLine(message.id_token, result));
    }
    if (message.method == "tools/call") return CallTool(message);
    Say(ErrorLine(message.id_token, kMethodNotFound, "a database has no such method"));
  }

  std::string Initialized(const Message& message) const {
    const std::string_view wanted = TextOf(message.Param("protocolVersion"));
    const bool is_known = std::find(std::begin(kSessionVersions), std::end(kSessionVersions),
                                    wanted) != std::end(kSessionVersions);
    std::string result;
    JsonObject object(result);
    object.String("protocolVersion", is_known ? wanted : kSessionVersions[0]).Key("capabilities");
    JsonObject capabilities(result);
    capabilities.Key("tools");
    JsonObject(result).Close();
    capabilities.Close();
    object.Key("serverInfo");
    JsonObject info(result);
    info.String("name", "bridgekeeper-databases").String("version", version_);
    info.Close();
    object.Close();
    return result;
  }

  void CallTool(const Message& message) {
    const bool stateless = message.Meta(kMetaVersion).has_value();
    const auto refuse = [&](std::string code, std::string why) {
      Say(ErrorResult(message.id_token, {std::move(code), std::move(why)}, stateless));
    };
    const ToolRow* row = FindTool(TextOf(message.Param("name")));
    if (row == nullptr) return refuse("UNSUPPORTED", "a database has no such tool");
    const auto given = message.Param("arguments");
    const JsonValue arguments = given && given->is_object() ? *given : no_arguments_.root();
    auto read = ReadArguments(*row, arguments);
    if (!read.ok()) return refuse("ARGUMENT", std::string(read.status().message()));
    if (row->tool == SandboxTool::kListConnections) {
      return Say(ToolLine(message.id_token, ConnectionsJson(), stateless));
    }
    const auto id = ConnectionOf(arguments);
    if (!id) return refuse("ARGUMENT", "`connection_id` is missing");
    const size_t at = static_cast<size_t>(
        std::find_if(connections_.begin(), connections_.end(),
                     [&](const SandboxConnection& each) { return each.config.id.value() == *id; }) -
        connections_.begin());
    if (at == connections_.size()) {
      return refuse("ARGUMENT", absl::StrFormat("there is no connection `%s` here",
                                                EscapeForPeople(*id, kMaxIdBytes)));
    }
    const SandboxConnection& connection = connections_[at];
    const clients::PolicySnapshot snapshot = policies_.View(app_.value());
    const Limits* policy =
        snapshot.policy == nullptr ? nullptr : snapshot.policy->rep().obligations;
    if (row->writes && policy != nullptr && policy->read_only_session) {
      return refuse("UNSUPPORTED",
                    "the policy's `read_only_session` lets this connection only read");
    }
    auto statement = connection.backend->StatementFor(row->tool, *read);
    if (!statement) return refuse("UNSUPPORTED", "this database has no such thing");
    const ConnectionRecord* record =
        snapshot.policy == nullptr ? nullptr : snapshot.policy->FindConnection(*id);
    if (record != nullptr) statement->safe_functions = record->safe_functions;
    auto call = std::make_shared<Call>();
    if (!call->stop.ok()) return refuse("OVERLOADED", "no descriptor is left");
    call->id_token = std::string(message.id_token);
    call->stateless = stateless;
    call->connection = at;
    call->statement = *std::move(statement);
    call->limits = LimitsOf(connection.config, policy);
    if (HasPlace(at)) return Begin(message.id, std::move(call));
    if (waiting_.size() >= kMaxWaitingCalls) return refuse("OVERLOADED", std::string(kFull));
    Await(message.id, std::move(call));
  }

  void Await(const IdKey& id, CallPtr call) {
    auto timer = std::make_unique<boost::asio::steady_timer>(io_, max_wait_);
    timer->async_wait([this, alive = std::weak_ptr<const bool>(alive_),
                       id](const boost::system::error_code& error) {
      if (error || alive.expired()) return;
      const auto late = FindWaiting(id);
      if (late == waiting_.end()) return;  // it was begun in the same moment
      Say(ErrorResult(late->call->id_token, {"OVERLOADED", std::string(kFull)},
                      late->call->stateless));
      waiting_.erase(late);
    });
    waiting_.push_back({id, std::move(call), std::move(timer)});
  }

  bool HasPlace(size_t connection) const {
    return calls_.size() < kMaxSandboxCalls && running_of_[connection] < kMaxCallsOfConnection;
  }

  void Begin(const IdKey& id, CallPtr call) {
    ++running_of_[call->connection];
    calls_.emplace(id, call);
    boost::asio::post(pool_, [this, id, call = std::move(call)] {
      RunResult result =
          connections_[call->connection].backend->Run(call->statement, call->limits, call->stop);
      boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_), id, call,
                              result = std::move(result)] {
        if (!alive.expired()) Ended(id, *call, result);
      });
    });
  }

  // Begins those that wait for what there is a place for, each connection's in turn.
  void BeginWaiting() {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      if (!HasPlace(at->call->connection)) {
        ++at;
        continue;
      }
      Begin(at->id, std::move(at->call));
      at = waiting_.erase(at);
    }
  }

  void Ended(const IdKey& id, const Call& call, const RunResult& result) {
    calls_.erase(id);
    --running_of_[call.connection];
    BeginWaiting();
    if (listener_ != nullptr && !call.stop.raised()) {
      const std::string* text = std::get_if<std::string>(&result);
      const std::string line =
          text != nullptr ? ToolLine(call.id_token, *text, call.stateless)
                          : ErrorResult(call.id_token, std::get<RunError>(result), call.stateless);
      listener_->OnFrame({Frame::Kind::kLine, line}, "");
    }
    if (done_ && calls_.empty()) std::exchange(done_, nullptr)();
  }

  void Cancel(const Message& message) {
    const auto token = message.Param("requestId");
    const auto id = token ? KeyOfId(*token) : std::nullopt;
    const auto found = id ? calls_.find(*id) : calls_.end();
    if (found != calls_.end()) return found->second->stop.Raise();
    const auto waits = id ? FindWaiting(*id) : waiting_.end();
    if (waits != waiting_.end()) waiting_.erase(waits);
  }

  std::deque<Waiting>::iterator FindWaiting(const IdKey& id) {
    return std::find_if(waiting_.begin(), waiting_.end(),
                        [&](const Waiting& each) { return each.id == id; });
  }

  // Those that the policy lets be named. Never a credential.
  std::string ConnectionsJson() const {
    const clients::PolicySnapshot snapshot = policies_.View(app_.value());
    std::string list = "[";
    for (const SandboxConnection& connection : connections_) {
      const ConnectionConfig& config = connection.config;
      if (snapshot.policy == nullptr || !MayBeNamed(*snapshot.policy, config.id.value())) continue;
      if (list.size() > 1) list += ',';
      JsonObject object(list);
      object.String("id", config.id.value())
          .String("name", config.name.empty() ? config.id.value() : config.name)
          .String("type", config.type)
          .Bool("writes", config.writes);
      object.Close();
    }
    list += ']';
    std::string out;
    JsonObject object(out);
    object.Raw("data", list);
    object.Close();
    return out;
  }

  static bool MayBeNamed(const CompiledPolicy& policy, std::string_view id) {
    if (!policy.rep().has_allowlist) return true;
    const internal::KnownConnection* known = policy.rep().FindKnown(id);
    return known != nullptr && known->in_allowlist;
  }

  boost::asio::io_context& io_;
  const AppId app_;
  const std::string version_;
  const std::vector<SandboxConnection> connections_;
  clients::PolicySource& policies_;
  const JsonDocument no_arguments_ = *JsonDocument::Parse("{}");
  const std::chrono::nanoseconds max_wait_;
  Listener* listener_ = nullptr;
  std::deque<Waiting> waiting_;
  std::map<IdKey, CallPtr> calls_;  // that run
  std::vector<size_t> running_of_;  // by connection
  std::function<void()> done_;
  // Ends what was posted once this is gone.
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  boost::asio::thread_pool pool_;
};

}  // namespace

RunLimits LimitsOf(const ConnectionConfig& connection, const Limits* policy) {
  RunLimits limits;
  const auto lower = [&](const Limits& by) {
    limits.max_rows = std::min(limits.max_rows, by.max_rows.value_or(limits.max_rows));
    limits.max_bytes = std::min(limits.max_bytes, by.max_bytes.value_or(limits.max_bytes));
    limits.timeout = std::min(limits.timeout, by.timeout.value_or(limits.timeout));
  };
  // The operator of the bridge may raise what is only our default.
  if (connection.limits.max_rows) limits.max_rows = *connection.limits.max_rows;
  if (connection.limits.max_bytes) limits.max_bytes = *connection.limits.max_bytes;
  if (connection.limits.timeout) limits.timeout = *connection.limits.timeout;
  if (policy != nullptr) lower(*policy);
  return limits;
}

std::unique_ptr<Transport> MakeSandboxTransport(boost::asio::io_context& io, AppId app,
                                                std::string version,
                                                std::vector<SandboxConnection> connections,
                                                clients::PolicySource& policies,
                                                absl::Duration max_wait) {
  return std::make_unique<SandboxTransport>(io, std::move(app), std::move(version),
                                            std::move(connections), policies, max_wait);
}

}  // namespace bridgekeeper::bridge
