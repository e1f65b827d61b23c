// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The promises P1 to P11 of store/api/store.h as tests that run on every store. A
// kind of store says how it is made, and what it leaves out and why:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, StoreConformanceTest,
//                            testing::Values(Conforms({.name = "memory", .make = ...})));

#ifndef BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_H_
#define BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

// One store under test, with what a caller of PolicyStore cannot do.
class StoreHarness {
 public:
  virtual ~StoreHarness() = default;

  // Stays the same until Reopen().
  virtual PolicyStore& store() = 0;

  // Closes the store and opens it again. Not called where "P6" is left out.
  virtual absl::Status Reopen() = 0;

  // Flips a bit in the stored current state of `key`, behind the store's back; may
  // reopen the store. Not called where "P11" is left out.
  virtual absl::Status Damage(const RecordKey& key) = 0;

  // Makes a store from a backup. Not called where "backup" is left out.
  virtual absl::StatusOr<std::unique_ptr<StoreHarness>> Restore(const std::string& backup) = 0;
};

struct HarnessOptions {
  int64_t keep_revisions = 100'000;
};

struct StoreKind {
  std::string name;
  std::function<absl::StatusOr<std::unique_ptr<StoreHarness>>(const HarnessOptions&)> make;
  // What this kind does not promise ("P6", "P11", "backup"), and why.
  std::map<std::string, std::string> left_out;
};

// Names `kind` in test output.
std::ostream& operator<<(std::ostream& out, const StoreKind& kind);

// Hands `kind` on, and makes the linker take the suite.
StoreKind Conforms(StoreKind kind);

class StoreConformanceTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  void SetUp() override;

  // Makes the store anew.
  void Make(const HarnessOptions& options);

  PolicyStore& store() { return harness_->store(); }

  // Commits one mutation and returns the revision; fails the test where it cannot.
  Revision Commit(Mutation mutation);

  std::unique_ptr<StoreHarness> harness_;
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_TESTING_STORE_CONFORMANCE_H_
