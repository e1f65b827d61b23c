// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The machine's SQLite, in its worker process. Controls run on a copy of the file, open for
// writing, with nothing before the library.

#include "tests/integration/sandbox/sqlite_target.h"

#include <sqlite3.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "clients/bridge/sandbox/sqlite/sqlite_backend.h"
#include "policy/base/status_macros.h"
#include "policy/testing/source_file.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"
#include "tests/integration/sandbox/control.h"
#include "tests/integration/sandbox/probes.h"

namespace bridgekeeper::bridge {
namespace {

namespace fs = std::filesystem;

struct Closer {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using Database = std::unique_ptr<sqlite3, Closer>;

Database Open(const std::string& path) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database,
                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, nullptr);
  return Database(database);
}

absl::Status Script(const std::string& path, const std::string& sql) {
  const Database database = Open(path);
  return sqlite3_exec(database.get(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
             ? absl::OkStatus()
             : absl::FailedPreconditionError(sqlite3_errmsg(database.get()));
}

class SqliteTarget : public EngineTarget {
 public:
  absl::Status Prepare() {
    const char* parent = getenv("TEST_TMPDIR");
    std::string folder = std::string(parent == nullptr ? "/tmp" : parent) + "/sqlite.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return absl::FailedPreconditionError("no folder");
    folder_ = folder;
    for (const char* name : {"attacked", "base", "control", "drop"}) {
      fs::create_directory(folder_ / name);
    }
    const std::string drop = folder_ / "drop";
    words_ = {{"drop", drop},
              {"secret", drop + "/secret"},
              {"secret_database", drop + "/secret.db"},
              {"canary", std::string(kCanary)},
              {"port", absl::StrFormat("%d", listener_.port())},
              {"file", folder_ / "attacked/shop.db"}};
    std::ofstream(words_["secret"]) << kCanary;
    BK_RETURN_IF_ERROR(
        Script(words_["secret_database"],
               Fill("CREATE TABLE vault (body); INSERT INTO vault VALUES ('{canary}')")));
    BK_RETURN_IF_ERROR(Script(folder_ / "base/shop.db",
                              Fill(ReadSourceFile("tests/integration/sandbox/shop/sqlite.sql"))));
    fs::copy(folder_ / "base", folder_ / "attacked");
    fs::copy(folder_ / "drop", folder_ / "drop_base");
    setenv("BK_TEST_ATTACKED_FILE", words_["file"].c_str(), 1);
    BK_ASSIGN_OR_RETURN(DsnSource dsn, DsnSource::Variable("BK_TEST_ATTACKED_FILE"));
    backend_ = MakeSqliteBackend(
        {.id = "shop", .dsn = std::move(dsn), .program = BK_SANDBOX_WORKER}, clock_, log_);
    return absl::OkStatus();
  }

  ~SqliteTarget() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  Backend& backend() override { return *backend_; }

  State Look() override {
    State state = LookAt("attacked");
    state["session"] = NextCallOf(*backend_, kSqliteSessionQuery);
    return state;
  }

  // A call ends when its worker has answered, or is dead.
  bool Settle() override { return true; }

  std::set<std::string> Control(const std::string& sql) override {
    const std::string path = folder_ / "control/shop.db";
    words_["file"] = path;
    fs::copy_file(folder_ / "base/shop.db", path, fs::copy_options::overwrite_existing);
    const State before = LookAt("control");
    std::set<std::string> changed = RunControl("sqlite", path, Fill(sql));
    changed.merge(Changed(before, LookAt("control")));
    words_["file"] = folder_ / "attacked/shop.db";
    for (const char* name : {"control", "drop"}) {
      for (const auto& entry : fs::directory_iterator(folder_ / name)) fs::remove_all(entry.path());
    }
    fs::copy(folder_ / "drop_base", folder_ / "drop");
    return changed;
  }

 private:
  State LookAt(const std::string& name) {
    return {{"data", DigestOf(folder_ / name)},
            {"files", DigestOf(words_["drop"])},
            {"sockets", absl::StrFormat("%d", listener_.Count())}};
  }

  Listener listener_;
  RealClock clock_;
  FakeLogger log_;
  fs::path folder_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineTarget>> StartSqliteTarget() {
  auto target = std::make_unique<SqliteTarget>();
  BK_RETURN_IF_ERROR(target->Prepare());
  return target;
}

}  // namespace bridgekeeper::bridge
