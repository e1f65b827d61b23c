// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FaultyStore is another store until a test makes it fail. Writes fail before they
// reach the store, so nothing is half done.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_STORE_TESTING_FAULTY_STORE_H_
#define BRIDGEKEEPER_STORE_TESTING_FAULTY_STORE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/base/mutex.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

class FaultyStore : public PolicyStore {
 public:
  // `store` must outlive this.
  explicit FaultyStore(PolicyStore& store) : store_(store) {}

  // From now on Commit(), Backup() and WriteHealth() answer this error.
  void FailWrites(absl::StatusCode code, std::string message);
  // From now on every read, Watch() and the watchers' Next() answer this error. Token()
  // and PolicyCount() cannot fail.
  void FailReads(absl::StatusCode code, std::string message);
  // Ends both.
  void Heal();

  std::string_view name() const override { return store_.name(); }
  RevisionToken Token() const override { return store_.Token(); }
  absl::StatusOr<CommitResult> Commit(std::vector<Mutation> mutations,
                                      const CommitOptions& options) override;
  absl::StatusOr<std::optional<Record>> Get(const RecordKey& key) const override;
  absl::StatusOr<std::optional<Record>> GetAt(const RecordKey& key,
                                              Revision revision) const override;
  absl::StatusOr<std::vector<Record>> List(const ListOptions& options) const override;
  absl::StatusOr<std::vector<Record>> History(const RecordKey& key, std::optional<Revision> before,
                                              size_t limit) const override;
  absl::StatusOr<AppSnapshot> ReadApp(const AppId& app) const override;
  int64_t PolicyCount() const override { return store_.PolicyCount(); }
  absl::StatusOr<std::unique_ptr<Watcher>> Watch(const WatchOptions& options) override;
  absl::StatusOr<BackupResult> Backup(const std::string& path) override;
  absl::Status WriteHealth() const override;

 private:
  class FaultyWatcher;
  struct Fault {
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string message;
  };

  absl::Status ReadFault() const;
  absl::Status WriteFault() const;

  PolicyStore& store_;
  mutable Mutex mu_;
  Fault reads_ ABSL_GUARDED_BY(mu_);
  Fault writes_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_TESTING_FAULTY_STORE_H_
