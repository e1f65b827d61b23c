// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one place where an absl::Status becomes a grpc::Status. What a caller caused is
// told as it is; what went wrong on our side is logged whole and told by its kind
// alone, with a mark by which the log line is found.
//
// Thread safety: free function without state.

#ifndef BRIDGEKEEPER_SERVICE_RPC_GRPC_STATUS_H_
#define BRIDGEKEEPER_SERVICE_RPC_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include "absl/status/status.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "service/auth/rpc_table.h"

namespace bridgekeeper::service {

grpc::Status ToGrpcStatus(const absl::Status& status, Rpc rpc, Logger& log, IdSource& ids);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_GRPC_STATUS_H_
