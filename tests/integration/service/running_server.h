// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// RunningServer is a keeperd in this process, on ports of the system's choice, with a
// client for each service.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RUNNING_SERVER_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RUNNING_SERVER_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "bridgekeeper/v1/bridge_service.grpc.pb.h"
#include "bridgekeeper/v1/catalog_service.grpc.pb.h"
#include "bridgekeeper/v1/connection_service.grpc.pb.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "bridgekeeper/v1/server_service.grpc.pb.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/testing/fake_logger.h"
#include "service/config/options.h"
#include "service/server/server.h"
#include "store/api/store.h"

namespace bridgekeeper::tests {

inline constexpr std::string_view kToken = "admin-token-of-the-test";

// Which store a test runs on.
enum class StoreKind { kMemory, kRocksDb };

// A fresh store; `dir` is a folder of the test for the kind that needs one.
std::unique_ptr<store::PolicyStore> MakeStore(StoreKind kind, const std::string& dir);

struct RunningServerOptions {
  StoreKind store = StoreKind::kMemory;
  std::string dir;                                       // where the store is, or ""
  std::optional<std::string_view> admin_token = kToken;  // nullopt: none
  std::function<void(service::Options&)> change;         // of the usual options
  // Instead of a fresh one.
  std::unique_ptr<store::PolicyStore> use_store;
};

class RunningServer {
 public:
  explicit RunningServer(RunningServerOptions options = {});
  ~RunningServer();

  service::Server& server() { return *server_; }
  FakeLogger& log() { return log_; }
  // Lives as long as the server. For looking, and for filling it faster than RPCs do.
  store::PolicyStore& store() { return *store_; }

  // Stops; clients answer UNAVAILABLE from then on. Returns what Server::Stop() did.
  bool Stop();

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  std::unique_ptr<v1::DecisionService::Stub> decisions;
  std::unique_ptr<v1::PolicyService::Stub> policies;
  std::unique_ptr<v1::CatalogService::Stub> catalog;
  std::unique_ptr<v1::ConnectionService::Stub> connections;
  std::unique_ptr<v1::BridgeService::Stub> bridges;
  std::unique_ptr<v1::ServerService::Stub> info;

 private:
  RealClock clock_;
  RandomIdSource ids_;
  FakeLogger log_;
  store::PolicyStore* store_ = nullptr;
  std::unique_ptr<service::Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

// A context with a deadline, and the token where one is given.
class Context : public grpc::ClientContext {
 public:
  explicit Context(std::optional<std::string_view> token = kToken);
};

// As our own type, so that the matchers of statuses hold.
absl::Status ToAbsl(const grpc::Status& status);

// Calls a unary method of a stub: Call(*server.policies, &Stub::GetPolicy, request, &response).
template <typename Stub, typename Request, typename Response>
absl::Status Call(Stub& stub,
                  grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                  const Request& request, Response* response,
                  std::optional<std::string_view> token = kToken) {
  Context context(token);
  return ToAbsl((stub.*method)(&context, request, response));
}

}  // namespace bridgekeeper::tests

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RUNNING_SERVER_H_
