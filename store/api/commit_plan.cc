// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/api/commit_plan.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/check.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/model/limits.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::store {
namespace {

absl::Status CheckText(std::string_view name, std::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: got %d bytes, want at most %d", name, text.size(), max_bytes));
  }
  if (const auto at = FirstInvalidUtf8(text)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s: got a byte at %d that is no UTF-8", name, *at));
  }
  return absl::OkStatus();
}

absl::Status CheckExpected(const Mutation& mutation, const std::optional<Record>& current) {
  if (!mutation.expected_revision) return absl::OkStatus();
  const int64_t expected = *mutation.expected_revision;
  const bool exists = current && current->value;
  if (!exists && !mutation.value && expected != 0) {
    return absl::NotFoundError(absl::StrFormat("%s does not exist", Describe(mutation.key)));
  }
  if (!exists && expected == 0) return absl::OkStatus();
  if (current && current->revision.value == expected) return absl::OkStatus();
  const std::string want =
      exists ? absl::StrFormat("want %d", current->revision.value) : "want 0: it does not exist";
  return absl::AbortedError(
      absl::StrFormat("%s: got expected_revision %d, %s", Describe(mutation.key), expected, want));
}

}  // namespace

absl::Status CheckCommit(std::span<const Mutation> mutations, const CommitOptions& options) {
  BK_RETURN_IF_ERROR(CheckText("author", options.author, convert::kMaxAuthorBytes));
  BK_RETURN_IF_ERROR(CheckText("reason", options.reason, kMaxReasonBytes));
  BK_RETURN_IF_ERROR(CheckText("request_id", options.request_id, convert::kMaxRequestIdBytes));

  std::vector<const RecordKey*> keys;
  keys.reserve(mutations.size());
  for (const Mutation& mutation : mutations) {
    if (!IsValidKey(mutation.key)) {
      return absl::InvalidArgumentError(
          absl::StrFormat("%s is no valid key", Describe(mutation.key)));
    }
    if (mutation.value && KeyOf(*mutation.value) != mutation.key) {
      return absl::InvalidArgumentError(absl::StrFormat(
          "%s: got the value of %s", Describe(mutation.key), Describe(KeyOf(*mutation.value))));
    }
    keys.push_back(&mutation.key);
  }
  std::sort(keys.begin(), keys.end(), [](const auto* a, const auto* b) { return *a < *b; });
  const auto twice = std::adjacent_find(keys.begin(), keys.end(),
                                        [](const auto* a, const auto* b) { return *a == *b; });
  if (twice != keys.end()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%s appears twice in one commit", Describe(**twice)));
  }
  return absl::OkStatus();
}

absl::StatusOr<CommitPlan> PlanCommit(std::vector<Mutation> mutations,
                                      std::span<const std::optional<Record>> current,
                                      const CommitOptions& options, Revision head) {
  BK_CHECK(current.size() == mutations.size());
  const Revision next{head.value + 1};
  // Whole nanoseconds are what a stored record can hold.
  const absl::Time time = absl::FromUnixNanos(absl::ToUnixNanos(options.time));

  CommitPlan plan;
  plan.result.records.reserve(mutations.size());
  for (size_t i = 0; i < mutations.size(); ++i) {
    Mutation& mutation = mutations[i];
    const std::optional<Record>& before = current[i];
    const bool existed = before && before->value;
    const bool same = existed ? mutation.value == before->value : !mutation.value;

    // Identical content is OK whatever revision the caller expected: the state is the
    // one that it asked for. A deletion of nothing is so only where no one said that
    // there was something.
    if (!same || !mutation.value) BK_RETURN_IF_ERROR(CheckExpected(mutation, before));
    if (same) {
      plan.result.records.push_back(before ? before->revision : Revision{0});
      continue;
    }
    if (mutation.key.kind == RecordKind::kPolicy) {
      plan.policies_added += (mutation.value ? 1 : 0) - (existed ? 1 : 0);
    }
    plan.result.records.push_back(next);
    plan.changes.push_back({.record = {.key = std::move(mutation.key),
                                       .revision = next,
                                       .time = time,
                                       .author = options.author,
                                       .reason = options.reason,
                                       .value = std::move(mutation.value)},
                            .previous = before ? before->revision : Revision{0}});
  }
  plan.result.changed = plan.changes.size();
  plan.result.revision = plan.changes.empty() ? head : next;
  return plan;
}

absl::Status CheckReadable(Revision revision, Revision oldest, Revision head) {
  if (revision > head) {
    return absl::OutOfRangeError(absl::StrFormat("revision %d is in the future: the newest is %d",
                                                 revision.value, head.value));
  }
  if (revision < oldest) {
    return absl::OutOfRangeError(absl::StrFormat("revision %d is no longer kept: the oldest is %d",
                                                 revision.value, oldest.value));
  }
  return absl::OkStatus();
}

absl::Status CheckListAfter(const RecordKey& after) {
  if (IsValidKey(after)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("after: got %s, which is no valid key", Describe(after)));
}

absl::Status CheckWatch(const WatchOptions& options, Revision oldest, Revision head) {
  if (options.max_queued < 1 || options.max_queued > kMaxQueuedCommits) {
    return absl::InvalidArgumentError(
        absl::StrFormat("max_queued: got %d, want 1 to %d", options.max_queued, kMaxQueuedCommits));
  }
  return CheckReadable(options.after, oldest, head);
}

}  // namespace bridgekeeper::store
