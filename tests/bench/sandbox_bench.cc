// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a call on a database that the bridge serves costs: `/invoke`, decided and judged,
// against bare libpq that makes the same round trips (connect, BEGIN READ ONLY, the
// question of scope and role, PREPARE, the question of what it reaches, the statement) to the same
// server. Many rows go to the cap.
//
//   ./dev bench sandbox_bench

#include <stdlib.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "benchmark/benchmark.h"
#include "clients/bridge/http/bridge_server_test_util.h"
#include "clients/bridge/sandbox/postgres/live_catalogue.h"
#include "clients/bridge/sandbox/postgres/role_risks.h"
#include "policy/base/check.h"
#include "policy/guard/guard.h"
#include "runtime/signals.h"
#include "tests/support/postgres_server.h"
#include "tests/support/postgres_session.h"

namespace bridgekeeper::bridge {
namespace {

constexpr char kConfig[] = R"(
app: app
connections:
  shop: {type: postgres, dsn_env: BK_BENCH_DSN, limits: {max_rows: 100000, max_bytes: 33554432}}
data_studio: {max_risk: SAFE}
)";
constexpr char kPoint[] = "SELECT id, name FROM customer WHERE id = 4711";
// One more than the cap, as a caller has it who does not know how many there are.
constexpr char kMany[] = "SELECT id, name FROM customer LIMIT 100001";

// A server with a table, and a bridge before it.
class Stage {
 public:
  static Stage& Get() {
    static auto* const stage = new Stage;
    return *stage;
  }

  static std::string Dsn() { return getenv("BK_BENCH_DSN"); }
  HttpClient Client() { return bridge_->Client(); }

 private:
  Stage() {
    KeepFreedMemory();  // as the program does
    auto server = support::PostgresServer::Start({"shared_buffers=128MB"});
    BK_CHECK(server.ok());
    server_ = *std::move(server);
    auto admin = support::PostgresSession::Connect(server_->Dsn());
    BK_CHECK(admin.ok());
    BK_CHECK(admin
                 ->RunScript("CREATE ROLE reader LOGIN;"
                             "CREATE TABLE customer (id int8 PRIMARY KEY, name text);"
                             "INSERT INTO customer SELECT i, 'Customer ' || i"
                             " FROM generate_series(1, 200000) i;"
                             "GRANT SELECT ON customer TO reader; ANALYZE customer")
                 .ok());
    setenv("BK_BENCH_DSN", server_->Dsn("reader").c_str(), 1);
    setenv("PGOPTIONS", "-c jit=off", 1);  // for the bare sessions: the bridge's are so
    ParsedConfig parsed = ParseBridgeConfig(kConfig);
    BK_CHECK(!HasErrors(parsed.issues));
    AppData policy;
    policy.policy.app = AppId("app");
    policy.policy.mode = Mode::kReadOnly;
    bridge_ = std::make_unique<TestBridge>(parsed.config.servers, std::move(policy),
                                           BridgeServerLimits{}, parsed.config, judge_.get());
    // `Stage` is never destroyed, and a server would outlive us.
    atexit([] {
      Get().bridge_.reset();
      Get().server_.reset();
    });
  }

  const std::unique_ptr<PayloadJudge> judge_ = MakeGuard();
  std::unique_ptr<support::PostgresServer> server_;
  std::unique_ptr<TestBridge> bridge_;
};

void RunBare(benchmark::State& state, const char* sql, size_t rows) {
  Stage::Get();
  const std::string prepare = absl::StrFormat("PREPARE bare AS %s", sql);
  const std::string reached =
      absl::StrReplaceAll(kReachedQuery, {{"$1", absl::StrFormat("'%s'", sql)}});
  for (auto _ : state) {
    auto session = support::PostgresSession::Connect(Stage::Dsn());
    BK_CHECK(session.ok());
    BK_CHECK(session->Run("BEGIN READ ONLY").ok());
    BK_CHECK(session->Run(kScopeAndRoleQuery).ok());
    BK_CHECK(session->RunScript(prepare).ok());
    BK_CHECK(session->Run(reached).ok());
    BK_CHECK(session->Run("EXECUTE bare").rows.size() >= rows);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows));
}

void RunInvoked(benchmark::State& state, const char* sql, size_t rows) {
  HttpClient client = Stage::Get().Client();
  const std::string call = absl::StrFormat(
      R"({"name":"execute_query","args":{"sql":"%s"},"connection_id":"shop"})", sql);
  const std::string want = absl::StrFormat(R"("rowCount":%d,)", rows);
  for (auto _ : state) {
    const Reply reply = client.Ask("POST", "/invoke", call);
    // An error that only stands in the report would pass for a figure.
    BK_CHECK(reply.body.find(want) != std::string::npos);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(rows));
}

void PointQueryBare(benchmark::State& state) { RunBare(state, kPoint, 1); }
void PointQueryInvoked(benchmark::State& state) { RunInvoked(state, kPoint, 1); }
void ManyRowsBare(benchmark::State& state) { RunBare(state, kMany, 100000); }
void ManyRowsInvoked(benchmark::State& state) { RunInvoked(state, kMany, 100000); }

BENCHMARK(PointQueryBare)->UseRealTime();
BENCHMARK(PointQueryInvoked)->UseRealTime();
BENCHMARK(ManyRowsBare)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(ManyRowsInvoked)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bridgekeeper::bridge
