// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// `keeper-bridge query` and `check` as processes, on a SQLite database.

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/program_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// What the queries read.
const std::string kNotes = "WITH note (id, text) AS (VALUES (1, 'one'), (2, NULL), (3, 'three')) ";

class QueryTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    database_ = ::testing::TempDir() + "/notes-" + std::to_string(getpid()) + ".db";
    std::remove(database_.c_str());
    // An empty file is an empty database.
    std::ofstream(database_).flush();
    dsn_ = WriteDsn("notes", database_);
    gone_ = WriteDsn("gone", ::testing::TempDir() + "/no-such-file.db");
    config_ =
        WriteConfig("app: app\nconnections:\n  notes: {type: sqlite, dsn_file: " + dsn_ +
                    "}\n  few: {type: sqlite, dsn_file: " + dsn_ +
                    ", limits: {max_rows: 2}}\n  gone: {type: sqlite, dsn_file: " + gone_ +
                    "}\n  written: {type: sqlite, writes: allowed, dsn_file: " + dsn_ + "}\n");
  }

  static std::string WriteDsn(const std::string& name, const std::string& dsn) {
    const std::string file = ::testing::TempDir() + "/" + name + ".dsn";
    std::ofstream(file) << dsn;
    EXPECT_EQ(chmod(file.c_str(), 0600), 0);
    return file;
  }

  // All that a run prints to both streams, and its exit code.
  struct Said {
    std::string out;
    std::string log;
    std::string end;
  };
  static Said All(Program& program) {
    Said said;
    for (std::string line; (line = program.Read()) != "<end>" && line != "<late>";) {
      said.out += line + "\n";
    }
    for (std::string line; (line = program.ReadLog("")) != "<end>" && line != "<late>";) {
      said.log += line + "\n";
    }
    said.end = program.End();
    return said;
  }

  Said Query(std::vector<std::string> arguments, const std::string& input = "",
             Mode mode = Mode::kFullAccess) {
    arguments.insert(arguments.begin(), {"query", "--config", config_});
    Program program(pdp_.address(), std::move(arguments));
    if (!input.empty()) program.Send(input);
    program.CloseInput();
    const auto watch = pdp_.NextWatch(absl::Seconds(30));
    EXPECT_NE(watch, nullptr);
    if (watch != nullptr) {
      watch->Send(clients::Snapshot(2, {clients::PolicyChange(1, "app", mode)}));
    }
    return All(program);
  }

  std::string database_;
  std::string dsn_;
  std::string gone_;
  std::string config_;
};

TEST_F(QueryTest, RunsAReadAsAnAgentWouldAndReportsIt) {
  const Said said = Query({"--connection", "notes", kNotes + "SELECT id, text FROM note"});
  EXPECT_EQ(said.out, "id  text\n--  -----\n1   one\n2   NULL\n3   three\n(3 rows)\n");
  EXPECT_EQ(said.log, "");
  EXPECT_EQ(said.end, "exit code 0");
  ASSERT_THAT(records(), SizeIs(1));
  EXPECT_EQ(records()[0].tool(), "sqlkit__execute_query");
  EXPECT_EQ(records()[0].server(), "databases");
}

TEST_F(QueryTest, ReadsTheStatementFromStandardInput) {
  EXPECT_EQ(Query({"--connection", "notes", "-o", "csv", "-"}, kNotes + "SELECT * FROM note").out,
            "id,text\n1,one\n2,\n3,three\n");
  EXPECT_THAT(Query({"--connection", "notes", "-o", "json"}, "SELECT 1 AS a").out,
              HasSubstr(R"("rows":[{"a":1}],"rowCount":1)"));
}

TEST_F(QueryTest, SaysThatALimitCutTheResult) {
  const Said said = Query({"--connection", "few", kNotes + "SELECT id FROM note"});
  EXPECT_EQ(said.out, "id\n--\n1\n2\n(2 rows, truncated by rows)\n");
  EXPECT_THAT(said.log, HasSubstr("truncated by rows"));
  EXPECT_EQ(said.end, "exit code 0");
}

TEST_F(QueryTest, WhatIsDeniedDoesNotRunAndEndsWithThree) {
  for (const auto& [sql, code, because] : std::initializer_list<std::array<const char*, 3>>{
           {"DELETE FROM note", "STATEMENT_EXCEEDS_TOOL", "`note`: removes rows (at byte 12)"},
           {"SELECT load_extension('x')", "STATEMENT_EXCEEDS_TOOL", "`load_extension`: "},
           {"SELCT 1", "STATEMENT_EXCEEDS_TOOL",
            "`SELCT`: is no statement that is known (at byte 0)"},
           {"SELECT add_tax(1)", "STATEMENT_EXCEEDS_TOOL", "list the function in `safe_functions`"},
           {"SELECT 'a", "STATEMENT_UNREADABLE", "got a string without its end"},
           {"SELECT 1; SELECT 2", "STATEMENT_MULTIPLE", "more than one statement"}}) {
    const Said said = Query({"--connection", "notes", sql});
    EXPECT_EQ(said.out, "") << sql;
    EXPECT_THAT(said.log,
                AllOf(HasSubstr(absl::StrFormat("keeper-bridge: error: %s: Denied: ", code)),
                      HasSubstr(because)))
        << sql;
    EXPECT_EQ(said.end, "exit code 3") << sql;
  }
  // The connection only reads, and so does the policy.
  const Said change =
      Query({"--connection", "notes", "--write", "INSERT INTO note VALUES (4, 'x')"});
  EXPECT_THAT(change.log, AllOf(HasSubstr("READ_ONLY_BRIDGE: "), HasSubstr("`writes: allowed`")));
  EXPECT_EQ(change.end, "exit code 3");
  EXPECT_EQ(Query({"--connection", "notes", "--write", "INSERT INTO note VALUES (4, 'x')"}, "",
                  Mode::kReadOnly)
                .end,
            "exit code 3");
  struct stat file = {};
  ASSERT_EQ(stat(database_.c_str(), &file), 0);
  EXPECT_EQ(file.st_size, 0) << "nothing was written";
}

TEST_F(QueryTest, AChangeIsMadeWhereTheConnectionAllowsIt) {
  EXPECT_EQ(Query({"--connection", "written", "--write", "CREATE TABLE t (a)"}).end, "exit code 0");
  const Said said =
      Query({"--connection", "written", "--write", "INSERT INTO t VALUES (1), (2) RETURNING a"});
  EXPECT_EQ(said.out, "a\n-\n1\n2\n(2 rows)\n2 rows affected\n");
  EXPECT_EQ(said.log, "");
  // The tool of `--write` carries no DELETE, and a read stays one.
  EXPECT_EQ(Query({"--connection", "written", "--write", "DELETE FROM t"}).end, "exit code 3");
  EXPECT_EQ(Query({"--connection", "written", "INSERT INTO t VALUES (3)"}).end, "exit code 3");
  EXPECT_EQ(Query({"--connection", "notes", "-o", "csv", "SELECT a FROM t"}).out, "a\n1\n2\n");
}

TEST_F(QueryTest, WhatTheDatabaseRefusesEndsWithOne) {
  const Said said = Query({"--connection", "notes", "SELECT * FROM missing"});
  EXPECT_THAT(said.log, HasSubstr("no such table"));
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.end, "exit code 1");
  EXPECT_EQ(Query({"--connection", "gone", "SELECT 1"}).end, "exit code 1");
}

TEST_F(QueryTest, AnUnknownConnectionEndsWithTwo) {
  Program program(pdp_.address(),
                  {"query", "--config", config_, "--connection", "other", "SELECT 1"});
  EXPECT_THAT(program.ReadLog("other"), HasSubstr("there is no connection `other`"));
  EXPECT_EQ(program.End(), "exit code 2");
}

TEST_F(QueryTest, CheckEndsWithOneWhereAConnectionWouldBeRefused) {
  Program all(pdp_.address(), {"check", "--config", config_});
  const Said said = All(all);
  EXPECT_THAT(said.out, AllOf(HasSubstr("notes (sqlite): calls would run\n"),
                              HasSubstr("gone (sqlite): calls would be refused\n")));
  EXPECT_EQ(said.end, "exit code 1");
  Program one(pdp_.address(),
              {"check", "--config", config_, "--connection", "notes", "-o", "json"});
  const Said good = All(one);
  EXPECT_EQ(good.out,
            "{\"connections\":[{\"id\":\"notes\",\"type\":\"sqlite\",\"calls_run\":true,"
            "\"findings\":[]}]}\n");
  EXPECT_EQ(good.end, "exit code 0");
  // A credential that is not there is one connection's trouble: of `check` and of `query`.
  config_ = WriteConfig(
      "app: app\nconnections:\n  lost: {type: sqlite, dsn_file: lost.dsn}\n"
      "  unset: {type: sqlite, dsn_env: BK_TEST_NOT_SET}\n"
      "  notes: {type: sqlite, dsn_file: " +
      dsn_ + "}\n");
  Program others(pdp_.address(), {"check", "--config", config_});
  const Said found = All(others);
  EXPECT_THAT(found.out, AllOf(HasSubstr("lost (sqlite): calls would be refused\n"),
                               HasSubstr("/lost.dsn`: No such file"),
                               HasSubstr("unset (sqlite): calls would be refused\n"),
                               HasSubstr("`BK_TEST_NOT_SET`"),
                               HasSubstr("notes (sqlite): calls would run\n")));
  EXPECT_EQ(found.end, "exit code 1");
  EXPECT_EQ(Query({"--connection", "notes", "-o", "csv", "SELECT 1 AS a"}).out, "a\n1\n");
  Program checked(pdp_.address(), {"serve", "--config", config_, "--check-config"});
  const Said both = All(checked);
  EXPECT_THAT(both.log, AllOf(HasSubstr(config_ + ": error: connections.lost.dsn_file: "),
                              HasSubstr(config_ + ": error: connections.unset.dsn_env: ")));
  EXPECT_EQ(both.end, "exit code 2");
  Program none(pdp_.address(), {"check", "--config", config_, "--connection", "other"});
  EXPECT_EQ(All(none).end, "exit code 2");
}

}  // namespace
}  // namespace bridgekeeper::bridge
