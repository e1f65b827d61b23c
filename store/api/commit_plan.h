// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a commit does, apart from how a store keeps it: which mutations are refused,
// which change nothing, what the others write and what the caller is told. Every
// store plans with these functions, so they cannot differ in it.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_STORE_API_COMMIT_PLAN_H_
#define BRIDGEKEEPER_STORE_API_COMMIT_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/model/ids.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

struct PlannedChange {
  Record record;      // as it will be
  Revision previous;  // the record's last change before this one; 0: it had none
};

struct CommitPlan {
  CommitResult result;
  // In the order of the mutations; empty: nothing changes and no revision is made.
  std::vector<PlannedChange> changes;
  // By how much the number of policies grows; may be negative.
  int64_t policies_added = 0;
};

// Checks what can be checked without reading a record.
//
// Errors: kInvalidArgument, as PolicyStore::Commit() has it.
absl::Status CheckCommit(std::span<const Mutation> mutations, const CommitOptions& options);

// Plans the commit that follows revision `head`. `current` holds, for each mutation,
// the current state of its record as PolicyStore::Get() would answer it.
//
// Errors: kNotFound and kAborted, as PolicyStore::Commit() has them.
// REQUIRES: CheckCommit() is OK; current.size() == mutations.size()
absl::StatusOr<CommitPlan> PlanCommit(std::vector<Mutation> mutations,
                                      std::span<const std::optional<Record>> current,
                                      const CommitOptions& options, Revision head);

// OK where `revision` can be read of a store whose newest revision is `head` and
// which keeps everything after `oldest` (P5).
absl::Status CheckReadable(Revision revision, Revision oldest, Revision head);

// OK where a list can start after `after`, as PolicyStore::List() has it.
absl::Status CheckListAfter(const RecordKey& after);

// OK where a watch with `options` can start on such a store (P4).
absl::Status CheckWatch(const WatchOptions& options, Revision oldest, Revision head);

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_API_COMMIT_PLAN_H_
