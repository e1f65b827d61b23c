// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/app_cache.h"

#include <algorithm>
#include <atomic>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "service/core/record_writer.h"
#include "service/core/testing/gated_store.h"
#include "store/memory/memory_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::service {
namespace {

using store::Delete;
using store::PolicyKey;
using store::Put;
using store::RecordKey;
using store::SampleConnection;
using store::SampleEntry;
using store::SamplePolicy;

class AppCacheTest : public ::testing::Test {
 protected:
  // Commits without telling the cache.
  Revision Commit(store::Mutation mutation) {
    auto result = memory_.Commit({std::move(mutation)}, store::By());
    EXPECT_THAT(result, IsOk());
    return result->revision;
  }

  Mode ModeOf(std::string_view app) {
    const auto state = cache_.Get(app);
    EXPECT_THAT(state, IsOk());
    EXPECT_NE(state->policy, nullptr) << app;
    return state->policy->policy().mode;
  }

  store::MemoryStore memory_;
  GatedStore store_{memory_};
  FakeClock clock_;
  Metrics metrics_;
  AppCache cache_{store_, {.max_apps = 4, .max_unknown_apps = 4}, clock_, metrics_};
};

TEST_F(AppCacheTest, ReadsAnAppOnce) {
  Commit(Put(SamplePolicy("dockit", Mode::kReadOnly)));
  EXPECT_EQ(ModeOf("dockit"), Mode::kReadOnly);
  EXPECT_EQ(ModeOf("dockit"), Mode::kReadOnly);
  EXPECT_EQ(store_.reads(), 1);
  EXPECT_EQ(metrics_.cache_misses.Sum(0), 1u);
  EXPECT_EQ(metrics_.cache_hits.Sum(0), 1u);
}

TEST_F(AppCacheTest, RemembersThatAnAppHasNoPolicy) {
  const auto state = cache_.Get("nobody");
  ASSERT_THAT(state, IsOk());
  EXPECT_EQ(state->policy, nullptr);
  EXPECT_EQ(state->view().state, PolicyView::State::kUnknownApp);
  EXPECT_THAT(cache_.Get("nobody"), IsOk());
  EXPECT_EQ(store_.reads(), 1);
}

TEST_F(AppCacheTest, CompilesWhatDecidesTheCallsOfTheApp) {
  Commit(Put(SamplePolicy("dockit")));
  Commit(Put(SampleEntry("dockit", "", "own")));
  const Revision last = Commit(Put(SampleEntry("", "", "for_all")));
  Commit(Put(SampleEntry("sqlkit", "", "of_another")));
  Commit(Put(SampleConnection("dockit", "prod", "orders")));
  const auto state = cache_.Get("dockit");
  ASSERT_THAT(state, IsOk());
  const CompiledPolicy& policy = *state->policy;
  EXPECT_NE(policy.catalog().Find("own", std::nullopt, false), nullptr);
  EXPECT_NE(policy.catalog().Find("for_all", std::nullopt, false), nullptr);
  EXPECT_EQ(policy.catalog().Find("of_another", std::nullopt, false), nullptr);
  ASSERT_NE(policy.FindConnection("prod"), nullptr);
  EXPECT_EQ(policy.FindConnection("prod")->name, "orders");
  EXPECT_EQ(policy.policy_revision().value, 1);
  EXPECT_EQ(policy.catalog_revision(), last);
}

TEST_F(AppCacheTest, InvalidationOfTheAppMakesItReadAgain) {
  Commit(Put(SamplePolicy("dockit", Mode::kReadOnly)));
  Commit(Put(SamplePolicy("sqlkit", Mode::kReadOnly)));
  ModeOf("dockit");
  ModeOf("sqlkit");
  const Revision revision = Commit(Put(SamplePolicy("dockit", Mode::kFullAccess)));
  EXPECT_EQ(ModeOf("dockit"), Mode::kReadOnly) << "nobody has told the cache yet";
  cache_.Invalidate(PolicyKey("dockit"), revision);
  EXPECT_EQ(ModeOf("dockit"), Mode::kFullAccess);
  EXPECT_EQ(ModeOf("sqlkit"), Mode::kReadOnly);
  EXPECT_EQ(store_.reads(), 3) << "the other app stays in memory";
}

TEST_F(AppCacheTest, InvalidationForEveryAppMakesAllReadAgain) {
  Commit(Put(SamplePolicy("dockit")));
  Commit(Put(SamplePolicy("sqlkit")));
  ModeOf("dockit");
  ModeOf("sqlkit");
  const Revision revision = Commit(Put(SampleEntry("", "", "for_all")));
  cache_.Invalidate(RecordKey::Catalog({std::nullopt, std::nullopt, ToolName("for_all")}),
                    revision);
  for (const char* app : {"dockit", "sqlkit"}) {
    EXPECT_NE(cache_.Get(app)->policy->catalog().Find("for_all", std::nullopt, false), nullptr);
  }
}

TEST_F(AppCacheTest, InvalidationThatIsOlderThanTheReadDropsNothing) {
  const Revision first = Commit(Put(SamplePolicy("dockit")));
  Commit(Put(SamplePolicy("dockit", Mode::kFullAccess)));
  ModeOf("dockit");
  cache_.Invalidate(PolicyKey("dockit"), first);  // as a late watcher would
  cache_.InvalidateAll(first);
  EXPECT_EQ(ModeOf("dockit"), Mode::kFullAccess);
  EXPECT_EQ(store_.reads(), 1);
}

TEST_F(AppCacheTest, PolicyThatAppearsOrGoesIsSeenAfterInvalidation) {
  EXPECT_EQ(cache_.Get("dockit")->policy, nullptr);
  cache_.Invalidate(PolicyKey("dockit"), Commit(Put(SamplePolicy("dockit"))));
  EXPECT_NE(cache_.Get("dockit")->policy, nullptr);
  cache_.Invalidate(PolicyKey("dockit"), Commit(Delete(PolicyKey("dockit"))));
  EXPECT_EQ(cache_.Get("dockit")->policy, nullptr);
  EXPECT_EQ(cache_.size().apps, 0u) << "the policy that is gone keeps no place";
}

TEST_F(AppCacheTest, LoadThatRacedAnInvalidationIsMadeAgain) {
  Commit(Put(SamplePolicy("dockit", Mode::kReadOnly)));
  // The first read has its answer when the policy changes, and the cache hears of the
  // change before it has the answer.
  store_.after_read = [&](int number) {
    if (number != 1) return;
    cache_.Invalidate(PolicyKey("dockit"), Commit(Put(SamplePolicy("dockit", Mode::kFullAccess))));
  };
  EXPECT_EQ(ModeOf("dockit"), Mode::kFullAccess);
  EXPECT_EQ(store_.reads(), 2);
  EXPECT_EQ(ModeOf("dockit"), Mode::kFullAccess);
  EXPECT_EQ(store_.reads(), 2);
}

TEST_F(AppCacheTest, LoadThatRacedAnInvalidationOfEveryAppIsMadeAgain) {
  Commit(Put(SamplePolicy("dockit")));
  store_.after_read = [&](int number) {
    if (number != 1) return;
    cache_.InvalidateAll(Commit(Put(SampleEntry("", "", "for_all"))));
  };
  EXPECT_NE(cache_.Get("dockit")->policy->catalog().Find("for_all", std::nullopt, false), nullptr);
  EXPECT_EQ(store_.reads(), 2);
}

TEST_F(AppCacheTest, TryGetReadsOnTheSpotWhileReadsAreQuick) {
  Commit(Put(SamplePolicy("dockit", Mode::kReadOnly)));
  const auto state = cache_.TryGet("dockit");
  ASSERT_TRUE(state.has_value());
  ASSERT_THAT(*state, IsOk());
  EXPECT_NE((*state)->policy, nullptr);
  EXPECT_EQ(store_.reads(), 1);
  EXPECT_TRUE(cache_.TryGet("dockit").has_value());
  EXPECT_EQ(store_.reads(), 1);
}

TEST_F(AppCacheTest, TryGetLeavesReadsOfASlowDiskToThreadsThatMayWait) {
  for (int i = 0; i < 60; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app%d", i))));
  absl::Duration disk = absl::Milliseconds(10);
  store_.after_read = [&](int) { clock_.Advance(disk); };
  ASSERT_TRUE(cache_.TryGet("app0").has_value());
  EXPECT_EQ(cache_.TryGet("app1"), std::nullopt) << "one slow read is enough";
  EXPECT_TRUE(cache_.TryGet("app0").has_value()) << "what is in memory needs no read";
  EXPECT_THAT(cache_.Get("app1"), IsOk());
  EXPECT_EQ(cache_.TryGet("app2"), std::nullopt);
  // Quick again.
  disk = absl::Microseconds(20);
  for (int i = 3; i < 40; ++i) ASSERT_THAT(cache_.Get(absl::StrFormat("app%d", i)), IsOk());
  EXPECT_TRUE(cache_.TryGet("app50").has_value());
}

TEST_F(AppCacheTest, TryGetReadsOneAppAtATime) {
  Commit(Put(SamplePolicy("dockit")));
  Commit(Put(SamplePolicy("sqlkit")));
  store_.before_read = [&](int number) {
    if (number > 1) return;
    EXPECT_EQ(cache_.TryGet("sqlkit"), std::nullopt);
  };
  EXPECT_TRUE(cache_.TryGet("dockit").has_value());
  EXPECT_TRUE(cache_.TryGet("sqlkit").has_value());
}

TEST_F(AppCacheTest, TryGetDoesNotWaitForAnothersRead) {
  Commit(Put(SamplePolicy("dockit")));
  store_.before_read = [&](int) { EXPECT_EQ(cache_.TryGet("dockit"), std::nullopt); };
  EXPECT_THAT(cache_.Get("dockit"), IsOk());
  EXPECT_EQ(store_.reads(), 1);
}

TEST_F(AppCacheTest, WaitsForAnothersReadNoLongerThanMaxWait) {
  const RealClock clock;
  AppCache cache(store_, {.max_wait = absl::Milliseconds(20)}, clock, metrics_);
  std::latch reads(1);
  std::latch go_on(1);
  store_.before_read = [&](int) {
    reads.count_down();
    go_on.wait();
  };
  std::jthread reader([&] { EXPECT_THAT(cache.Get("dockit"), IsOk()); });
  reads.wait();
  EXPECT_THAT(cache.Get("dockit"), StatusIs(absl::StatusCode::kUnavailable));
  go_on.count_down();
  reader.join();
  EXPECT_THAT(cache.Get("dockit"), IsOk()) << "what was read is there";
}

TEST_F(AppCacheTest, ManyThatMissTogetherReadOnce) {
  Commit(Put(SamplePolicy("dockit")));
  constexpr int kThreads = 8;
  std::latch reading(1);
  std::latch go_on(1);
  store_.before_read = [&](int) {
    reading.count_down();
    go_on.wait();
  };
  std::atomic<int> found = 0;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { found += cache_.Get("dockit")->policy != nullptr; });
  reading.wait();
  for (int i = 1; i < kThreads; ++i) {
    threads.emplace_back([&] { found += cache_.Get("dockit")->policy != nullptr; });
  }
  // They wait for the read that is under way, however late each comes.
  while (metrics_.cache_misses.Sum(0) < kThreads) std::this_thread::yield();
  go_on.count_down();
  threads.clear();
  EXPECT_EQ(found, kThreads);
  EXPECT_EQ(store_.reads(), 1);
}

TEST_F(AppCacheTest, ErrorGoesToAllWhoWaitAndIsNotRemembered) {
  Commit(Put(SamplePolicy("dockit")));
  std::latch reading(1);
  std::latch go_on(1);
  store_.before_read = [&](int number) {
    if (number > 1) return;
    reading.count_down();
    go_on.wait();
  };
  store_.FailReads(absl::StatusCode::kUnavailable, "no disk");
  absl::StatusCode first = absl::StatusCode::kOk;
  absl::StatusCode second = absl::StatusCode::kOk;
  {
    std::jthread leader([&] { first = cache_.Get("dockit").status().code(); });
    reading.wait();
    std::jthread follower([&] { second = cache_.Get("dockit").status().code(); });
    while (metrics_.cache_misses.Sum(0) < 2) std::this_thread::yield();
    go_on.count_down();
  }
  EXPECT_EQ(first, absl::StatusCode::kUnavailable);
  EXPECT_EQ(second, absl::StatusCode::kUnavailable);
  store_.Heal();
  EXPECT_THAT(cache_.Get("dockit"), IsOk());
}

TEST_F(AppCacheTest, KeepsNoMoreAppsThanItMay) {
  for (int i = 0; i < 20; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app%d", i))));
  for (int i = 0; i < 20; ++i) ModeOf(absl::StrFormat("app%d", i));
  EXPECT_EQ(cache_.size().apps, 4u);
  EXPECT_EQ(metrics_.cache_evictions.Sum(0), 16u);
}

TEST_F(AppCacheTest, AskingForUnknownAppsDrivesNobodyOut) {
  for (int i = 0; i < 4; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app%d", i))));
  for (int i = 0; i < 4; ++i) ModeOf(absl::StrFormat("app%d", i));
  for (int i = 0; i < 100; ++i) EXPECT_THAT(cache_.Get(absl::StrFormat("x%d", i)), IsOk());
  EXPECT_EQ(cache_.size().apps, 4u);
  EXPECT_EQ(cache_.size().unknown_apps, 4u);
  const int reads = store_.reads();
  for (int i = 0; i < 4; ++i) ModeOf(absl::StrFormat("app%d", i));
  EXPECT_EQ(store_.reads(), reads) << "all were still in memory";
}

TEST_F(AppCacheTest, AppThatIsAskedOftenOutlivesThoseAskedOnce) {
  for (int i = 0; i < 50; ++i) Commit(Put(SamplePolicy(absl::StrFormat("app%d", i))));
  Commit(Put(SamplePolicy("hot")));
  ModeOf("hot");
  for (int i = 0; i < 50; ++i) {
    ModeOf(absl::StrFormat("app%d", i));
    const int reads = store_.reads();
    ModeOf("hot");
    EXPECT_EQ(store_.reads(), reads) << "after app" << i;
  }
}

// Writers change the policy and check at once; what they read is never older than what
// they wrote. Readers see the revision of an app never go back.
TEST(AppCacheStressTest, EveryWriterReadsItsWriteAndNoReaderGoesBack) {
  constexpr int kApps = 3;
  constexpr int kWrites = 300;
  store::MemoryStore store;
  FakeClock clock;
  Metrics metrics;
  // Fewer places than apps, so that loads, invalidations and evictions meet.
  AppCache cache(store, {.max_apps = 2, .max_unknown_apps = 2}, clock, metrics);
  RecordWriter writer(store, cache, clock, metrics);
  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  const auto app_of = [](int i) { return absl::StrFormat("app%d", i); };
  {
    std::vector<std::jthread> readers;
    for (int r = 0; r < 2; ++r) {
      readers.emplace_back([&] {
        std::vector<int64_t> seen(kApps, 0);
        for (int i = 0; !done; i = (i + 1) % kApps) {
          const auto state = cache.Get(app_of(i));
          if (!state.ok() || state->policy == nullptr) continue;
          const int64_t revision = state->policy->policy_revision().value;
          if (revision < seen[static_cast<size_t>(i)]) ++wrong;
          seen[static_cast<size_t>(i)] = revision;
        }
      });
    }
    {
      std::vector<std::jthread> writers;
      for (int w = 0; w < kApps; ++w) {
        writers.emplace_back([&, w] {
          for (int i = 0; i < kWrites; ++i) {
            McpPolicy policy = SamplePolicy(app_of(w));
            policy.suspend_reason = absl::StrFormat("%d", i);
            const auto result = writer.Commit({Put(policy)}, {.author = "ada"});
            const auto state = cache.Get(app_of(w));
            if (!result.ok() || !state.ok() || state->policy == nullptr ||
                state->policy->policy_revision() < result->revision) {
              ++wrong;
            }
          }
        });
      }
    }
    done = true;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(metrics.policy_writes.Sum(static_cast<size_t>(WriteResult::kChanged)),
            static_cast<uint64_t>(kApps * kWrites));
}

}  // namespace
}  // namespace bridgekeeper::service
