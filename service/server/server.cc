// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/server/server.h"

#include <atomic>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/status_macros.h"
#include "policy/guard/dialects.h"
#include "policy/guard/guard.h"
#include "runtime/judge_worker.h"
#include "service/auth/authorizer.h"
#include "service/config/validate.h"
#include "service/core/admission.h"
#include "service/core/app_cache.h"
#include "service/core/bridge_registry.h"
#include "service/core/catalog_core.h"
#include "service/core/change_feed.h"
#include "service/core/connection_core.h"
#include "service/core/decision_core.h"
#include "service/core/policy_core.h"
#include "service/core/record_writer.h"
#include "service/core/reported_tools.h"
#include "service/core/watch_hub.h"
#include "service/core/worker_pool.h"
#include "service/http/health_pages.h"
#include "service/http/http_server.h"
#include "service/observe/metrics.h"
#include "service/observe/metrics_page.h"
#include "service/rpc/rpc_server.h"
#include "service/server/version.h"

namespace bridgekeeper::service {
namespace {

AppCacheOptions CacheOptions(const Options& options) {
  const auto apps = static_cast<size_t>(options.cache_apps);
  return {.max_apps = apps, .max_unknown_apps = apps};
}

WorkerPoolOptions PoolOptions(const Options& options) {
  return {.threads = static_cast<size_t>(options.worker_threads),
          .max_queued = static_cast<size_t>(options.max_in_flight)};
}

std::vector<std::string> DialectNames() {
  std::vector<std::string> names;
  for (const Dialect& dialect : AllDialects()) names.emplace_back(dialect.name);
  return names;
}

std::string BackupDir(const Options& options) {
  if (!options.backup_dir.empty() || options.data_dir.empty()) return options.backup_dir;
  return options.data_dir + "/backups";
}

HttpServerOptions ListenerOn(const std::string& text) {
  const std::optional<Address> address = ParseAddress(text);
  BK_CHECK(address.has_value());  // Validate() has seen it
  HttpServerOptions out;
  out.host = address->host;
  out.port = address->port;
  return out;
}

// `text` with the port that was bound.
std::string WithPort(const std::string& text, int port) {
  const std::optional<Address> address = ParseAddress(text);
  BK_CHECK(address.has_value());
  if (!address->unix_path.empty()) return text;
  const bool is_v6 = address->host.find(':') != std::string::npos;
  return is_v6 ? absl::StrFormat("[%s]:%d", address->host, port)
               : absl::StrFormat("%s:%d", address->host, port);
}

}  // namespace

// In the order in which they are made; taken apart in the reverse order.
struct Server::Parts {
  Parts(const Options& server_options, std::unique_ptr<store::PolicyStore> policy_store,
        std::optional<std::string_view> admin_token, const ServerEnvironment& server_environment)
      : options(server_options),
        environment(server_environment),
        store(std::move(policy_store)),
        authorizer(admin_token),
        admission(options.max_in_flight, environment.clock, metrics),
        guard(MakeGuard({.isolated = MakeJudgeWorkers({.log = &environment.log}),
                         .on_fault =
                             [this](JudgeFault fault) {
                               metrics.judge_faults.Add(static_cast<size_t>(fault));
                             }})),
        cache(*store, CacheOptions(options), environment.clock, metrics),
        writer(*store, cache, environment.clock, metrics),
        decisions(cache, guard.get(), environment.ids, environment.clock, metrics),
        policies(*store, writer),
        catalog(*store, writer),
        connections(*store, writer),
        reported_tools({}, environment.clock),
        bridges({}, environment.clock, metrics),
        start(store->Token()),
        watches(*store, {.heartbeat_interval = options.heartbeat_interval}, start.revision,
                environment.clock, metrics),
        workers(PoolOptions(options)) {}

  absl::Status Listen();
  RpcServerDeps RpcDeps();
  Gauges ReadGauges();
  std::vector<HealthCheck> Readiness();

  const Options options;
  const ServerEnvironment environment;
  Metrics metrics;
  std::unique_ptr<store::PolicyStore> store;
  Authorizer authorizer;
  Admission admission;
  std::unique_ptr<PayloadJudge> guard;
  AppCache cache;
  RecordWriter writer;
  DecisionCore decisions;
  PolicyCore policies;
  CatalogCore catalog;
  ConnectionCore connections;
  ReportedTools reported_tools;
  BridgeRegistry bridges;
  store::RevisionToken start;
  WatchHub watches;
  std::unique_ptr<ChangeFeed> feed;
  WorkerPool workers;
  std::atomic<bool> serving = false;
  std::unique_ptr<RpcServer> rpc;
  std::unique_ptr<HttpServer> http;
  std::unique_ptr<HttpServer> metrics_http;
};

RpcServerDeps Server::Parts::RpcDeps() {
  return {.store = *store,
          .decisions = decisions,
          .policies = policies,
          .catalog = catalog,
          .connections = connections,
          .reported_tools = reported_tools,
          .bridges = bridges,
          .watches = watches,
          .authorizer = authorizer,
          .admission = admission,
          .workers = workers,
          .metrics = metrics,
          .log = environment.log,
          .ids = environment.ids,
          .clock = environment.clock};
}

Gauges Server::Parts::ReadGauges() {
  const AppCache::Size cached = cache.size();
  return {.version = std::string(Version()),
          .build = std::string(Build()),
          .store = std::string(store->name()),
          .policies = store->PolicyCount(),
          .store_revision = store->Token().revision.value,
          .store_writable = store->WriteHealth().ok(),
          .watchers = watches.size(),
          .cached_apps = cached.apps,
          .cached_unknown_apps = cached.unknown_apps,
          .in_flight = admission.in_flight(),
          .bridges = bridges.size(),
          .reported_tools = reported_tools.size(),
          .log_lines_dropped = environment.log_lines_dropped()};
}

std::vector<HealthCheck> Server::Parts::Readiness() {
  return {{.name = "serving",
           .check =
               [this] {
                 return serving ? absl::OkStatus() : absl::UnavailableError("starting or draining");
               }},
          // One that turns requests away is no better off out of rotation.
          {.name = "requests", .check = [this] { return admission.Health(); }, .required = false},
          // Decisions go on without writes, so a full disk takes no server out of rotation.
          {.name = "store_writes",
           .check = [this] { return store->WriteHealth(); },
           .required = false}};
}

absl::Status Server::Parts::Listen() {
  BK_ASSIGN_OR_RETURN(feed,
                      ChangeFeed::Start(*store, start.revision, cache, watches, environment.log));
  BK_ASSIGN_OR_RETURN(http, HttpServer::Start(ListenerOn(options.http_address),
                                              [checks = Readiness()](auto path, auto query) {
                                                return HealthPage(checks, path, query);
                                              }));
  BK_ASSIGN_OR_RETURN(
      metrics_http, HttpServer::Start(ListenerOn(options.metrics_address), [this](auto path, auto) {
        if (path != "/metrics") return HttpResponse{.status = 404, .body = "not found\n"};
        return HttpResponse{.content_type = kMetricsContentType,
                            .body = MetricsPage(metrics, ReadGauges())};
      }));
  BK_ASSIGN_OR_RETURN(rpc, RpcServer::Start({.address = options.grpc_address,
                                             .facts = {.version = std::string(Version()),
                                                       .build = std::string(Build()),
                                                       .dialects = DialectNames(),
                                                       .dev_mode = options.dev,
                                                       .backup_dir = BackupDir(options)},
                                             .stall_timeout = options.stall_timeout},
                                            RpcDeps()));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const Options& options,
                                                      std::unique_ptr<store::PolicyStore> store,
                                                      std::optional<std::string_view> admin_token,
                                                      const ServerEnvironment& environment) {
  auto parts = std::make_unique<Parts>(options, std::move(store), admin_token, environment);
  BK_RETURN_IF_ERROR(parts->Listen());
  parts->serving = true;
  parts->rpc->SetServing(true);
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Server::~Server() = default;

std::string Server::grpc_address() const {
  return WithPort(parts_->options.grpc_address, parts_->rpc->port());
}
std::string Server::http_address() const {
  return WithPort(parts_->options.http_address, parts_->http->port());
}
std::string Server::metrics_address() const {
  return WithPort(parts_->options.metrics_address, parts_->metrics_http->port());
}

bool Server::Stop() {
  parts_->serving = false;
  return parts_->rpc->Shutdown(parts_->options.drain_timeout);
}

}  // namespace bridgekeeper::service
