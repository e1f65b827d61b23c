// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/service/running_server.h"

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "store/factory/store_factory.h"

namespace bridgekeeper::tests {
namespace {

// For every call; a passing test never waits it.
constexpr int64_t kDeadlineSeconds = 30;

}  // namespace

std::unique_ptr<store::PolicyStore> MakeStore(StoreKind kind, const std::string& dir) {
  RandomIdSource ids;
  store::StoreOptions options;
  options.kind = kind == StoreKind::kMemory ? "memory" : "rocksdb";
  options.new_incarnation = ids.NewId();
  options.path = dir;
  auto opened = store::OpenStore(options);
  if (!opened.ok()) {
    std::fprintf(stderr, "cannot open a store: %s\n", opened.status().ToString().c_str());
    std::abort();
  }
  return std::move(opened->store);
}

RunningServer::RunningServer(RunningServerOptions options) {
  service::Options server_options;
  server_options.grpc_address = "127.0.0.1:0";
  server_options.http_address = "127.0.0.1:0";
  server_options.metrics_address = "127.0.0.1:0";
  server_options.dev = true;
  if (options.store == StoreKind::kRocksDb) server_options.data_dir = options.dir;
  if (options.change) options.change(server_options);
  std::unique_ptr<store::PolicyStore> store = options.use_store != nullptr
                                                  ? std::move(options.use_store)
                                                  : MakeStore(options.store, options.dir);
  store_ = store.get();
  auto server = service::Server::Start(server_options, std::move(store), options.admin_token,
                                       {log_, clock_, ids_, [] { return uint64_t{0}; }});
  if (!server.ok()) {
    std::fprintf(stderr, "cannot start a server: %s\n", server.status().ToString().c_str());
    std::abort();
  }
  server_ = *std::move(server);
  grpc::ChannelArguments arguments;
  // A channel of its own: channels with equal arguments share their connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // A window that does not grow: a reader that is slow is felt at once.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  channel_ = grpc::CreateCustomChannel(server_->grpc_address(), grpc::InsecureChannelCredentials(),
                                       arguments);
  decisions = v1::DecisionService::NewStub(channel_);
  policies = v1::PolicyService::NewStub(channel_);
  catalog = v1::CatalogService::NewStub(channel_);
  connections = v1::ConnectionService::NewStub(channel_);
  bridges = v1::BridgeService::NewStub(channel_);
  info = v1::ServerService::NewStub(channel_);
}

RunningServer::~RunningServer() {
  if (server_ != nullptr) (void)Stop();
}

bool RunningServer::Stop() {
  const bool drained = server_->Stop();
  server_.reset();
  store_ = nullptr;
  return drained;
}

Context::Context(std::optional<std::string_view> token) {
  set_deadline(gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                            gpr_time_from_seconds(kDeadlineSeconds, GPR_TIMESPAN)));
  if (token) AddMetadata("authorization", "Bearer " + std::string(*token));
}

absl::Status ToAbsl(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      AsAbsl(status.error_message()));
}

}  // namespace bridgekeeper::tests
