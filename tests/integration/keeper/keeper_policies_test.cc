// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The commands that write policies, and look at what was written.

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/root.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/status_matchers.h"
#include "tests/integration/keeper/keeper_fixture.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ---- writing policies --------------------------------------------------------------------

TEST_F(KeeperTest, SetMakesAPolicyWithTheDefaultsWhereThereIsNone) {
  const Ran ran = Keeper({"policy", "set", "newkit", "--mode", "read-only"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(ran.out, absl::StrFormat("`newkit` is at revision %d, new\n", Revision()));
  McpPolicy want;
  want.app = AppId("newkit");
  want.mode = Mode::kReadOnly;
  EXPECT_EQ(StoredPolicyOf("newkit"), want);
}

TEST_F(KeeperTest, SetChangesWhatIsNamedAndShowsIt) {
  const Ran ran = Keeper({"policy", "set", "sqlkit", "--mode", "READ_ONLY", "--allow-connection",
                          "prod", "--reason", "why"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_THAT(ran.out,
              HasSubstr("\n  mode: FULL_ACCESS -> READ_ONLY\n"
                        "  allowed_connection_ids: [\"prod\",\"staging\"] -> [\"prod\"]\n"));
  const auto record = Stored(store::RecordKey::Policy(AppId("sqlkit")));
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(record->author, "ann");
  EXPECT_EQ(record->reason, "why");
}

TEST_F(KeeperTest, NoCommandEmptiesAnAllowlistUnasked) {
  const int64_t before = Revision();
  files_["open.yaml"] = "app: sqlkit\n";
  files_["both.yaml"] = "- app: sqlkit\n- app: dockit\n  mode: READ_ONLY\n";
  edit_ = [](const std::string&) { return absl::StatusOr<std::string>("app: sqlkit\n"); };
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"policy", "put", "-f", "open.yaml"},
        {"policy", "put", "-f", "both.yaml"},
        {"policy", "edit", "sqlkit"},
        {"policy", "rollback", "sqlkit", "--to-revision", "1", "--yes"}}) {
    const Ran ran = Keeper(words);
    EXPECT_EQ(ran.code, ExitCode::kFailed) << words[1];
    EXPECT_THAT(
        ran.err,
        HasSubstr("`sqlkit` allows 2 connections now, and this would allow every one: nothing was "
                  "written\nhelp: name the connections, or say with --all-connections that it is "
                  "meant\n"))
        << words[1];
  }
  EXPECT_EQ(Revision(), before);
  EXPECT_EQ(Keeper({"policy", "set", "sqlkit", "--all-connections"}).code, ExitCode::kOk);
  EXPECT_THAT(StoredPolicyOf("sqlkit")->allowed_connection_ids, IsEmpty());
}

TEST_F(KeeperTest, OnlyResumeLiftsASuspension) {
  EXPECT_EQ(Keeper({"policy", "suspend", "sqlkit", "--reason", "drops tables"}).code,
            ExitCode::kOk);
  EXPECT_TRUE(StoredPolicyOf("sqlkit")->suspended);
  EXPECT_EQ(StoredPolicyOf("sqlkit")->suspend_reason, "drops tables");
  const Ran put = Keeper({"policy", "put", "-f", "policy.yaml"});
  EXPECT_EQ(put.code, ExitCode::kFailed);
  EXPECT_THAT(put.err, HasSubstr("`keeper policy resume sqlkit` first"));
  EXPECT_EQ(Keeper({"policy", "set", "sqlkit", "--mode", "READ_ONLY"}).code, ExitCode::kOk);
  EXPECT_TRUE(StoredPolicyOf("sqlkit")->suspended);
  EXPECT_THAT(Keeper({"policy", "suspend", "sqlkit", "--reason", "drops tables"}).out,
              HasSubstr("already suspended"));
  EXPECT_EQ(Keeper({"policy", "resume", "sqlkit"}).code, ExitCode::kOk);
  EXPECT_FALSE(StoredPolicyOf("sqlkit")->suspended);
}

TEST_F(KeeperTest, SuspendAllCountsTheApps) {
  EXPECT_THAT(Keeper({"policy", "suspend", "--all", "--reason", "x"}).out,
              StartsWith("2 apps suspended"));
  EXPECT_THAT(Keeper({"policy", "resume", "--all"}).out, StartsWith("2 apps resumed"));
}

TEST_F(KeeperTest, AWriteOnAnOldRevisionIsRefusedAndSaysWhatChanged) {
  clock_.Advance(absl::Seconds(1));
  Keeper({"policy", "set", "sqlkit", "--mode", "DATA_READ_WRITE", "--reason", "less"});
  const Ran ran = Keeper({"policy", "put", "-f", "policy.yaml", "--expected-revision", "2"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(
      ran.err,
      AllOf(
          HasSubstr("`sqlkit` changed since it was read (revision 2): it is revision 8, by ann, "),
          HasSubstr(": less\n  mode: FULL_ACCESS -> DATA_READ_WRITE\n"),
          EndsWith("help: look at the change, then run the command again: nothing was written\n")));
  EXPECT_EQ(StoredPolicyOf("sqlkit")->mode, Mode::kDataReadWrite);

  const Ran created = Keeper({"policy", "put", "-f", "policy.yaml", "--expected-revision", "0"});
  EXPECT_EQ(created.code, ExitCode::kFailed);
  EXPECT_THAT(created.err, HasSubstr("`sqlkit` changed since it was read (revision 0)"));
}

TEST_F(KeeperTest, AWriteOfAnotherWhileOneEditsIsNotLost) {
  edit_ = [&](const std::string& text) -> absl::StatusOr<std::string> {
    McpPolicy meanwhile = *StoredPolicyOf("sqlkit");
    meanwhile.pinning = Pinning::kOff;
    Commit(meanwhile);
    std::string out = text;
    return out.replace(out.find("FULL_ACCESS"), 11, "READ_ONLY");
  };
  const Ran ran = Keeper({"policy", "edit", "sqlkit"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(ran.err, HasSubstr("  pinning: ENFORCE -> OFF\n"));
  EXPECT_EQ(StoredPolicyOf("sqlkit")->mode, Mode::kFullAccess);
}

TEST_F(KeeperTest, EditWritesWhatWasSaved) {
  edit_ = [](const std::string& text) -> absl::StatusOr<std::string> {
    EXPECT_THAT(text, StartsWith("# The policy of `sqlkit`: revision 2, by setup, "));
    std::string out = text;
    return out.replace(out.find("FULL_ACCESS"), 11, "READ_ONLY");
  };
  EXPECT_EQ(Keeper({"policy", "edit", "sqlkit"}).code, ExitCode::kOk);
  EXPECT_EQ(StoredPolicyOf("sqlkit")->mode, Mode::kReadOnly);
  edit_ = [](const std::string& text) { return absl::StatusOr<std::string>(text); };
  EXPECT_EQ(Keeper({"policy", "edit", "sqlkit"}).out, "unchanged, nothing was written\n");
}

TEST_F(KeeperTest, EditOffersProblemsForAnotherTry) {
  interactive_ = true;
  int calls = 0;
  edit_ = [&](const std::string& text) -> absl::StatusOr<std::string> {
    std::string out = text;
    if (++calls == 1) return out.replace(out.find("FULL_ACCESS"), 11, "READ_OLNY");
    EXPECT_THAT(text, HasSubstr("READ_OLNY"));  // what was typed is kept
    return out.replace(out.find("READ_OLNY"), 9, "READ_ONLY");
  };
  const Ran ran = Keeper({"policy", "edit", "sqlkit"}, "y\n");
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("sqlkit:4:7: error: mode: got `READ_OLNY`"));
  EXPECT_EQ(StoredPolicyOf("sqlkit")->mode, Mode::kReadOnly);
  EXPECT_EQ(calls, 2);
}

TEST_F(KeeperTest, SeveralPoliciesAreOneRevision) {
  files_["both.yaml"] =
      "- app: newkit\n- app: dockit\n  mode: FULL_ACCESS\n  limits: {max_rows: 5}\n";
  const int64_t before = Revision();
  const Ran ran = Keeper({"policy", "put", "-f", "both.yaml"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(ran.out, absl::StrFormat("2 of 2 policies changed, revision %d\n", before + 1));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("warning: dockit: `limits.max_rows`"),
                             HasSubstr("warning: dockit: `ask_mode` CLIENT")));
  EXPECT_EQ(Revision(), before + 1);
  EXPECT_EQ(Requests("ListPolicies"), 1);
  EXPECT_EQ(Requests("GetPolicy"), 0);
}

TEST_F(KeeperTest, PoliciesAreReadAThousandAtATime) {
  std::string& document = files_["many.yaml"];
  for (int i = 0; i < 2500; ++i) absl::StrAppendFormat(&document, "- app: many%d\n", i);
  EXPECT_THAT(Keeper({"policy", "put", "-f", "many.yaml"}).out,
              StartsWith("2500 of 2500 policies changed"));
  EXPECT_EQ(Requests("ListPolicies"), 1) << "there was none yet";
  EXPECT_THAT(Keeper({"policy", "put", "-f", "many.yaml"}).out,
              StartsWith("0 of 2500 policies changed"));
  EXPECT_EQ(Requests("ListPolicies"), 1 + 3);
  EXPECT_EQ(Requests("GetPolicy"), 0);
}

TEST_F(KeeperTest, AFewPoliciesAmongManyAreReadOneByOne) {
  for (int i = 0; i < 5000; ++i) {
    McpPolicy policy;
    policy.app = AppId(absl::StrFormat("k%d", i));
    Commit(policy);
  }
  files_["two.yaml"] = "- app: dockit\n- app: sqlkit\n  mode: FULL_ACCESS\n";
  const Ran ran = Keeper({"policy", "put", "-f", "two.yaml", "--all-connections"});
  EXPECT_THAT(ran.out, StartsWith("1 of 2 policies changed")) << ran.err;
  EXPECT_EQ(Requests("ListPolicies"), 2);
  EXPECT_EQ(Requests("GetPolicy"), 1) << "dockit stood in a page";
}

TEST_F(KeeperTest, PutWarnsOfWhatAnAdministratorShouldKnow) {
  files_["p.yaml"] = "app: dockit\nmode: FULL_ACCESS\nlimits: {read_only_session: true}\n";
  const Ran ran = Keeper({"policy", "put", "-f", "p.yaml", "-o", "json"});
  EXPECT_EQ(ran.code, ExitCode::kOk);
  EXPECT_THAT(ran.err,
              AllOf(HasSubstr("warning: `ask_mode` CLIENT"), HasSubstr("read_only_session")));
  const auto json = JsonDocument::Parse(ran.out);
  ASSERT_THAT(json, IsOk());
  EXPECT_EQ(json->root().Find("warnings")->size(), 2u);
}

TEST_F(KeeperTest, ADocumentFromStandardInputIsRead) {
  EXPECT_EQ(Keeper({"policy", "put", "-f", "-"}, "app: stdin\n").code, ExitCode::kOk);
  EXPECT_TRUE(StoredPolicyOf("stdin").has_value());
}

TEST_F(KeeperTest, WhatGetPrintsCanBePutAgain) {
  for (const char* format : {"table", "json", "yaml"}) {
    const Ran got = Keeper({"policy", "get", "sqlkit", "-o", format});
    const Ran put = Keeper({"policy", "put", "-f", "-"}, got.out);
    EXPECT_EQ(put.out, "`sqlkit` is as it was, revision 2\n") << format << put.err;
  }
  EXPECT_THAT(Keeper({"policy", "get", "sqlkit", "--revision", "1"}).out,
              HasSubstr("allowed_connection_ids: []"));
}

TEST_F(KeeperTest, HistoryShowsWhatEachChangeDid) {
  Keeper({"policy", "set", "sqlkit", "--mode", "READ_ONLY", "--reason", "a\x1b[2Jb"});
  Keeper({"policy", "delete", "sqlkit", "--yes"});
  const Ran ran = Keeper({"policy", "history", "sqlkit"});
  EXPECT_EQ(ran.code, ExitCode::kOk);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("deleted"), HasSubstr("mode: FULL_ACCESS -> READ_ONLY"),
                             HasSubstr("created"), HasSubstr("a\\u{001b}[2Jb")));
  const Ran two = Keeper({"policy", "history", "sqlkit", "--limit", "2"});
  EXPECT_THAT(two.out, AllOf(HasSubstr("mode: FULL_ACCESS"), Not(HasSubstr("created"))));
}

TEST_F(KeeperTest, RollbackShowsAsksAndBringsADeletedPolicyBack) {
  interactive_ = true;
  const Ran no =
      Keeper({"policy", "rollback", "sqlkit", "--to-revision", "1", "--all-connections"}, "n\n");
  EXPECT_EQ(no.code, ExitCode::kFailed);
  EXPECT_THAT(no.err, AllOf(HasSubstr("  allowed_connection_ids: [\"prod\",\"staging\"] -> []\n"),
                            HasSubstr("[y/N]")));
  EXPECT_THAT(StoredPolicyOf("sqlkit")->allowed_connection_ids, Not(IsEmpty()));
  EXPECT_EQ(Keeper({"policy", "delete", "sqlkit"}, "yes\n").code, ExitCode::kOk);
  EXPECT_EQ(StoredPolicyOf("sqlkit"), std::nullopt);
  EXPECT_EQ(Keeper({"policy", "rollback", "sqlkit", "--to-revision", "2"}, "y\n").code,
            ExitCode::kOk);
  EXPECT_THAT(StoredPolicyOf("sqlkit")->allowed_connection_ids, Not(IsEmpty()));
}

TEST_F(KeeperTest, WhatNeedsAYesIsRefusedWhereNobodyCanBeAsked) {
  const Ran ran = Keeper({"policy", "delete", "sqlkit"}, "y\n");
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_EQ(ran.err,
            "keeper: error: this needs a yes, and nobody can be asked\nhelp: run it on a terminal, "
            "or give --yes\n");
  EXPECT_TRUE(StoredPolicyOf("sqlkit").has_value());
}

TEST_F(KeeperTest, DiffMarksWhatLoosens) {
  const Ran tighter = Keeper({"policy", "diff", "sqlkit", "-f", "policy.yaml"});
  EXPECT_EQ(tighter.code, ExitCode::kOk);
  EXPECT_THAT(tighter.out,
              AllOf(HasSubstr("MODE_TOO_LOW"), HasSubstr(" 0 of them allow more (+)\n")));
  const Ran looser = Keeper({"policy", "diff", "sqlkit", "--revision", "1"});
  EXPECT_THAT(looser.out, AllOf(HasSubstr("\n+  "), HasSubstr("<any other>")));
  const Ran same = Keeper({"policy", "diff", "sqlkit", "--revision", "2"});
  EXPECT_EQ(same.out, "0 answers differ, 0 of them allow more (+)\n");
}

}  // namespace
}  // namespace bridgekeeper::cli
