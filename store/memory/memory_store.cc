// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/memory/memory_store.h"

#include <algorithm>
#include <span>

#include "policy/base/check.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::store {
namespace {

// The newest of `versions` at or before `revision`, or null.
const Record* VersionAt(std::span<const Record> versions, Revision revision) {
  const auto after = std::upper_bound(versions.begin(), versions.end(), revision,
                                      [](Revision r, const Record& v) { return r < v.revision; });
  return after == versions.begin() ? nullptr : &*(after - 1);
}

}  // namespace

MemoryStore::MemoryStore(MemoryStoreOptions options)
    : options_(std::move(options)),
      feed_(Revision{0}, CommitFeedOptions{}, [this](Revision r) { return ReadCommit(r); }) {
  BK_CHECK(options_.keep_revisions >= 1);
}

MemoryStore::~MemoryStore() = default;

RevisionToken MemoryStore::Token() const {
  MutexLock lock(mu_);
  return {options_.incarnation, head_};
}

absl::StatusOr<CommitResult> MemoryStore::Commit(std::vector<Mutation> mutations,
                                                 const CommitOptions& options) {
  BK_RETURN_IF_ERROR(CheckCommit(mutations, options));

  MutexLock lock(mu_);
  ForgetRequestsBefore(options.time - kRequestIdAge);
  const RequestKey request(options.author, options.request_id);
  if (const auto known = requests_.find(request); known != requests_.end()) {
    return known->second.result;
  }

  std::vector<std::optional<Record>> current;
  current.reserve(mutations.size());
  for (const Mutation& mutation : mutations) {
    const auto found = records_.find(mutation.key);
    current.push_back(found == records_.end() ? std::nullopt : std::optional(found->second.back()));
  }
  BK_ASSIGN_OR_RETURN(CommitPlan plan, PlanCommit(std::move(mutations), current, options, head_));
  if (!options.request_id.empty()) {
    requests_.emplace(request, Remembered{options.time, plan.result});
    requests_by_time_.emplace(options.time, request);
  }
  policies_ += plan.policies_added;
  if (!plan.changes.empty()) Apply(std::move(plan.changes));
  return std::move(plan.result);
}

void MemoryStore::Apply(std::vector<PlannedChange> changes) {
  head_ = changes.front().record.revision;
  auto event = std::make_shared<CommitEvent>();
  event->revision = head_;
  for (PlannedChange& change : changes) {
    records_[change.record.key].push_back(change.record);
    event->records.push_back(std::move(change.record));
  }
  commits_.push_back(event);
  if (static_cast<int64_t>(commits_.size()) > options_.keep_revisions) DropOldestCommit();
  feed_.Publish(std::move(event));
}

void MemoryStore::DropOldestCommit() {
  // What this commit replaced can no longer be asked for; what it wrote is the state
  // at the revision that is the oldest now.
  for (const Record& record : commits_.front()->records) {
    Versions& versions = records_.at(record.key);
    const auto written = std::find_if(versions.begin(), versions.end(), [&](const Record& v) {
      return v.revision == record.revision;
    });
    versions.erase(versions.begin(), written);
  }
  commits_.pop_front();
}

void MemoryStore::ForgetRequestsBefore(absl::Time time) {
  while (!requests_by_time_.empty() && requests_by_time_.begin()->first <= time) {
    requests_.erase(requests_by_time_.begin()->second);
    requests_by_time_.erase(requests_by_time_.begin());
  }
}

absl::StatusOr<std::optional<Record>> MemoryStore::Get(const RecordKey& key) const {
  MutexLock lock(mu_);
  const auto found = records_.find(key);
  if (found == records_.end()) return std::nullopt;
  return found->second.back();
}

absl::StatusOr<std::optional<Record>> MemoryStore::GetAt(const RecordKey& key,
                                                         Revision revision) const {
  MutexLock lock(mu_);
  BK_RETURN_IF_ERROR(CheckReadable(
      revision, Revision{head_.value - static_cast<int64_t>(commits_.size())}, head_));
  const auto found = records_.find(key);
  if (found == records_.end()) return std::nullopt;
  const Record* version = VersionAt(found->second, revision);
  if (version == nullptr) return std::nullopt;
  return *version;
}

absl::StatusOr<std::vector<Record>> MemoryStore::List(const ListOptions& options) const {
  if (options.after) BK_RETURN_IF_ERROR(CheckListAfter(*options.after));
  MutexLock lock(mu_);
  // Keys sort by kind, then app: everything asked for stands together.
  const std::string& prefix = options.app ? *options.app : options.app_prefix;
  const RecordKey first{options.kind, prefix, "", ""};
  auto it = options.after && *options.after >= first ? records_.upper_bound(*options.after)
                                                     : records_.lower_bound(first);
  std::vector<Record> out;
  for (; it != records_.end() && out.size() < options.limit; ++it) {
    const RecordKey& key = it->first;
    if (key.kind != options.kind || !key.app.starts_with(prefix)) break;
    if (options.app && key.app != *options.app) break;
    if (!key.app.starts_with(options.app_prefix)) break;
    if (it->second.back().value) out.push_back(it->second.back());
  }
  return out;
}

absl::StatusOr<std::vector<Record>> MemoryStore::History(const RecordKey& key,
                                                         std::optional<Revision> before,
                                                         size_t limit) const {
  MutexLock lock(mu_);
  std::vector<Record> out;
  const auto found = records_.find(key);
  if (found == records_.end()) return out;
  const Versions& versions = found->second;
  for (auto it = versions.rbegin(); it != versions.rend() && out.size() < limit; ++it) {
    if (!before || it->revision < *before) out.push_back(*it);
  }
  return out;
}

void MemoryStore::AppendExisting(const RecordKey& from, const std::string& app,
                                 std::vector<Record>& out) const {
  for (auto it = records_.lower_bound(from); it != records_.end(); ++it) {
    if (it->first.kind != from.kind || it->first.app != app) break;
    if (it->second.back().value) out.push_back(it->second.back());
  }
}

absl::StatusOr<PolicyStore::AppSnapshot> MemoryStore::ReadApp(const AppId& app) const {
  MutexLock lock(mu_);
  AppSnapshot out{{options_.incarnation, head_}, {}};
  AppendExisting({RecordKind::kPolicy, app.value(), "", ""}, app.value(), out.records);
  AppendExisting({RecordKind::kCatalogEntry, "", "", ""}, "", out.records);
  if (app.empty()) return out;
  AppendExisting({RecordKind::kCatalogEntry, app.value(), "", ""}, app.value(), out.records);
  AppendExisting({RecordKind::kConnection, app.value(), "", ""}, app.value(), out.records);
  return out;
}

int64_t MemoryStore::PolicyCount() const {
  MutexLock lock(mu_);
  return policies_;
}

absl::StatusOr<std::unique_ptr<Watcher>> MemoryStore::Watch(const WatchOptions& options) {
  MutexLock lock(mu_);
  BK_RETURN_IF_ERROR(
      CheckWatch(options, Revision{head_.value - static_cast<int64_t>(commits_.size())}, head_));
  return feed_.Watch(options);
}

absl::StatusOr<std::shared_ptr<const CommitEvent>> MemoryStore::ReadCommit(
    Revision revision) const {
  MutexLock lock(mu_);
  const Revision oldest{head_.value - static_cast<int64_t>(commits_.size())};
  // The commits are those above the oldest state.
  BK_RETURN_IF_ERROR(CheckReadable(Revision{revision.value - 1}, oldest, head_));
  return commits_[static_cast<size_t>(revision.value - oldest.value - 1)];
}

absl::StatusOr<PolicyStore::BackupResult> MemoryStore::Backup(const std::string&) {
  return absl::UnimplementedError("a memory store has no files to back up");
}

}  // namespace bridgekeeper::store
