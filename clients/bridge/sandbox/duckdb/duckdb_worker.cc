// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_worker.h"

#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "clients/bridge/sandbox/duckdb/duckdb_api.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"
#include "clients/bridge/sandbox/duckdb/duckdb_dsn.h"
#include "clients/bridge/sandbox/duckdb/duckdb_values.h"
#include "clients/bridge/sandbox/engine_workers.h"
#include "clients/bridge/sandbox/error_text.h"
#include "clients/bridge/sandbox/result_writer.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "policy/guard/duckdb/token.h"
#include "runtime/clock.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper::bridge {
namespace {

using MaybeError = std::optional<RunError>;

// How often a statement that is over its time is told so: the engine forgets it when a
// step of ours begins another.
constexpr absl::Duration kInterruptEvery = absl::Milliseconds(25);

constexpr std::pair<const char*, const char*> kConfig[] = {
    {"access_mode", "automatic"},
    {"allow_community_extensions", "false"},
    {"allow_persistent_secrets", "false"},
    {"allow_unredacted_secrets", "false"},
    {"allow_unsigned_extensions", "false"},
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
    {"max_temp_directory_size", "2GiB"},
    {"memory_limit", "1GB"},
    {"threads", "2"},
};

// "Catalog Error: no such table\nLINE 1: ..." is DUCKDB_CATALOG and its first line.
RunError ErrorOf(const char* text, std::string_view statement) {
  const std::string_view whole = text == nullptr ? "" : text;
  std::string_view message = whole.substr(0, whole.find('\n'));
  constexpr std::string_view kMark = " Error: ";
  const size_t mark = message.find(kMark);
  if (mark == std::string_view::npos) {
    return {"DUCKDB_ERROR", ErrorForCaller(message, statement)};
  }
  std::string code = "DUCKDB_";
  for (const char c : message.substr(0, mark)) {
    const bool is_lower = c >= 'a' && c <= 'z';
    code += is_lower ? static_cast<char>(c - 'a' + 'A') : c == ' ' ? '_' : c;
  }
  message.remove_prefix(mark + kMark.size());
  // What error() and others say is what a row holds.
  if (code == "DUCKDB_INVALID_INPUT") {
    return {code, "a value is not what a function or the engine takes"};
  }
  return {code, ErrorForCaller(WithoutNumbers(message, statement), statement)};
}

RunError NotOneChange() {
  return {
      "DUCKDB_READONLY",
      "the statement is neither a read nor a change of rows or definitions of what is attached"};
}

// Whether what was prepared changes rows or definitions.
bool IsChange(duckdb_statement_type type, std::string_view sql) {
  switch (type) {
    case DUCKDB_STATEMENT_TYPE_INSERT:
    case DUCKDB_STATEMENT_TYPE_UPDATE:
    case DUCKDB_STATEMENT_TYPE_DELETE:
    case DUCKDB_STATEMENT_TYPE_CREATE:
    case DUCKDB_STATEMENT_TYPE_ALTER:
    case DUCKDB_STATEMENT_TYPE_DROP:
      return true;
    default:  // DuckDB's numbers, and those of later releases
      break;
  }
  // The header has no number for MERGE: it is known by its first word, which no other
  // statement has.
  if (type != DUCKDB_STATEMENT_TYPE_INVALID && type <= DUCKDB_STATEMENT_TYPE_MULTI) return false;
  const duckdb::Tokens tokens = duckdb::Tokenize(sql);
  return tokens.error.empty() && !tokens.tokens.empty() && tokens.IsWord(0, "merge");
}

RunError NotOneRead() {
  return {"DUCKDB_READONLY", "the statement is more than a read, and this session only reads"};
}

// Interrupts the connection from the deadline on, until it is destroyed.
class Watch {
 public:
  Watch(const DuckdbApi& api, duckdb_connection connection, const Clock& clock, absl::Duration at)
      : thread_([this, &api, connection, &clock, at] {
          MutexLock lock(mu_);
          while (!ended_) {
            const absl::Duration left = at - clock.SinceBoot();
            if (left <= absl::ZeroDuration()) api.interrupt(connection);
            changed_.WaitFor(mu_, absl::ToChronoNanoseconds(std::max(left, kInterruptEvery)));
          }
        }) {}
  ~Watch() {
    MutexLock lock(mu_);
    ended_ = true;
    changed_.NotifyOne();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  Mutex mu_;
  CondVar changed_;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::jthread thread_;  // the last: it uses the others, and is joined first
};

// The text that EXPLAIN ANALYZE would run; nullopt: `sql` runs nothing. An empty one
// where it cannot be told.
std::optional<std::string> AnalyzedText(std::string_view sql) {
  const duckdb::Tokens tokens = duckdb::Tokenize(sql);
  size_t at = 1;
  if (!tokens.error.empty() || tokens.tokens.empty() || !tokens.IsWord(0, "explain")) return "";
  const auto is_analyze = [&](size_t i) {
    return tokens.IsWord(i, "analyze") || tokens.IsWord(i, "analyse");
  };
  bool runs = false;
  if (at < tokens.tokens.size() && is_analyze(at)) {
    runs = true;
    ++at;
  }
  if (at < tokens.tokens.size() && tokens.IsSymbol(at, '(')) {
    // Options, or a query in parentheses: of the first the end is looked for, of the
    // second the beginning.
    size_t end = at;
    while (end < tokens.tokens.size() && !tokens.IsSymbol(end, ')')) {
      runs = runs || is_analyze(end);
      ++end;
    }
    const bool is_query = at + 1 < tokens.tokens.size() &&
                          (tokens.IsSymbol(at + 1, '(') || tokens.IsWord(at + 1, "select") ||
                           tokens.IsWord(at + 1, "with") || tokens.IsWord(at + 1, "from") ||
                           tokens.IsWord(at + 1, "values") || tokens.IsWord(at + 1, "table"));
    if (!is_query) at = end + 1;
  }
  if (!runs) return std::nullopt;
  if (at >= tokens.tokens.size()) return "";
  return std::string(sql.substr(tokens.tokens[at].begin));
}

// One engine and its connection.
class Session {
 public:
  explicit Session(const DuckdbApi& api) : api_(api) {}
  ~Session() {
    if (connection_ != nullptr) api_.disconnect(&connection_);
    if (database_ != nullptr) api_.close(&database_);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  bool Open(const std::string& folder) {
    duckdb_config config = nullptr;
    bool is_open = api_.create_config(&config) == DuckDBSuccess;
    for (const auto& [name, value] : kConfig) {
      is_open = is_open && api_.set_config(config, name, value) == DuckDBSuccess;
    }
    is_open = is_open && api_.set_config(config, "temp_directory", folder.c_str()) == DuckDBSuccess;
    char* error = nullptr;
    is_open = is_open && api_.open_ext(nullptr, &database_, config, &error) == DuckDBSuccess;
    api_.free(error);
    api_.destroy_config(&config);
    return is_open && api_.connect(database_, &connection_) == DuckDBSuccess;
  }

  duckdb_connection connection() const { return connection_; }

  // Prepares the one statement of `sql` and gives it to `use`, which returns what there
  // is to say of it.
  template <typename Use>
  MaybeError WithPrepared(const std::string& sql, Use use) {
    duckdb_extracted_statements statements = nullptr;
    const idx_t count = api_.extract_statements(connection_, sql.c_str(), &statements);
    MaybeError error;
    duckdb_prepared_statement prepared = nullptr;
    if (count == 0) {
      const char* text = api_.extract_statements_error(statements);
      error = text == nullptr ? RunError{"UNSUPPORTED", "there is no statement in the text"}
                              : ErrorOf(text, sql);
    } else if (count > 1) {
      error = RunError{"UNSUPPORTED", "got more than one statement"};
    } else if (api_.prepare_extracted_statement(connection_, statements, 0, &prepared) !=
               DuckDBSuccess) {
      // The kind of a statement that was not prepared must not be asked for.
      error = ErrorOf(prepared == nullptr ? nullptr : api_.prepare_error(prepared), sql);
    } else {
      error = use(prepared);
    }
    api_.destroy_prepare(&prepared);
    api_.destroy_extracted(&statements);
    return error;
  }

  // Runs a statement of ours or of the operator's; `is_true` is its first value.
  MaybeError RunOwn(const std::string& sql, bool* is_true = nullptr) {
    return WithPrepared(sql, [&](duckdb_prepared_statement prepared) -> MaybeError {
      duckdb_result result;
      MaybeError error;
      if (api_.execute_prepared(prepared, &result) != DuckDBSuccess) {
        error = ErrorOf(api_.result_error(&result), sql);
      } else if (is_true != nullptr) {
        *is_true = api_.value_boolean(&result, 0, 0);
      }
      api_.destroy_result(&result);
      return error;
    });
  }

  // Runs the caller's.
  MaybeError Run(const Statement& statement, ResultWriter& writer) {
    return WithPrepared(statement.sql, [&](duckdb_prepared_statement prepared) -> MaybeError {
      const duckdb_statement_type type = api_.prepared_statement_type(prepared);
      if (!statement.writes || !IsChange(type, statement.sql)) {
        auto error = CheckReads(prepared, statement.sql);
        if (error && statement.writes) return NotOneChange();
        if (error) return error;
      }
      if (api_.nparams(prepared) != statement.parameters.size()) {
        return RunError{"UNSUPPORTED", "the statement has parameters, and none can be given"};
      }
      for (size_t i = 0; i < statement.parameters.size(); ++i) {
        const auto& parameter = statement.parameters[i];
        const duckdb_state bound =
            parameter
                ? api_.bind_varchar_length(prepared, i + 1, parameter->data(), parameter->size())
                : api_.bind_null(prepared, i + 1);
        if (bound != DuckDBSuccess) return RunError{"UNSUPPORTED", "an argument was not taken"};
      }
      duckdb_pending_result pending = nullptr;
      duckdb_result result = {};
      MaybeError error;
      if (api_.pending_prepared_streaming(prepared, &pending) != DuckDBSuccess) {
        error = ErrorOf(api_.pending_error(pending), statement.sql);
      } else if (api_.execute_pending(pending, &result) != DuckDBSuccess) {
        error = ErrorOf(api_.result_error(&result), statement.sql);
      } else {
        error = WriteRows(result, statement.sql, writer);
        if (!error && statement.writes) SetRowsAffected(type, result, writer);
      }
      api_.destroy_result(&result);
      api_.destroy_pending(&pending);
      return error;
    });
  }

 private:
  // What it prepared to has to be a read.
  MaybeError CheckReads(duckdb_prepared_statement prepared, const std::string& sql) {
    const duckdb_statement_type type = api_.prepared_statement_type(prepared);
    if (type == DUCKDB_STATEMENT_TYPE_SELECT) return std::nullopt;
    if (type != DUCKDB_STATEMENT_TYPE_EXPLAIN) return NotOneRead();
    const std::optional<std::string> analyzed = AnalyzedText(sql);
    if (!analyzed) return std::nullopt;
    return WithPrepared(*analyzed, [&](duckdb_prepared_statement inner) -> MaybeError {
      if (api_.prepared_statement_type(inner) == DUCKDB_STATEMENT_TYPE_SELECT) return std::nullopt;
      return NotOneRead();
    });
  }

  // What INSERT, UPDATE, DELETE or MERGE with RETURNING hands out is what it changed.
  void SetRowsAffected(duckdb_statement_type type, const duckdb_result& result,
                       ResultWriter& writer) {
    if (type == DUCKDB_STATEMENT_TYPE_SELECT || type == DUCKDB_STATEMENT_TYPE_EXPLAIN) return;
    if (api_.result_return_type(result) == DUCKDB_RESULT_TYPE_QUERY_RESULT) {
      writer.SetRowsAffected(writer.rows());
    }
  }

  // How many rows a change without RETURNING says that it changed: its one value.
  MaybeError TakeCount(duckdb_result& result, const std::string& sql, ResultWriter& writer) {
    writer.SetColumns({});
    int64_t count = 0;
    while (duckdb_data_chunk chunk = api_.fetch_chunk(result)) {
      if (api_.data_chunk_get_size(chunk) > 0) {
        count += *static_cast<const int64_t*>(
            api_.vector_get_data(api_.data_chunk_get_vector(chunk, 0)));
      }
      api_.destroy_data_chunk(&chunk);
    }
    const char* error = api_.result_error(&result);
    if (error != nullptr && *error != '\0') return ErrorOf(error, sql);
    writer.SetRowsAffected(count);
    return std::nullopt;
  }

  MaybeError WriteRows(duckdb_result& result, const std::string& sql, ResultWriter& writer) {
    if (api_.result_return_type(result) == DUCKDB_RESULT_TYPE_CHANGED_ROWS) {
      return TakeCount(result, sql, writer);
    }
    std::vector<DuckdbType> types;
    std::vector<ResultColumn> columns;
    for (idx_t i = 0; i < api_.column_count(&result); ++i) {
      types.push_back(ReadDuckdbType(api_, api_.column_logical_type(&result, i)));
      const char* name = api_.column_name(&result, i);
      columns.push_back({name == nullptr ? "" : name, types.back().name});
      if (types.back().is_readable) continue;
      return RunError{"UNSUPPORTED",
                      absl::StrFormat("column %d is of a type that cannot be shown without loss: "
                                      "cast it to VARCHAR or JSON",
                                      i + 1)};
    }
    writer.SetColumns(columns);
    while (!writer.is_cut()) {
      duckdb_data_chunk chunk = api_.fetch_chunk(result);
      if (chunk == nullptr) {
        const char* error = api_.result_error(&result);
        if (error != nullptr && *error != '\0') return ErrorOf(error, sql);
        return std::nullopt;
      }
      WriteChunk(chunk, types, writer);
      api_.destroy_data_chunk(&chunk);
    }
    return std::nullopt;
  }

  void WriteChunk(duckdb_data_chunk chunk, const std::vector<DuckdbType>& types,
                  ResultWriter& writer) {
    const idx_t size = api_.data_chunk_get_size(chunk);
    for (idx_t row = 0; row < size; ++row) {
      if (!writer.BeginRow()) return;
      for (size_t i = 0; i < types.size(); ++i) {
        WriteDuckdbValue(api_, types[i], api_.data_chunk_get_vector(chunk, i), row, writer);
      }
      if (!writer.EndRow()) return;
    }
  }

  const DuckdbApi& api_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};

// Whether another process has the database open.
bool IsLocked(const RunError& error) {
  return error.code == "DUCKDB_IO" && error.message.find("Could not set lock") != std::string::npos;
}

std::string ListOf(const std::vector<std::string>& texts) {
  std::vector<std::string> literals;
  for (const std::string& text : texts) literals.push_back(DuckdbLiteral(text));
  return "[" + absl::StrJoin(literals, ", ") + "]";
}

// True where the engine says of itself what it has to be.
std::string ScopeQuestion(const DuckdbSetup& setup, const std::string& folder, bool writes) {
  std::vector<std::string> allowed = setup.folders;
  allowed.push_back(folder + "/");
  return absl::StrFormat(
      "SELECT current_setting('lock_configuration') "
      "AND NOT current_setting('enable_external_access') "
      "AND NOT current_setting('allow_community_extensions') "
      "AND NOT current_setting('allow_unsigned_extensions') "
      "AND NOT current_setting('allow_unredacted_secrets') "
      "AND NOT current_setting('allow_persistent_secrets') "
      "AND NOT current_setting('autoinstall_known_extensions') "
      "AND NOT current_setting('autoload_known_extensions') "
      "AND current_setting('temp_directory') = %s "
      "AND list_sort(list_distinct(current_setting('allowed_directories'))) = "
      "list_sort(list_distinct(%s)) "
      "AND (SELECT count(*) FROM duckdb_databases() WHERE %s AND "
      "list_contains(%s::VARCHAR[], database_name)) = %d "
      "AND (SELECT count(*) FROM duckdb_databases() WHERE NOT internal) = %d",
      DuckdbLiteral(folder), ListOf(allowed), writes ? "NOT readonly" : "readonly",
      ListOf(setup.databases), setup.databases.size(), setup.databases.size() + 1);
}

MaybeError Harden(Session& session, const DuckdbSetup& setup, const std::string& folder,
                  bool writes) {
  const RunError no_scope = {"SCOPE", "the session is not as it must be; nothing was run"};
  for (const std::string& sql :
       {absl::StrFormat("SET allowed_directories = %s", ListOf(setup.folders)),
        std::string("SET TimeZone = 'UTC'"), std::string("SET enable_external_access = false"),
        std::string("SET lock_configuration = true")}) {
    if (session.RunOwn(sql)) return no_scope;
  }
  bool stands = false;
  if (session.RunOwn(ScopeQuestion(setup, folder, writes), &stands) || !stands) return no_scope;
  return std::nullopt;
}

RunResult Run(const DuckdbApi& api, const EngineRequest& request) {
  const RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  const absl::Duration end = begin + request.limits.timeout;
  const bool writes = request.statement.writes;
  const auto setup = ParseDuckdbDsn(request.dsn, writes);
  if (!setup.ok() || request.folder.empty()) {
    return RunError{"CONNECTION", "the database is not configured"};
  }
  if (writes) {
    // The engine would make one.
    for (const std::string& path : setup->paths) {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(path, ignored)) continue;
      return RunError{"CONNECTION", "the database cannot be set up: there is no such file"};
    }
    AllowWorkerFiles(std::max<uint64_t>(FileBytesAfterChange(setup->paths), kDuckdbSpillBytes));
  }
  Session session(api);
  if (!session.Open(request.folder)) return RunError{"CONNECTION", "the engine cannot be opened"};
  const Watch watch(api, session.connection(), clock, end);
  const auto late = [&] { return clock.SinceBoot() >= end; };
  for (const DuckdbSetup::Step& step : setup->steps) {
    MaybeError error = session.RunOwn(step.sql);
    while (error && IsLocked(*error) &&
           clock.SinceBoot() < std::min(end, begin + kDuckdbLockTimeout)) {
      poll(nullptr, 0, static_cast<int>(absl::ToInt64Milliseconds(kInterruptEvery)));
      error = session.RunOwn(step.sql);
    }
    if (!error) continue;
    if (late()) return RunError{"TIMEOUT", ""};
    // What the engine says may hold a path or a secret.
    return RunError{"CONNECTION", absl::StrFormat("the database cannot be set up: %s failed (%s)",
                                                  step.what, error->code)};
  }
  if (auto error = Harden(session, *setup, request.folder, writes)) {
    if (late()) return RunError{"TIMEOUT", ""};
    return *std::move(error);
  }
  ResultWriter writer(request.statement.shape, request.limits);
  MaybeError error;
  if (writes) error = session.RunOwn("BEGIN TRANSACTION");
  if (!error) error = session.Run(request.statement, writer);
  // Closing what has not come to its commit rolls it back.
  if (!error && writes && writer.is_cut()) {
    return RunError{"TOO_LARGE", std::string(kTooLargeChange)};
  }
  if (!error && writes && late()) return RunError{"TIMEOUT", ""};
  if (!error && writes) error = session.RunOwn("COMMIT");
  if (error) {
    if (late() || error->code == "DUCKDB_INTERRUPT") return RunError{"TIMEOUT", ""};
    return *std::move(error);
  }
  return std::move(writer).Finish(clock.SinceBoot() - begin);
}

}  // namespace

std::vector<WorkerKind> DuckdbWorkerKinds() {
  auto api = std::make_shared<absl::StatusOr<DuckdbApi>>(absl::UnavailableError(""));
  return EngineWorkerKinds({.name = kDuckdbWorker,
                            .prepare = [api] { *api = DuckdbApi::Open(DuckdbLibraryPath()); },
                            .run = [api](const EngineRequest& request) -> RunResult {
                              if (api->ok()) return Run(**api, request);
                              return RunError{"CONNECTION", "no DuckDB to run with is installed"};
                            },
                            .threads = kDuckdbThreads,
                            .max_file_bytes = kDuckdbSpillBytes});
}

}  // namespace bridgekeeper::bridge
