// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// keeper's commands, run in this process against a real keeperd over gRPC, with the
// store in memory. Every example of every command's help runs here as it stands.

#include <grpcpp/create_channel.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/bridge_service.grpc.pb.h"
#include "clients/cli/root.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/check.h"
#include "policy/base/json.h"
#include "policy/model/policy.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "policy/text/document.h"
#include "runtime/id_source.h"
#include "runtime/testing/fake_logger.h"
#include "service/server/server.h"
#include "store/memory/memory_store.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kAdminToken[] = "token-of-the-test-0123456789";

// A memory store that says where its copy would be: the command is what is tested.
class StoreWithBackup : public store::MemoryStore {
 public:
  absl::StatusOr<BackupResult> Backup(const std::string&) override {
    return BackupResult{Token(), 4096};
  }
};

std::string Digest(char c) { return std::string(64, c); }

struct Ran {
  ExitCode code;
  std::string out;
  std::string err;
};

class KeeperTest : public ::testing::Test {
 protected:
  KeeperTest() {
    auto owned = std::make_unique<StoreWithBackup>();
    store_ = owned.get();
    Fill();
    service::Options options;
    options.grpc_address = "127.0.0.1:0";
    options.http_address = "127.0.0.1:0";
    options.metrics_address = "127.0.0.1:0";
    options.backup_dir = "backups";
    options.dev = true;
    auto server = service::Server::Start(options, std::move(owned), kAdminToken,
                                         {log_, clock_, ids_, [] { return uint64_t{0}; }});
    BK_CHECK(server.ok());
    server_ = *std::move(server);
    ReportTools();
    environment_["KEEPER_ADDRESS"] = server_->grpc_address();
    environment_["KEEPER_TOKEN"] = kAdminToken;
    environment_["USER"] = "ann";
  }

  ~KeeperTest() override {
    if (server_ != nullptr) server_->Stop();
  }

  // What the examples name.
  void Fill() {
    McpPolicy sqlkit;
    sqlkit.app = AppId("sqlkit");
    sqlkit.mode = Mode::kFullAccess;
    Commit(sqlkit);
    sqlkit.allowed_connection_ids = {ConnectionId("prod"), ConnectionId("staging")};
    Commit(sqlkit);
    McpPolicy dockit;
    dockit.app = AppId("dockit");
    Commit(dockit);
    ConnectionRecord prod;
    prod.app = AppId("sqlkit");
    prod.id = ConnectionId("prod");
    prod.name = "Production";
    prod.type = "postgres";
    Commit(prod);
    for (const auto& [tool, risk, pin] : {std::tuple{"read_file", Risk::kSafe, Digest('1')},
                                          std::tuple{"write_file", Risk::kElevated, Digest('2')},
                                          std::tuple{"gone", Risk::kSafe, Digest('9')}}) {
      CatalogEntry entry;
      entry.key = {AppId("dockit"), ServerId("files"), ToolName(tool)};
      entry.risk = risk;
      entry.pin = pin;
      Commit(entry);
    }
    files_["policy.yaml"] = "app: sqlkit\nmode: READ_ONLY\nallowed_connection_ids: [prod]\n";
    files_["mcp-config.json"] =
        R"({"port": 9120, "auto_start": true, "policy": {"mode": "ReadOnly", "allowed_connection_ids": []}})";
    files_["catalog.yaml"] =
        "- {tool: own_tool, risk: SAFE}\n- {tool: other_tool, risk: ELEVATED, server: own}\n";
    files_["connection.yaml"] = "app: sqlkit\nid: prod\ntype: postgres\n";
    files_["functions.txt"] =
        "# reviewed\npublic.add_tax(numeric)  # pure\n\npublic.f(int, text)\n";
  }

  void Commit(store::RecordValue value) {
    const auto key = store::KeyOf(value);
    const auto committed =
        store_->Commit({{key, std::move(value), std::nullopt}},
                       {.author = "setup", .reason = "before the test", .time = clock_.Now()});
    BK_CHECK(committed.ok());
  }

  void ReportTools() {
    const auto channel =
        grpc::CreateChannel(server_->grpc_address(), grpc::InsecureChannelCredentials());
    const auto stub = v1::BridgeService::NewStub(channel);
    v1::ReportToolsRequest request;
    request.set_bridge("test/1");
    request.set_app("dockit");
    request.set_server("files");
    const auto add = [&](const char* tool, char digest, const char* annotations) {
      v1::ReportedTool& reported = *request.add_tools();
      reported.set_app("dockit");
      reported.set_server("files");
      reported.set_tool(tool);
      reported.set_digest(Digest(digest));
      reported.set_definition_json(
          absl::StrFormat(R"({"name":"%s","description":"Does \u001b[2J things","annotations":%s})",
                          tool, annotations));
    };
    add("read_file", '1', R"({"readOnlyHint":true})");
    add("write_file", '3', R"({"readOnlyHint":false,"destructiveHint":false})");
    add("search", '4', R"({"readOnlyHint":true})");
    add("append", '5', R"({"destructiveHint":false})");
    add("purge", '6', "{}");
    v1::ReportToolsResponse response;
    grpc::ClientContext context;
    const grpc::Status status = stub->ReportTools(&context, request, &response);
    BK_CHECK(status.ok());
  }

  Ran Keeper(const std::vector<std::string>& arguments, const std::string& input = "") {
    std::istringstream in(input);
    std::ostringstream out, err;
    Session session{.in = in,
                    .out = out,
                    .err = err,
                    .interactive = interactive_,
                    .get_env = [&](const char* name) -> std::optional<std::string> {
                      const auto it = environment_.find(name);
                      return it == environment_.end() ? std::nullopt : std::optional(it->second);
                    },
                    .read_file = [&](const std::string& path) -> absl::StatusOr<std::string> {
                      const auto it = files_.find(path);
                      if (it == files_.end()) return absl::NotFoundError("no file " + path);
                      return it->second;
                    },
                    .edit = edit_};
    const ExitCode code = cli::Run(arguments, session);
    return {code, out.str(), err.str()};
  }

  std::optional<store::Record> Stored(const store::RecordKey& key) {
    const auto record = store_->Get(key);
    EXPECT_THAT(record, IsOk());
    return record.ok() && *record && (*record)->value ? **record : std::optional<store::Record>();
  }
  std::optional<McpPolicy> StoredPolicyOf(const char* app) {
    const auto record = Stored(store::RecordKey::Policy(AppId(app)));
    return record ? std::optional(std::get<McpPolicy>(*record->value)) : std::nullopt;
  }
  std::optional<CatalogEntry> StoredEntryOf(const char* tool) {
    const auto record =
        Stored(store::RecordKey::Catalog({AppId("dockit"), ServerId("files"), ToolName(tool)}));
    return record ? std::optional(std::get<CatalogEntry>(*record->value)) : std::nullopt;
  }
  int64_t Revision() { return store_->Token().revision.value; }

  FakeClock clock_;
  FakeLogger log_;
  RandomIdSource ids_;
  StoreWithBackup* store_ = nullptr;
  std::unique_ptr<service::Server> server_;
  std::map<std::string, std::string> environment_;
  std::map<std::string, std::string> files_;
  bool interactive_ = false;
  std::function<absl::StatusOr<std::string>(const std::string&)> edit_ =
      [](const std::string& text) { return absl::StatusOr<std::string>(text); };
};

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
  const std::pair<const char*, std::pair<Risk, char>> want[] = {
      {"search", {Risk::kSafe, '4'}},
      {"append", {Risk::kElevated, '5'}},
      {"purge", {Risk::kDestructive, '6'}},
      {"write_file", {Risk::kElevated, '3'}}};
  for (const auto& [tool, expected] : want) {
    const auto entry = StoredEntryOf(tool);
    ASSERT_TRUE(entry.has_value()) << tool;
    EXPECT_EQ(entry->risk, expected.first) << tool;
    EXPECT_EQ(entry->pin, Digest(expected.second)) << tool;
    EXPECT_TRUE(entry->reviewed) << tool;
  }
  EXPECT_THAT(Keeper(words, "y\n").err, HasSubstr("no tool of `files` on `dockit` needs a review"));
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

TEST_F(KeeperTest, ApprovePinsTheNewDefinitionAndKeepsTheRisk) {
  const Ran ran =
      Keeper({"catalog", "approve", "--app", "dockit", "--server", "files", "write_file", "--yes"});
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(StoredEntryOf("write_file")->pin, Digest('3'));
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

// ---- errors that name the fix
// --------------------------------------------------------------------

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
