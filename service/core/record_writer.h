// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// RecordWriter is the one way by which this process writes records: it commits, and
// makes the commit visible to decisions before it returns.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_RECORD_WRITER_H_
#define BRIDGEKEEPER_SERVICE_CORE_RECORD_WRITER_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/clock.h"
#include "service/core/app_cache.h"
#include "service/observe/metrics.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

// Who writes, why, and under which id. Checked at the RPC boundary.
struct WriteContext {
  std::string author;
  std::string reason;
  std::string request_id;
};

class RecordWriter {
 public:
  // All must outlive it.
  RecordWriter(store::PolicyStore& store, AppCache& cache, const Clock& clock, Metrics& metrics)
      : store_(store), cache_(cache), clock_(clock), metrics_(metrics) {}

  // Writes all mutations as one revision. When it returns, decisions of this process
  // are made on what was written.
  //
  // Errors: those of PolicyStore::Commit.
  absl::StatusOr<store::CommitResult> Commit(std::vector<store::Mutation> mutations,
                                             const WriteContext& context);

 private:
  store::PolicyStore& store_;
  AppCache& cache_;
  const Clock& clock_;
  Metrics& metrics_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_RECORD_WRITER_H_
