// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/engine.h"

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

#ifdef BK_WITH_DUCKDB
#include <dlfcn.h>
#include <duckdb.h>

#include <memory>
#include <utility>

#include "policy/base/status_macros.h"
#endif

namespace bridgekeeper::duckdb {

#ifndef BK_WITH_DUCKDB

absl::Status LoadEngine(const std::string&) {
  return absl::UnimplementedError("this program was built without DuckDB (BK_WITH_DUCKDB)");
}
SqlParser* LoadedEngine() { return nullptr; }

#else

namespace {

// What is called of the library, each by its name in duckdb.h.
struct Api {
#define BRIDGEKEEPER_DUCKDB_FUNCTIONS(X) \
  X(bind_varchar_length)                 \
  X(close)                               \
  X(connect)                             \
  X(create_config)                       \
  X(destroy_config)                      \
  X(destroy_extracted)                   \
  X(destroy_prepare)                     \
  X(destroy_result)                      \
  X(disconnect)                          \
  X(execute_prepared)                    \
  X(extract_statements)                  \
  X(extract_statements_error)            \
  X(free)                                \
  X(library_version)                     \
  X(open_ext)                            \
  X(prepare)                             \
  X(result_error)                        \
  X(set_config)                          \
  X(value_varchar)
#define BRIDGEKEEPER_DUCKDB_MEMBER(name) decltype(&duckdb_##name) name = nullptr;
  BRIDGEKEEPER_DUCKDB_FUNCTIONS(BRIDGEKEEPER_DUCKDB_MEMBER)
#undef BRIDGEKEEPER_DUCKDB_MEMBER

  static absl::StatusOr<Api> Open(const std::string& path) {
    // Never closed: it has threads and statics of its own.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      return absl::NotFoundError(absl::StrFormat("DuckDB's library: %s", dlerror()));
    }
    Api api;
    const char* missing = nullptr;
#define BRIDGEKEEPER_DUCKDB_FIND(name)                                              \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "duckdb_" #name)); \
  if (api.name == nullptr) missing = "duckdb_" #name;
    BRIDGEKEEPER_DUCKDB_FUNCTIONS(BRIDGEKEEPER_DUCKDB_FIND)
#undef BRIDGEKEEPER_DUCKDB_FIND
    if (missing != nullptr) {
      return absl::NotFoundError(absl::StrFormat("DuckDB's library has no `%s`", missing));
    }
    if (std::string_view(api.library_version()) != kEngineVersion) {
      return absl::FailedPreconditionError(
          absl::StrFormat("got DuckDB %s, want %s", api.library_version(), kEngineVersion));
    }
    return api;
  }
};

constexpr std::pair<const char*, const char*> kConfig[] = {
    {"access_mode", "automatic"},
    {"allow_community_extensions", "false"},
    {"allow_unsigned_extensions", "false"},
    {"autoinstall_known_extensions", "false"},
    {"autoload_known_extensions", "false"},
    {"enable_external_access", "false"},
    {"lock_configuration", "true"},
    {"memory_limit", "512MB"},
    // Types and lists of UNIONs are serialized as they were parsed, and UNION ALL
    // not as a chain whose every link holds the rest.
    {"storage_compatibility_version", "latest"},
    {"threads", "1"},
};

// A NUL in the parameter cannot be: texts are scanned first.
constexpr char kSerialize[] = "SELECT json_serialize_sql($1::VARCHAR)";

class Engine final : public SqlParser {
 public:
  explicit Engine(const Api& api) : api_(api) {}
  ~Engine() override { Close(); }
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  absl::Status Open() {
    duckdb_config config = nullptr;
    if (api_.create_config(&config) != DuckDBSuccess) {
      return absl::InternalError("DuckDB makes no configuration");
    }
    absl::Status status;
    for (const auto& [name, value] : kConfig) {
      if (api_.set_config(config, name, value) != DuckDBSuccess) {
        status = absl::InternalError(absl::StrFormat("DuckDB does not know the setting %s", name));
      }
    }
    char* error = nullptr;
    if (status.ok() && api_.open_ext(nullptr, &database_, config, &error) != DuckDBSuccess) {
      status = absl::InternalError(
          absl::StrFormat("DuckDB opens no database: %s", error == nullptr ? "" : error));
    }
    api_.free(error);
    api_.destroy_config(&config);
    BK_RETURN_IF_ERROR(status);
    if (api_.connect(database_, &connection_) != DuckDBSuccess ||
        api_.prepare(connection_, kSerialize, &serialize_) != DuckDBSuccess) {
      return absl::InternalError("DuckDB's json_serialize_sql cannot be called");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Serialize(std::string_view text) override {
    BK_RETURN_IF_ERROR(Reopen());
    duckdb_result result;
    if (api_.bind_varchar_length(serialize_, 1, text.data(), text.size()) != DuckDBSuccess) {
      return Broken("the text was not bound");
    }
    absl::StatusOr<std::string> json;
    if (api_.execute_prepared(serialize_, &result) != DuckDBSuccess) {
      const char* error = api_.result_error(&result);
      json = Broken(error == nullptr ? "no reason given" : error);
    } else if (char* const value = api_.value_varchar(&result, 0, 0)) {
      json = std::string(value);
      api_.free(value);
    } else {
      json = Broken("no answer");
    }
    api_.destroy_result(&result);
    return json;
  }

  absl::StatusOr<int> CountStatements(std::string_view text) override {
    BK_RETURN_IF_ERROR(Reopen());
    duckdb_extracted_statements statements = nullptr;
    const std::string terminated(text);
    const idx_t count = api_.extract_statements(connection_, terminated.c_str(), &statements);
    absl::StatusOr<int> answer = static_cast<int>(count);
    if (count == 0) {
      const char* error = api_.extract_statements_error(statements);
      if (error != nullptr) answer = absl::InvalidArgumentError(error);
    }
    api_.destroy_extracted(&statements);
    return answer;
  }

 private:
  // After an error of the engine's own it may be of no more use.
  absl::Status Broken(std::string_view why) {
    broken_ = true;
    return absl::UnavailableError(absl::StrFormat("DuckDB's parser: %s", why));
  }

  absl::Status Reopen() {
    if (!broken_) return absl::OkStatus();
    Close();
    BK_RETURN_IF_ERROR(Open());
    broken_ = false;
    return absl::OkStatus();
  }

  void Close() {
    if (serialize_ != nullptr) api_.destroy_prepare(&serialize_);
    if (connection_ != nullptr) api_.disconnect(&connection_);
    if (database_ != nullptr) api_.close(&database_);
  }

  const Api api_;
  duckdb_database database_ = nullptr;
  duckdb_connection connection_ = nullptr;
  duckdb_prepared_statement serialize_ = nullptr;
  bool broken_ = false;
};

Engine* loaded = nullptr;

}  // namespace

absl::Status LoadEngine(const std::string& path) {
  if (loaded != nullptr) return absl::OkStatus();
  BK_ASSIGN_OR_RETURN(const Api api, Api::Open(path));
  auto engine = std::make_unique<Engine>(api);
  BK_RETURN_IF_ERROR(engine->Open());
  loaded = engine.release();
  return absl::OkStatus();
}

SqlParser* LoadedEngine() { return loaded; }

#endif

}  // namespace bridgekeeper::duckdb
