// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DuckDB in its worker process, with a database that is attached, a folder that may be
// read, and a view over a file of it. Controls run on a copy of the database, open for
// writing, with nothing before the library.

#include "tests/integration/sandbox/duckdb_target.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/dsn_source.h"
#include "clients/bridge/sandbox/duckdb/duckdb_backend.h"
#include "policy/base/status_macros.h"
#include "policy/testing/source_file.h"
#include "runtime/clock.h"
#include "runtime/testing/fake_logger.h"
#include "tests/integration/sandbox/control.h"
#include "tests/integration/sandbox/probes.h"

namespace bridgekeeper::bridge {
namespace {

namespace fs = std::filesystem;

class DuckdbTarget : public EngineTarget {
 public:
  absl::Status Prepare() {
    const char* parent = getenv("TEST_TMPDIR");
    std::string folder = std::string(parent == nullptr ? "/tmp" : parent) + "/duckdb.XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) return absl::FailedPreconditionError("no folder");
    folder_ = folder;
    for (const char* name : {"attacked", "base", "control", "drop", "lake", "spill"}) {
      fs::create_directory(folder_ / name);
    }
    // What the engine leaves of a call would be seen there.
    setenv("TMPDIR", (folder_ / "spill").c_str(), 1);
    const std::string drop = folder_ / "drop";
    const std::string lake = folder_ / "lake/";
    words_ = {{"drop", drop},
              {"secret", drop + "/secret"},
              {"secret_csv", drop + "/secret.csv"},
              {"secret_database", drop + "/secret.duckdb"},
              {"lake", lake},
              {"canary", std::string(kCanary)},
              {"port", absl::StrFormat("%d", listener_.port())},
              {"file", folder_ / "attacked/shop.duckdb"}};
    std::ofstream(words_["secret"]) << kCanary;
    std::ofstream(words_["secret_csv"]) << "id,body\n1," << kCanary << "\n";
    std::ofstream(lake + "visit.csv")
        << "day,page,visits\n2025-01-01,/p/1,10\n2025-01-02,/p/2,20\n";
    BK_RETURN_IF_ERROR(
        Script(words_["secret_database"],
               Fill("CREATE TABLE vault (body VARCHAR); INSERT INTO vault VALUES ('{canary}')")));
    BK_RETURN_IF_ERROR(Script(folder_ / "base/shop.duckdb",
                              Fill(ReadSourceFile("tests/integration/sandbox/shop/duckdb.sql"))));
    fs::copy(folder_ / "base", folder_ / "attacked");
    fs::copy(folder_ / "drop", folder_ / "drop_base");
    setenv("BK_TEST_ATTACKED_LAKE",
           Fill(R"x({"attach": {"shop": "{file}"}, "folders": ["{lake}"],
                     "views": {"visit": "SELECT * FROM read_csv('{lake}visit.csv')"}})x")
               .c_str(),
           1);
    BK_ASSIGN_OR_RETURN(DsnSource dsn, DsnSource::Variable("BK_TEST_ATTACKED_LAKE"));
    backend_ = MakeDuckdbBackend(
        {.id = "shop", .dsn = std::move(dsn), .program = BK_SANDBOX_WORKER}, clock_, log_);
    return absl::OkStatus();
  }

  ~DuckdbTarget() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  Backend& backend() override { return *backend_; }

  State Look() override {
    State state = LookAt("attacked");
    state["session"] = NextCallOf(*backend_, kDuckdbSessionQuery);
    return state;
  }

  // A call ends when its worker has answered, or is dead.
  bool Settle() override { return true; }

  std::set<std::string> Control(const std::string& sql) override {
    const std::string path = folder_ / "control/shop.duckdb";
    words_["file"] = path;
    fs::copy_file(folder_ / "base/shop.duckdb", path, fs::copy_options::overwrite_existing);
    const State before = LookAt("control");
    std::set<std::string> changed = RunControl("duckdb", path, Fill(sql));
    changed.merge(Changed(before, LookAt("control")));
    words_["file"] = folder_ / "attacked/shop.duckdb";
    for (const char* name : {"control", "drop"}) {
      for (const auto& entry : fs::directory_iterator(folder_ / name)) fs::remove_all(entry.path());
    }
    fs::copy(folder_ / "drop_base", folder_ / "drop");
    return changed;
  }

 private:
  static absl::Status Script(const std::string& path, const std::string& sql) {
    const std::set<std::string> words = RunControl("duckdb", path, sql);
    if (!words.contains("error")) return absl::OkStatus();
    return absl::FailedPreconditionError("the set-up did not run");
  }

  State LookAt(const std::string& name) {
    return {{"data", DigestOf(folder_ / name) + DigestOf(folder_ / "lake")},
            {"files", DigestOf(words_["drop"]) + DigestOf(folder_ / "spill")},
            {"sockets", absl::StrFormat("%d", listener_.Count())}};
  }

  Listener listener_;
  RealClock clock_;
  FakeLogger log_;
  fs::path folder_;
  std::unique_ptr<Backend> backend_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EngineTarget>> StartDuckdbTarget() {
  auto target = std::make_unique<DuckdbTarget>();
  BK_RETURN_IF_ERROR(target->Prepare());
  return target;
}

}  // namespace bridgekeeper::bridge
