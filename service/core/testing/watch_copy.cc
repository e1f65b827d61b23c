// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/testing/watch_copy.h"

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {

void WatchedCopy::Apply(const WatchMessage& message) {
  const int64_t revision = message.token.revision.value;
  if (message.token.incarnation == token_.incarnation && revision < token_.revision.value) {
    Breach(absl::StrFormat("the token went back from %d to %d", token_.revision.value, revision));
  }
  if (in_snapshot_ && !message.snapshot) Breach("a snapshot was broken off");
  if (message.snapshot_begin) {
    if (in_snapshot_) Breach("a snapshot began in a snapshot");
    records_.clear();
    in_snapshot_ = true;
    ++snapshots_;
  } else if (message.snapshot && !in_snapshot_) {
    Breach("a part of a snapshot came without its beginning");
  }
  if (!message.snapshot) {
    if (message.changes.empty()) {
      ++heartbeats_;
    } else {
      if (revision <= token_.revision.value) {
        Breach(absl::StrFormat("commit %d came after %d", revision, token_.revision.value));
      }
      commits_.push_back(revision);
    }
  }
  for (const store::Record* record : message.changes) {
    if (!message.snapshot && record->revision.value != revision) {
      Breach(absl::StrFormat("a record of %d in commit %d", record->revision.value, revision));
    }
    if (record->value) {
      records_.insert_or_assign(record->key, *record);
    } else {
      if (message.snapshot) Breach("a tombstone in a snapshot");
      records_.erase(record->key);
    }
  }
  if (message.snapshot_end) in_snapshot_ = false;
  token_ = message.token;
}

}  // namespace bridgekeeper::service
