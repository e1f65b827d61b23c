// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Records of the store as messages, and what all writes have in common.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_SERVICE_RPC_RECORD_MESSAGES_H_
#define BRIDGEKEEPER_SERVICE_RPC_RECORD_MESSAGES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "service/core/record_writer.h"
#include "service/core/watch_stream.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

void ToMessage(const store::RevisionToken& token, v1::RevisionToken& out);

// REQUIRES: the record's value, where it has one, is of that kind
void ToMessage(const store::Record& record, v1::PolicyRecord& out);
void ToMessage(const store::Record& record, v1::CatalogRecord& out);
void ToMessage(const store::Record& record, v1::ConnectionInfo& out);

void ToMessage(const WatchMessage& message, v1::WatchPoliciesResponse& out);

// Reads author (`dev` where empty), reason and request id.
//
// Errors: kInvalidArgument, kResourceExhausted as proto/convert/convert.h lists them.
absl::StatusOr<WriteContext> ReadWriteContext(const v1::WriteOptions& options);

// Reads what a write must say: the revision that the record had as it was read.
//
// Errors:
//   kInvalidArgument - absent or negative.
absl::StatusOr<int64_t> ReadExpectedRevision(const v1::WriteOptions& options);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_RPC_RECORD_MESSAGES_H_
