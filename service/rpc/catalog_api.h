// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CatalogApi is CatalogService without a transport: one method an RPC, messages in and
// out, a status for the caller. What the RPCs promise stands in
// proto/bridgekeeper/v1/catalog_service.proto.
//
// Thread safety: all methods may be called at the same time. All of them may wait.

#ifndef BRIDGEKEEPER_SERVICE_RPC_CATALOG_API_H_
#define BRIDGEKEEPER_SERVICE_RPC_CATALOG_API_H_

#include "absl/status/status.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "service/core/catalog_core.h"
#include "service/core/reported_tools.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class CatalogApi {
 public:
  // All must outlive it.
  CatalogApi(CatalogCore& core, const ReportedTools& reported, const store::PolicyStore& store)
      : core_(core), reported_(reported), store_(store) {}

  absl::Status GetCatalogEntry(const v1::GetCatalogEntryRequest& request,
                               v1::GetCatalogEntryResponse& response);
  absl::Status PutCatalogEntries(const v1::PutCatalogEntriesRequest& request,
                                 v1::PutCatalogEntriesResponse& response);
  absl::Status DeleteCatalogEntry(const v1::DeleteCatalogEntryRequest& request,
                                  v1::DeleteCatalogEntryResponse& response);
  absl::Status ListCatalogEntries(const v1::ListCatalogEntriesRequest& request,
                                  v1::ListCatalogEntriesResponse& response);
  absl::Status ListReportedTools(const v1::ListReportedToolsRequest& request,
                                 v1::ListReportedToolsResponse& response);

 private:
  CatalogCore& core_;
  const ReportedTools& reported_;
  const store::PolicyStore& store_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_CATALOG_API_H_
