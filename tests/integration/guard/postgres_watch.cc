// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/postgres_watch.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <utility>

namespace bridgekeeper {
namespace {

using support::PostgresResult;
using support::PostgresSession;

// Of the session itself, asked after the rollback. A library that is loaded on its
// first call brings settings with a point in their names.
constexpr char kSessionState[] = R"(
select current_user, session_user,
       (select md5(string_agg(name || '=' || coalesce(setting, ''), ',' order by name)) from pg_settings
        where name not like '%.%'),
       (select count(*) from pg_prepared_statements), (select count(*) from pg_cursors),
       (select count(*) from pg_listening_channels()),
       (select count(*) from pg_locks where pid = pg_backend_pid() and locktype = 'advisory'),
       pg_my_temp_schema()
)";

// Of the cluster. A read uses up no transaction id.
constexpr char kClusterState[] = R"(
select (select string_agg(slot_name || coalesce(restart_lsn::text, '') || coalesce(confirmed_flush_lsn::text, ''), ',')
        from pg_replication_slots),
       (select count(*) from pg_prepared_xacts),
       (select count(*) from pg_locks where locktype = 'advisory'),
       (select count(*) from pg_stat_activity where backend_type not in ('parallel worker')),
       (select count(*) from pg_class), (select count(*) from pg_proc), (select count(*) from pg_largeobject_metadata),
       (select count(*) from pg_replication_origin),
       (select string_agg(coalesce(last_value, -1)::text, ',' order by schemaname, sequencename) from pg_sequences),
       (select max(stats_reset) from pg_stat_database), (select max(stats_reset) from pg_stat_bgwriter),
       (select pending_restart or false from pg_settings order by 1 desc limit 1),
       pg_conf_load_time(), pg_snapshot_xmax(pg_current_snapshot()), pg_is_in_recovery()
)";

// Planning a write, and asking a sequence for its last value, takes RowExclusiveLock,
// which stands in no reader's or writer's way.
constexpr char kLocks[] = R"(
select coalesce(string_agg(distinct locktype || ' ' || mode, ', '), '') from pg_locks
where pid = pg_backend_pid() and mode not in ('AccessShareLock', 'RowExclusiveLock') and locktype <> 'virtualxid'
)";

std::string Text(const PostgresResult& result) {
  if (!result.ok()) return "state not read: " + result.message;
  std::string out;
  for (const auto& row : result.rows) {
    for (const std::string& value : row) out += value + "|";
  }
  return out;
}

// Names of the files that make a server what it is, less what every session or
// checkpoint changes.
std::string Files(const std::string& data_dir) {
  std::set<std::string> names;
  for (const char* folder : {"", "global", "pg_logical", "pg_logical/snapshots",
                             "pg_logical/mappings", "pg_replslot", "pg_snapshots", "pg_tblspc",
                             "pg_twophase", "pg_wal", "pg_wal/archive_status", "pg_notify"}) {
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(data_dir + "/" + folder, ignored)) {
      const std::string name = entry.path().filename();
      if (name != "pg_internal.init") names.insert(std::string(folder) + "/" + name);
    }
  }
  std::string out;
  for (const std::string& name : names) out += name + " ";
  return out;
}

PostgresSession Connect(const std::string& dsn) {
  auto session = PostgresSession::Connect(dsn);
  EXPECT_TRUE(session.ok()) << session.status();
  return *std::move(session);
}

}  // namespace

ReadOnlyRunner::ReadOnlyRunner(const support::PostgresServer& server, std::string user)
    : server_(server), user_(std::move(user)), observer_(Connect(server.Dsn())) {
  observer_->RunScript("set jit = off");
}

PostgresSession& ReadOnlyRunner::Session() {
  if (!session_.has_value() || !session_->alive()) {
    session_.reset();
    session_ = Connect(server_.Dsn(user_));
    session_->RunScript(
        "set statement_timeout = '500ms'; set lock_timeout = '200ms'; set jit = off");
    // What a session reads first fills its caches.
    session_->Run(kSessionState);
  }
  return *session_;
}

ReadOnlyRunner::Outcome ReadOnlyRunner::Run(const std::string& sql) {
  Outcome outcome;
  PostgresSession& session = Session();
  session.RunScript("begin read only");
  const PostgresResult result = session.Run(sql);
  outcome.sqlstate = result.sqlstate;
  outcome.message = result.message;
  outcome.left_transaction = session.alive() && !session.InTransaction();
  if (result.ok() && !outcome.left_transaction) outcome.locks = session.Run(kLocks).rows[0][0];
  if (session.alive()) session.RunScript("rollback");
  // What left the transaction, or broke the session, is not reused.
  if (outcome.left_transaction || !session.alive()) session_.reset();
  return outcome;
}

std::string ReadOnlyRunner::State() {
  std::string session = Text(Session().Run(kSessionState));
  return session + "\n" + Text(observer_->Run(kClusterState)) + "\n" + Files(server_.data_dir());
}

std::string ReadOnlyRunner::WalPosition() {
  return Text(observer_->Run("select pg_current_wal_insert_lsn()"));
}

}  // namespace bridgekeeper
