// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs a text on an engine that is a library, with nothing before it, and says what came
// of it: in a process of its own, so that it may crash, stall and eat memory.
//
//   sandbox_control ENGINE DATABASE TEXT REPORT
//
// The report is a file: words of EngineTarget::Control(), `end` and the engine's error. It
// is not there where the process died; of SIGALRM, where the text took too long.

#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "tests/integration/sandbox/control.h"
#include "tests/integration/sandbox/probes.h"

#ifdef BK_WITH_DUCKDB
#include <duckdb.h>
#endif

namespace bridgekeeper::bridge {
namespace {

struct Answer {
  std::string rows;
  std::string error;  // empty: none
};

class Engine {
 public:
  virtual ~Engine() = default;
  virtual Answer Run(const std::string& sql) = 0;
  // What the next statement of the connection meets.
  virtual std::string Session() = 0;
};

class Sqlite : public Engine {
 public:
  explicit Sqlite(const std::string& path) {
    sqlite3* database = nullptr;
    sqlite3_open_v2(path.c_str(), &database,
                    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nullptr);
    database_.reset(database);
  }

  Answer Run(const std::string& sql) override {
    Answer answer;
    char* error = nullptr;
    const int code = sqlite3_exec(
        database_.get(), sql.c_str(),
        [](void* out, int count, char** values, char**) {
          for (int i = 0; i < count; ++i) {
            static_cast<Answer*>(out)->rows += values[i] == nullptr ? "NULL" : values[i];
            static_cast<Answer*>(out)->rows += '|';
          }
          return 0;
        },
        &answer, &error);
    if (code != SQLITE_OK) answer.error = error == nullptr ? sqlite3_errstr(code) : error;
    sqlite3_free(error);
    return answer;
  }

  std::string Session() override {
    std::string state;
    for (const char* sql :
         {kSqliteSessionQuery, "SELECT count(*) FROM pragma_database_list WHERE name <> 'temp'",
          "SELECT count(*) FROM sqlite_temp_schema", "PRAGMA temp_store_directory",
          "PRAGMA mmap_size", "PRAGMA locking_mode", "PRAGMA journal_mode",
          "PRAGMA journal_size_limit", "PRAGMA max_page_count"}) {
      const Answer answer = Run(sql);
      state += answer.rows + answer.error + "|";
    }
    return state + (sqlite3_get_autocommit(database_.get()) != 0 ? "" : " in a transaction");
  }

 private:
  struct Closer {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  std::unique_ptr<sqlite3, Closer> database_;
};

#ifdef BK_WITH_DUCKDB
class Duckdb : public Engine {
 public:
  explicit Duckdb(const std::string& path) {
    duckdb_config config = nullptr;
    duckdb_create_config(&config);
    // A download would be no answer.
    duckdb_set_config(config, "autoinstall_known_extensions", "false");
    duckdb_set_config(config, "threads", "2");
    duckdb_open_ext(path.c_str(), &database_, config, nullptr);
    duckdb_destroy_config(&config);
    duckdb_connect(database_, &connection_);
  }
  ~Duckdb() override {
    duckdb_disconnect(&connection_);
    duckdb_close(&database_);
  }
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;

  Answer Run(const std::string& sql) override {
    Answer answer;
    duckdb_result result = {};
    if (duckdb_query(connection_, sql.c_str(), &result) != DuckDBSuccess) {
      const char* error = duckdb_result_error(&result);
      answer.error = error == nullptr ? "an error" : error;
    } else {
      for (idx_t row = 0; row < duckdb_row_count(&result); ++row) {
        for (idx_t column = 0; column < duckdb_column_count(&result); ++column) {
          char* text = duckdb_value_varchar(&result, column, row);
          answer.rows += text == nullptr ? "NULL" : text;
          answer.rows += '|';
          duckdb_free(text);
        }
      }
    }
    duckdb_destroy_result(&result);
    return answer;
  }

  std::string Session() override {
    // A profile of the long query below takes minutes to draw.
    const Answer profiling = Run("SELECT current_setting('enable_profiling')");
    Run("PRAGMA disable_profiling");
    const bool was_free = Run("BEGIN").error.empty();
    const Answer answer = Run(kDuckdbSessionQuery);
    if (was_free) Run("ROLLBACK");
    return profiling.rows + answer.rows + answer.error + (was_free ? "" : " in a transaction");
  }

 private:
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
};
#endif

std::unique_ptr<Engine> Open(const std::string& name, const std::string& path) {
  if (name == "sqlite") return std::make_unique<Sqlite>(path);
#ifdef BK_WITH_DUCKDB
  if (name == "duckdb") return std::make_unique<Duckdb>(path);
#endif
  return nullptr;
}

int Main(const std::string& name, const std::string& path, const std::string& sql,
         const std::string& report) {
  // What is eaten here is nobody else's.
  const rlimit most = {kControlMemory, kControlMemory};
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_AS, &most);
  setrlimit(RLIMIT_CORE, &no_core);
  // What it prints, a profile for one, nobody empties.
  if (std::freopen("/dev/null", "w", stdout) == nullptr) return 2;
  std::unique_ptr<Engine> engine = Open(name, path);
  if (engine == nullptr) return 2;
  // The database's own state is read once before, so that it is not the look that
  // changes it.
  const std::string before = engine->Session();
  const int64_t memory = PeakMemory();
  alarm(kControlSeconds);
  const Answer answer = engine->Run(sql);
  alarm(0);
  std::string words = answer.error.empty() ? "" : "error ";
  if (PeakMemory() - memory > kControlBloat || answer.error.find("emory") != std::string::npos) {
    words += "memory ";
  }
  if (engine->Session() != before) words += "session ";
  if (answer.rows.find(kCanary) != std::string::npos ||
      (sql.find(kCanary) == std::string::npos && answer.error.find(kCanary) != std::string::npos)) {
    words += "answer ";
  }
  engine->Run("ROLLBACK");
  engine.reset();
  std::ofstream(report) << words << "end " << answer.error;
  return 0;
}

}  // namespace
}  // namespace bridgekeeper::bridge

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  return bridgekeeper::bridge::Main(argv[1], argv[2], argv[3], argv[4]);
}
