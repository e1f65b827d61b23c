// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/postgres_server.h"

#include <libpq-fe.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "runtime/clock.h"
#include "tests/support/wait.h"

namespace bridgekeeper::support {
namespace {

constexpr char kBinaries[] = "/usr/lib/postgresql/15/bin";

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The command as an unprivileged user where we are root, which PostgreSQL refuses,
// with its output in a file: nobody empties a pipe.
ProcessSpec Unprivileged(std::vector<std::string> command, const std::string& log) {
  std::vector<std::string> whole;
  if (geteuid() == 0) {
    whole = {"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"};
  }
  for (const char* part : {"/bin/sh", "-c", "log=$1; shift; exec \"$@\" >>\"$log\" 2>&1", "sh"}) {
    whole.emplace_back(part);
  }
  whole.push_back(log);
  for (std::string& part : command) whole.push_back(std::move(part));
  return {.command = std::move(whole),
          .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"},
          .working_directory = "/"};
}

// Runs a command to its end.
absl::Status Run(const ProcessSpec& spec, const std::string& log) {
  BK_ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Spawn(spec));
  pollfd ended = {process.exit_fd(), POLLIN, 0};
  poll(&ended, 1, static_cast<int>(absl::ToInt64Milliseconds(2 * kDeadline)));
  const auto exit = process.ExitStatus();
  if (!exit.has_value() || *exit != ProcessExit{}) {
    return absl::FailedPreconditionError("initdb failed:\n" + ReadFile(log));
  }
  return absl::OkStatus();
}

// An empty folder that the unprivileged user owns.
absl::StatusOr<std::string> MakeFolder() {
  const char* parent = std::getenv("TEST_TMPDIR");
  const std::string base = parent != nullptr ? parent : "/tmp";
  std::string folder = base + "/pg.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::FailedPreconditionError("no temporary folder in " + base);
  }
  if (geteuid() != 0) return folder;
  const passwd* nobody = getpwnam("nobody");
  // The test's own folder is closed to others; passing through it is enough.
  if (parent != nullptr) chmod(parent, 0711);
  if (nobody == nullptr || chown(folder.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
    return absl::FailedPreconditionError("no user `nobody` to run PostgreSQL");
  }
  return folder;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PostgresServer>> PostgresServer::Start(
    const std::vector<std::string>& settings) {
  if (access((std::string(kBinaries) + "/postgres").c_str(), X_OK) != 0) {
    return absl::NotFoundError(absl::StrFormat("no PostgreSQL 15 in %s", kBinaries));
  }
  BK_ASSIGN_OR_RETURN(const std::string folder, MakeFolder());
  const std::string log = folder + "/log";
  const std::string data = folder + "/data";
  BK_RETURN_IF_ERROR(Run(Unprivileged({std::string(kBinaries) + "/initdb", "-D", data, "-U",
                                       "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"},
                                      log),
                         log));

  std::vector<std::string> command = {std::string(kBinaries) + "/postgres", "-D", data};
  std::vector<std::string> all = {"listen_addresses=", "unix_socket_directories=" + folder,
                                  "fsync=off", "autovacuum=off", "log_statement=none"};
  all.insert(all.end(), settings.begin(), settings.end());
  for (std::string& setting : all) {
    command.emplace_back("-c");
    command.push_back(std::move(setting));
  }
  BK_ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Spawn(Unprivileged(command, log)));
  std::unique_ptr<PostgresServer> server(new PostgresServer(folder, std::move(process)));
  const std::string dsn = server->Dsn();
  const bool up = WaitUntil([&] {
    return PQping(dsn.c_str()) == PQPING_OK || server->process_.ExitStatus().has_value();
  });
  if (!up || server->process_.ExitStatus().has_value()) {
    return absl::FailedPreconditionError("PostgreSQL did not start:\n" + server->Log());
  }
  return server;
}

PostgresServer::PostgresServer(std::string folder, ChildProcess process)
    : folder_(std::move(folder)), process_(std::move(process)) {}

PostgresServer::~PostgresServer() {
  // A fast shutdown, which ends sessions that a test left open.
  process_.SignalGroup(SIGINT);
  process_.Stop(kDeadline, RealClock());
  std::error_code ignored;  // what is left goes with the test's own folder
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresServer::Dsn(std::string_view user, std::string_view database) const {
  return absl::StrFormat("host=%s user=%s dbname=%s connect_timeout=10", folder_, user, database);
}

std::string PostgresServer::Log() const { return ReadFile(folder_ + "/log"); }

}  // namespace bridgekeeper::support
