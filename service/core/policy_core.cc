// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/policy_core.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "service/core/record_size.h"

namespace bridgekeeper::service {
namespace {

using store::Mutation;
using store::Record;
using store::RecordKey;

// Tries of a read-change-write that needs no expected_revision: each is lost only to
// another writer who got through.
constexpr int kMaxTries = 16;

// A suspension of every app is cut into commits of this size (or of a page's bytes),
// so that a store with many policies is neither read nor written in one piece.
constexpr size_t kSuspendBatch = 1000;

absl::Status NoPolicy(const AppId& app) {
  return absl::NotFoundError(absl::StrFormat("app `%s` has no policy", app.value()));
}

// The policy of a record. REQUIRES: the record has one
const McpPolicy& PolicyOf(const Record& record) { return std::get<McpPolicy>(*record.value); }

// Makes the mutation that suspends or resumes, or nothing where it is so already.
std::optional<Mutation> SuspendMutation(const Record& record, bool suspended,
                                        const std::string& reason) {
  McpPolicy policy = PolicyOf(record);
  policy.suspended = suspended;
  policy.suspend_reason = suspended ? reason : "";
  if (policy == PolicyOf(record)) return std::nullopt;
  return Mutation{record.key, std::move(policy), record.revision.value};
}

}  // namespace

absl::StatusOr<Record> PolicyCore::Get(const AppId& app, Revision at) const {
  const RecordKey key = RecordKey::Policy(app);
  BK_ASSIGN_OR_RETURN(std::optional<Record> record,
                      at.value > 0 ? store_.GetAt(key, at) : store_.Get(key));
  if (record && record->value) return *std::move(record);
  if (at.value <= 0) return NoPolicy(app);
  return absl::NotFoundError(
      absl::StrFormat("app `%s` had no policy at revision %d", app.value(), at.value));
}

absl::StatusOr<PolicyCore::Written> PolicyCore::Write(McpPolicy policy, int64_t expected_revision,
                                                      const WriteContext& context) {
  const RecordKey key = RecordKey::Policy(policy.app);
  std::vector<Mutation> mutations;
  mutations.push_back({key, std::move(policy), expected_revision});
  BK_ASSIGN_OR_RETURN(const store::CommitResult result,
                      writer_.Commit(std::move(mutations), context));
  // As of that revision: another write may have come since.
  BK_ASSIGN_OR_RETURN(std::optional<Record> record, store_.GetAt(key, result.records.front()));
  if (!record) return absl::InternalError("the policy that was written cannot be found");
  return Written{*std::move(record), result.changed > 0};
}

absl::StatusOr<PolicyCore::Written> PolicyCore::Put(McpPolicy policy, int64_t expected_revision,
                                                    const WriteContext& context) {
  return Write(std::move(policy), expected_revision, context);
}

absl::StatusOr<store::CommitResult> PolicyCore::PutAll(std::vector<BatchItem> items,
                                                       const WriteContext& context) {
  std::vector<Mutation> mutations;
  mutations.reserve(items.size());
  for (BatchItem& item : items) {
    RecordKey key = RecordKey::Policy(item.policy.app);
    mutations.push_back({std::move(key), std::move(item.policy), item.expected_revision});
  }
  return writer_.Commit(std::move(mutations), context);
}

absl::StatusOr<Revision> PolicyCore::Delete(const AppId& app, int64_t expected_revision,
                                            const WriteContext& context) {
  std::vector<Mutation> mutations;
  mutations.push_back({RecordKey::Policy(app), std::nullopt, expected_revision});
  BK_ASSIGN_OR_RETURN(const store::CommitResult result,
                      writer_.Commit(std::move(mutations), context));
  return result.revision;
}

absl::StatusOr<RecordPage> PolicyCore::List(const std::string& app_prefix,
                                            const std::optional<AppId>& after, size_t size) const {
  store::ListOptions options{.kind = store::RecordKind::kPolicy, .app_prefix = app_prefix};
  if (after) options.after = RecordKey::Policy(*after);
  return ListPage(store_, std::move(options), size);
}

absl::StatusOr<RecordPage> PolicyCore::History(const AppId& app, std::optional<Revision> before,
                                               size_t size) const {
  BK_ASSIGN_OR_RETURN(std::vector<Record> records,
                      store_.History(RecordKey::Policy(app), before, size + 1));
  if (records.empty() && !before) return NoPolicy(app);
  RecordPage page;
  size_t bytes = 0;
  for (Record& record : records) {
    bytes += ApproximateBytes(record);
    if (page.records.size() == size || (!page.records.empty() && bytes > kMaxPageBytes)) {
      page.more = true;
      break;
    }
    page.records.push_back(std::move(record));
  }
  return page;
}

absl::StatusOr<PolicyCore::Written> PolicyCore::Rollback(const AppId& app, Revision to,
                                                         int64_t expected_revision,
                                                         const WriteContext& context) {
  BK_ASSIGN_OR_RETURN(Record record, Get(app, to));
  return Write(std::get<McpPolicy>(*std::move(record.value)), expected_revision, context);
}

absl::StatusOr<PolicyCore::Changed> PolicyCore::SetSuspended(const AppId& app, bool suspended,
                                                             const WriteContext& context) {
  for (int tries = 1;; ++tries) {
    BK_ASSIGN_OR_RETURN(const Record record, Get(app, Revision{}));
    std::optional<Mutation> mutation = SuspendMutation(record, suspended, context.reason);
    if (!mutation) return Changed{store_.Token().revision, 0};
    std::vector<Mutation> mutations;
    mutations.push_back(*std::move(mutation));
    auto result = writer_.Commit(std::move(mutations), context);
    if (result.ok()) return Changed{result->revision, static_cast<int64_t>(result->changed)};
    if (!absl::IsAborted(result.status()) || tries == kMaxTries) return result.status();
  }
}

absl::StatusOr<PolicyCore::Changed> PolicyCore::SetAllSuspended(
    bool suspended, const WriteContext& context, const std::function<bool()>& should_stop) {
  Changed done;
  const auto failed = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrFormat("%s (%d apps were done before)",
                                                       AsStd(status.message()), done.changed));
  };
  // A request id would answer the second piece with the first one's result.
  const WriteContext piece_context{context.author, context.reason, ""};
  // A policy that is written behind the place that a pass has reached would be
  // missed; so passes go on until one meets nothing to do.
  for (bool again = true; again;) {
    again = false;
    std::optional<AppId> after;
    int tries = 0;
    while (true) {
      if (should_stop()) return failed(absl::CancelledError("the caller is gone"));
      auto page = List("", after, kSuspendBatch);
      if (!page.ok()) return failed(page.status());
      std::vector<Mutation> mutations;
      for (const Record& record : page->records) {
        if (auto mutation = SuspendMutation(record, suspended, context.reason)) {
          mutations.push_back(*std::move(mutation));
        }
      }
      if (!mutations.empty()) {
        auto result = writer_.Commit(std::move(mutations), piece_context);
        if (absl::IsAborted(result.status()) && ++tries < kMaxTries) continue;
        if (!result.ok()) return failed(result.status());
        done.revision = result->revision;
        done.changed += static_cast<int64_t>(result->changed);
        again = true;
      }
      tries = 0;
      if (!page->more) break;
      after = AppId(page->records.back().key.app);
    }
  }
  if (done.changed == 0) done.revision = store_.Token().revision;
  return done;
}

absl::StatusOr<PolicyDiff> PolicyCore::Diff(const AppId& app, Revision before, McpPolicy after,
                                            size_t max_cells) const {
  BK_ASSIGN_OR_RETURN(Record first, Get(app, before));
  BK_ASSIGN_OR_RETURN(store::PolicyStore::AppSnapshot snapshot, store_.ReadApp(app));
  const RecordKey key = RecordKey::Policy(app);
  std::erase_if(snapshot.records, [&](const Record& record) { return record.key == key; });

  std::vector<Record> second_records = snapshot.records;
  Record second = first;
  second.value = std::move(after);
  second_records.push_back(std::move(second));
  snapshot.records.push_back(std::move(first));
  return DiffPolicies(*CompileApp(std::move(snapshot.records)).policy,
                      *CompileApp(std::move(second_records)).policy, max_cells);
}

}  // namespace bridgekeeper::service
