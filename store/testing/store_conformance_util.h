// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the files of the suite share. Included by them alone.

#ifndef BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_UTIL_H_
#define BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_UTIL_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"
#include "store/testing/store_conformance.h"

namespace bridgekeeper::store {

// Each does nothing: whoever calls it makes the linker take the file that it stands in.
void TakeWatchTests();
void TakeRecordTests();

// The longest that a test waits for what must come.
inline constexpr absl::Duration kDeadline = absl::Seconds(30);

#define SKIP_WHERE_LEFT_OUT(category)                                            \
  do {                                                                           \
    const auto left_out = GetParam().left_out.find(category);                    \
    if (left_out != GetParam().left_out.end()) GTEST_SKIP() << left_out->second; \
  } while (false)

inline std::vector<std::string> Apps(const std::vector<Record>& records) {
  std::vector<std::string> out;
  for (const Record& record : records) out.push_back(record.key.app);
  return out;
}

inline std::vector<int64_t> Revisions(const std::vector<Record>& records) {
  std::vector<int64_t> out;
  for (const Record& record : records) out.push_back(record.revision.value);
  return out;
}

// What happened in one call of Next(): the revision of the event, 0 for none.
inline absl::StatusOr<int64_t> NextRevision(Watcher& watcher, absl::Duration timeout = kDeadline) {
  auto event = watcher.Next(timeout);
  if (!event.ok()) return event.status();
  return event->has_value() ? (*event)->revision.value : 0;
}

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_UTIL_H_
