// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/watch_hub.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"
#include "service/core/change_feed.h"
#include "service/core/testing/gated_store.h"
#include "service/core/testing/watch_copy.h"
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr absl::Duration kInterval = absl::Seconds(3);

using Records = std::map<RecordKey, store::Record>;

// What a copy of these apps must hold.
Records ReadAll(const store::PolicyStore& store, const AppSet& apps) {
  Records out;
  for (const std::string& app : apps) {
    auto snapshot = store.ReadApp(AppId(app));
    EXPECT_THAT(snapshot, IsOk());
    for (store::Record& record : snapshot->records) {
      if (record.value) out.insert_or_assign(record.key, std::move(record));
    }
  }
  return out;
}

// As text, so that a difference can be read: "policy `dockit` at 3".
std::vector<std::string> Texts(const Records& records) {
  std::vector<std::string> out;
  for (const auto& [key, record] : records) {
    out.push_back(absl::StrFormat("%s at %d", store::Describe(key), record.revision.value));
  }
  return out;
}

MATCHER_P(AreRecords, wanted, "are the records of the store") {
  return ::testing::ExplainMatchResult(::testing::ElementsAreArray(Texts(wanted)), Texts(arg),
                                       result_listener) &&
         arg == wanted;
}

// Drives a hub by hand: nothing is published before Pump().
class WatchHubTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto watcher = memory_.Watch({.after = memory_.Token().revision});
    ASSERT_THAT(watcher, IsOk());
    watcher_ = *std::move(watcher);
  }

  Revision Commit(std::vector<store::Mutation> mutations) {
    auto result = memory_.Commit(std::move(mutations), store::By());
    EXPECT_THAT(result, IsOk());
    return result->revision;
  }

  void Pump() {
    while (true) {
      auto next = watcher_->Next(absl::ZeroDuration());
      ASSERT_THAT(next, IsOk());
      if (!next->has_value()) return;
      hub_.Publish(std::make_shared<const store::CommitEvent>(**std::move(next)));
    }
  }

  std::shared_ptr<WatchStream> MustOpen(AppSet apps,
                                        std::optional<store::RevisionToken> after = std::nullopt) {
    auto stream = hub_.Open({std::move(apps), std::move(after)}, [this] { ++rings_; });
    EXPECT_THAT(stream, IsOk());
    return *std::move(stream);
  }

  // Applies everything that the stream has. Returns the end, OK where it has none.
  absl::Status Drain(WatchStream& stream, WatchedCopy& copy) {
    while (true) {
      WatchStream::Taken taken = stream.Take(clock_.SinceBoot());
      if (taken.message) {
        copy.Apply(*taken.message);
      } else if (taken.end) {
        return *taken.end;
      } else {
        return absl::OkStatus();
      }
    }
  }

  Records Wanted(const AppSet& apps) { return ReadAll(memory_, apps); }

  store::MemoryStore memory_{{.keep_revisions = 500}};
  GatedStore store_{memory_};
  Metrics metrics_;
  FakeClock clock_;
  WatchHub hub_{store_,
                {.heartbeat_interval = kInterval,
                 .max_queued = 8,
                 .max_watches = 3,
                 .max_catch_up = 20,
                 .max_feed_lag = absl::Milliseconds(200)},
                Revision{},
                clock_,
                metrics_};
  std::unique_ptr<store::Watcher> watcher_;
  std::atomic<int> rings_ = 0;
};

TEST_F(WatchHubTest, BeginsWithASnapshotAndGoesOnWithEachCommit) {
  Commit({Put(SamplePolicy("dockit")), Put(SampleEntry("", "", "for_all")),
          Put(SampleConnection("dockit", "prod")), Put(SamplePolicy("other"))});
  Pump();
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 1);
  EXPECT_EQ(copy.token(), memory_.Token());
  EXPECT_THAT(copy.records(), AreRecords(Wanted({"dockit"})));
  EXPECT_EQ(copy.records().size(), 3u) << "policy, entry, connection; not the other app's";

  Commit({Put(SamplePolicy("dockit", Mode::kFullAccess))});
  Commit({Put(SampleEntry("dockit", "", "own"))});
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_THAT(copy.commits(), ElementsAre(2, 3));
  EXPECT_THAT(copy.records(), AreRecords(Wanted({"dockit"})));
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, AppWithoutAPolicyHasAnEmptySnapshotAndHearsOfItsFirstPolicy) {
  const auto stream = MustOpen({"later"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 1);
  EXPECT_THAT(copy.records(), IsEmpty());
  Commit({Put(SamplePolicy("later"))});
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_THAT(copy.records(), AreRecords(Wanted({"later"})));
}

TEST_F(WatchHubTest, DeletionsComeWithTheirKeys) {
  Commit({Put(SamplePolicy("dockit")), Put(SampleEntry("", "pg", "query")),
          Put(SampleConnection("dockit", "prod"))});
  Pump();
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  Commit({Delete(PolicyKey("dockit")),
          Delete(RecordKey::Catalog({std::nullopt, ServerId("pg"), ToolName("query")})),
          Delete(RecordKey::Connection(AppId("dockit"), ConnectionId("prod")))});
  Pump();
  const auto taken = stream->Take(clock_.SinceBoot());
  ASSERT_TRUE(taken.message.has_value());
  ASSERT_EQ(taken.message->changes.size(), 3u) << "one commit is one message";
  for (const store::Record* record : taken.message->changes)
    EXPECT_FALSE(record->value.has_value());
  copy.Apply(*taken.message);
  EXPECT_THAT(copy.records(), IsEmpty());
}

TEST_F(WatchHubTest, CommitOfAnotherAppMovesOnlyTheTokenOfTheNextHeartbeat) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  Commit({Put(SamplePolicy("other"))});
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.token().revision.value, 0) << "no message";
  EXPECT_EQ(rings_, 0);
  clock_.Advance(kInterval);
  hub_.Tick();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.heartbeats(), 1);
  EXPECT_EQ(copy.token(), memory_.Token());
  EXPECT_THAT(copy.commits(), IsEmpty());
}

TEST_F(WatchHubTest, CommitShowsEachWatchOnlyWhatConcernsIt) {
  const auto first = MustOpen({"a"});
  const auto second = MustOpen({"b", "c"});
  WatchedCopy a;
  WatchedCopy bc;
  ASSERT_THAT(Drain(*first, a), IsOk());
  ASSERT_THAT(Drain(*second, bc), IsOk());
  Commit({Put(SamplePolicy("a")), Put(SamplePolicy("b"))});
  Commit({Put(SamplePolicy("c"))});
  Commit({Put(SampleEntry("", "", "for_all"))});
  Pump();
  ASSERT_THAT(Drain(*first, a), IsOk());
  ASSERT_THAT(Drain(*second, bc), IsOk());
  EXPECT_THAT(a.commits(), ElementsAre(1, 3)) << "an entry for every app concerns all";
  EXPECT_THAT(bc.commits(), ElementsAre(1, 2, 3));
  EXPECT_THAT(a.records(), AreRecords(Wanted({"a"})));
  EXPECT_THAT(bc.records(), AreRecords(Wanted({"b", "c"})));
}

TEST_F(WatchHubTest, HeartbeatComesWhenNothingElseWasSentForAnInterval) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  clock_.Advance(kInterval - absl::Milliseconds(1));
  hub_.Tick();
  EXPECT_EQ(rings_, 0);
  clock_.Advance(absl::Milliseconds(1));
  hub_.Tick();
  EXPECT_EQ(rings_, 1);
  hub_.Tick();
  EXPECT_EQ(rings_, 1) << "who was rung and has not come is not rung again";
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.heartbeats(), 1);
  clock_.Advance(kInterval);
  Commit({Put(SamplePolicy("dockit"))});
  hub_.Tick();
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.heartbeats(), 1) << "a commit tells as well that we live";
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, ResumesAfterARevisionWithEveryCommitOnce) {
  Commit({Put(SamplePolicy("dockit"))});
  Commit({Put(SamplePolicy("other"))});
  Commit({Put(SampleEntry("dockit", "", "a"))});
  Pump();
  WatchedCopy copy;
  const store::RevisionToken after = {memory_.Token().incarnation, Revision{1}};
  const auto stream = MustOpen({"dockit"}, after);
  Commit({Put(SampleEntry("dockit", "", "b"))});
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 0);
  EXPECT_THAT(copy.commits(), ElementsAre(3, 4));
  EXPECT_EQ(copy.token(), memory_.Token());
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, ResumeAtTheHeadIsToldSoAtOnce) {
  Commit({Put(SamplePolicy("dockit"))});
  Pump();
  const auto stream = MustOpen({"dockit"}, memory_.Token());
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 0);
  EXPECT_EQ(copy.heartbeats(), 1);
  EXPECT_EQ(copy.token(), memory_.Token());
}

TEST_F(WatchHubTest, ResumeAheadOfTheFeedGetsNothingTwice) {
  Commit({Put(SamplePolicy("dockit"))});
  Commit({Put(SampleEntry("dockit", "", "a"))});
  // Another process of the same store told the receiver; our feed is behind.
  const auto stream = MustOpen({"dockit"}, memory_.Token());
  Pump();
  Commit({Put(SampleEntry("dockit", "", "b"))});
  Pump();
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_THAT(copy.commits(), ElementsAre(3));
  EXPECT_EQ(copy.snapshots(), 0);
}

TEST_F(WatchHubTest, AnyOtherResumeGetsASnapshot) {
  for (int i = 0; i < 30; ++i) {
    Commit({Put(SampleEntry("dockit", "", absl::StrFormat("tool%d", i)))});
  }
  Pump();
  const std::string incarnation = memory_.Token().incarnation;
  const store::RevisionToken tokens[] = {
      {std::string(32, 'f'), Revision{29}},  // of another store, or from before a restore
      {"", Revision{}},
      {incarnation, Revision{31}},  // what never was
      {incarnation, Revision{9}},   // further back than is worth replaying
  };
  for (const store::RevisionToken& token : tokens) {
    const auto stream = MustOpen({"dockit"}, token);
    WatchedCopy copy;
    ASSERT_THAT(Drain(*stream, copy), IsOk());
    EXPECT_EQ(copy.snapshots(), 1) << token.incarnation << " " << token.revision.value;
    EXPECT_THAT(copy.records(), AreRecords(Wanted({"dockit"})));
    hub_.Close(stream);
  }
}

TEST_F(WatchHubTest, ResumeBehindWhatTheStoreKeepsGetsASnapshot) {
  store::MemoryStore forgetful({.keep_revisions = 2});
  for (int i = 0; i < 10; ++i) {
    ASSERT_THAT(
        forgetful.Commit({Put(SampleEntry("dockit", "", absl::StrFormat("t%d", i)))}, store::By()),
        IsOk());
  }
  WatchHub hub(forgetful, {}, forgetful.Token().revision, clock_, metrics_);
  auto stream = hub.Open({{"dockit"}, {{forgetful.Token().incarnation, Revision{3}}}}, [] {});
  ASSERT_THAT(stream, IsOk());
  WatchedCopy copy;
  ASSERT_THAT(Drain(**stream, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 1);
  EXPECT_EQ(copy.records().size(), 10u);
}

TEST_F(WatchHubTest, SlowWatchIsCutAndResumesWhereItWas) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  Commit({Put(SamplePolicy("dockit"))});
  Pump();
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  for (int i = 0; i < 9; ++i) {
    Commit({Put(SampleEntry("dockit", "", absl::StrFormat("tool%d", i)))});
  }
  Pump();
  EXPECT_THAT(Drain(*stream, copy),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too slow")));
  EXPECT_EQ(copy.token().revision.value, 1) << "nothing came that would have to be followed";
  EXPECT_EQ(metrics_.watch_cuts.Sum(static_cast<size_t>(WatchCut::kSlow)), 1u);
  hub_.Close(stream);

  const auto again = MustOpen({"dockit"}, copy.token());
  ASSERT_THAT(Drain(*again, copy), IsOk());
  EXPECT_EQ(copy.snapshots(), 1);
  EXPECT_THAT(copy.records(), AreRecords(Wanted({"dockit"})));
  EXPECT_THAT(copy.commits(), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, OneSlowWatchHoldsNobodyElseUp) {
  const auto slow = MustOpen({"dockit"});
  const auto quick = MustOpen({"dockit"});
  WatchedCopy copy;
  for (int i = 0; i < 50; ++i) {
    Commit({Put(SampleEntry("dockit", "", absl::StrFormat("tool%d", i)))});
    Pump();
    ASSERT_THAT(Drain(*quick, copy), IsOk());
  }
  EXPECT_EQ(copy.commits().size(), 50u);
}

TEST_F(WatchHubTest, SnapshotOfManyAppsIsOneState) {
  // While the apps are read one after the other, each commit changes all of them, so
  // no two are read alike.
  const AppSet apps = {"a", "b", "c", "d"};
  const auto change_all = [&](int i) {
    std::vector<store::Mutation> mutations;
    for (const std::string& app : apps) {
      McpPolicy policy = SamplePolicy(app);
      policy.suspend_reason = absl::StrFormat("%d", i);
      mutations.push_back(Put(policy));
    }
    mutations.push_back(Put(SampleEntry("", "", absl::StrFormat("tool%d", i))));
    Commit(std::move(mutations));
  };
  change_all(0);
  Pump();
  store_.after_read = [&](int number) {
    change_all(number);
    Pump();
  };
  const auto stream = MustOpen(apps);
  store_.after_read = nullptr;
  WatchedCopy copy;
  const auto first = stream->Take(clock_.SinceBoot());
  ASSERT_TRUE(first.message && first.message->snapshot_begin && first.message->snapshot_end);
  copy.Apply(*first.message);
  std::set<std::string> states;
  for (const auto& [key, record] : copy.records()) {
    if (const auto* policy = std::get_if<McpPolicy>(&*record.value)) {
      states.insert(policy->suspend_reason);
    }
  }
  EXPECT_THAT(states, ElementsAre("3")) << "all as they were at the last read";
  EXPECT_EQ(copy.token().revision.value, 4);
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  EXPECT_THAT(copy.records(), AreRecords(Wanted(apps)));
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, LargeSnapshotComesInParts) {
  std::vector<store::Mutation> mutations;
  for (int i = 0; i < 2000; ++i) {
    ConnectionRecord record = SampleConnection("dockit", absl::StrFormat("c%d", i));
    record.safe_functions = {std::string(500, 'f')};
    mutations.push_back(Put(record));
  }
  Commit(std::move(mutations));
  Pump();
  const auto stream = MustOpen({"dockit"});
  int parts = 0;
  WatchedCopy copy;
  while (true) {
    const auto taken = stream->Take(clock_.SinceBoot());
    if (!taken.message) break;
    ++parts;
    EXPECT_EQ(taken.message->snapshot_begin, parts == 1);
    EXPECT_LE(taken.message->changes.size(), 1000u);
    copy.Apply(*taken.message);
  }
  EXPECT_GE(parts, 2);
  EXPECT_EQ(copy.records().size(), 2000u);
  EXPECT_THAT(copy.breaches(), IsEmpty());
}

TEST_F(WatchHubTest, FeedThatIsBehindIsSaidSo) {
  Commit({Put(SamplePolicy("dockit"))});  // and never published
  RealClock real;
  WatchHub hub(store_, {.max_feed_lag = absl::Milliseconds(10)}, Revision{}, real, metrics_);
  EXPECT_THAT(hub.Open({{"dockit"}, std::nullopt}, [] {}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("behind")));
  EXPECT_EQ(hub.size(), 0u);
}

TEST_F(WatchHubTest, StoreThatCannotBeReadIsTold) {
  store_.FailReads(absl::StatusCode::kDataLoss, "damaged");
  EXPECT_THAT(hub_.Open({{"dockit"}, std::nullopt}, [] {}), StatusIs(absl::StatusCode::kDataLoss));
  EXPECT_EQ(hub_.size(), 0u);
}

TEST_F(WatchHubTest, OneWatchTooManyIsRefused) {
  const auto a = MustOpen({"dockit"});
  const auto b = MustOpen({"dockit"});
  const auto c = MustOpen({"dockit"});
  EXPECT_THAT(hub_.Open({{"dockit"}, std::nullopt}, [] {}),
              StatusIs(absl::StatusCode::kResourceExhausted, "got 4 watches, want at most 3"));
  hub_.Close(b);
  EXPECT_EQ(hub_.size(), 2u);
  MustOpen({"dockit"});
}

TEST_F(WatchHubTest, ClosedWatchIsNotRung) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  hub_.Close(stream);
  Commit({Put(SamplePolicy("dockit"))});
  Pump();
  hub_.EndAll();
  EXPECT_EQ(rings_, 0);
}

TEST_F(WatchHubTest, EndAllTellsEveryoneAndLetsNobodyIn) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  hub_.EndAll();
  EXPECT_EQ(rings_, 1);
  EXPECT_THAT(Drain(*stream, copy), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(hub_.Open({{"dockit"}, std::nullopt}, [] {}),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(WatchHubTest, CommitThatIsSkippedEndsEveryWatch) {
  const auto stream = MustOpen({"dockit"});
  WatchedCopy copy;
  ASSERT_THAT(Drain(*stream, copy), IsOk());
  hub_.Skip(Commit({Put(SamplePolicy("other"))}));
  EXPECT_THAT(Drain(*stream, copy), StatusIs(absl::StatusCode::kUnavailable));
  const auto again = MustOpen({"dockit"}, copy.token());
  ASSERT_THAT(Drain(*again, copy), IsOk());
  EXPECT_EQ(copy.token(), memory_.Token());
}

// Watchers come, go, resume and are cut while writers commit; each ends with what the
// store has, and none ever saw a breach.
TEST(WatchHubStressTest, EveryWatcherEndsWithWhatTheStoreHas) {
  constexpr int kApps = 4;
  constexpr int kWriters = 2;
  constexpr int kWrites = 400;
  const auto app_of = [](int i) { return absl::StrFormat("app%d", i % kApps); };
  store::MemoryStore store;
  Metrics metrics;
  RealClock clock;
  FakeLogger log;
  AppCache cache(store, {}, clock, metrics);
  WatchHub hub(store, {.heartbeat_interval = absl::Milliseconds(20), .max_queued = 64}, Revision{},
               clock, metrics);
  auto feed = ChangeFeed::Start(store, Revision{}, cache, hub, log);
  ASSERT_THAT(feed, IsOk());

  std::atomic<bool> written = false;
  std::atomic<int64_t> last = 0;
  std::vector<WatchedCopy> copies(6);
  {
    std::vector<std::jthread> watchers;
    for (size_t w = 0; w < copies.size(); ++w) {
      watchers.emplace_back([&, w] {
        WatchedCopy& copy = copies[w];
        const AppSet apps = {app_of(static_cast<int>(w)), app_of(static_cast<int>(w) + 1)};
        for (int round = 0;; ++round) {
          std::optional<store::RevisionToken> after;
          if (round % 4 != 0) after = copy.token();
          std::atomic<int> rings = 0;
          auto stream = hub.Open({apps, after}, [&rings] {
            ++rings;
            rings.notify_one();
          });
          if (!stream.ok()) continue;
          // Some leave early, some stay for the end.
          for (int taken_count = 0; written || taken_count < 20 + round;) {
            const int before = rings;
            WatchStream::Taken taken = (*stream)->Take(clock.SinceBoot());
            if (taken.message) {
              copy.Apply(*taken.message);
              ++taken_count;
              if (written && copy.token().revision.value == last) break;
            } else if (taken.end) {
              break;
            } else {
              rings.wait(before);  // a heartbeat at the latest
            }
          }
          hub.Close(*stream);
          if (written && copy.token().revision.value == last) return;
        }
      });
    }
    {
      std::vector<std::jthread> writers;
      for (int w = 0; w < kWriters; ++w) {
        writers.emplace_back([&, w] {
          for (int i = 0; i < kWrites; ++i) {
            McpPolicy policy = SamplePolicy(app_of(i * 7 + w));
            policy.suspend_reason = absl::StrFormat("%d/%d", w, i);
            std::vector<store::Mutation> mutations = {Put(policy)};
            if (i % 10 == 0) {
              mutations.push_back(Put(SampleEntry("", "", absl::StrFormat("t%d_%d", w, i % 50))));
            }
            if (i % 25 == 24) mutations = {Delete(PolicyKey(app_of(i * 7 + w)))};
            (void)store.Commit(std::move(mutations), store::By());
          }
        });
      }
    }
    last = store.Token().revision.value;
    written = true;
  }
  feed->reset();
  for (size_t w = 0; w < copies.size(); ++w) {
    EXPECT_THAT(copies[w].breaches(), IsEmpty()) << "watcher " << w;
    const AppSet apps = {app_of(static_cast<int>(w)), app_of(static_cast<int>(w) + 1)};
    EXPECT_THAT(copies[w].records(), AreRecords(ReadAll(store, apps))) << "watcher " << w;
  }
  EXPECT_THAT(log.events(), IsEmpty());
}

TEST(ChangeFeedTest, GoesOnAfterTheStoreCouldNotBeWatched) {
  store::MemoryStore memory;
  store::FaultyStore store(memory);
  Metrics metrics;
  RealClock clock;
  FakeLogger log;
  AppCache cache(store, {}, clock, metrics);
  WatchHub hub(store, {.heartbeat_interval = absl::Milliseconds(20)}, Revision{}, clock, metrics);
  auto feed = ChangeFeed::Start(store, Revision{}, cache, hub, log);
  ASSERT_THAT(feed, IsOk());
  ASSERT_THAT(memory.Commit({Put(SamplePolicy("dockit", Mode::kReadOnly))}, store::By()), IsOk());
  ASSERT_THAT(cache.Get("dockit"), IsOk());
  std::atomic<int> rings = 0;
  auto stream = hub.Open({{"dockit"}, std::nullopt}, [&rings] {
    ++rings;
    rings.notify_one();
  });
  ASSERT_THAT(stream, IsOk());

  store.FailReads(absl::StatusCode::kDataLoss, "damaged");
  // The watch ends: a commit could have been missed.
  std::optional<absl::Status> end;
  while (!end) {
    const int before = rings;
    WatchStream::Taken taken = (*stream)->Take(clock.SinceBoot());
    if (taken.end) {
      end = taken.end;
    } else if (!taken.message) {
      rings.wait(before);
    }
  }
  EXPECT_THAT(*end, StatusIs(absl::StatusCode::kUnavailable));
  ASSERT_THAT(memory.Commit({Put(SamplePolicy("dockit", Mode::kFullAccess))}, store::By()), IsOk());
  store.Heal();

  // A new watch gets everything, and later commits reach it and the cache.
  hub.Close(*stream);
  stream = hub.Open({{"dockit"}, std::nullopt}, [&rings] {
    ++rings;
    rings.notify_one();
  });
  ASSERT_THAT(stream, IsOk()) << "the feed caught up";
  ASSERT_THAT(memory.Commit({Put(SamplePolicy("dockit", Mode::kDataReadWrite))}, store::By()),
              IsOk());
  WatchedCopy copy;
  while (copy.token().revision.value < 3) {
    const int before = rings;
    WatchStream::Taken taken = (*stream)->Take(clock.SinceBoot());
    ASSERT_FALSE(taken.end.has_value()) << *taken.end;
    if (taken.message) {
      copy.Apply(*taken.message);
    } else {
      rings.wait(before);
    }
  }
  EXPECT_THAT(copy.breaches(), IsEmpty());
  EXPECT_EQ(cache.Get("dockit")->policy->policy().mode, Mode::kDataReadWrite)
      << "the cache hears before the watches do";
  EXPECT_FALSE(log.EventsOf("the watch of the store ended, watching again").empty());
}

}  // namespace
}  // namespace bridgekeeper::service
