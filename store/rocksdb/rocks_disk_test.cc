// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A disk that is full or refuses: writes answer why, reads go on, and what was not
// acknowledged never mixes with what is written later.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/rocks_test_util.h"
#include "store/rocksdb/testing/faulty_file_system.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::AllOf;
using ::testing::Eq;
using ::testing::Field;
using ::testing::HasSubstr;

constexpr uint64_t kSeed = 20261002;

McpPolicy PolicyWith(std::string_view app, std::string_view reason) {
  McpPolicy policy = SamplePolicy(app);
  policy.suspend_reason = std::string(reason);
  return policy;
}

class RocksDiskTest : public ::testing::Test {
 protected:
  RocksDiskTest() : disk_(std::make_shared<FaultyFileSystem>(kSeed)), env_(NewFaultyEnv(disk_)) {
    options_.env = env_.get();
  }

  void SetUp() override { Open(); }
  void TearDown() override {
    disk_->Heal();
    store_.reset();
    std::filesystem::remove_all(options_.path);
  }

  void Open() {
    store_.reset();
    store_ = MustOpen(options_);
    ASSERT_NE(store_, nullptr);
  }

  absl::StatusOr<CommitResult> Commit(std::string_view app, std::string_view reason) {
    return store_->Commit({Put(PolicyWith(app, reason))}, By());
  }

  // `app`'s reason in `store`, or "" where there is no such policy.
  static std::string ReasonOf(const PolicyStore& store, std::string_view app) {
    const auto record = store.Get(PolicyKey(app));
    EXPECT_THAT(record, IsOk());
    if (!record.ok() || !*record || !(*record)->value) return "";
    return std::get<McpPolicy>(*(*record)->value).suspend_reason;
  }

  // Every revision of `store` once, in order.
  static void ExpectNoGap(PolicyStore& store) {
    auto watcher = store.Watch({});
    ASSERT_THAT(watcher, IsOk());
    for (int64_t r = 1; r <= store.Token().revision.value; ++r) {
      const auto event = (*watcher)->Next(absl::ZeroDuration());
      ASSERT_THAT(event, IsOk());
      ASSERT_TRUE(event->has_value()) << "revision " << r << " is missing";
      EXPECT_EQ((*event)->revision, Revision{r});
    }
  }

  const std::shared_ptr<FaultyFileSystem> disk_;
  const std::unique_ptr<rocksdb::Env> env_;
  RocksStoreOptions options_ = TestOptions(NewPath());
  std::unique_ptr<PolicyStore> store_;
};

TEST_F(RocksDiskTest, AFullDiskRefusesWritesWithTheReasonAndGoesOnReading) {
  ASSERT_THAT(Commit("a", "one"), IsOk());
  disk_->Break({.kind = DiskFault::Kind::kDiskFull});
  const auto full =
      StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("disk of the store is full"));
  EXPECT_THAT(Commit("a", "two"), full);
  EXPECT_THAT(Commit("b", "two"), full);
  EXPECT_THAT(store_->WriteHealth(), full);
  EXPECT_EQ(ReasonOf(*store_, "a"), "one");
  EXPECT_EQ(ReasonOf(*store_, "b"), "");
  EXPECT_THAT(store_->ReadApp(AppId("a")), IsOk());
  EXPECT_EQ(store_->Token().revision, Revision{1});
  // What changes nothing needs no disk.
  EXPECT_THAT(Commit("a", "one"), IsOk());
}

TEST_F(RocksDiskTest, WritesGoOnWhenSpaceReturns) {
  ASSERT_THAT(Commit("a", "one"), IsOk());
  disk_->Break({.kind = DiskFault::Kind::kDiskFull});
  EXPECT_THAT(Commit("a", "two"), StatusIs(absl::StatusCode::kResourceExhausted));
  disk_->Heal();
  EXPECT_THAT(store_->WriteHealth(), IsOk());
  const auto result = Commit("a", "three");
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->revision, Revision{2});
  EXPECT_THAT(store_->Get(PolicyKey("b")), IsOkAndHolds(Eq(std::nullopt)));
  Open();
  EXPECT_EQ(ReasonOf(*store_, "a"), "three");
  EXPECT_EQ(store_->Token().revision, Revision{2});
  ExpectNoGap(*store_);
}

TEST_F(RocksDiskTest, WritesGoOnByThemselvesWhenNobodyAsksForHealth) {
  disk_->Break({.kind = DiskFault::Kind::kDiskFull});
  EXPECT_THAT(Commit("a", "one"), StatusIs(absl::StatusCode::kResourceExhausted));
  disk_->Heal();
  EXPECT_THAT(Commit("a", "two"), IsOk());
  EXPECT_THAT(store_->WriteHealth(), IsOk());
}

// The write that failed may be in the log in part or as a whole; later ones take its
// revision. At no moment may a crash bring both to light.
TEST_F(RocksDiskTest, AFailedWriteNeverMixesWithALaterOne) {
  const std::vector<DiskFault> faults = {
      {.room = 0},   {.room = 1},
      {.room = 7},   {.room = 100},
      {.room = 300}, {.room = DiskFault::kAnyRoom, .only_syncs = true},  // it is all there
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    SCOPED_TRACE(absl::StrFormat("fault %d", i));
    store_.reset();
    std::filesystem::remove_all(options_.path);
    Open();
    ASSERT_THAT(Commit("kept", "x"), IsOk());
    disk_->Break(faults[i]);
    ASSERT_THAT(Commit("failed", "x"), StatusIs(absl::StatusCode::kResourceExhausted));
    EXPECT_EQ(ReasonOf(*store_, "failed"), "");

    const auto open_as_killed = [&] {
      std::string copy;
      disk_->WhileNothingChanges([&] { copy = CopyAsKilled(options_.path); });
      return MustOpen(TestOptions(copy));
    };
    // Killed now: the failed write is there as a whole or not at all.
    if (const auto store = open_as_killed()) {
      EXPECT_EQ(ReasonOf(*store, "kept"), "x");
      const int64_t revision = ReasonOf(*store, "failed") == "x" ? 2 : 1;
      EXPECT_EQ(store->Token().revision.value, revision);
      EXPECT_EQ(store->PolicyCount(), revision);
      ExpectNoGap(*store);
    }
    disk_->Heal();
    EXPECT_THAT(Commit("later", "x"), IsOkAndHolds(Field(&CommitResult::revision, Revision{2})));
    // Killed now: it is not there.
    if (const auto store = open_as_killed()) {
      EXPECT_EQ(ReasonOf(*store, "kept"), "x");
      EXPECT_EQ(ReasonOf(*store, "failed"), "");
      EXPECT_EQ(ReasonOf(*store, "later"), "x");
      EXPECT_EQ(store->Token().revision, Revision{2});
      EXPECT_EQ(store->PolicyCount(), 2);
      ExpectNoGap(*store);
    }
  }
}

TEST_F(RocksDiskTest, AReadOnlyDiskRefusesWritesWithTheReasonAndGoesOnReading) {
  ASSERT_THAT(Commit("a", "one"), IsOk());
  disk_->Break({.kind = DiskFault::Kind::kReadOnly});
  const auto refused = StatusIs(absl::StatusCode::kUnavailable, HasSubstr("Read-only file system"));
  EXPECT_THAT(Commit("a", "two"), refused);
  EXPECT_THAT(store_->WriteHealth(), AllOf(refused, StatusIs(absl::StatusCode::kUnavailable,
                                                             HasSubstr("restart the server"))));
  EXPECT_EQ(ReasonOf(*store_, "a"), "one");
  disk_->Heal();
  Open();
  EXPECT_EQ(ReasonOf(*store_, "a"), "one");
  EXPECT_THAT(Commit("a", "three"), IsOk());
  ExpectNoGap(*store_);
}

TEST_F(RocksDiskTest, AFlushThatFindsNoSpaceIsSeenAndGotOver) {
  // Tables find no space while the log still does.
  disk_->Break({.kind = DiskFault::Kind::kDiskFull, .suffix = ".sst"});
  int written = 0;
  absl::Status last;
  for (int i = 0; i < 200 && last.ok(); ++i) {
    std::vector<Mutation> batch;
    for (int j = 0; j < 500; ++j) {
      batch.push_back(Put(PolicyWith(absl::StrFormat("app-%d-%d", i, j), std::string(500, 'x'))));
    }
    last = store_->Commit(std::move(batch), By()).status();
    if (last.ok()) ++written;
  }
  EXPECT_THAT(last, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(store_->WriteHealth(), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(store_->Token().revision, Revision{written});

  disk_->Heal();
  EXPECT_THAT(store_->WriteHealth(), IsOk());
  EXPECT_THAT(Commit("after", "x"), IsOk());
  Open();
  EXPECT_EQ(store_->Token().revision, Revision{written + 1});
  EXPECT_EQ(store_->PolicyCount(), 500 * written + 1);
}

TEST_F(RocksDiskTest, ABackupOnAFullDiskFailsAndTheStoreGoesOn) {
  ASSERT_THAT(Commit("a", "one"), IsOk());
  disk_->Break({.kind = DiskFault::Kind::kDiskFull});
  const std::string backup = NewPath();
  EXPECT_THAT(store_->Backup(backup), StatusIs(absl::StatusCode::kResourceExhausted));
  disk_->Heal();
  EXPECT_THAT(RestoreRocksBackup(backup, TestOptions(NewPath())),
              StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(Commit("a", "two"), IsOk());
  EXPECT_THAT(store_->Backup(NewPath()), IsOk());
}

}  // namespace
}  // namespace bridgekeeper::store
