// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/memory/memory_store.h"

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_format.h"
#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"
#include "store/testing/store_conformance.h"

namespace bridgekeeper::store {
namespace {

class MemoryHarness : public StoreHarness {
 public:
  explicit MemoryHarness(MemoryStoreOptions options) : store_(std::move(options)) {}

  PolicyStore& store() override { return store_; }
  absl::Status Reopen() override { return absl::UnimplementedError("nothing is kept"); }
  absl::Status Damage(const RecordKey&) override { return absl::UnimplementedError("no bytes"); }
  absl::StatusOr<std::unique_ptr<StoreHarness>> Restore(const std::string&) override {
    return absl::UnimplementedError("no backup");
  }

 private:
  MemoryStore store_;
};

INSTANTIATE_TEST_SUITE_P(
    Memory, StoreConformanceTest,
    testing::Values(Conforms(
        {.name = "memory",
         .make =
             [](const HarnessOptions& options) -> absl::StatusOr<std::unique_ptr<StoreHarness>> {
           static std::atomic<int> made = 0;
           return std::make_unique<MemoryHarness>(
               MemoryStoreOptions{.incarnation = absl::StrFormat("%032x", ++made),
                                  .keep_revisions = options.keep_revisions});
         },
         .left_out = {{"P6", "a memory store is gone with its process"},
                      {"P11", "a memory store keeps no bytes that could be damaged"},
                      {"backup", "a memory store has no files"}}})),
    [](const auto& kind) { return kind.param.name; });

TEST(MemoryStore, HasNoBackup) {
  MemoryStore store;
  EXPECT_THAT(store.Backup("nowhere"), StatusIs(absl::StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace bridgekeeper::store
