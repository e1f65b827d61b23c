// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MemoryStore is the store that is easiest to get right: the reference for the
// others, the fake of every test above, and what `keeperd --dev` could run on. It
// keeps every promise but P6 (it is gone with its process) and P11 (it has no values
// to check).
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_STORE_MEMORY_MEMORY_STORE_H_
#define BRIDGEKEEPER_STORE_MEMORY_MEMORY_STORE_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/mutex.h"
#include "store/api/commit_feed.h"
#include "store/api/commit_plan.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

struct MemoryStoreOptions {
  // 32 lower-case hexadecimal digits.
  std::string incarnation = "00000000000000000000000000000001";
  // Commits that stay readable, with the states that they replaced. At least 1.
  int64_t keep_revisions = 100'000;
};

class MemoryStore : public PolicyStore {
 public:
  explicit MemoryStore(MemoryStoreOptions options = {});
  ~MemoryStore() override;

  std::string_view name() const override { return "memory"; }
  RevisionToken Token() const override;
  absl::StatusOr<CommitResult> Commit(std::vector<Mutation> mutations,
                                      const CommitOptions& options) override;
  absl::StatusOr<std::optional<Record>> Get(const RecordKey& key) const override;
  absl::StatusOr<std::optional<Record>> GetAt(const RecordKey& key,
                                              Revision revision) const override;
  absl::StatusOr<std::vector<Record>> List(const ListOptions& options) const override;
  absl::StatusOr<std::vector<Record>> History(const RecordKey& key, std::optional<Revision> before,
                                              size_t limit) const override;
  absl::StatusOr<AppSnapshot> ReadApp(const AppId& app) const override;
  int64_t PolicyCount() const override;
  absl::StatusOr<std::unique_ptr<Watcher>> Watch(const WatchOptions& options) override;
  absl::StatusOr<BackupResult> Backup(const std::string& path) override;
  absl::Status WriteHealth() const override { return absl::OkStatus(); }

 private:
  using Versions = std::vector<Record>;                    // oldest first, never empty
  using RequestKey = std::pair<std::string, std::string>;  // author, request id
  struct Remembered {
    absl::Time time;
    CommitResult result;
  };

  void Apply(std::vector<PlannedChange> changes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropOldestCommit() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void ForgetRequestsBefore(absl::Time time) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void AppendExisting(const RecordKey& from, const std::string& app, std::vector<Record>& out) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::StatusOr<std::shared_ptr<const CommitEvent>> ReadCommit(Revision revision) const;

  // Constant after construction.
  const MemoryStoreOptions options_;

  // Before the feed's lock.
  mutable Mutex mu_;
  std::map<RecordKey, Versions> records_ ABSL_GUARDED_BY(mu_);
  Revision head_ ABSL_GUARDED_BY(mu_);
  // The commits after the oldest revision that is kept, up to head_.
  std::deque<std::shared_ptr<const CommitEvent>> commits_ ABSL_GUARDED_BY(mu_);
  int64_t policies_ ABSL_GUARDED_BY(mu_) = 0;
  std::map<RequestKey, Remembered> requests_ ABSL_GUARDED_BY(mu_);
  std::multimap<absl::Time, RequestKey> requests_by_time_ ABSL_GUARDED_BY(mu_);

  CommitFeed feed_;
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_MEMORY_MEMORY_STORE_H_
