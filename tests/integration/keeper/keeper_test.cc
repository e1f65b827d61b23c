// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// keeper's commands but those that write policies. Every example of every command's help
// runs here as it stands.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/root.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/catalog/catalog.h"
#include "policy/testing/status_matchers.h"
#include "policy/text/document.h"
#include "tests/integration/keeper/keeper_fixture.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// ---- every example of every command --------------------------------------------------

// Splits a line as a shell does, for what the examples use: words and single quotes.
std::vector<std::string> ShellWords(std::string_view line) {
  std::vector<std::string> words;
  bool open = false, quoted = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  EXPECT_FALSE(quoted) << line;
  return words;
}

class Example : public KeeperTest,
                public ::testing::WithParamInterface<std::pair<const Command*, size_t>> {};

std::vector<std::pair<const Command*, size_t>> AllExamples() {
  std::vector<std::pair<const Command*, size_t>> out;
  for (const Command* command : Commands()) {
    for (size_t i = 0; i < command->examples.size(); ++i) out.emplace_back(command, i);
  }
  return out;
}

TEST_P(Example, RunsAsTyped) {
  const auto& [command, index] = GetParam();
  std::vector<std::string> words = ShellWords(command->examples[index]);
  ASSERT_EQ(words.front(), "keeper");
  words.erase(words.begin());
  interactive_ = true;  // a person who says yes
  const Ran ran = Keeper(words, "y\n");
  EXPECT_THAT(ran.code, AnyOf(ExitCode::kOk, ExitCode::kDenied, ExitCode::kAsk));
  EXPECT_THAT(ran.err, Not(HasSubstr("error"))) << ran.out;
  if (command->name != "healthcheck") {
    EXPECT_THAT(ran.out, Not(IsEmpty()));
  }
  if (command->examples[index].find("-o json") != std::string_view::npos) {
    EXPECT_THAT(JsonDocument::Parse(ran.out), IsOk()) << ran.out;
  }
}

INSTANTIATE_TEST_SUITE_P(Help, Example, ::testing::ValuesIn(AllExamples()), [](const auto& row) {
  std::string name(row.param.first->name);
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(name.begin(), name.end(), '-', '_');
  return absl::StrFormat("%s_%d", name, row.param.second);
});

// ---- deciding --------------------------------------------------------------------------

TEST_F(KeeperTest, TheExitCodeOfDecideIsTheVerdict) {
  EXPECT_EQ(
      Keeper({"decide", "--app", "sqlkit", "--tool", "es__search", "--connection", "prod"}).code,
      ExitCode::kOk);
  const Ran denied =
      Keeper({"decide", "--app", "sqlkit", "--tool", "es__search", "--connection", "other"});
  EXPECT_EQ(denied.code, ExitCode::kDenied);
  EXPECT_THAT(denied.out, StartsWith("DENY CONNECTION_NOT_ALLOWED, effective risk SAFE\n"));
  const Ran asked =
      Keeper({"decide", "--app", "sqlkit", "--tool", "es__delete_index", "--connection", "prod"});
  EXPECT_EQ(asked.code, ExitCode::kAsk);
  EXPECT_THAT(asked.out, HasSubstr("asked by CLIENT"));
  EXPECT_EQ(Keeper({"decide", "--app", "nobody", "--tool", "es__search"}).code, ExitCode::kDenied);
}

TEST_F(KeeperTest, OfSeveralToolsTheWorstCounts) {
  const Ran ran = Keeper({"decide", "--app", "sqlkit", "--connection", "prod", "--tool",
                          "es__search", "no_such_tool", "es__delete_index", "-o", "json"});
  EXPECT_EQ(ran.code, ExitCode::kDenied);
  const auto json = JsonDocument::Parse(ran.out);
  ASSERT_THAT(json, IsOk());
  std::vector<std::string> verdicts;
  for (const JsonValue item : json->root())
    verdicts.emplace_back(item.Find("decision")->Find("verdict")->string());
  EXPECT_THAT(verdicts, ElementsAre("ALLOW", "DENY", "ASK"));
  EXPECT_EQ(Keeper({"decide", "--app", "sqlkit", "--connection", "prod", "--tool", "es__search",
                    "es__delete_index"})
                .code,
            ExitCode::kAsk);
}

TEST_F(KeeperTest, ADeclaredRiskIsPassedOn) {
  EXPECT_EQ(Keeper({"decide", "--app", "dockit", "--tool", "es__search", "--connection", "c"}).code,
            ExitCode::kOk);
  EXPECT_EQ(Keeper({"decide", "--app", "dockit", "--tool", "es__search", "--connection", "c",
                    "--declared-risk", "destructive"})
                .code,
            ExitCode::kDenied);
}

TEST_F(KeeperTest, AStatementIsJudgedHoweverItIsGiven) {
  files_["payload.json"] = R"("DROP TABLE t")";
  files_["arguments.json"] = R"({"sql": "DROP TABLE t"})";
  for (const std::vector<std::string>& given :
       {std::vector<std::string>{"--statement", "DROP TABLE t"},
        {"--payload", "payload.json"},
        {"--arguments", R"({"sql": "DROP TABLE t"})"},
        {"--arguments", "@arguments.json"}}) {
    std::vector<std::string> words = {
        "explain", "--app", "sqlkit", "--tool", "sqlkit__execute_query", "--connection", "prod"};
    words.insert(words.end(), given.begin(), given.end());
    const Ran ran = Keeper(words);
    EXPECT_EQ(ran.code, ExitCode::kDenied) << given[0];
    EXPECT_THAT(ran.out, AllOf(HasSubstr("payload judged"), HasSubstr("payload: risk DESTRUCTIVE")))
        << given[0];
  }
  // A statement may begin like a flag.
  EXPECT_EQ(Keeper({"decide", "--app", "sqlkit", "--tool", "sqlkit__execute_query", "--connection",
                    "prod", "--statement", "-- a comment\nSELECT 1"})
                .code,
            ExitCode::kOk);
}

TEST_F(KeeperTest, ToolsOfEveryPageAreListed) {
  const Ran ran = Keeper({"tools", "--app", "sqlkit", "--connection", "prod", "-o", "json"});
  const auto json = JsonDocument::Parse(ran.out);
  ASSERT_THAT(json, IsOk());
  EXPECT_EQ(json->root().Find("tools")->size() +
                static_cast<size_t>(*json->root().Find("hidden")->integer()),
            115u);
  EXPECT_THAT(Keeper({"tools", "--app", "nobody"}).err, HasSubstr("no policy of `nobody` exists"));
}

// ---- the catalogue --------------------------------------------------------------------------

TEST_F(KeeperTest, ReviewShowsTheSuggestionsAsksAndPinsWhatWasSeen) {
  interactive_ = true;
  const std::vector<std::string> words = {"catalog",  "review", "--app",      "dockit",
                                          "--server", "files",  "--suggested"};
  const Ran no = Keeper(words, "\n");
  EXPECT_EQ(no.code, ExitCode::kFailed);
  EXPECT_EQ(StoredEntryOf("search"), std::nullopt);
  EXPECT_THAT(no.err,
              AllOf(HasSubstr("search"), HasSubstr("write 4 entries of `files` on `dockit`? [y/N]"),
                    HasSubstr("Does \\u{001b}[2J things")));
  EXPECT_THAT(no.err, Not(HasSubstr("read_file"))) << "it is as it was reviewed";

  const Ran yes = Keeper(words, "y\n");
  EXPECT_EQ(yes.code, ExitCode::kOk) << yes.err;
  const std::pair<const char*, Risk> want[] = {{"search", Risk::kSafe},
                                               {"append", Risk::kElevated},
                                               {"purge", Risk::kDestructive},
                                               {"write_file", Risk::kElevated}};
  for (const auto& [tool, risk] : want) {
    const auto entry = StoredEntryOf(tool);
    ASSERT_TRUE(entry.has_value()) << tool;
    EXPECT_EQ(entry->risk, risk) << tool;
    EXPECT_EQ(entry->pin, PinOf(tool)) << tool;
    EXPECT_TRUE(entry->reviewed) << tool;
  }
  EXPECT_THAT(Keeper(words, "y\n").err, HasSubstr("no tool of `files` on `dockit` needs a review"));
}

// A rule holds for a server's own name of a tool, not for the one that clients see.
TEST_F(KeeperTest, PutWarnsOfAnEntryForAToolThatItsServerDoesNotList) {
  const auto put = [&](const std::string& server, const std::string& tool) {
    return Keeper({"catalog", "put", "-f", "-", "--app", "dockit"},
                  "server: " + server + "\ntool: " + tool + "\nrisk: SAFE\n");
  };
  const Ran prefixed = put("files", "files__search");
  EXPECT_EQ(prefixed.code, ExitCode::kOk) << prefixed.err;
  EXPECT_THAT(prefixed.err, HasSubstr("warning: `files` lists no tool `files__search`"));
  EXPECT_THAT(put("files", "serch").err, HasSubstr("did you mean `search`?"));
  EXPECT_THAT(put("files", "search").err, Not(HasSubstr("warning")));
  EXPECT_THAT(put("not-seen-yet", "anything").err, Not(HasSubstr("warning")));
}

TEST_F(KeeperTest, ReviewOfNamedToolsTakesTheRiskGiven) {
  const Ran ran = Keeper({"catalog", "review", "--app", "dockit", "--server", "files", "purge",
                          "--risk", "safe", "--needs-connection", "no", "--yes"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(StoredEntryOf("purge")->risk, Risk::kSafe);
  EXPECT_EQ(StoredEntryOf("purge")->needs_connection, NeedsConnection::kNo);
  EXPECT_EQ(StoredEntryOf("search"), std::nullopt);
  const Ran unknown = Keeper({"catalog", "review", "--app", "dockit", "--server", "files", "serch",
                              "--suggested", "--yes"});
  EXPECT_EQ(unknown.code, ExitCode::kFailed);
  EXPECT_THAT(
      unknown.err,
      HasSubstr(
          "no bridge reported a tool `serch` of this server\nhelp: did you mean `search`?\n"));
}

TEST_F(KeeperTest, ReviewKeepsWhatElseAnEntrySays) {
  CatalogEntry entry = *StoredEntryOf("write_file");
  entry.connection_argument = "conn";
  Commit(entry);
  EXPECT_EQ(Keeper({"catalog", "review", "--app", "dockit", "--server", "files", "write_file",
                    "--suggested", "--yes"})
                .code,
            ExitCode::kOk);
  EXPECT_EQ(StoredEntryOf("write_file")->connection_argument, "conn");
}

TEST_F(KeeperTest, ReviewLeavesJudgedWhatABuiltInEntryHasJudged) {
  ReportTools("sqlkit__execute_query");
  ASSERT_EQ(Keeper({"catalog", "review", "--app", "dockit", "--server", "files",
                    "sqlkit__execute_query", "--risk", "SAFE", "--yes"})
                .code,
            ExitCode::kOk);
  CatalogEntry expected = *FindBuiltin("sqlkit__execute_query");
  expected.key = {AppId("dockit"), ServerId("files"), ToolName("sqlkit__execute_query")};
  expected.builtin = false;
  expected.pin = PinOf("sqlkit__execute_query");
  EXPECT_EQ(StoredEntryOf("sqlkit__execute_query"), expected);
}

TEST_F(KeeperTest, ApprovePinsTheNewDefinitionAndKeepsTheRisk) {
  const Ran ran =
      Keeper({"catalog", "approve", "--app", "dockit", "--server", "files", "write_file", "--yes"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("not known any more"));
  EXPECT_EQ(StoredEntryOf("write_file")->pin, PinOf("write_file"));
  EXPECT_EQ(StoredEntryOf("write_file")->risk, Risk::kElevated);
  const Ran unreviewed =
      Keeper({"catalog", "approve", "--app", "dockit", "--server", "files", "purge", "--yes"});
  EXPECT_EQ(unreviewed.code, ExitCode::kFailed);
  EXPECT_THAT(unreviewed.err, HasSubstr("nobody has reviewed `purge` yet"));
}

TEST_F(KeeperTest, CatalogDiffTellsNewChangedSameAndGone) {
  const Ran ran = Keeper({"catalog", "diff", "--app", "dockit", "--server", "files", "-o", "json"});
  const auto json = JsonDocument::Parse(ran.out);
  ASSERT_THAT(json, IsOk());
  std::map<std::string, std::string> what;
  for (const JsonValue item : json->root()) {
    what[std::string(item.Find("tool")->string())] = item.Find("what")->string();
  }
  const std::map<std::string, std::string> want = {{"append", "NEW"}, {"gone", "GONE"},
                                                   {"purge", "NEW"},  {"read_file", "SAME"},
                                                   {"search", "NEW"}, {"write_file", "CHANGED"}};
  EXPECT_EQ(what, want);
}

// What a bridge with `connections:` serves and reports as declared `catalog: data-studio`.
TEST_F(KeeperTest, DecideAndExplainAnswerForABridgesOwnDatabasesAsTheBridgeDoes) {
  ReportServer("sqlkit", "databases", {"sqlkit__execute_query", "sqlkit__list_tables"}, true);
  const std::vector<std::string> call = {
      "--app",        "sqlkit", "--server",    "databases", "--tool", "sqlkit__execute_query",
      "--connection", "prod",   "--statement", "SELECT 1"};
  for (const char* command : {"decide", "explain"}) {
    std::vector<std::string> arguments = {command};
    arguments.insert(arguments.end(), call.begin(), call.end());
    const Ran ran = Keeper(arguments);
    EXPECT_EQ(ran.code, ExitCode::kOk) << command << ran.out << ran.err;
  }
  const Ran several =
      Keeper({"decide", "--app", "sqlkit", "--server", "databases", "--tool", "sqlkit__list_tables",
              "sqlkit__kill_session", "--connection", "prod"});
  EXPECT_EQ(several.code, ExitCode::kDenied);
  EXPECT_THAT(several.out, HasSubstr("UNKNOWN_TOOL")) << "the bridge serves no such tool";
  EXPECT_THAT(several.out, HasSubstr("ALLOWED"));
}

// A stranger's tool of the name inherits nothing, reported or not.
TEST_F(KeeperTest, DecideGivesNoBuiltInEntryToAServerThatIsNotDeclaredSo) {
  ReportServer("sqlkit", "stranger", {"sqlkit__list_tables"}, false);
  for (const char* server : {"stranger", "never-seen"}) {
    const Ran ran = Keeper({"decide", "--app", "sqlkit", "--server", server, "--tool",
                            "sqlkit__list_tables", "--connection", "prod"});
    EXPECT_EQ(ran.code, ExitCode::kDenied) << server;
    EXPECT_THAT(ran.out, HasSubstr("UNKNOWN_TOOL")) << server;
  }
}

TEST_F(KeeperTest, ClientConfigListsABridgesOwnDatabases) {
  ReportServer("sqlkit", "databases", {"sqlkit__execute_query", "sqlkit__list_tables"}, true);
  ReportServer("sqlkit", "stranger", {"sqlkit__list_views"}, false);
  const std::vector<std::string> arguments = {
      "client-config", "claude-code", "--bridge", "http://127.0.0.1:9120/mcp", "--app", "sqlkit"};
  const Ran ran = Keeper(arguments);
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("mcp__bridgekeeper__databases__sqlkit__list_tables"));
  EXPECT_THAT(ran.out, HasSubstr("mcp__bridgekeeper__databases__sqlkit__execute_query"));
  EXPECT_THAT(ran.out, Not(HasSubstr("kill_session"))) << "the bridge serves no such tool";
  EXPECT_THAT(ran.out, Not(HasSubstr("stranger")));

  const auto with = [&](const char* separator) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--separator", separator});
    return Keeper(all);
  };
  EXPECT_THAT(with("-").out, HasSubstr("mcp__bridgekeeper__databases-sqlkit__list_tables"));
  EXPECT_EQ(with("/").code, ExitCode::kUsage);
}

// `search` reads, and its definition is not the reviewed one any more.
TEST_F(KeeperTest, AChangedToolIsNeitherPreApprovedNorListed) {
  CatalogEntry entry;
  entry.key = {AppId("dockit"), ServerId("files"), ToolName("search")};
  entry.risk = Risk::kSafe;
  entry.pin = Digest('3');
  Commit(entry);
  const std::vector<std::string> config = {
      "client-config", "opencode", "--bridge", "http://127.0.0.1:9120/mcp", "--app", "dockit"};
  const std::vector<std::string> tools = {"tools", "--app", "dockit", "--server", "files"};
  const std::string allowed = "\"bridgekeeper_files__search\": \"allow\"";

  const Ran denied = Keeper(config);
  EXPECT_EQ(denied.code, ExitCode::kOk) << denied.err;
  EXPECT_THAT(denied.out, AllOf(HasSubstr("\"bridgekeeper_files__read_file\": \"allow\""),
                                Not(HasSubstr("files__search"))));
  EXPECT_THAT(denied.err, HasSubstr("more changed since their review"));
  std::vector<std::string> codex = config;
  codex[1] = "codex";
  EXPECT_THAT(Keeper(codex).out,
              AllOf(HasSubstr("files__read_file"), Not(HasSubstr("files__search"))));
  const Ran listed = Keeper(tools);
  EXPECT_THAT(listed.out, AllOf(HasSubstr("read_file"), Not(HasSubstr("search"))));
  EXPECT_THAT(listed.err, HasSubstr("more changed since their review"));

  // A policy that lets it pass: it is there, and the client asks.
  McpPolicy policy = *StoredPolicyOf("dockit");
  policy.pinning = Pinning::kWarn;
  Commit(policy);
  EXPECT_THAT(Keeper(config).out, Not(HasSubstr(allowed)));
  EXPECT_THAT(Keeper(codex).out, HasSubstr("[mcp_servers.bridgekeeper.tools.\"files__search\"]\n"
                                           "approval_mode = \"prompt\""));
  EXPECT_THAT(Keeper(tools).out, HasSubstr("search"));

  policy.pinning = Pinning::kEnforce;
  Commit(policy);
  EXPECT_EQ(
      Keeper({"catalog", "approve", "--app", "dockit", "--server", "files", "search", "--yes"})
          .code,
      ExitCode::kOk);
  EXPECT_THAT(Keeper(config).out, HasSubstr(allowed));
  EXPECT_THAT(Keeper(tools).out, HasSubstr("search"));
}

TEST_F(KeeperTest, ClientConfigTakesThePrefixOfAServer) {
  ReportServer("sqlkit", "databases", {"sqlkit__list_tables"}, true);
  ReportServer("sqlkit", "replica", {"sqlkit__list_views"}, true);
  const auto with = [&](const std::vector<std::string>& flags,
                        const char* url = "http://127.0.0.1:9120/mcp") {
    std::vector<std::string> all = {"client-config", "claude-code", "--bridge", url,
                                    "--app",         "sqlkit"};
    all.insert(all.end(), flags.begin(), flags.end());
    return Keeper(all);
  };
  const Ran one = with({"--prefix", "databases=tk"});
  EXPECT_EQ(one.code, ExitCode::kOk) << one.err;
  EXPECT_THAT(one.out, AllOf(HasSubstr("\"mcp__bridgekeeper__tk__sqlkit__list_tables\""),
                             HasSubstr("\"mcp__bridgekeeper__replica__sqlkit__list_views\""),
                             Not(HasSubstr("databases"))));
  EXPECT_THAT(
      with({"--prefix", "databases=tk", "--prefix", "replica=r", "--separator", "-"}).out,
      AllOf(HasSubstr("__tk-sqlkit__list_tables\""), HasSubstr("__r-sqlkit__list_views\"")));
  EXPECT_THAT(with({"--prefix", "databases="}).out,
              HasSubstr("\"mcp__bridgekeeper____sqlkit__list_tables\""));

  const Ran unknown = with({"--prefix", "database=tk"});
  EXPECT_EQ(unknown.code, ExitCode::kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("`--prefix`: got the server `database`, want one of "
                                     "`databases`, `replica`\n"));
  const Ran alone =
      with({"--prefix", "databases=tk"}, "http://127.0.0.1:9120/servers/databases/mcp");
  EXPECT_EQ(alone.code, ExitCode::kUsage);
  EXPECT_THAT(alone.err, HasSubstr("want it only with `--bridge` and the path /mcp\n"));
  EXPECT_THAT(with({}, "http://127.0.0.1:9120/servers/databases/mcp").out,
              HasSubstr("\"mcp__bridgekeeper__sqlkit__list_tables\""));
}

TEST_F(KeeperTest, ADeleteStandsOnTheRevisionThatIsExpected) {
  const int64_t before = Revision();
  const Ran stale = Keeper({"catalog", "delete", "gone", "--app", "dockit", "--server", "files",
                            "--expected-revision", "1", "--yes"});
  EXPECT_EQ(stale.code, ExitCode::kFailed);
  EXPECT_THAT(stale.err, HasSubstr("nothing was deleted"));
  EXPECT_NE(StoredEntryOf("gone"), std::nullopt);
  const Ran record = Keeper(
      {"connections", "delete", "prod", "--app", "sqlkit", "--expected-revision", "1", "--yes"});
  EXPECT_EQ(record.code, ExitCode::kFailed) << record.out;
  EXPECT_EQ(Revision(), before);
  // The last record that was filled in.
  const Ran deleted = Keeper({"catalog", "delete", "gone", "--app", "dockit", "--server", "files",
                              "--expected-revision", std::to_string(before), "--yes"});
  EXPECT_EQ(deleted.code, ExitCode::kOk) << deleted.err;
  EXPECT_EQ(StoredEntryOf("gone"), std::nullopt);
}

TEST_F(KeeperTest, DisableDeniesAndUndoTakesItBack) {
  const std::vector<std::string> decide = {"decide",     "--app",        "sqlkit", "--tool",
                                           "es__search", "--connection", "prod"};
  EXPECT_EQ(Keeper({"catalog", "disable", "es__search"}).code, ExitCode::kOk);
  EXPECT_THAT(Keeper(decide).out, StartsWith("DENY TOOL_DISABLED"));
  EXPECT_EQ(Keeper({"catalog", "disable", "es__search", "--undo"}).code, ExitCode::kOk);
  EXPECT_THAT(Keeper(decide).out, StartsWith("ALLOW ALLOWED, effective risk SAFE"));
}

TEST_F(KeeperTest, DisablingAToolWithoutAnEntryDoesNotReviewIt) {
  EXPECT_EQ(Keeper({"catalog", "disable", "purge", "--app", "dockit", "--server", "files"}).code,
            ExitCode::kOk);
  EXPECT_FALSE(StoredEntryOf("purge")->reviewed);
  EXPECT_TRUE(StoredEntryOf("purge")->disabled);
}

TEST_F(KeeperTest, DeletingAnEntryTakesItsReviewBack) {
  const std::vector<std::string> remove = {"catalog", "delete",   "read_file", "--app",
                                           "dockit",  "--server", "files",     "--yes"};
  EXPECT_EQ(Keeper(remove).code, ExitCode::kOk);
  EXPECT_FALSE(StoredEntryOf("read_file").has_value());
  EXPECT_THAT(Keeper({"decide", "--app", "dockit", "--server", "files", "--tool", "read_file"}).out,
              StartsWith("DENY UNKNOWN_TOOL"));
  const Ran again = Keeper(remove);
  EXPECT_EQ(again.code, ExitCode::kFailed);
  EXPECT_THAT(again.err, HasSubstr("no stored entry of `read_file` has exactly this app"));
  EXPECT_THAT(Keeper({"catalog", "delete", "es__search", "--yes"}).err,
              HasSubstr("the entry of `es__search` is built in"));
}

TEST_F(KeeperTest, CatalogGetPrintsADocumentAndFindsTheNearest) {
  const Ran got =
      Keeper({"catalog", "get", "read_file", "--app", "dockit", "--server", "files", "-o", "yaml"});
  EXPECT_EQ(got.code, ExitCode::kOk) << got.err;
  EXPECT_THAT(ParseCatalogDocument(got.out).values, ElementsAre(*StoredEntryOf("read_file")));
  EXPECT_THAT(Keeper({"catalog", "get", "es__serch"}).err,
              HasSubstr("help: did you mean `es__search`?"));
  EXPECT_THAT(Keeper({"catalog", "get", "read_file", "--app", "dockit"}).err,
              HasSubstr("help: there is one of app `dockit`, server `files`"));
}

// ---- connections ------------------------------------------------------------------------------

TEST_F(KeeperTest, ConnectionRecordsArePutWithTheFunctionsOfAFile) {
  const Ran ran = Keeper(
      {"connections", "put", "-f", "connection.yaml", "--safe-functions-from", "functions.txt"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  const auto record = Stored(store::RecordKey::Connection(AppId("sqlkit"), ConnectionId("prod")));
  ASSERT_TRUE(record.has_value());
  EXPECT_THAT(std::get<ConnectionRecord>(*record->value).safe_functions,
              ElementsAre("public.add_tax(numeric)", "public.f(int, text)"));
  files_["functions.txt"] = "public.ok(int)\nadd_tax\n";
  EXPECT_THAT(Keeper({"connections", "put", "-f", "connection.yaml", "--safe-functions-from",
                      "functions.txt"})
                  .err,
              HasSubstr("`functions.txt` line 2: got `add_tax`, want a function as in "
                        "`public.add_tax(numeric)`"));
}

TEST_F(KeeperTest, AConnectionThatIsNotThereHasANearestName) {
  const Ran ran = Keeper({"connections", "get", "prd", "--app", "sqlkit"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_EQ(ran.err,
            "keeper: error: no record of the connection `prd` of `sqlkit` exists\nhelp: did you "
            "mean `prod`?\n");
}

TEST_F(KeeperTest, ADeletedConnectionIsGone) {
  EXPECT_EQ(Keeper({"connections", "delete", "prod", "--app", "sqlkit", "--yes"}).code,
            ExitCode::kOk);
  EXPECT_EQ(Stored(store::RecordKey::Connection(AppId("sqlkit"), ConnectionId("prod"))),
            std::nullopt);
}

// ---- errors that name the fix -----------------------------------------------------------

TEST_F(KeeperTest, AnAppThatIsNotThereHasANearestName) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"policy", "get", "sqlkti"},
                                                {"policy", "edit", "sqlkti"},
                                                {"policy", "history", "sqlkti"},
                                                {"policy", "delete", "sqlkti", "--yes"},
                                                {"policy", "suspend", "sqlkti", "--reason", "x"},
                                                {"policy", "diff", "sqlkti", "--revision", "1"}}) {
    const Ran ran = Keeper(words);
    EXPECT_EQ(ran.code, ExitCode::kFailed) << words[1];
    EXPECT_EQ(ran.err,
              "keeper: error: no policy of the app `sqlkti` exists\nhelp: did you mean `sqlkit`?\n")
        << words[1];
  }
}

TEST_F(KeeperTest, AWriteWithoutTheTokenSaysWhichVariableHoldsIt) {
  environment_.erase("KEEPER_TOKEN");
  EXPECT_EQ(Keeper({"policy", "get", "sqlkit"}).code, ExitCode::kOk);
  const Ran ran = Keeper({"policy", "set", "sqlkit", "--mode", "READ_ONLY"});
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(ran.err, HasSubstr("KEEPER_TOKEN"));
  environment_["KEEPER_TOKEN"] = "wrong-token-0123456789";
  EXPECT_THAT(Keeper({"policy", "set", "sqlkit", "--mode", "READ_ONLY"}).err,
              HasSubstr("KEEPER_TOKEN"));
  EXPECT_EQ(StoredPolicyOf("sqlkit")->mode, Mode::kFullAccess);
}

TEST_F(KeeperTest, StatusAndHealthcheckFailOnceTheServerIsGone) {
  const Ran up = Keeper({"status"});
  EXPECT_EQ(up.code, ExitCode::kOk) << up.err;
  EXPECT_THAT(up.out, AllOf(HasSubstr(": ready\n"), HasSubstr("store memory, revision 7")));
  EXPECT_EQ(Keeper({"healthcheck"}).code, ExitCode::kOk);
  server_->Stop();
  server_.reset();
  store_ = nullptr;
  EXPECT_EQ(Keeper({"status"}).code, ExitCode::kFailed);
  const Ran down = Keeper({"healthcheck"});
  EXPECT_EQ(down.code, ExitCode::kFailed);
  EXPECT_THAT(down.err, HasSubstr("cannot reach keeperd"));
}

}  // namespace
}  // namespace bridgekeeper::cli
