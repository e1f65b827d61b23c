// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ConnectionCore keeps what stands behind connection ids: what ConnectionService
// offers, without the wire. What comes in has been checked by proto/convert.
//
// Thread safety: all methods may be called at the same time. All of them read or
// write the store and may wait.

#ifndef BRIDGEKEEPER_SERVICE_CORE_CONNECTION_CORE_H_
#define BRIDGEKEEPER_SERVICE_CORE_CONNECTION_CORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "policy/model/policy.h"
#include "service/core/paging.h"
#include "service/core/record_writer.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class ConnectionCore {
 public:
  // Both must outlive it.
  ConnectionCore(store::PolicyStore& store, RecordWriter& writer)
      : store_(store), writer_(writer) {}

  // Errors:
  //   kNotFound - there is none.
  absl::StatusOr<store::Record> Get(const AppId& app, const ConnectionId& id) const;

  struct Written {
    store::Record record;  // as stored
    bool changed = false;
  };
  // Errors: those of PolicyStore::Commit.
  absl::StatusOr<Written> Put(ConnectionRecord connection, int64_t expected_revision,
                              const WriteContext& context);

  // Returns the revision of the deletion. Errors: those of PolicyStore::Commit.
  absl::StatusOr<Revision> Delete(const AppId& app, const ConnectionId& id,
                                  int64_t expected_revision, const WriteContext& context);

  // Records of one app, or of all, in the order of app and id.
  absl::StatusOr<RecordPage> List(const std::optional<AppId>& app,
                                  const std::optional<store::RecordKey>& after, size_t size) const;

 private:
  store::PolicyStore& store_;
  RecordWriter& writer_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_CONNECTION_CORE_H_
