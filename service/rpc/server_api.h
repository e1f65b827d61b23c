// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ServerApi is ServerService without a transport: one method an RPC, messages in and
// out, a status for the caller. What the RPCs promise stands in
// proto/bridgekeeper/v1/server_service.proto.
//
// Thread safety: all methods may be called at the same time. Backup() may take long.

#ifndef BRIDGEKEEPER_SERVICE_RPC_SERVER_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_SERVER_API_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "bridgekeeper/v1/server_service.pb.h"
#include "policy/base/clock.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

struct ServerFacts {
  std::string version;
  std::string build;
  std::vector<std::string> dialects;  // whose payloads are judged
  bool dev_mode = false;
  // Folder under which backups are made; empty: there is none.
  std::string backup_dir;
};

class ServerApi {
 public:
  // `store` and `clock` must outlive it. Uptime counts from here.
  ServerApi(ServerFacts facts, store::PolicyStore& store, const Clock& clock)
      : facts_(std::move(facts)), store_(store), clock_(clock), started_(clock.SinceBoot()) {}

  absl::Status GetServerInfo(const v1::GetServerInfoRequest& request,
                             v1::GetServerInfoResponse& response);
  absl::Status Backup(const v1::BackupRequest& request, v1::BackupResponse& response);

 private:
  const ServerFacts facts_;
  store::PolicyStore& store_;
  const Clock& clock_;
  const absl::Duration started_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_SERVER_API_H_
