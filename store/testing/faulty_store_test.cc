// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/testing/faulty_store.h"

#include "policy/testing/status_matchers.h"
#include "store/memory/memory_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(FaultyStore, FailsWritesAndKeepsReadingUntilItIsHealed) {
  MemoryStore memory;
  FaultyStore store(memory);
  ASSERT_THAT(store.Commit({Put(SamplePolicy("dockit"))}, By()), IsOk());

  store.FailWrites(absl::StatusCode::kResourceExhausted, "disk full");
  EXPECT_THAT(store.Commit({Put(SamplePolicy("other"))}, By()),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("disk full")));
  EXPECT_THAT(store.WriteHealth(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(store.List({}), IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(store.Token().revision, Revision{1});

  store.Heal();
  EXPECT_THAT(store.Commit({Put(SamplePolicy("other"))}, By()), IsOk());
  EXPECT_THAT(store.WriteHealth(), IsOk());
  EXPECT_THAT(store.List({}), IsOkAndHolds(SizeIs(2)));
}

TEST(FaultyStore, FailsReadsAndRunningWatchers) {
  MemoryStore memory;
  FaultyStore store(memory);
  auto watcher = store.Watch({});
  ASSERT_THAT(watcher, IsOk());
  ASSERT_THAT(store.Commit({Put(SamplePolicy("dockit"))}, By()), IsOk());

  store.FailReads(absl::StatusCode::kUnavailable, "away");
  EXPECT_THAT(store.Get(PolicyKey("dockit")), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store.ReadApp(AppId("dockit")), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(store.Watch({}), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT((*watcher)->Next(absl::ZeroDuration()), StatusIs(absl::StatusCode::kUnavailable));

  store.Heal();
  const auto event = (*watcher)->Next(absl::ZeroDuration());
  ASSERT_THAT(event, IsOk());
  ASSERT_TRUE(event->has_value());
  EXPECT_EQ((*event)->revision, Revision{1});
}

}  // namespace
}  // namespace bridgekeeper::store
