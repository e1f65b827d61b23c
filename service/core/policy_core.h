// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyCore keeps the policies of apps: what PolicyService offers, without the wire.
// What comes in has been checked by proto/convert.
//
// Thread safety: all methods may be called at the same time. All of them read or
// write the store and may wait.

#ifndef BRIDGEKEEPER_SERVICE_CORE_POLICY_CORE_H_
#define BRIDGEKEEPER_SERVICE_CORE_POLICY_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/engine/engine.h"
#include "policy/model/policy.h"
#include "service/core/paging.h"
#include "service/core/record_writer.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class PolicyCore {
 public:
  // Both must outlive it.
  PolicyCore(store::PolicyStore& store, RecordWriter& writer) : store_(store), writer_(writer) {}

  // The policy now, or as of `at` where it is above 0.
  //
  // Errors:
  //   kNotFound   - there is none, or was none.
  //   kOutOfRange - `at` is in the future or no longer kept.
  absl::StatusOr<store::Record> Get(const AppId& app, Revision at) const;

  struct Written {
    store::Record record;  // as stored
    bool changed = false;
  };
  // Errors of all writes: those of PolicyStore::Commit.
  absl::StatusOr<Written> Put(McpPolicy policy, int64_t expected_revision,
                              const WriteContext& context);

  struct BatchItem {
    McpPolicy policy;
    int64_t expected_revision = 0;
  };
  // Writes all in one revision, or none.
  absl::StatusOr<store::CommitResult> PutAll(std::vector<BatchItem> items,
                                             const WriteContext& context);

  // Returns the revision of the deletion.
  absl::StatusOr<Revision> Delete(const AppId& app, int64_t expected_revision,
                                  const WriteContext& context);

  // Policies by app.
  absl::StatusOr<RecordPage> List(const std::string& app_prefix, const std::optional<AppId>& after,
                                  size_t size) const;

  // Changes, newest first, below `before` where it is set.
  //
  // Errors:
  //   kNotFound - there never was a policy.
  absl::StatusOr<RecordPage> History(const AppId& app, std::optional<Revision> before,
                                     size_t size) const;

  // Writes again what the policy was at `to`.
  //
  // Errors:
  //   kNotFound   - there was none then.
  //   kOutOfRange - `to` is in the future or no longer kept.
  absl::StatusOr<Written> Rollback(const AppId& app, Revision to, int64_t expected_revision,
                                   const WriteContext& context);

  struct Changed {
    Revision revision;
    int64_t changed = 0;  // policies
  };
  // Suspends one app (with context.reason) or resumes it.
  //
  // Errors:
  //   kNotFound - it has no policy.
  absl::StatusOr<Changed> SetSuspended(const AppId& app, bool suspended,
                                       const WriteContext& context);

  // The same for every app that has a policy. Made in several revisions where there
  // are many; an error in the midst leaves those done and says how many.
  // `should_stop` is asked between them.
  absl::StatusOr<Changed> SetAllSuspended(bool suspended, const WriteContext& context,
                                          const std::function<bool()>& should_stop);

  // The exact cells in which `after` answers otherwise than the policy at `before` (0:
  // the current one), both with the current catalogue and connections; `max_cells` of
  // them at most.
  //
  // Errors: those of Get().
  absl::StatusOr<PolicyDiff> Diff(const AppId& app, Revision before, McpPolicy after,
                                  size_t max_cells) const;

 private:
  absl::StatusOr<Written> Write(McpPolicy policy, int64_t expected_revision,
                                const WriteContext& context);

  store::PolicyStore& store_;
  RecordWriter& writer_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_POLICY_CORE_H_
