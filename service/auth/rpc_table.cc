// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/auth/rpc_table.h"

#include <array>

namespace bridgekeeper::service {
namespace {

using enum RpcType;

constexpr std::array kTable = {
    RpcRow{Rpc::kDecide, "DecisionService", "Decide", kUnary, Access::kDecide},
    RpcRow{Rpc::kDecideBatch, "DecisionService", "DecideBatch", kUnary, Access::kDecide},
    RpcRow{Rpc::kDecideStream, "DecisionService", "DecideStream", kBidiStream, Access::kDecide},
    RpcRow{Rpc::kExplain, "DecisionService", "Explain", kUnary, Access::kDecide},
    RpcRow{Rpc::kListTools, "DecisionService", "ListTools", kUnary, Access::kDecide},
    RpcRow{Rpc::kWatchPolicies, "DecisionService", "WatchPolicies", kServerStream, Access::kDecide},
    RpcRow{Rpc::kGetPolicy, "PolicyService", "GetPolicy", kUnary, Access::kRead},
    RpcRow{Rpc::kPutPolicy, "PolicyService", "PutPolicy", kUnary, Access::kWrite},
    RpcRow{Rpc::kBatchPutPolicies, "PolicyService", "BatchPutPolicies", kUnary, Access::kWrite},
    RpcRow{Rpc::kDeletePolicy, "PolicyService", "DeletePolicy", kUnary, Access::kWrite},
    RpcRow{Rpc::kListPolicies, "PolicyService", "ListPolicies", kUnary, Access::kRead},
    RpcRow{Rpc::kGetPolicyHistory, "PolicyService", "GetPolicyHistory", kUnary, Access::kRead},
    RpcRow{Rpc::kRollbackPolicy, "PolicyService", "RollbackPolicy", kUnary, Access::kWrite},
    RpcRow{Rpc::kSuspendPolicies, "PolicyService", "SuspendPolicies", kUnary, Access::kWrite},
    RpcRow{Rpc::kResumePolicies, "PolicyService", "ResumePolicies", kUnary, Access::kWrite},
    RpcRow{Rpc::kDiffPolicy, "PolicyService", "DiffPolicy", kUnary, Access::kRead},
    RpcRow{Rpc::kGetCatalogEntry, "CatalogService", "GetCatalogEntry", kUnary, Access::kRead},
    RpcRow{Rpc::kPutCatalogEntries, "CatalogService", "PutCatalogEntries", kUnary, Access::kWrite},
    RpcRow{Rpc::kDeleteCatalogEntry, "CatalogService", "DeleteCatalogEntry", kUnary,
           Access::kWrite},
    RpcRow{Rpc::kListCatalogEntries, "CatalogService", "ListCatalogEntries", kUnary, Access::kRead},
    RpcRow{Rpc::kListReportedTools, "CatalogService", "ListReportedTools", kUnary, Access::kRead},
    RpcRow{Rpc::kGetConnection, "ConnectionService", "GetConnection", kUnary, Access::kRead},
    RpcRow{Rpc::kPutConnection, "ConnectionService", "PutConnection", kUnary, Access::kWrite},
    RpcRow{Rpc::kDeleteConnection, "ConnectionService", "DeleteConnection", kUnary, Access::kWrite},
    RpcRow{Rpc::kListConnections, "ConnectionService", "ListConnections", kUnary, Access::kRead},
    RpcRow{Rpc::kReportTools, "BridgeService", "ReportTools", kUnary, Access::kReport},
    RpcRow{Rpc::kReportDecisions, "BridgeService", "ReportDecisions", kUnary, Access::kReport},
    RpcRow{Rpc::kHeartbeat, "BridgeService", "Heartbeat", kUnary, Access::kReport},
    RpcRow{Rpc::kListBridges, "BridgeService", "ListBridges", kUnary, Access::kRead},
    RpcRow{Rpc::kGetServerInfo, "ServerService", "GetServerInfo", kUnary, Access::kRead},
    RpcRow{Rpc::kBackup, "ServerService", "Backup", kUnary, Access::kWrite},
};

constexpr bool InOrder() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].rpc != static_cast<Rpc>(i)) return false;
  }
  return true;
}
static_assert(InOrder(), "a row stands at the number of its Rpc");

}  // namespace

std::span<const RpcRow> RpcTable() { return kTable; }

const RpcRow& RowOf(Rpc rpc) { return kTable[static_cast<size_t>(rpc)]; }

std::string_view Name(RpcType type) {
  switch (type) {
    case kUnary:
      return "unary";
    case kServerStream:
      return "server_stream";
    case kBidiStream:
      return "bidi_stream";
  }
  return "unary";
}

}  // namespace bridgekeeper::service
