// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one table of all RPCs: who may call each, and the name under which it is
// counted. A test walks the service descriptors and fails on an RPC without a row.
//
// grpc.health.v1 and reflection stand outside: they are open, and tell nothing about
// policies.

#ifndef BRIDGEKEEPER_SERVICE_AUTH_RPC_TABLE_H_
#define BRIDGEKEEPER_SERVICE_AUTH_RPC_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bridgekeeper::service {

enum class Rpc : uint8_t {
  kDecide,
  kDecideBatch,
  kDecideStream,
  kExplain,
  kListTools,
  kWatchPolicies,
  kGetPolicy,
  kPutPolicy,
  kBatchPutPolicies,
  kDeletePolicy,
  kListPolicies,
  kGetPolicyHistory,
  kRollbackPolicy,
  kSuspendPolicies,
  kResumePolicies,
  kDiffPolicy,
  kGetCatalogEntry,
  kPutCatalogEntries,
  kDeleteCatalogEntry,
  kListCatalogEntries,
  kListReportedTools,
  kGetConnection,
  kPutConnection,
  kDeleteConnection,
  kListConnections,
  kReportTools,
  kReportDecisions,
  kHeartbeat,
  kListBridges,
  kGetServerInfo,
  kBackup,
};

// What a caller must be allowed to do.
enum class Access : uint8_t {
  kDecide,  // ask for decisions and watch policies
  kReport,  // tell what a bridge saw and decided
  kRead,    // read policies, catalogue, connections, bridges
  kWrite,   // change any of it, or copy it out
};

enum class RpcType : uint8_t { kUnary, kServerStream, kBidiStream };

struct RpcRow {
  Rpc rpc;
  std::string_view service;  // without the package: "DecisionService"
  std::string_view method;
  RpcType type;
  Access access;
};

inline constexpr std::string_view kProtoPackage = "bridgekeeper.v1";

// All rows, in the order of Rpc.
std::span<const RpcRow> RpcTable();

const RpcRow& RowOf(Rpc rpc);

// "unary", "server_stream", "bidi_stream": the label grpc_type.
std::string_view Name(RpcType type);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_AUTH_RPC_TABLE_H_
