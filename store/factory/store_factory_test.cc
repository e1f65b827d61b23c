// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/factory/store_factory.h"

#include <cstdlib>
#include <string>

#include "policy/testing/status_matchers.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

StoreOptions Options(std::string kind) {
  const char* tmp = std::getenv("TEST_TMPDIR");
  return {.kind = std::move(kind),
          .new_incarnation = std::string(32, 'a'),
          .path = std::string(tmp != nullptr ? tmp : "/tmp") + "/factory-store"};
}

TEST(StoreFactory, MakesEachKindAndNamesIt) {
  for (const std::string_view kind : StoreKinds()) {
    const auto opened = OpenStore(Options(std::string(kind)));
    ASSERT_THAT(opened, IsOk()) << kind;
    EXPECT_EQ(opened->store->name(), kind);
    EXPECT_TRUE(opened->report.created);
    EXPECT_EQ(opened->store->Token(), (RevisionToken{std::string(32, 'a'), Revision{0}}));
    EXPECT_THAT(opened->store->Commit({Put(SamplePolicy("a"))}, By()), IsOk());
  }
  EXPECT_THAT(StoreKinds(), ElementsAre("rocksdb", "memory"));
}

TEST(StoreFactory, SaysWhichKindsThereAreAndWhichWasMeant) {
  EXPECT_THAT(
      OpenStore(Options("rocksbd")),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("got `rocksbd`, want `rocksdb` or `memory` (did you mean `rocksdb`?)")));
  EXPECT_THAT(RestoreStore("backup", Options("oracle")),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("got `oracle`")));
}

TEST(StoreFactory, KeepsTheRangesOfItsOptions) {
  for (const std::string_view kind : StoreKinds()) {
    StoreOptions options = Options(std::string(kind));
    options.path += "-ranges";
    options.keep_revisions = 0;
    EXPECT_THAT(OpenStore(options),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("keep_revisions: got 0")))
        << kind;
  }
}

TEST(StoreFactory, AMemoryStoreHasNoBackups) {
  EXPECT_THAT(RestoreStore("backup", Options("memory")),
              StatusIs(absl::StatusCode::kUnimplemented));
}

}  // namespace
}  // namespace bridgekeeper::store
