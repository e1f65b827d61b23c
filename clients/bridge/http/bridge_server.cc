// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/bridge_server.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/http/all_servers.h"
#include "clients/bridge/http/data_studio.h"
#include "clients/bridge/http/link.h"
#include "clients/bridge/http/port_file.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/sandbox/engines.h"
#include "clients/bridge/sandbox/own_databases.h"
#include "clients/bridge/sandbox/sandbox_transport.h"
#include "clients/bridge/upstream/http_transport.h"
#include "clients/bridge/upstream/stdio_transport.h"
#include "policy/base/status_macros.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {
namespace {

// What a server's environment has besides what is configured, where ours has it.
constexpr const char* kBasicVariables[] = {"PATH",   "HOME", "USER", "LOGNAME",
                                           "TMPDIR", "LANG", "TZ"};

constexpr std::chrono::milliseconds kDrainStep{20};

absl::StatusOr<std::vector<std::string>> EnvironmentOf(const ServerConfig& config) {
  std::vector<std::string> environment;
  const auto is_configured = [&](std::string_view name) {
    return std::any_of(config.environment.begin(), config.environment.end(),
                       [&](const EnvironmentVariable& variable) { return variable.name == name; });
  };
  for (const char* name : kBasicVariables) {
    const char* value = getenv(name);
    if (value != nullptr && !is_configured(name)) {
      environment.push_back(std::string(name) + "=" + value);
    }
  }
  for (const EnvironmentVariable& variable : config.environment) {
    const char* ours = getenv(variable.name.c_str());
    if (!variable.value && ours == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrFormat("servers.%s.env.%s: got no value, and the bridge's own environment has "
                          "no such variable",
                          config.name, variable.name));
    }
    environment.push_back(variable.name + "=" +
                          variable.value.value_or(ours == nullptr ? "" : ours));
  }
  return environment;
}

// Tools whose length is warned of once.
constexpr size_t kMaxLongNames = 1000;

// Counts the tools of one server, and looks at the length of their names.
class ToolCounter : public BridgeObserver {
 public:
  // `log` must outlive it.
  ToolCounter(const ServerConfig& server, Logger& log)
      : server_(server.name), prefix_(server.prefix), log_(log) {}

  void OnDecision(const DecidedCall&) override {}
  void OnToolsListed(const UpstreamToolList& list) override {
    tools_ = list.tools().size();
    for (const UpstreamTool& tool : list.tools()) {
      const size_t bytes = kClientPrefix.size() + prefix_.size() + tool.name.size();
      if (bytes <= kClientNameBytes || long_names_.size() >= kMaxLongNames ||
          !long_names_.insert(tool.name).second) {
        continue;
      }
      log_.Warning("a tool's name is longer than common clients take, with the prefixes counted in",
                   {{"server", server_},
                    {"tool", tool.name},
                    {"client_prefix", kClientPrefix},
                    {"prefix", prefix_},
                    {"bytes", bytes},
                    {"want_at_most", kClientNameBytes}});
    }
  }
  size_t tools() const { return tools_; }

 private:
  const std::string server_;
  const std::string prefix_;
  Logger& log_;
  size_t tools_ = 0;
  std::set<std::string> long_names_;
};

HttpResponse Text(int status, std::string body) {
  return {.status = status,
          .content_type = "text/plain; charset=utf-8",
          .body = std::move(body),
          .fields = {}};
}

}  // namespace

class BridgeServer::Impl : public HttpHandler {
 public:
  Impl(boost::asio::io_context& io, BridgeConfig config, BridgeServerParts parts,
       BridgeServerLimits limits)
      : io_(io),
        config_(std::move(config)),
        parts_(std::move(parts)),
        limits_(std::move(limits)),
        desk_(parts_.judge == nullptr
                  ? nullptr
                  : std::make_unique<JudgeDesk>(io, *parts_.judge, parts_.clock)),
        endpoint_(io, parts_.clock, parts_.ids, parts_.version, limits_.endpoint),
        retire_timer_(io),
        drain_timer_(io) {}

  absl::Status Start() {
    BK_RETURN_IF_ERROR(CheckIsServed(config_));
    for (const ServerConfig& server : config_.servers) {
      BK_ASSIGN_OR_RETURN(std::shared_ptr<Seat> seat, MakeSeat(server));
      Serve(std::move(seat), /*is_new=*/true);
    }
    endpoint_.AddPath("/mcp", [this](Front::Listener& listener, std::string session) {
      return std::make_unique<AllServers>(
          io_, servers_,
          AllServersParts{.version = parts_.version, .log = parts_.log, .counts = ended_at_mcp_},
          std::move(session), listener);
    });
    HttpServerOptions http = limits_.http;
    BK_ASSIGN_OR_RETURN(http.address, ParseLoopbackAddress(config_.listen, "a loopback address"));
    http.rules = {
        .host_names = {}, .origins = {}, .media_types = {"application/json"}, .tls = false};
    BK_ASSIGN_OR_RETURN(http_, HttpServer::Create(io_, std::move(http), *this));
    data_studio_ = MakeDataStudio();
    if (config_.announce != Announce::kNone) {
      BK_ASSIGN_OR_RETURN(port_file_, PortFile::Write(config_.announce, http_->port()));
    }
    subscription_ = parts_.policies.Subscribe([this](std::span<const AppId>) {
      // On a thread of the source. Several changes at once are one.
      if (policy_changed_.exchange(true)) return;
      boost::asio::post(io_, [this] {
        policy_changed_ = false;
        endpoint_.OnPolicyChange();
        if (data_studio_ != nullptr) data_studio_->OnPolicyChange();
      });
    });
    for (const auto& seat : seats_) seat->upstream->Start();
    return absl::OkStatus();
  }

  std::string address() const { return http_->address(); }
  const BridgeConfig& config() const { return config_; }

  absl::Status Reload(BridgeConfig config) {
    if (done_) return absl::FailedPreconditionError("the bridge is stopping");
    BK_RETURN_IF_ERROR(CheckIsServed(config));
    if (config.listen != config_.listen || config.announce != config_.announce) {
      return absl::FailedPreconditionError(
          absl::StrFormat("%s: got another value, which wants a restart of the bridge",
                          config.listen != config_.listen ? "listen" : "announce"));
    }
    // All that can fail comes first.
    std::vector<std::shared_ptr<Seat>> next;
    std::vector<std::shared_ptr<Seat>> begun;
    for (const ServerConfig& server : config.servers) {
      const auto same = std::find_if(seats_.begin(), seats_.end(), [&](const auto& seat) {
        return seat->server->config == server;
      });
      if (same != seats_.end()) {
        next.push_back(*same);
        continue;
      }
      BK_ASSIGN_OR_RETURN(std::shared_ptr<Seat> seat, MakeSeat(server));
      begun.push_back(seat);
      next.push_back(std::move(seat));
    }
    const bool are_same = next == seats_;
    const bool is_same_studio = are_same && config.data_studio == config_.data_studio;
    config_ = std::move(config);
    servers_.clear();
    for (const auto& seat : std::exchange(seats_, {})) {
      if (std::find(next.begin(), next.end(), seat) == next.end()) Retire(seat);
    }
    for (const auto& seat : next) {
      Serve(seat, /*is_new=*/std::find(begun.begin(), begun.end(), seat) != begun.end());
    }
    for (const auto& seat : begun) seat->upstream->Start();
    if (!is_same_studio) {
      if (data_studio_ != nullptr) retired_studios_.push_back(std::move(data_studio_));
      data_studio_ = MakeDataStudio();
    }
    if (!are_same) endpoint_.OnServersChange("/mcp", servers_);
    EndRetired();
    return absl::OkStatus();
  }

  void Stop(std::function<void()> done) {
    if (done_) {
      drain_until_ = absl::ZeroDuration();  // asked twice
      return;
    }
    done_ = std::move(done);
    drain_until_ = parts_.clock.SinceBoot() + limits_.drain_timeout;
    http_->Drain();
    Drain();
  }

  // HttpHandler
  void OnRequest(HttpRequest request, ExchangePtr exchange) override {
    if (endpoint_.Serves(request.path)) return endpoint_.OnRequest(request, exchange);
    if (data_studio_ != nullptr && request.path == "/tools") {
      return data_studio_->Tools(request, exchange);
    }
    if (data_studio_ != nullptr && request.path == "/invoke") {
      return data_studio_->Invoke(request, exchange);
    }
    if (request.method != "GET" && request.method != "HEAD") {
      return exchange->Respond(Text(404, "there is nothing here\n"));
    }
    if (request.path == "/") return exchange->Respond(Text(200, "keeper-bridge\n"));
    if (request.path == "/livez") return exchange->Respond(Text(200, "ok\n"));
    if (request.path == "/readyz") {
      const std::string missing = MissingPolicy();
      return exchange->Respond(
          missing.empty() ? Text(200, "ok\n")
                          : Text(503, absl::StrFormat("no policy of `%s` yet\n", missing)));
    }
    if (request.path == "/health") return exchange->Respond(Health());
    if (request.path == "/metrics") {
      HttpResponse response = Text(200, Metrics());
      response.content_type = "text/plain; version=0.0.4; charset=utf-8";
      return exchange->Respond(std::move(response));
    }
    exchange->Respond(Text(404, "there is nothing here\n"));
  }

  HttpResponse OnRefused(std::string_view path, int status, std::string message) override {
    if (path.ends_with("/mcp")) return JsonRpcError(status, "", kInvalidRequest, message);
    if (path == "/invoke") return DataStudio::Answer(status, message);
    return Text(status, message + "\n");
  }

 private:
  struct Seat {
    Seat(const ServerConfig& config, Logger& log) : tools(config, log) {}

    ToolCounter tools;
    std::unique_ptr<OwnDatabases> own_databases;
    std::unique_ptr<BridgeObserver> observer;
    std::unique_ptr<Upstream> upstream;
    std::optional<Server> server;
  };

  // A server that has left the configuration.
  struct Retired {
    std::shared_ptr<Seat> seat;
    absl::Duration until;  // when it ends whatever it has in flight
    bool is_stopping = false;
  };

  absl::StatusOr<std::shared_ptr<Seat>> MakeSeat(const ServerConfig& config) {
    BK_ASSIGN_OR_RETURN(std::unique_ptr<Transport> transport, MakeTransport(config));
    auto seat = std::make_shared<Seat>(config, parts_.log);
    if (!config.connections.empty()) seat->own_databases = MakeOwnDatabases(config.connections);
    if (parts_.make_observer) seat->observer = parts_.make_observer(config);
    CoreParts core{.policies = parts_.policies,
                   .judge = parts_.judge,
                   .clock = parts_.clock,
                   .ids = parts_.ids,
                   .log = parts_.log,
                   .observers = {&parts_.metrics, &seat->tools},
                   .own_databases = seat->own_databases.get()};
    if (seat->observer != nullptr) core.observers.push_back(seat->observer.get());
    seat->upstream = std::make_unique<Upstream>(io_, config.name, parts_.version,
                                                std::move(transport), parts_.clock, parts_.log);
    seat->server.emplace(config, std::move(core), *seat->upstream, desk_.get());
    return seat;
  }

  // Whoever has the server has the seat.
  static std::shared_ptr<Server> ServerOf(const std::shared_ptr<Seat>& seat) {
    return {seat, &*seat->server};
  }

  void Serve(std::shared_ptr<Seat> seat, bool is_new) {
    if (is_new) {
      endpoint_.AddPath(PathOf(seat->server->config),
                        [this, seat](Front::Listener& listener, std::string session) {
                          return std::make_unique<Link>(io_, ServerOf(seat), listener,
                                                        LinkOptions{.session = std::move(session)});
                        });
    }
    servers_.push_back(ServerOf(seat));
    seats_.push_back(std::move(seat));
  }

  static std::string PathOf(const ServerConfig& config) {
    return absl::StrFormat("/servers/%s/mcp", config.name);
  }

  std::unique_ptr<DataStudio> MakeDataStudio() {
    if (!config_.data_studio && config_.announce == Announce::kNone) return nullptr;
    return std::make_unique<DataStudio>(
        io_, servers_, config_.data_studio.value_or(DataStudioConfig()), config_.announce);
  }

  void Retire(const std::shared_ptr<Seat>& seat) {
    endpoint_.RemovePath(PathOf(seat->server->config));
    const absl::Duration until = parts_.clock.SinceBoot() + limits_.drain_timeout;
    retired_.push_back({.seat = seat, .until = until});
    // A client that is told late that its call has failed is told.
    end_retired_at_ = until + limits_.drain_timeout;
  }

  void StopRetired(Retired& retired) {
    retired.is_stopping = true;
    retired.seat->upstream->Stop([this, seat = retired.seat.get()] {
      // It is a part of the seat that is calling.
      boost::asio::post(io_, [this, seat] {
        Add(seat->server->Stats(), ended_);
        ended_starts_ += seat->upstream->status().starts;
        ended_ends_ += seat->upstream->status().ends;
        std::erase_if(retired_, [&](const Retired& one) { return one.seat.get() == seat; });
        if (running_ > 0 && --running_ == 0) done_();
      });
    });
  }

  // Ends what has left the configuration, once nothing of it is in flight.
  void EndRetired() {
    const absl::Duration now = parts_.clock.SinceBoot();
    const bool is_late = now >= end_retired_at_;
    std::erase_if(retired_studios_,
                  [&](const auto& studio) { return is_late || !studio->has_requests(); });
    for (Retired& retired : retired_) {
      if (retired.is_stopping) continue;
      if (retired.seat->server->requests_in_flight() > 0 && now < retired.until) continue;
      StopRetired(retired);
    }
    const size_t left = endpoint_.EndRetired(is_late);
    if (retired_.empty() && retired_studios_.empty() && left == 0) return;
    retire_timer_.expires_after(kDrainStep);
    retire_timer_.async_wait([this](const boost::system::error_code& error) {
      if (!error) EndRetired();
    });
  }

  absl::StatusOr<std::unique_ptr<Transport>> MakeTransport(const ServerConfig& config) {
    if (!config.connections.empty()) {
      std::vector<SandboxConnection> connections;
      for (const ConnectionConfig& connection : config.connections) {
        BK_ASSIGN_OR_RETURN(auto backend, MakeBackend(connection, parts_.clock, parts_.log));
        connections.push_back({connection, std::move(backend)});
      }
      return MakeSandboxTransport(io_, config.app, parts_.version, std::move(connections),
                                  parts_.policies);
    }
    if (!config.url.empty()) {
      BK_ASSIGN_OR_RETURN(ServerUrl url, ParseServerUrl(config.url));
      // What is missing from the start is an error of the configuration.
      BK_RETURN_IF_ERROR(ReadHeaders(config).status());
      return MakeHttpTransport(io_,
                               {.name = config.name,
                                .url = std::move(url),
                                .ca_file = config.ca_file,
                                .version = parts_.version,
                                .fields = [config] { return ReadHeaders(config); }},
                               parts_.clock, parts_.ids, parts_.log);
    }
    BK_ASSIGN_OR_RETURN(std::vector<std::string> environment, EnvironmentOf(config));
    return MakeStdioTransport(io_, config.name,
                              {.command = config.command,
                               .environment = std::move(environment),
                               .working_directory = config.working_directory},
                              parts_.clock, parts_.ids, parts_.log);
  }

  // The first app whose policy is not known; empty: there is none.
  std::string MissingPolicy() const {
    for (const AppId& app : AppsOf(config_)) {
      const auto state = parts_.policies.View(app.value()).state;
      if (state == PolicyView::State::kNotReceived) return app.value();
    }
    return "";
  }

  // What a data-studio client takes this for, else the first app.
  std::string AppName() const {
    switch (config_.announce) {
      case Announce::kDockit:
        return "dockit";
      case Announce::kSqlkit:
        return "sqlkit";
      case Announce::kNone:
        break;
    }
    return AppsOf(config_)[0].value();
  }

  HttpResponse Health() const {
    std::string servers = "[";
    bool all_ready = true;
    for (const auto& seat : seats_) {
      const Upstream::Status status = seat->upstream->status();
      all_ready = all_ready && status.ready;
      if (servers.size() > 1) servers += ',';
      JsonObject object(servers);
      object.String("name", seat->server->config.name)
          .String("app", seat->server->config.app.value())
          .Bool("ready", status.ready)
          .Integer("starts", static_cast<int64_t>(status.starts))
          .Integer("ends", static_cast<int64_t>(status.ends))
          .Integer("tools", static_cast<int64_t>(seat->tools.tools()));
      if (!status.last_end.empty()) object.String("last_end", status.last_end);
      object.Close();
    }
    servers += ']';
    const clients::PolicySourceStats policy = parts_.policies.Stats();
    const ReloadCounts reload = parts_.reload_counts ? parts_.reload_counts() : ReloadCounts();
    std::string config;
    JsonObject state(config);
    state.Bool("current", reload.is_current)
        .Integer("reloads", static_cast<int64_t>(reload.reloads))
        .Integer("failures", static_cast<int64_t>(reload.failures))
        .Integer("held", static_cast<int64_t>(reload.held));
    state.Close();
    std::string body;
    JsonObject object(body);
    object
        .String("status",
                all_ready && policy.connected && reload.is_current && MissingPolicy().empty()
                    ? "ok"
                    : "degraded")
        .String("app", AppName())
        .String("version", parts_.version)
        .Integer("port", http_->port())
        .Bool("policy_connected", policy.connected)
        .Integer("policy_revision", policy.token.revision.value)
        .Raw("config", config)
        .Raw("servers", servers);
    object.Close();
    return {.status = 200, .content_type = "application/json", .body = body, .fields = {}};
  }

  std::string Metrics() {
    CoreStats sum = ended_;
    Add(ended_at_mcp_, sum);
    size_t in_flight = 0;
    size_t tools = 0;
    ServeCounts counts;
    for (const auto& seat : seats_) {
      Add(seat->server->Stats(), sum);
      in_flight += seat->server->requests_in_flight();
      tools += seat->tools.tools();
      const Upstream::Status status = seat->upstream->status();
      counts.servers_ready += status.ready ? 1 : 0;
      counts.server_starts += status.starts;
      counts.server_ends += status.ends;
    }
    for (const Retired& retired : retired_) {
      Add(retired.seat->server->Stats(), sum);
      in_flight += retired.seat->server->requests_in_flight();
      const Upstream::Status status = retired.seat->upstream->status();
      counts.server_starts += status.starts;
      counts.server_ends += status.ends;
    }
    counts.server_starts += ended_starts_;
    counts.server_ends += ended_ends_;
    if (parts_.reload_counts) counts.reload = parts_.reload_counts();
    counts.servers = seats_.size();
    const HttpServerStats http = http_->stats();
    counts.connections = http.connections;
    counts.requests = http.requests;
    counts.requests_refused = http.refused;
    counts.clients_cut = http.cut;
    counts.clients_cut_for_room = http.cut_for_room;
    counts.unread_bytes = http.unread_bytes;
    const EndpointStats endpoint = endpoint_.stats();
    counts.sessions = endpoint.sessions;
    counts.sessions_begun = endpoint.sessions_begun;
    counts.sessions_expired = endpoint.sessions_expired;
    counts.sessions_refused = endpoint.sessions_refused;
    parts_.metrics.SetTools(tools);
    return parts_.metrics.Page(sum, in_flight, parts_.policies.Stats(),
                               parts_.report_counts ? parts_.report_counts() : ReportCounts()) +
           ServePage(counts);
  }

  void Drain() {
    size_t in_flight = 0;
    for (const auto& seat : seats_) in_flight += seat->server->requests_in_flight();
    for (const auto& retired : retired_) in_flight += retired.seat->server->requests_in_flight();
    if (in_flight > 0 && parts_.clock.SinceBoot() < drain_until_) {
      drain_timer_.expires_after(kDrainStep);
      drain_timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) Drain();
      });
      return;
    }
    subscription_.reset();
    port_file_.reset();
    data_studio_.reset();
    retired_studios_.clear();
    endpoint_.EndAll();
    // The last answers are on their way to their clients.
    drain_timer_.expires_after(kDrainStep);
    drain_timer_.async_wait([this](const boost::system::error_code&) {
      http_->Close();
      running_ = seats_.size() + retired_.size();
      if (running_ == 0) return done_();
      for (Retired& retired : retired_) {
        if (!retired.is_stopping) StopRetired(retired);
      }
      for (const auto& seat : seats_) {
        seat->upstream->Stop([this] {
          if (--running_ == 0) done_();
        });
      }
    });
  }

  boost::asio::io_context& io_;
  BridgeConfig config_;
  const BridgeServerParts parts_;
  const BridgeServerLimits limits_;
  // These outlive the sessions, whose links use them.
  const std::unique_ptr<JudgeDesk> desk_;  // null: payloads are not judged
  std::vector<std::shared_ptr<Seat>> seats_;
  std::vector<std::shared_ptr<Server>> servers_;
  CoreStats ended_at_mcp_;  // messages that reached no server
  std::vector<Retired> retired_;
  absl::Duration end_retired_at_ = absl::ZeroDuration();  // what is left of their clients
  CoreStats ended_;                                       // the counts of those that are gone
  uint64_t ended_starts_ = 0;
  uint64_t ended_ends_ = 0;
  McpEndpoint endpoint_;
  std::unique_ptr<DataStudio> data_studio_;  // null: /tools and /invoke are not served
  std::vector<std::unique_ptr<DataStudio>> retired_studios_;
  std::unique_ptr<PortFile> port_file_;
  std::unique_ptr<HttpServer> http_;
  std::unique_ptr<clients::PolicySource::Subscription> subscription_;
  std::atomic<bool> policy_changed_ = false;
  boost::asio::steady_timer retire_timer_;
  boost::asio::steady_timer drain_timer_;
  absl::Duration drain_until_ = absl::InfiniteDuration();
  std::function<void()> done_;
  size_t running_ = 0;
};

absl::Status CheckIsServed(const BridgeConfig& config) {
  if (config.keeper_addresses.size() > 1) {
    return absl::UnimplementedError("keeper.addresses: this build follows one keeperd");
  }
  for (const ConnectionConfig& connection : config.connections) {
    BK_RETURN_IF_ERROR(CheckIsServed(connection));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<BridgeServer>> BridgeServer::Create(boost::asio::io_context& io,
                                                                   BridgeConfig config,
                                                                   BridgeServerParts parts,
                                                                   BridgeServerLimits limits) {
  auto impl = std::make_unique<Impl>(io, std::move(config), std::move(parts), std::move(limits));
  BK_RETURN_IF_ERROR(impl->Start());
  return std::unique_ptr<BridgeServer>(new BridgeServer(std::move(impl)));
}

BridgeServer::BridgeServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BridgeServer::~BridgeServer() = default;

absl::Status BridgeServer::Reload(BridgeConfig config) { return impl_->Reload(std::move(config)); }
const BridgeConfig& BridgeServer::config() const { return impl_->config(); }
std::string BridgeServer::address() const { return impl_->address(); }
void BridgeServer::Stop(std::function<void()> done) { impl_->Stop(std::move(done)); }

}  // namespace bridgekeeper::bridge
