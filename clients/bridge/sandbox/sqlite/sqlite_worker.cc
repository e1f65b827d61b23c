// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/sqlite/sqlite_worker.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "clients/bridge/sandbox/error_text.h"
#include "clients/bridge/sandbox/result_writer.h"
#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"
#include "clients/bridge/sandbox/sqlite/sqlite_dsn.h"
#include "policy/base/strings.h"
#include "policy/guard/sqlite/inventory.h"
#include "runtime/clock.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {
namespace {

// Instructions between two looks at the clock.
constexpr int kStepsBetweenLooks = 1000;
// How long a statement waits for a lock.
constexpr absl::Duration kBusyTimeout = absl::Seconds(5);

struct DatabaseCloser {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
struct StatementCloser {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, DatabaseCloser>;
using Prepared = std::unique_ptr<sqlite3_stmt, StatementCloser>;

std::string NameOf(int code) {
  struct Row {
    int code;
    const char* name;
  };
  constexpr Row kRows[] = {
      {SQLITE_ERROR, "SQLITE_ERROR"},       {SQLITE_BUSY, "SQLITE_BUSY"},
      {SQLITE_LOCKED, "SQLITE_LOCKED"},     {SQLITE_NOMEM, "SQLITE_NOMEM"},
      {SQLITE_READONLY, "SQLITE_READONLY"}, {SQLITE_IOERR, "SQLITE_IOERR"},
      {SQLITE_CORRUPT, "SQLITE_CORRUPT"},   {SQLITE_CANTOPEN, "SQLITE_CANTOPEN"},
      {SQLITE_TOOBIG, "SQLITE_TOOBIG"},     {SQLITE_CONSTRAINT, "SQLITE_CONSTRAINT"},
      {SQLITE_MISMATCH, "SQLITE_MISMATCH"}, {SQLITE_AUTH, "SQLITE_AUTH"},
      {SQLITE_NOTADB, "SQLITE_NOTADB"},     {SQLITE_SCHEMA, "SQLITE_SCHEMA"},
      {SQLITE_FULL, "SQLITE_FULL"},
  };
  for (const Row& row : kRows) {
    if (row.code == (code & 0xff)) return row.name;
  }
  return absl::StrFormat("SQLITE_%d", code & 0xff);
}

bool IsAllowedPragma(std::string_view name, bool has_argument) {
  const auto pragma = sqlite::FindPragma(AsciiLower(name));
  if (!pragma) return false;
  switch (*pragma) {
    case sqlite::PragmaClass::kReads:
      return true;
    case sqlite::PragmaClass::kShowsOrSets:
    case sqlite::PragmaClass::kShowsOrStores:
      return !has_argument;
    case sqlite::PragmaClass::kShowsPaths:
    case sqlite::PragmaClass::kShowsOrSetsPaths:
    case sqlite::PragmaClass::kMaintains:
    case sqlite::PragmaClass::kSets:
      return false;
  }
  return false;
}

// What a change may do besides reading.
bool IsAllowedChange(int action, std::string_view other) {
  // Called by ALTER TABLE itself; a caller's text cannot name them.
  constexpr std::string_view kOfAlterTable[] = {"sqlite_drop_column", "sqlite_rename_column",
                                                "sqlite_rename_quotefix", "sqlite_rename_table",
                                                "sqlite_rename_test"};
  switch (action) {
    case SQLITE_CREATE_TABLE:
    case SQLITE_CREATE_INDEX:
    case SQLITE_CREATE_VIEW:
    case SQLITE_CREATE_TRIGGER:
    case SQLITE_DROP_TABLE:
    case SQLITE_DROP_INDEX:
    case SQLITE_DROP_VIEW:
    case SQLITE_DROP_TRIGGER:
    case SQLITE_DROP_VTABLE:
    case SQLITE_ALTER_TABLE:
    case SQLITE_REINDEX:
    case SQLITE_ANALYZE:
      return true;
    case SQLITE_CREATE_VTABLE:
      return sqlite::FindModule(AsciiLower(other)) == sqlite::ModuleClass::kPlain;
    case SQLITE_FUNCTION:
      return std::find(std::begin(kOfAlterTable), std::end(kOfAlterTable), other) !=
             std::end(kOfAlterTable);
    default:  // SQLite's numbers, and those of later releases
      return false;
  }
}

// `writes` points to whether the call is a change.
int Authorize(void* writes, int action, const char* a, const char* b, const char* database,
              const char*) {
  const auto text = [](const char* name) { return std::string_view(name == nullptr ? "" : name); };
  bool allowed = false;
  switch (action) {
    case SQLITE_SELECT:
    case SQLITE_RECURSIVE:
      allowed = true;
      break;
    case SQLITE_READ: {
      const auto does = sqlite::FindTable(AsciiLower(text(a)));
      allowed = !does || *does == sqlite::Does::kHarmless;
      break;
    }
    case SQLITE_FUNCTION: {
      const auto does = sqlite::FindFunction(AsciiLower(text(b)));
      // What they allocate, the limits of this process bound.
      allowed = does && (*does == sqlite::Does::kHarmless || *does == sqlite::Does::kAllocates ||
                         *does == sqlite::Does::kFormats);
      break;
    }
    case SQLITE_PRAGMA:
      allowed = IsAllowedPragma(text(a), b != nullptr);
      break;
    // A virtual table compiles these for itself when it is only read (R*Tree, FTS). In a
    // read the caller's own are never stepped, and the file is open for reading.
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_DELETE:
      allowed = true;
      break;
    default:  // SQLite's numbers, and those of later releases
      break;
  }
  // A name with `temp.` before it has the actions of any other.
  allowed = allowed || (*static_cast<const bool*>(writes) && text(database) != "temp" &&
                        IsAllowedChange(action, text(b)));
  return allowed ? SQLITE_OK : SQLITE_DENY;
}

struct Deadline {
  const Clock& clock;
  absl::Duration at;
  static int IsOver(void* self) {
    const auto* deadline = static_cast<const Deadline*>(self);
    return deadline->clock.SinceBoot() >= deadline->at ? 1 : 0;
  }
};

// Whether the file says that it is in WAL mode. Source: sqlite.org/fileformat.html 1.3.
bool IsInWalMode(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<unsigned char, 20> header = {};
  return file && pread(file.get(), header.data(), header.size(), 0) == ssize_t{header.size()} &&
         (header[18] == 2 || header[19] == 2);
}

std::string UriOf(const SqliteFile& file, bool writes) {
  std::string uri = "file:";
  for (const char c : file.path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '/' || c == '.' || c == '-' || c == '_';
    uri += is_plain ? std::string(1, c) : absl::StrFormat("%%%02X", static_cast<unsigned char>(c));
  }
  if (writes) return uri + "?mode=rw";
  return uri + (file.immutable ? "?mode=ro&immutable=1" : "?mode=ro");
}

RunError ErrorOf(sqlite3* database, std::string_view statement) {
  const int code = sqlite3_errcode(database);
  if ((code & 0xff) == SQLITE_INTERRUPT) return {"TIMEOUT", "the call ran out of time"};
  return {NameOf(code), ErrorForCaller(sqlite3_errmsg(database), statement)};
}

std::optional<RunError> RunOwn(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return std::nullopt;
  return ErrorOf(database, "");
}

// `request` must outlive the connection's last statement.
std::optional<RunError> Harden(sqlite3* database, const EngineRequest& request,
                               Deadline& deadline) {
  const RunLimits& limits = request.limits;
  const bool& writes = request.statement.writes;
  bool is_hard = true;
  const auto config = [&](int option, int value) {
    int now = -1;
    is_hard =
        is_hard && sqlite3_db_config(database, option, value, &now) == SQLITE_OK && now == value;
  };
  // With either on, a SELECT can run code of the caller's.
  config(SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0);
  config(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0);
  config(SQLITE_DBCONFIG_DEFENSIVE, 1);
  config(SQLITE_DBCONFIG_ENABLE_TRIGGER, writes ? 1 : 0);
  config(SQLITE_DBCONFIG_ENABLE_FKEY, writes ? 1 : 0);
  config(SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0);
  if (!is_hard) return RunError{"SCOPE", "the session is not as it must be; nothing was run"};
  const int value_bytes = writes ? kSqliteChangedValueBytes
                                 : static_cast<int>(std::clamp<int64_t>(
                                       limits.max_bytes, int64_t{1} << 20, kMaxEngineAnswerBytes));
  for (const auto& [limit, value] :
       {std::pair(SQLITE_LIMIT_LENGTH, value_bytes), std::pair(SQLITE_LIMIT_ATTACHED, 0),
        std::pair(SQLITE_LIMIT_WORKER_THREADS, 0),
        std::pair(SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000),
        std::pair(SQLITE_LIMIT_VDBE_OP, 1'000'000)}) {
    sqlite3_limit(database, limit, value);
  }
  sqlite3_busy_timeout(
      database,
      static_cast<int>(absl::ToInt64Milliseconds(std::min(kBusyTimeout, limits.timeout))));
  sqlite3_progress_handler(database, kStepsBetweenLooks, &Deadline::IsOver, &deadline);
  // Nothing that is sorted leaves this process.
  if (auto error = RunOwn(database, "PRAGMA temp_store = MEMORY")) return error;
  // The lock is taken before anything was read, so that no other writer comes between.
  if (writes) {
    if (auto error = RunOwn(database, "BEGIN IMMEDIATE")) return error;
  }
  sqlite3_set_authorizer(database, &Authorize, const_cast<bool*>(&writes));
  return std::nullopt;
}

// Compiles the one statement of `sql`.
std::optional<RunError> Prepare(sqlite3* database, const std::string& sql, bool writes,
                                Prepared& statement) {
  const char* text = sql.c_str();
  const char* const end = text + sql.size();
  while (text < end) {
    sqlite3_stmt* compiled = nullptr;
    const char* tail = nullptr;
    if (sqlite3_prepare_v3(database, text, static_cast<int>(end - text), 0, &compiled, &tail) !=
        SQLITE_OK) {
      // A second statement that cannot be compiled is one too.
      if (statement == nullptr) return ErrorOf(database, sql);
      return RunError{"UNSUPPORTED", "got more than one statement"};
    }
    Prepared next(compiled);
    if (next != nullptr && statement != nullptr) {
      return RunError{"UNSUPPORTED", "got more than one statement"};
    }
    if (next != nullptr) statement = std::move(next);
    text = tail;
  }
  if (statement == nullptr) return RunError{"UNSUPPORTED", "there is no statement in the text"};
  if (!writes && sqlite3_stmt_readonly(statement.get()) == 0) {
    return RunError{"SQLITE_READONLY", "the statement writes, and this session only reads"};
  }
  return std::nullopt;
}

void WriteValue(sqlite3_stmt* row, int column, ResultWriter& writer) {
  switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
      return writer.Null();
    case SQLITE_INTEGER:
      return writer.Integer(std::to_string(sqlite3_column_int64(row, column)));
    case SQLITE_FLOAT: {
      // The library's own text has 15 digits, which loses some.
      std::array<char, 32> digits;
      const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                     sqlite3_column_double(row, column));
      return writer.Float({digits.data(), static_cast<size_t>(end.ptr - digits.data())});
    }
    case SQLITE_BLOB: {
      const void* bytes = sqlite3_column_blob(row, column);
      return writer.Bytes({static_cast<const char*>(bytes),
                           static_cast<size_t>(sqlite3_column_bytes(row, column))});
    }
    default: {
      const unsigned char* text = sqlite3_column_text(row, column);
      return writer.Text({reinterpret_cast<const char*>(text),
                          static_cast<size_t>(sqlite3_column_bytes(row, column))});
    }
  }
}

std::optional<RunError> Commit(sqlite3* database, Deadline& deadline) {
  if (sqlite3_get_autocommit(database) != 0) {
    return RunError{"SCOPE", "the statement has ended the transaction that it ran in"};
  }
  if (Deadline::IsOver(&deadline) != 0) return RunError{"TIMEOUT", ""};
  // Nothing of the caller's is compiled any more.
  sqlite3_set_authorizer(database, nullptr, nullptr);
  return RunOwn(database, "COMMIT");
}

RunResult Run(const EngineRequest& request) {
  const RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  Deadline deadline{clock, begin + request.limits.timeout};
  const std::string& sql = request.statement.sql;
  const bool writes = request.statement.writes;
  const auto file = ParseSqliteDsn(request.dsn);
  if (!file.ok()) return RunError{"CONNECTION", "the database is not configured"};
  if (!file->immutable && !file->side_files && IsInWalMode(file->path)) {
    return RunError{"UNSUPPORTED",
                    "the database is in WAL mode: its connection must say `immutable=1` or "
                    "`side_files=allowed`"};
  }
  if (writes && file->immutable) {
    return RunError{"UNSUPPORTED", "the connection says `immutable=1`, which nobody may change"};
  }
  if (writes) AllowWorkerFiles(FileBytesAfterChange({&file->path, 1}));
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2(UriOf(*file, writes).c_str(), &opened,
                      (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) | SQLITE_OPEN_URI |
                          SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE,
                      nullptr);
  const Database database(opened);
  if (code != SQLITE_OK) return RunError{"CONNECTION", "the database cannot be opened"};
  if (auto error = Harden(opened, request, deadline)) return *std::move(error);
  Prepared statement;
  if (auto error = Prepare(opened, sql, writes, statement)) return *std::move(error);
  const auto& parameters = request.statement.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const int at = static_cast<int>(i) + 1;
    if (parameters[i]) {
      sqlite3_bind_text(statement.get(), at, parameters[i]->data(),
                        static_cast<int>(parameters[i]->size()), SQLITE_STATIC);
    } else {
      sqlite3_bind_null(statement.get(), at);
    }
  }
  ResultWriter writer(request.statement.shape, request.limits);
  std::vector<ResultColumn> columns;
  for (int i = 0; i < sqlite3_column_count(statement.get()); ++i) {
    const char* name = sqlite3_column_name(statement.get(), i);
    const char* type = sqlite3_column_decltype(statement.get(), i);
    columns.push_back({name == nullptr ? "" : name, type == nullptr ? "" : type});
  }
  writer.SetColumns(columns);
  int step = SQLITE_ROW;
  while ((step = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (!writer.BeginRow()) break;
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      WriteValue(statement.get(), i, writer);
    }
    if (!writer.EndRow()) break;
  }
  if (step == SQLITE_TOOBIG) {
    writer.CutByBytes();
  } else if (step != SQLITE_ROW && step != SQLITE_DONE) {
    return ErrorOf(opened, sql);
  }
  if (writes) {
    // Closing what has not come to its commit rolls it back.
    if (writer.is_cut()) return RunError{"TOO_LARGE", std::string(kTooLargeChange)};
    if (sqlite3_stmt_readonly(statement.get()) == 0) {
      writer.SetRowsAffected(sqlite3_changes64(opened));
    }
    statement.reset();
    if (auto error = Commit(opened, deadline)) return *std::move(error);
  }
  return std::move(writer).Finish(clock.SinceBoot() - begin);
}

}  // namespace

std::vector<WorkerKind> SqliteWorkerKinds() {
  return EngineWorkerKinds({.name = kSqliteWorker,
                            .prepare = [] { sqlite3_hard_heap_limit64(kSqliteHeapBytes); },
                            .run = Run});
}

}  // namespace bridgekeeper::bridge
