// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PostgreSQL 15 with all that Debian ships. The attacker is `agent`, a role that the
// bridge accepts and that may write every table; controls run as a superuser on a
// database of their own, which is made anew after each that changed something.

#include "tests/integration/sandbox/postgres_target.h"

#include <stdlib.h>

#include <filesystem>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "clients/bridge/sandbox/postgres/postgres_backend.h"
#include "policy/base/status_macros.h"
#include "policy/testing/source_file.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"
#include "tests/integration/sandbox/probes.h"
#include "tests/support/postgres_server.h"
#include "tests/support/postgres_session.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using support::PostgresResult;
using support::PostgresServer;
using support::PostgresSession;

constexpr char kShop[] = "shop";        // under attack
constexpr char kBase[] = "base";        // what both are made from
constexpr char kControl[] = "control";  // of the controls

// Of a control, which on a busy machine makes whole extensions in it.
constexpr absl::Duration kControlTimeout = absl::Seconds(4);

// A query whose value is the text of another, one for each table of the shop.
constexpr char kTablesQuery[] = R"sql(
SELECT 'SELECT concat_ws(''|'', ' || string_agg(format(
         '(SELECT md5(string_agg(t::text, ''|'' ORDER BY t::text)) FROM %s t)', c.oid::regclass), ', '
         ORDER BY c.relname) || ')'
FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'm')
)sql";

// The catalogues: a row that is made, changed or gone shows in its number and its newest
// transaction; pg_class also changes in place.
constexpr char kDefinitionsQuery[] = R"sql(
SELECT concat_ws('|',
  (SELECT md5(string_agg(c::text, '|' ORDER BY oid)) FROM pg_class c),
  (SELECT string_agg(coalesce(last_value, -1)::text, ',' ORDER BY sequencename) FROM pg_sequences),
  (SELECT string_agg(x.name || x.state, ',' ORDER BY x.name) FROM (
    SELECT c.relname::text AS name, (xpath('/row/s/text()', query_to_xml(format(
      'SELECT count(*) || ''/'' || coalesce(max(xmin::text::int8), 0) AS s FROM pg_catalog.%I', c.relname),
      true, true, '')))[1]::text AS state
    FROM pg_class c WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r') x))
)sql";

constexpr char kServerQuery[] = R"sql(
SELECT concat_ws('|',
  (SELECT string_agg(s::text, ',' ORDER BY slot_name) FROM pg_replication_slots s),
  (SELECT string_agg(gid, ',' ORDER BY gid) FROM pg_prepared_xacts),
  (SELECT count(*) FROM pg_replication_origin),
  (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
  (SELECT max(stats_reset) FROM pg_stat_database), (SELECT max(stats_reset) FROM pg_stat_bgwriter),
  (SELECT checkpoint_lsn FROM pg_control_checkpoint()),
  pg_conf_load_time(), pg_snapshot_xmax(pg_current_snapshot()), pg_is_in_recovery())
)sql";

// Of a session that asks it. The settings are its own; a lock on `counter` is one that no
// read takes.
constexpr char kSessionQuery[] = R"sql(
SELECT concat_ws('|', current_user, session_user,
  (SELECT md5(string_agg(name || '=' || coalesce(setting, ''), ',' ORDER BY name)) FROM pg_settings
   WHERE name NOT LIKE '%.%'),
  (SELECT count(*) FROM pg_prepared_statements), (SELECT count(*) FROM pg_cursors WHERE name <> ''),
  (SELECT count(*) FROM pg_listening_channels()),
  (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid()
     AND (locktype = 'advisory' OR relation = to_regclass('public.counter'))),
  pg_my_temp_schema(), (SELECT count(*) FROM pg_class WHERE relname = 'made')) AS s
)sql";

std::string ValueOf(const PostgresResult& result) {
  if (!result.ok()) return "not read: " + result.sqlstate + " " + result.message;
  return result.rows.empty() || result.rows[0].empty() ? "" : result.rows[0][0];
}

class PostgresTarget : public EngineTarget {
 public:
  explicit PostgresTarget(std::unique_ptr<PostgresServer> server) : server_(std::move(server)) {}

  absl::Status Prepare() {
    const std::string drop = server_->data_dir() + "/../drop";
    words_ = {{"drop", drop},
              {"secret", drop + "/secret"},
              {"canary", std::string(kCanary)},
              {"port", absl::StrFormat("%d", listener_.port())},
              {"host", server_->data_dir() + "/.."},
              {"database", kShop},
              {"prepared", "other"}};
    BK_ASSIGN_OR_RETURN(PostgresSession admin, PostgresSession::Connect(server_->Dsn()));
    admin_ = std::move(admin);
    // The server's own user makes the folder, so it may write there.
    BK_RETURN_IF_ERROR(Script(*admin_, "CREATE ROLE agent LOGIN; CREATE ROLE reader LOGIN"));
    for (const char* sql : {"COPY (SELECT) TO PROGRAM 'mkdir {drop}'", "CREATE DATABASE base"}) {
      BK_RETURN_IF_ERROR(Script(*admin_, Fill(sql)));
    }
    BK_RETURN_IF_ERROR(WriteSecret());
    {
      BK_ASSIGN_OR_RETURN(PostgresSession base,
                          PostgresSession::Connect(server_->Dsn("postgres", kBase)));
      BK_RETURN_IF_ERROR(
          Script(base, Fill(ReadSourceFile("tests/integration/sandbox/shop/postgres.sql"))));
      tables_query_ = ValueOf(base.Run(kTablesQuery));
      BK_RETURN_IF_ERROR(Script(base, "VACUUM (FREEZE, ANALYZE)"));
    }
    if (!WaitUntilAlone()) return absl::FailedPreconditionError("a session of the set-up is left");
    BK_RETURN_IF_ERROR(MakeDatabase(kShop, "other"));
    BK_RETURN_IF_ERROR(MakeDatabase(kControl, "other_control"));
    BK_RETURN_IF_ERROR(
        Script(*admin_, "SELECT pg_create_physical_replication_slot('outbox', true)"));
    BK_ASSIGN_OR_RETURN(PostgresSession observer,
                        PostgresSession::Connect(server_->Dsn("postgres", kShop)));
    observer_ = std::move(observer);
    BK_RETURN_IF_ERROR(MakePeer());
    setenv("BK_TEST_ATTACKED", server_->Dsn("agent", kShop).c_str(), 1);
    BK_ASSIGN_OR_RETURN(DsnSource dsn, DsnSource::Variable("BK_TEST_ATTACKED"));
    backend_ = MakePostgresBackend(
        {.id = "shop", .dsn = std::move(dsn), .writes = false, .role_risks = {}}, clock_, log_);
    return absl::OkStatus();
  }

  Backend& backend() override { return *backend_; }

  State Look() override {
    State state = LookAt(*observer_);
    state["session"] = NextCallOf(*backend_, kSessionQuery);
    return state;
  }

  // A backend whose client is gone is there for a moment still.
  bool Settle() override {
    if (!peer_->alive() || !peer_->Run("SELECT 1").ok()) {
      if (!MakePeer().ok()) return false;
    }
    // Of a case that only the guard refuses.
    if (observer_->Run("SELECT FROM pg_prepared_xacts WHERE gid = 'made'").rows.size() == 1) {
      observer_->RunScript("ROLLBACK PREPARED 'made'");
    }
    return WaitUntilAlone();
  }

  std::set<std::string> Control(const std::string& sql) override {
    words_["database"] = kControl;
    words_["prepared"] = "other_control";
    std::set<std::string> changed = RunControl(Fill(sql));
    words_["database"] = kShop;
    words_["prepared"] = "other";
    if (changed != std::set<std::string>{"answer"} && changed != std::set<std::string>{"late"} &&
        changed != std::set<std::string>{"session"}) {
      if (const absl::Status restored = Restore(); !restored.ok()) {
        std::fprintf(stderr, "after a control: %s\n", restored.ToString().c_str());
        std::abort();
      }
    }
    return changed;
  }

 private:
  static absl::Status Script(PostgresSession& session, const std::string& sql) {
    const PostgresResult result = session.RunScript(sql);
    return result.ok()
               ? absl::OkStatus()
               : absl::FailedPreconditionError(result.message + " in " + sql.substr(0, 200));
  }

  absl::Status WriteSecret() {
    return Script(*admin_, Fill("COPY (SELECT '{canary}') TO '{secret}'"));
  }

  absl::Status MakeDatabase(const std::string& name, const std::string& prepared) {
    BK_RETURN_IF_ERROR(Script(*admin_, absl::StrFormat("CREATE DATABASE %s TEMPLATE base", name)));
    BK_RETURN_IF_ERROR(
        Script(*admin_, absl::StrFormat("ALTER DATABASE %s SET app.secret = '%s'", name, kCanary)));
    BK_ASSIGN_OR_RETURN(PostgresSession session,
                        PostgresSession::Connect(server_->Dsn("postgres", name)));
    BK_RETURN_IF_ERROR(Script(session, "BEGIN"));
    BK_RETURN_IF_ERROR(Script(session, "INSERT INTO price_history DEFAULT VALUES"));
    return Script(session, absl::StrFormat("PREPARE TRANSACTION '%s'", prepared));
  }

  // Another session of the attacker's role, whose last statement nobody should see.
  absl::Status MakePeer() {
    BK_ASSIGN_OR_RETURN(PostgresSession peer,
                        PostgresSession::Connect(server_->Dsn("agent", kShop)));
    peer_ = std::move(peer);
    words_["peer"] = ValueOf(peer_->Run("SELECT pg_backend_pid()"));
    TouchPeer();
    return absl::OkStatus();
  }
  std::string TouchPeer() { return ValueOf(peer_->Run(absl::StrFormat("SELECT '%s'", kCanary))); }

  // The server says which sessions are there: the test's own are two or three.
  bool WaitUntilAlone() {
    return support::WaitUntil([&] {
      return ValueOf(admin_->Run("SELECT count(*) FROM pg_stat_activity"
                                 " WHERE backend_type IN ('client backend', 'parallel worker')"
                                 " AND state IS DISTINCT FROM 'idle' AND pid <> pg_backend_pid()"
                                 " OR backend_type = 'client backend' AND (usename = 'agent'"
                                 " AND pid <> " +
                                 (words_.contains("peer") ? words_["peer"] : "0") +
                                 " OR datname IN ('base', 'control'))")) == "0";
    });
  }

  State LookAt(PostgresSession& database) {
    State state;
    state["data"] = ValueOf(database.Run(tables_query_)) + ValueOf(database.Run(kDefinitionsQuery));
    state["files"] = DigestOf(words_["drop"]);
    state["server"] = ValueOf(admin_->Run(kServerQuery)) + TouchPeer() + words_["peer"] +
                      DigestOf(server_->data_dir() + "/postgresql.auto.conf") +
                      DigestOf(server_->data_dir() + "/pg_snapshots") +
                      DigestOf(server_->data_dir() + "/pg_twophase");
    state["log"] = ValueOf(admin_->Run("SELECT pg_current_wal_insert_lsn()"));
    state["sockets"] = absl::StrFormat("%d", listener_.Count());
    return state;
  }

  std::set<std::string> RunControl(const std::string& sql) {
    auto session = PostgresSession::Connect(server_->Dsn("postgres", kControl));
    auto observer = PostgresSession::Connect(server_->Dsn("postgres", kControl));
    if (!session.ok() || !observer.ok()) return {"error"};
    session->RunScript(
        absl::StrFormat("SET statement_timeout = %d", absl::ToInt64Milliseconds(kControlTimeout)));
    const auto look = [&] {
      State state = LookAt(*observer);
      state["session"] = ValueOf(session->Run(kSessionQuery)) +
                         (session->InTransaction() ? " in a transaction" : "");
      return state;
    };
    const State before = look();
    const PostgresResult result = session->RunScript(sql);
    std::set<std::string> changed = Changed(before, look());
    if (result.sqlstate == "57014") changed.insert("late");
    if (!result.ok()) changed.insert("error");
    for (const auto& row : result.rows) {
      for (const std::string& value : row) {
        if (value.find(kCanary) != std::string::npos) changed.insert("answer");
      }
    }
    if (!result.ok() && sql.find(kCanary) == std::string::npos &&
        result.message.find(kCanary) != std::string::npos) {
      changed.insert("answer");
    }
    return changed;
  }

  // Everything of the cluster as it was.
  absl::Status Restore() {
    if (!WaitUntilAlone()) return absl::FailedPreconditionError("a session of a control is left");
    {
      BK_ASSIGN_OR_RETURN(PostgresSession control,
                          PostgresSession::Connect(server_->Dsn("postgres", kControl)));
      for (const auto& row :
           control.Run("SELECT gid FROM pg_prepared_xacts WHERE database = 'control'").rows) {
        BK_RETURN_IF_ERROR(Script(control, absl::StrFormat("ROLLBACK PREPARED '%s'", row[0])));
      }
      for (const auto& row : control.Run("SELECT subname FROM pg_subscription").rows) {
        BK_RETURN_IF_ERROR(Script(control, "ALTER SUBSCRIPTION " + row[0] + " DISABLE"));
        BK_RETURN_IF_ERROR(
            Script(control, "ALTER SUBSCRIPTION " + row[0] + " SET (slot_name = NONE)"));
        BK_RETURN_IF_ERROR(Script(control, "DROP SUBSCRIPTION " + row[0]));
      }
    }
    std::vector<std::string> statements = {"DROP DATABASE control WITH (FORCE)"};
    for (const auto& [query, statement] :
         {std::pair("SELECT slot_name FROM pg_replication_slots WHERE slot_name <> 'outbox'",
                    "SELECT pg_drop_replication_slot('%s')"),
          std::pair("SELECT 'outbox' WHERE NOT EXISTS (SELECT FROM pg_replication_slots "
                    "WHERE slot_name = 'outbox')",
                    "SELECT pg_create_physical_replication_slot('%s', true)"),
          std::pair("SELECT roname FROM pg_replication_origin",
                    "SELECT pg_replication_origin_drop('%s')"),
          std::pair("SELECT rolname FROM pg_roles WHERE rolname = 'made'", "DROP ROLE %s"),
          std::pair("SELECT spcname FROM pg_tablespace WHERE spcname = 'made'",
                    "DROP TABLESPACE %s")}) {
      for (const auto& row : admin_->Run(query).rows) {
        statements.push_back(absl::StrFormat(*absl::ParsedFormat<'s'>::New(statement), row[0]));
      }
    }
    for (const char* sql :
         {"ALTER SYSTEM RESET ALL", "ALTER ROLE agent NOSUPERUSER", "ALTER ROLE agent RESET ALL",
          "REVOKE pg_read_server_files FROM agent"}) {
      statements.emplace_back(sql);
    }
    for (const std::string& sql : statements) BK_RETURN_IF_ERROR(Script(*admin_, sql));
    for (const auto& entry : std::filesystem::directory_iterator(words_["drop"])) {
      std::error_code ignored;
      std::filesystem::remove_all(entry.path(), ignored);
    }
    BK_RETURN_IF_ERROR(WriteSecret());
    if (!peer_->alive() || !peer_->Run("SELECT 1").ok()) BK_RETURN_IF_ERROR(MakePeer());
    return MakeDatabase(kControl, "other_control");
  }

  Listener listener_;
  RealClock clock_;
  FakeLogger log_;
  const std::unique_ptr<PostgresServer> server_;
  std::string tables_query_;
  std::optional<PostgresSession> admin_;     // elsewhere on the server
  std::optional<PostgresSession> observer_;  // in the shop
  std::optional<PostgresSession> peer_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineTarget>> StartPostgresTarget() {
  BK_ASSIGN_OR_RETURN(
      std::unique_ptr<PostgresServer> server,
      PostgresServer::Start({"wal_level=logical", "max_prepared_transactions=10",
                             "checkpoint_timeout=1d", "max_parallel_workers=0", "jit=off",
                             "bgwriter_delay=10s", "temp_file_limit=256MB"}));
  auto target = std::make_unique<PostgresTarget>(std::move(server));
  BK_RETURN_IF_ERROR(target->Prepare());
  return target;
}

}  // namespace bridgekeeper::bridge
