// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/testing/faulty_store.h"

#include <utility>

#include "policy/base/status_macros.h"

namespace bridgekeeper::store {

class FaultyStore::FaultyWatcher : public Watcher {
 public:
  FaultyWatcher(const FaultyStore& store, std::unique_ptr<Watcher> watcher)
      : store_(store), watcher_(std::move(watcher)) {}

  absl::StatusOr<std::optional<CommitEvent>> Next(absl::Duration timeout) override {
    BK_RETURN_IF_ERROR(store_.ReadFault());
    return watcher_->Next(timeout);
  }
  void Cancel() override { watcher_->Cancel(); }

 private:
  const FaultyStore& store_;
  const std::unique_ptr<Watcher> watcher_;
};

void FaultyStore::FailWrites(absl::StatusCode code, std::string message) {
  MutexLock lock(mu_);
  writes_ = {code, std::move(message)};
}

void FaultyStore::FailReads(absl::StatusCode code, std::string message) {
  MutexLock lock(mu_);
  reads_ = {code, std::move(message)};
}

void FaultyStore::Heal() {
  MutexLock lock(mu_);
  reads_ = {};
  writes_ = {};
}

absl::Status FaultyStore::ReadFault() const {
  MutexLock lock(mu_);
  return {reads_.code, reads_.message};
}

absl::Status FaultyStore::WriteFault() const {
  MutexLock lock(mu_);
  return {writes_.code, writes_.message};
}

absl::StatusOr<CommitResult> FaultyStore::Commit(std::vector<Mutation> mutations,
                                                 const CommitOptions& options) {
  BK_RETURN_IF_ERROR(WriteFault());
  return store_.Commit(std::move(mutations), options);
}

absl::StatusOr<std::optional<Record>> FaultyStore::Get(const RecordKey& key) const {
  BK_RETURN_IF_ERROR(ReadFault());
  return store_.Get(key);
}

absl::StatusOr<std::optional<Record>> FaultyStore::GetAt(const RecordKey& key,
                                                         Revision revision) const {
  BK_RETURN_IF_ERROR(ReadFault());
  return store_.GetAt(key, revision);
}

absl::StatusOr<std::vector<Record>> FaultyStore::List(const ListOptions& options) const {
  BK_RETURN_IF_ERROR(ReadFault());
  return store_.List(options);
}

absl::StatusOr<std::vector<Record>> FaultyStore::History(const RecordKey& key,
                                                         std::optional<Revision> before,
                                                         size_t limit) const {
  BK_RETURN_IF_ERROR(ReadFault());
  return store_.History(key, before, limit);
}

absl::StatusOr<PolicyStore::AppSnapshot> FaultyStore::ReadApp(const AppId& app) const {
  BK_RETURN_IF_ERROR(ReadFault());
  return store_.ReadApp(app);
}

absl::StatusOr<std::unique_ptr<Watcher>> FaultyStore::Watch(const WatchOptions& options) {
  BK_RETURN_IF_ERROR(ReadFault());
  BK_ASSIGN_OR_RETURN(std::unique_ptr<Watcher> watcher, store_.Watch(options));
  return std::make_unique<FaultyWatcher>(*this, std::move(watcher));
}

absl::StatusOr<PolicyStore::BackupResult> FaultyStore::Backup(const std::string& path) {
  BK_RETURN_IF_ERROR(WriteFault());
  return store_.Backup(path);
}

absl::Status FaultyStore::WriteHealth() const {
  BK_RETURN_IF_ERROR(WriteFault());
  return store_.WriteHealth();
}

}  // namespace bridgekeeper::store
