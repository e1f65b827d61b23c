// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchedCopy is what a receiver of a watch has: it applies messages and notes every
// breach of what a watch promises.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_TESTING_WATCH_COPY_H_
#define BRIDGEKEEPER_SERVICE_CORE_TESTING_WATCH_COPY_H_

#include <map>
#include <string>
#include <vector>

#include "service/core/watch_stream.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class WatchedCopy {
 public:
  void Apply(const WatchMessage& message);

  const store::RevisionToken& token() const { return token_; }
  const std::map<store::RecordKey, store::Record>& records() const { return records_; }
  const std::vector<std::string>& breaches() const { return breaches_; }
  int snapshots() const { return snapshots_; }
  int heartbeats() const { return heartbeats_; }
  // Revisions of the commits that came outside snapshots.
  const std::vector<int64_t>& commits() const { return commits_; }

 private:
  void Breach(std::string what) { breaches_.push_back(std::move(what)); }

  store::RevisionToken token_;
  bool in_snapshot_ = false;
  std::map<store::RecordKey, store::Record> records_;
  int snapshots_ = 0;
  int heartbeats_ = 0;
  std::vector<int64_t> commits_;
  std::vector<std::string> breaches_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_TESTING_WATCH_COPY_H_
