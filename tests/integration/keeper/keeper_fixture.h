// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// KeeperTest runs keeper's commands in this process against a real keeperd over gRPC,
// with the store in memory.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_KEEPER_KEEPER_FIXTURE_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_KEEPER_KEEPER_FIXTURE_H_

#include <grpcpp/create_channel.h>

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
#include "runtime/id_source.h"
#include "runtime/sha256.h"
#include "runtime/testing/fake_logger.h"
#include "service/server/server.h"
#include "store/memory/memory_store.h"
#include "tests/e2e/keeperd/keeperd_process.h"

namespace bridgekeeper::cli {

inline constexpr char kAdminToken[] = "token-of-the-test-0123456789";

// A memory store that says where its copy would be: the command is what is tested.
class StoreWithBackup : public store::MemoryStore {
 public:
  absl::StatusOr<BackupResult> Backup(const std::string&) override {
    return BackupResult{Token(), 4096};
  }
};

inline std::string Digest(char c) { return std::string(64, c); }

// The tools that a bridge saw the server `files` list, and their own hints.
inline const std::map<std::string, std::string> kReported = {
    {"read_file", R"({"readOnlyHint":true})"},
    {"write_file", R"({"readOnlyHint":false,"destructiveHint":false})"},
    {"search", R"({"readOnlyHint":true})"},
    {"append", R"({"destructiveHint":false})"},
    {"purge", "{}"},
};

inline std::string DefinitionOf(const std::string& tool) {
  const auto reported = kReported.find(tool);
  return absl::StrFormat(R"({"name":"%s","description":"Does \u001b[2J things","annotations":%s})",
                         tool, reported == kReported.end() ? "{}" : reported->second);
}

inline std::string PinOf(const std::string& tool) {
  const std::string text = DefinitionOf(tool);
  const auto definition = JsonDocument::Parse(text);
  BK_CHECK(definition.ok());
  return Sha256Hex(CanonicalJson(definition->root()));
}

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
    for (const auto& [tool, risk, pin] : {std::tuple{"read_file", Risk::kSafe, PinOf("read_file")},
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

  // Reports the tools of `files`, and `more`, which gives no hints.
  void ReportTools(const char* more = nullptr) {
    std::vector<std::string> tools;
    for (const auto& [tool, annotations] : kReported) tools.emplace_back(tool);
    if (more != nullptr) tools.emplace_back(more);
    ReportServer("dockit", "files", tools, /*builtin_catalog=*/false);
  }

  void ReportServer(const std::string& app, const std::string& server,
                    const std::vector<std::string>& tools, bool builtin_catalog) {
    const auto channel =
        grpc::CreateChannel(server_->grpc_address(), grpc::InsecureChannelCredentials());
    const auto stub = v1::BridgeService::NewStub(channel);
    v1::ReportToolsRequest request;
    request.set_bridge("test/1");
    request.set_app(app);
    request.set_server(server);
    request.set_builtin_catalog(builtin_catalog);
    for (const std::string& tool : tools) {
      v1::ReportedTool& reported = *request.add_tools();
      reported.set_app(app);
      reported.set_server(server);
      reported.set_tool(tool);
      reported.set_digest(PinOf(tool));
      reported.set_definition_json(DefinitionOf(tool));
    }
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
  // How many RPCs of this method the server has answered.
  int64_t Requests(std::string_view method) {
    const std::string page = tests::HttpGet(server_->metrics_address(), "/metrics");
    const std::string start = absl::StrFormat("grpc_method=\"%s\",grpc_code=\"OK\"} ", method);
    const size_t at = page.find(start);
    return at == std::string::npos ? 0 : std::atoll(page.c_str() + at + start.size());
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

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_KEEPER_KEEPER_FIXTURE_H_
