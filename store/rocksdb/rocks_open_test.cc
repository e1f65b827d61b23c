// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A store is opened whole or refused, whatever happened to its files; and it is never
// taken for an empty one.

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/files.h"
#include "store/rocksdb/key_codec.h"
#include "store/rocksdb/log_scan.h"
#include "store/rocksdb/rocks_db.h"
#include "store/rocksdb/rocks_status.h"
#include "store/rocksdb/rocks_store.h"
#include "store/rocksdb/rocks_test_util.h"
#include "store/rocksdb/store_meta.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int kCommits = 20;

// What a reader can learn of a store.
struct Everything {
  RevisionToken token;
  int64_t policies = 0;
  std::vector<Record> records;
  std::vector<Record> history;
  friend bool operator==(const Everything&, const Everything&) = default;
};

Everything ReadEverything(const PolicyStore& store) {
  Everything out;
  out.token = store.Token();
  out.policies = store.PolicyCount();
  const auto records = store.List({});
  EXPECT_THAT(records, IsOk());
  if (records.ok()) out.records = *records;
  for (const Record& record : out.records) {
    const auto history = store.History(record.key, std::nullopt, 1000);
    EXPECT_THAT(history, IsOk());
    if (history.ok()) out.history.insert(out.history.end(), history->begin(), history->end());
  }
  return out;
}

class RocksOpenTest : public ::testing::Test {
 protected:
  // Makes a store of kCommits commits and leaves it as a killed process does. With
  // `in_tables` half of them are in table files, else all are in the log.
  void MakeStore(bool in_tables) {
    RocksStoreOptions options = TestOptions(NewPath());
    std::unique_ptr<PolicyStore> store = MustOpen(options);
    ASSERT_NE(store, nullptr);
    for (int i = 0; i < kCommits; ++i) {
      if (in_tables && i == kCommits / 2) {
        // A backup moves what is in the log into tables.
        const std::string backup = NewPath();
        ASSERT_THAT(store->Backup(backup), IsOk());
        std::filesystem::remove_all(backup);
      }
      McpPolicy policy = FullPolicy(absl::StrFormat("app-%d", i % 7));
      policy.suspend_reason = absl::StrFormat("commit %d", i);
      ASSERT_THAT(store->Commit({Put(policy)}, By()), IsOk());
    }
    want_ = ReadEverything(*store);
    path_ = CopyAsKilled(options.path);
    store.reset();
    std::filesystem::remove_all(options.path);
  }

  void TearDown() override {
    if (!path_.empty()) std::filesystem::remove_all(path_);
  }

  RocksStoreOptions Options() const {
    RocksStoreOptions options = TestOptions(path_);
    return options;
  }

  // Damages a copy and opens it: refused, with every file as it was, or (where
  // `may_open`) opened with everything there. Returns whether it was refused.
  bool RefusedOrWhole(const std::string& what, bool may_open,
                      const std::function<void(const std::string& path)>& damage) {
    SCOPED_TRACE(what);
    const std::string copy = CopyAsKilled(path_);
    damage(copy);
    const auto before = FolderContent(copy);
    OpenReport report;
    const auto store = OpenRocksStore(TestOptions(copy), report);
    const bool refused = !store.ok();
    if (refused) {
      EXPECT_THAT(store, StatusIs(absl::StatusCode::kDataLoss,
                                  AllOf(HasSubstr("is damaged"), HasSubstr("keeperd restore"))));
      EXPECT_EQ(FolderContent(copy), before) << "a refused store was changed";
    } else {
      EXPECT_TRUE(may_open) << "got a store, want a refusal";
      EXPECT_EQ(ReadEverything(**store), want_);
    }
    std::filesystem::remove_all(copy);
    return refused;
  }

  static void Flip(const std::string& file, size_t at) {
    std::string content = FileContent(file);
    content[at] = static_cast<char>(content[at] ^ (1 << (at % 8)));
    SetFileContent(file, content);
  }

  std::string path_;
  Everything want_;
};

TEST_F(RocksOpenTest, AKilledStoreOpensWithEverything) {
  for (const bool in_tables : {false, true}) {
    MakeStore(in_tables);
    OpenReport report;
    const auto store = MustOpen(Options(), &report);
    ASSERT_NE(store, nullptr);
    EXPECT_EQ(ReadEverything(*store), want_);
    EXPECT_FALSE(report.created);
    EXPECT_EQ(report.dropped_records, 0);
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_THAT(store->Commit({Put(SamplePolicy("next"))}, By()), IsOk());
    EXPECT_EQ(store->Token().revision, Revision{kCommits + 1});
    TearDown();
  }
}

// ---- the log -------------------------------------------------------------------

TEST_F(RocksOpenTest, ALogWithAFlippedBitIsRefused) {
  MakeStore(false);
  const std::vector<std::string> logs = FilesThatEnd(path_, ".log");
  ASSERT_THAT(logs, SizeIs(1));
  const std::string name = std::filesystem::path(logs[0]).filename();
  const size_t bytes = FileContent(logs[0]).size();
  for (size_t at = 0; at < bytes; at += bytes / 24 + 1) {
    RefusedOrWhole(absl::StrFormat("byte %d of %d", at, bytes), false,
                   [&](const std::string& copy) { Flip(copy + "/db/" + name, at); });
  }
}

TEST_F(RocksOpenTest, ALogWithoutItsNewestRecordsIsRefused) {
  MakeStore(false);
  const std::string name = std::filesystem::path(FilesThatEnd(path_, ".log")[0]).filename();
  const std::string log = FileContent(path_ + "/db/" + name);
  // Where each record ends: there a log looks whole.
  std::vector<size_t> ends = {0};
  for (size_t length = 1; length < log.size(); ++length) {
    const LogScan scan = ScanLog(std::string_view(log).substr(0, length));
    if (scan.end == LogScan::End::kClean && scan.good_bytes > ends.back()) ends.push_back(length);
  }
  ASSERT_GE(ends.size(), kCommits);
  for (const size_t end : {ends[0], ends[1], ends[ends.size() / 2], ends.back()}) {
    RefusedOrWhole(
        absl::StrFormat("cut to %d of %d bytes", end, log.size()), false,
        [&](const std::string& copy) { std::filesystem::resize_file(copy + "/db/" + name, end); });
  }
  RefusedOrWhole("deleted", false,
                 [&](const std::string& copy) { std::filesystem::remove(copy + "/db/" + name); });
}

TEST_F(RocksOpenTest, ALogCutInsideAnAcknowledgedRecordIsRefused) {
  MakeStore(false);
  const std::string name = std::filesystem::path(FilesThatEnd(path_, ".log")[0]).filename();
  const std::string copy = CopyAsKilled(path_);
  const std::string file = copy + "/db/" + name;
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 3);
  const auto before = FolderContent(copy);
  EXPECT_THAT(OpenError(TestOptions(copy)),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("it ends at revision 19, and revision 20 was acknowledged")));
  EXPECT_EQ(FolderContent(copy), before) << "a refused store was changed";
  std::filesystem::remove_all(copy);
}

TEST_F(RocksOpenTest, AnIncompleteRecordThatWasNotAcknowledgedIsDroppedAndReported) {
  MakeStore(false);
  const std::string log = FilesThatEnd(path_, ".log")[0];
  // The beginning of a record that a crash cut off: the first one again.
  SetFileContent(log, FileContent(log) + FileContent(log).substr(0, 40));
  OpenReport report;
  const auto store = MustOpen(Options(), &report);
  ASSERT_NE(store, nullptr);
  EXPECT_EQ(ReadEverything(*store), want_);
  EXPECT_EQ(report.dropped_records, 1);
  EXPECT_EQ(report.dropped_bytes, 40u);
  EXPECT_THAT(report.notes, ElementsAre(HasSubstr("dropped 40 bytes at the end of log")));
}

// ---- tables, MANIFEST, CURRENT -------------------------------------------------

TEST_F(RocksOpenTest, ATableWithAFlippedBitIsRefused) {
  MakeStore(true);
  const std::vector<std::string> tables = FilesThatEnd(path_, ".sst");
  ASSERT_GE(tables.size(), 4u);
  for (const std::string& table : tables) {
    const std::string name = std::filesystem::path(table).filename();
    const size_t bytes = FileContent(table).size();
    for (size_t at = 0; at < bytes; at += bytes / 5 + 1) {
      RefusedOrWhole(absl::StrFormat("byte %d of %d of %s", at, bytes, name), false,
                     [&](const std::string& copy) { Flip(copy + "/db/" + name, at); });
    }
  }
}

TEST_F(RocksOpenTest, AMissingOrShortTableIsRefused) {
  MakeStore(true);
  const std::string name = std::filesystem::path(FilesThatEnd(path_, ".sst")[0]).filename();
  RefusedOrWhole("deleted", false,
                 [&](const std::string& copy) { std::filesystem::remove(copy + "/db/" + name); });
  RefusedOrWhole("cut", false, [&](const std::string& copy) {
    std::filesystem::resize_file(copy + "/db/" + name, 100);
  });
  RefusedOrWhole("empty", false, [&](const std::string& copy) {
    std::filesystem::resize_file(copy + "/db/" + name, 0);
  });
}

TEST_F(RocksOpenTest, ADamagedManifestIsRefused) {
  MakeStore(true);
  const std::vector<std::string> manifests = FilesThatEnd(path_, "", "MANIFEST-");
  ASSERT_THAT(manifests, SizeIs(1));
  const std::string name = std::filesystem::path(manifests[0]).filename();
  const size_t bytes = FileContent(manifests[0]).size();
  int refused = 0;
  int tried = 0;
  for (size_t at = 0; at < bytes; at += bytes / 24 + 1) {
    ++tried;
    refused += RefusedOrWhole(absl::StrFormat("byte %d of %d", at, bytes), true,
                              [&](const std::string& copy) { Flip(copy + "/db/" + name, at); });
    ++tried;
    refused += RefusedOrWhole(
        absl::StrFormat("cut to %d of %d", at, bytes), true,
        [&](const std::string& copy) { std::filesystem::resize_file(copy + "/db/" + name, at); });
  }
  // What opens is whole; and hardly any damage leaves the store whole.
  EXPECT_GE(refused, tried * 9 / 10);
  RefusedOrWhole("deleted", false,
                 [&](const std::string& copy) { std::filesystem::remove(copy + "/db/" + name); });
}

// As a power cut leaves it: RocksDB had begun to write of a new table, and had not synced.
TEST_F(RocksOpenTest, AnIncompleteLastRecordOfTheManifestIsDropped) {
  MakeStore(true);
  const std::vector<std::string> manifests = FilesThatEnd(path_, "", "MANIFEST-");
  ASSERT_THAT(manifests, SizeIs(1));
  const std::string name = std::filesystem::path(manifests[0]).filename();
  const std::string whole = FileContent(manifests[0]);
  // The header of a fragment of 1024 bytes, and some of them: the rest is not there, or zeros.
  const std::string begun = std::string("\x12\x34\x56\x78\x00\x04\x01", 7) + std::string(40, 'x');
  for (const std::string& torn : {begun.substr(0, 3), begun, begun + std::string(984, '\0')}) {
    const std::string copy = CopyAsKilled(path_);
    SetFileContent(copy + "/db/" + name, whole + torn);
    OpenReport report;
    const auto store = OpenRocksStore(TestOptions(copy), report);
    ASSERT_THAT(store, IsOk()) << torn.size();
    EXPECT_EQ(ReadEverything(**store), want_);
    EXPECT_THAT(report.notes, ElementsAre(HasSubstr(absl::StrFormat(
                                  "dropped %d bytes at the end of `MANIFEST-", torn.size()))));
    std::filesystem::remove_all(copy);
  }
}

TEST_F(RocksOpenTest, ADamagedCurrentIsRefused) {
  MakeStore(true);
  for (const std::string& content : {std::string(), std::string("MANIFEST-999999\n"),
                                     std::string("MANIFEST-000001"), std::string("garbage\n")}) {
    RefusedOrWhole(absl::StrFormat("CURRENT is `%s`", content), false,
                   [&](const std::string& copy) { SetFileContent(copy + "/db/CURRENT", content); });
  }
  RefusedOrWhole("CURRENT is missing", false,
                 [&](const std::string& copy) { std::filesystem::remove(copy + "/db/CURRENT"); });
  RefusedOrWhole("all but tables and logs is missing", false, [&](const std::string& copy) {
    for (const char* name : {"CURRENT", "SYNCED", "IDENTITY"}) {
      std::filesystem::remove(copy + "/db/" + name);
    }
    for (const std::string& file : FilesThatEnd(copy, "", "MANIFEST-")) {
      std::filesystem::remove(file);
    }
  });
}

TEST_F(RocksOpenTest, AFolderOfStoreFilesWithoutItsStoreIsRefused) {
  MakeStore(true);
  RefusedOrWhole("files in the wrong place", false, [&](const std::string& copy) {
    std::filesystem::rename(copy + "/db/CURRENT", copy + "/CURRENT");
    std::filesystem::remove_all(copy + "/db");
  });
}

// ---- the mark ------------------------------------------------------------------

TEST_F(RocksOpenTest, AMarkWithOneDamagedCopyStillCounts) {
  MakeStore(false);
  const std::string mark = FileContent(path_ + "/db/SYNCED");
  ASSERT_EQ(mark.size(), 1024u);
  for (const size_t slot : {0, 512}) {
    const std::string copy = CopyAsKilled(path_);
    Flip(copy + "/db/SYNCED", slot + 8);
    EXPECT_THAT(OpenError(TestOptions(copy)), IsOk());
    std::filesystem::remove_all(copy);
  }
}

TEST_F(RocksOpenTest, AMarkThatCannotBeReadIsRefused) {
  MakeStore(false);
  RefusedOrWhole("both copies", false, [&](const std::string& copy) {
    Flip(copy + "/db/SYNCED", 8);
    Flip(copy + "/db/SYNCED", 520);
  });
}

TEST_F(RocksOpenTest, AStoreWithoutItsMarkIsRefusedWhateverItsLogHolds) {
  MakeStore(false);
  RefusedOrWhole("the mark alone", false,
                 [](const std::string& copy) { std::filesystem::remove(copy + "/db/SYNCED"); });
  RefusedOrWhole("the mark and the logs", false, [](const std::string& copy) {
    std::filesystem::remove(copy + "/db/SYNCED");
    for (const auto& file : std::filesystem::directory_iterator(copy + "/db")) {
      if (file.path().extension() == ".log") std::filesystem::resize_file(file.path(), 0);
    }
  });
}

// ---- what another version wrote ------------------------------------------------

TEST_F(RocksOpenTest, AnUnknownColumnFamilyIsRefused) {
  MakeStore(false);
  {
    const auto db = RocksDb::Open(path_ + "/db", RocksDb::Mode::kReadWrite, Options());
    ASSERT_THAT(db, IsOk());
    rocksdb::ColumnFamilyHandle* made = nullptr;
    ASSERT_TRUE((*db)->db().CreateColumnFamily({}, "tomorrow", &made).ok());
    ASSERT_TRUE((*db)->db().DestroyColumnFamilyHandle(made).ok());
  }
  EXPECT_THAT(OpenError(Options()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("column family `tomorrow`"), HasSubstr("newer version"))));
}

TEST_F(RocksOpenTest, AnotherFormatIsRefused) {
  MakeStore(false);
  {
    const auto db = RocksDb::Open(path_ + "/db", RocksDb::Mode::kReadWrite, Options());
    ASSERT_THAT(db, IsOk());
    ASSERT_TRUE((*db)->db().Put(SyncedWrite(), (*db)->family(Family::kMeta), "format", "2").ok());
  }
  EXPECT_THAT(OpenError(Options()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("format `2`, want `1`"), HasSubstr("start that one"))));
}

TEST_F(RocksOpenTest, AStoreWithoutItsMetaIsDamagedNotEmpty) {
  for (const char* key : {"format", "incarnation", "head"}) {
    for (const bool missing : {true, false}) {
      if (!missing && std::string_view(key) == "format") continue;
      MakeStore(false);
      {
        const auto db = RocksDb::Open(path_ + "/db", RocksDb::Mode::kReadWrite, Options());
        ASSERT_THAT(db, IsOk());
        rocksdb::ColumnFamilyHandle* const meta = (*db)->family(Family::kMeta);
        ASSERT_TRUE(missing ? (*db)->db().Delete(SyncedWrite(), meta, key).ok()
                            : (*db)->db().Put(SyncedWrite(), meta, key, "junk").ok());
      }
      EXPECT_THAT(OpenError(Options()),
                  StatusIs(absl::StatusCode::kDataLoss, HasSubstr("is damaged")))
          << key << (missing ? " missing" : " damaged");
      TearDown();
    }
  }
}

// ---- the folder ----------------------------------------------------------------

TEST_F(RocksOpenTest, AFolderThatOthersCanOpenIsRefused) {
  MakeStore(false);
  std::filesystem::permissions(
      path_, std::filesystem::perms::owner_all | std::filesystem::perms::group_read);
  EXPECT_THAT(OpenError(Options()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("mode 0740"), HasSubstr("chmod 700"))));
}

TEST_F(RocksOpenTest, AFolderInUseIsRefused) {
  MakeStore(false);
  const auto store = MustOpen(Options());
  EXPECT_THAT(OpenError(Options()), StatusIs(absl::StatusCode::kFailedPrecondition,
                                             HasSubstr("in use by another process")));
}

TEST_F(RocksOpenTest, AFolderWithOtherThingsInItIsRefused) {
  path_ = NewPath();
  ASSERT_THAT(MakeFolder(path_), IsOk());
  SetFileContent(path_ + "/holiday.jpg", "");
  EXPECT_THAT(OpenError(Options()),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("holds `holiday.jpg`"), HasSubstr("empty folder"))));
}

TEST_F(RocksOpenTest, AFileAndAFolderWithoutParentAreRefused) {
  path_ = NewPath();
  SetFileContent(path_, "a file");
  EXPECT_THAT(OpenError(Options()),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("is no folder")));
  EXPECT_THAT(OpenError(TestOptions(path_ + "-nowhere/store")),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr("No such file or directory")));
}

TEST_F(RocksOpenTest, AnEmptyFolderAndOneOfAVolumeBecomeAStore) {
  path_ = NewPath();
  ASSERT_THAT(MakeFolder(path_), IsOk());
  ASSERT_THAT(MakeFolder(path_ + "/lost+found"), IsOk());
  OpenReport report;
  EXPECT_NE(MustOpen(Options(), &report), nullptr);
  EXPECT_TRUE(report.created);
  EXPECT_EQ(std::filesystem::status(path_).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(RocksOpenTest, ACreationThatWasCutOffIsDoneAgain) {
  path_ = NewPath();
  ASSERT_THAT(MakeFolder(path_), IsOk());
  ASSERT_THAT(MakeFolder(path_ + "/db.new"), IsOk());
  SetFileContent(path_ + "/db.new/CURRENT", "half");
  OpenReport report;
  EXPECT_NE(MustOpen(Options(), &report), nullptr);
  EXPECT_TRUE(report.created);
  EXPECT_FALSE(std::filesystem::exists(path_ + "/db.new"));
}

TEST_F(RocksOpenTest, OptionsOutsideTheirRangeAreRefused) {
  RocksStoreOptions options = TestOptions(NewPath());
  options.new_incarnation = "ABC";
  EXPECT_THAT(OpenError(options), StatusIs(absl::StatusCode::kInvalidArgument,
                                           HasSubstr("new_incarnation: got `ABC`")));
  options = TestOptions(NewPath());
  options.keep_revisions = 0;
  EXPECT_THAT(OpenError(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("keep_revisions: got 0")));
  options = TestOptions(NewPath());
  options.block_cache_bytes = 1;
  EXPECT_THAT(OpenError(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("want at least 1048576")));
  EXPECT_THAT(OpenError(TestOptions("")), StatusIs(absl::StatusCode::kInvalidArgument));
}

// ---- backups -------------------------------------------------------------------

class RocksBackupTest : public RocksOpenTest {
 protected:
  void SetUp() override {
    MakeStore(true);
    backup_ = NewPath();
    const auto store = MustOpen(Options());
    ASSERT_NE(store, nullptr);
    const auto result = store->Backup(backup_);
    ASSERT_THAT(result, IsOk());
    EXPECT_EQ(result->token, want_.token);
  }
  void TearDown() override {
    RocksOpenTest::TearDown();
    std::filesystem::remove_all(backup_);
    std::filesystem::remove_all(target_.path);
  }

  absl::StatusOr<RevisionToken> Restore() { return RestoreRocksBackup(backup_, target_); }

  std::string backup_;
  const RocksStoreOptions target_ = TestOptions(NewPath());
};

TEST_F(RocksBackupTest, ARestoredStoreHasEverythingAndItsOwnIncarnation) {
  EXPECT_EQ(std::filesystem::status(backup_).permissions(), std::filesystem::perms::owner_all);
  const auto token = Restore();
  ASSERT_THAT(token, IsOk());
  const auto store = MustOpen(target_);
  ASSERT_NE(store, nullptr);
  Everything got = ReadEverything(*store);
  EXPECT_EQ(got.token, *token);
  EXPECT_EQ(got.token.incarnation, target_.new_incarnation);
  got.token.incarnation = want_.token.incarnation;
  EXPECT_EQ(got, want_);
}

TEST_F(RocksBackupTest, ABackupWithAnyFileDamagedMissingOrAddedIsRefused) {
  std::vector<std::string> names;
  for (const auto& [name, content] : FolderContent(backup_)) names.push_back(name);
  ASSERT_GE(names.size(), 6u);
  for (const std::string& name : names) {
    const std::string file = backup_ + "/" + name;
    const std::string content = FileContent(file);
    ASSERT_FALSE(content.empty()) << name;
    Flip(file, content.size() / 2);
    EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kDataLoss, HasSubstr("the backup"))) << name;
    std::filesystem::remove(file);
    EXPECT_THAT(Restore(), StatusIs(name == "BACKUP" ? absl::StatusCode::kNotFound
                                                     : absl::StatusCode::kDataLoss))
        << name;
    SetFileContent(file, content);
  }
  SetFileContent(backup_ + "/db/more", "x");
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kDataLoss));
  std::filesystem::remove(backup_ + "/db/more");
  // And after all that into the same folder.
  EXPECT_THAT(Restore(), IsOk());
}

TEST_F(RocksBackupTest, NoStoreIsRestoredOver) {
  ASSERT_THAT(Restore(), IsOk());
  EXPECT_THAT(Restore(), StatusIs(absl::StatusCode::kAlreadyExists, HasSubstr("has a store")));
}

TEST_F(RocksBackupTest, ARestoreThatWasCutOffIsNotTakenForAnEmptyStore) {
  ASSERT_THAT(MakeFolder(target_.path), IsOk());
  ASSERT_THAT(MakeFolder(target_.path + "/db.restoring"), IsOk());
  SetFileContent(target_.path + "/db.restoring/CURRENT", "half");
  EXPECT_THAT(OpenError(target_), StatusIs(absl::StatusCode::kFailedPrecondition,
                                           HasSubstr("run `keeperd restore` again")));
  ASSERT_THAT(Restore(), IsOk());
  EXPECT_NE(MustOpen(target_), nullptr);
}

}  // namespace
}  // namespace bridgekeeper::store
