// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/rpc_server.h"

#include <grpc/support/time.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "proto/convert/limits.h"
#include "service/rpc/services.h"

namespace bridgekeeper::service {
namespace {

constexpr char kLive[] = "live";

// How long calls that are not ours (health watches, reflection) and the last words of
// watches may take after all requests are answered.
constexpr int64_t kLastWordsMs = 500;

// A peer that vanished without a word is noticed within a minute and a half, so that
// its watches do not pile up.
constexpr int kKeepaliveTimeMs = 60'000;
constexpr int kKeepaliveTimeoutMs = 30'000;
// Clients may ping this often, with no call open too.
constexpr int kMinPingIntervalMs = 5'000;

// Calls of one connection at one time: more wait at the client. What gRPC keeps of a call
// that we have answered and its client has not read is bounded by it.
constexpr int kMaxCallsPerConnection = 4096;

// Memory for what is being received, of all connections. Above it gRPC reads less, then
// ends calls.
constexpr size_t kReceiveBytes = size_t{256} << 20;

std::set<std::string> ServiceNames() {
  std::set<std::string> names;
  for (const RpcRow& row : RpcTable()) {
    names.insert(absl::StrFormat("%s.%s", kProtoPackage, row.service));
  }
  return names;
}

}  // namespace

struct RpcServer::Impl {
  explicit Impl(const RpcServerOptions& options, const RpcServerDeps& deps)
      : stalls(options.stall_timeout, deps.clock, deps.metrics),
        shared{deps.authorizer, deps.admission, deps.workers, stalls,
               deps.metrics,    deps.log,       deps.ids,     deps.clock},
        decision_api(deps.decisions),
        policy_api(deps.policies, deps.store),
        catalog_api(deps.catalog, deps.reported_tools, deps.store),
        connection_api(deps.connections),
        bridge_api(deps.bridges, deps.reported_tools),
        server_api(options.facts, deps.store, deps.clock),
        watches(deps.watches) {
    services.push_back(MakeDecisionService(shared, decision_api, deps.watches, streams));
    services.push_back(MakePolicyService(shared, policy_api));
    services.push_back(MakeCatalogService(shared, catalog_api));
    services.push_back(MakeConnectionService(shared, connection_api));
    services.push_back(MakeBridgeService(shared, bridge_api));
    services.push_back(MakeServerService(shared, server_api));
  }

  StallGuard stalls;
  RpcShared shared;
  DecisionApi decision_api;
  PolicyApi policy_api;
  CatalogApi catalog_api;
  ConnectionApi connection_api;
  BridgeApi bridge_api;
  ServerApi server_api;
  WatchHub& watches;
  DecideStreams streams;
  std::vector<std::unique_ptr<grpc::Service>> services;
  int port = 0;
  // Destroyed first: it calls into everything above.
  std::unique_ptr<grpc::Server> server;
};

absl::StatusOr<std::unique_ptr<RpcServer>> RpcServer::Start(const RpcServerOptions& options,
                                                            const RpcServerDeps& deps) {
  auto impl = std::make_unique<Impl>(options, deps);
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();

  grpc::ServerBuilder builder;
  builder.SetResourceQuota(grpc::ResourceQuota("keeperd").Resize(kReceiveBytes));
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsPerConnection);
  builder.SetMaxReceiveMessageSize(static_cast<int>(convert::kMaxMessageBytes));
  // A second server must not share the address unnoticed.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTimeMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMs);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                             kMinPingIntervalMs);
  builder.AddListeningPort(options.address, grpc::InsecureServerCredentials(), &impl->port);
  for (const auto& service : impl->services) builder.RegisterService(service.get());
  impl->server = builder.BuildAndStart();
  if (impl->server == nullptr) {
    return absl::UnavailableError(
        absl::StrFormat("cannot listen on `%s` (grpc_address)", options.address));
  }
  std::unique_ptr<RpcServer> server(new RpcServer(std::move(impl)));
  server->SetServing(false);
  server->impl_->server->GetHealthCheckService()->SetServingStatus(kLive, true);
  return server;
}

RpcServer::RpcServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

RpcServer::~RpcServer() {
  if (impl_->server != nullptr) (void)Shutdown(absl::ZeroDuration());
}

int RpcServer::port() const { return impl_->port; }

void RpcServer::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = impl_->server->GetHealthCheckService();
  health->SetServingStatus("", serving);
  for (const std::string& name : ServiceNames()) health->SetServingStatus(name, serving);
}

bool RpcServer::Shutdown(absl::Duration timeout) {
  SetServing(false);
  impl_->watches.EndAll();
  impl_->streams.Drain();
  const bool idle = impl_->shared.admission.Close(timeout);
  impl_->server->Shutdown(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(kLastWordsMs, GPR_TIMESPAN)));
  impl_->server.reset();
  return idle;
}

}  // namespace bridgekeeper::service
