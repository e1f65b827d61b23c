// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/record_writer.h"

#include <utility>

namespace bridgekeeper::service {
namespace {

WriteResult ResultOf(const absl::StatusOr<store::CommitResult>& result) {
  if (result.ok()) return result->changed > 0 ? WriteResult::kChanged : WriteResult::kUnchanged;
  if (absl::IsAborted(result.status())) return WriteResult::kConflict;
  if (absl::IsInvalidArgument(result.status()) || absl::IsNotFound(result.status())) {
    return WriteResult::kRefused;
  }
  return WriteResult::kFailed;
}

}  // namespace

absl::StatusOr<store::CommitResult> RecordWriter::Commit(std::vector<store::Mutation> mutations,
                                                         const WriteContext& context) {
  std::vector<store::RecordKey> keys;
  keys.reserve(mutations.size());
  for (const store::Mutation& mutation : mutations) keys.push_back(mutation.key);

  absl::StatusOr<store::CommitResult> result =
      store_.Commit(std::move(mutations), {.author = context.author,
                                           .reason = context.reason,
                                           .time = clock_.Now(),
                                           .request_id = context.request_id});
  metrics_.policy_writes.Add(static_cast<size_t>(ResultOf(result)));
  if (result.ok()) {
    for (const store::RecordKey& key : keys) cache_.Invalidate(key, result->revision);
  }
  return result;
}

}  // namespace bridgekeeper::service
