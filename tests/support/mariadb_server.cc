// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/mariadb_server.h"

#include <mysql.h>
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

constexpr char kServer[] = "/usr/sbin/mariadbd";
constexpr char kScripts[] = "/usr/share/mysql";

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// `script` with its arguments, as an unprivileged user where we are root, with its
// output in a file: nobody empties a pipe.
ProcessSpec Unprivileged(const std::string& script, std::vector<std::string> arguments) {
  std::vector<std::string> whole;
  if (geteuid() == 0) {
    whole = {"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"};
  }
  for (const std::string& part :
       {std::string("/bin/sh"), std::string("-c"), script, std::string("sh")}) {
    whole.push_back(part);
  }
  for (std::string& argument : arguments) whole.push_back(std::move(argument));
  return {.command = std::move(whole),
          .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C.UTF-8", "TZ=UTC"},
          .working_directory = "/"};
}

// An empty folder that the unprivileged user owns.
absl::StatusOr<std::string> MakeFolder() {
  const char* parent = std::getenv("TEST_TMPDIR");
  const std::string base = parent != nullptr ? parent : "/tmp";
  std::string folder = base + "/md.XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::FailedPreconditionError("no temporary folder in " + base);
  }
  if (geteuid() != 0) return folder;
  const passwd* nobody = getpwnam("nobody");
  // The test's own folder is closed to others; passing through it is enough.
  if (parent != nullptr) chmod(parent, 0711);
  if (nobody == nullptr || chown(folder.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
    return absl::FailedPreconditionError("no user `nobody` to run MariaDB");
  }
  return folder;
}

// What every start is given. Nothing that the server does by itself may look like a
// statement's doing.
std::vector<std::string> Options(const std::string& folder) {
  return {"--no-defaults",
          "--datadir=" + folder + "/data",
          "--tmpdir=" + folder + "/tmp",
          "--skip-networking",
          "--innodb-buffer-pool-size=24M",
          "--innodb-log-file-size=8M",
          "--innodb-flush-log-at-trx-commit=0",
          "--innodb-stats-auto-recalc=0"};
}

// Makes the tables that the server keeps for itself. Each command of a bootstrap is a
// line of its own.
absl::Status Bootstrap(const std::string& folder, const std::string& log) {
  std::vector<std::string> arguments = {log, folder, kScripts, kServer};
  for (std::string& option : Options(folder)) arguments.push_back(std::move(option));
  const ProcessSpec spec = Unprivileged(
      "log=$1 folder=$2 scripts=$3; shift 3; exec >>\"$log\" 2>&1\n"
      "mkdir \"$folder/data\" \"$folder/tmp\" || exit 1\n"
      "{ printf 'create database if not exists mysql;\\nuse mysql;\\n"
      "set @auth_root_socket=NULL;\\n'\n"
      "  cat \"$scripts/mysql_system_tables.sql\" \"$scripts/mysql_performance_tables.sql\""
      " \"$scripts/mysql_system_tables_data.sql\"; } | \"$@\" --bootstrap --log-warnings=0",
      std::move(arguments));
  BK_ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Spawn(spec));
  pollfd ended = {process.exit_fd(), POLLIN, 0};
  poll(&ended, 1, static_cast<int>(absl::ToInt64Milliseconds(4 * kDeadline)));
  const auto exit = process.ExitStatus();
  if (!exit.has_value() || *exit != ProcessExit{}) {
    return absl::FailedPreconditionError("the bootstrap failed:\n" + ReadFile(log));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<MariadbServer>> MariadbServer::Start(
    const std::vector<std::string>& settings) {
  if (access(kServer, X_OK) != 0) {
    return absl::NotFoundError(absl::StrFormat("no MariaDB at %s", kServer));
  }
  BK_ASSIGN_OR_RETURN(const std::string folder, MakeFolder());
  const std::string log = folder + "/log";
  BK_RETURN_IF_ERROR(Bootstrap(folder, log));

  std::vector<std::string> arguments = {log, kServer};
  for (std::string& option : Options(folder)) arguments.push_back(std::move(option));
  arguments.push_back("--socket=" + folder + "/socket");
  for (const std::string& setting : settings) arguments.push_back("--" + setting);
  BK_ASSIGN_OR_RETURN(ChildProcess process,
                      ChildProcess::Spawn(Unprivileged("log=$1; shift; exec \"$@\" >>\"$log\" 2>&1",
                                                       std::move(arguments))));
  std::unique_ptr<MariadbServer> server(new MariadbServer(folder, std::move(process)));
  const bool up = WaitUntil([&] {
    return MariadbSession::Connect(server->socket(), "root", "").ok() ||
           server->process_.ExitStatus().has_value();
  });
  if (!up || server->process_.ExitStatus().has_value()) {
    return absl::FailedPreconditionError("MariaDB did not start:\n" + server->Log());
  }
  return server;
}

MariadbServer::MariadbServer(std::string folder, ChildProcess process)
    : folder_(std::move(folder)), process_(std::move(process)) {}

MariadbServer::~MariadbServer() {
  process_.Stop(kDeadline, RealClock());
  std::error_code ignored;  // what is left goes with the test's own folder
  std::filesystem::remove_all(folder_, ignored);
}

std::string MariadbServer::Log() const { return ReadFile(folder_ + "/log"); }

void MariadbSession::Closer::operator()(st_mysql* connection) const { mysql_close(connection); }

absl::StatusOr<MariadbSession> MariadbSession::Connect(const std::string& socket,
                                                       const std::string& user,
                                                       const std::string& database) {
  MariadbSession session(mysql_init(nullptr));
  st_mysql* const connection = session.connection_.get();
  mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  const unsigned seconds = 10;
  mysql_options(connection, MYSQL_OPT_CONNECT_TIMEOUT, &seconds);
  if (mysql_real_connect(connection, nullptr, user.c_str(), nullptr,
                         database.empty() ? nullptr : database.c_str(), 0, socket.c_str(),
                         CLIENT_MULTI_STATEMENTS) == nullptr) {
    return absl::UnavailableError(mysql_error(connection));
  }
  return session;
}

MariadbResult MariadbSession::Run(const std::string& sql) {
  st_mysql* const connection = connection_.get();
  MariadbResult out;
  int next = mysql_real_query(connection, sql.data(), sql.size());
  while (next == 0) {
    ++out.results;
    if (MYSQL_RES* const result = mysql_store_result(connection)) {
      while (MYSQL_ROW row = mysql_fetch_row(result)) {
        if (out.results > 1) continue;
        auto& values = out.rows.emplace_back();
        const unsigned long* const sizes = mysql_fetch_lengths(result);
        for (unsigned i = 0; i < mysql_num_fields(result); ++i) {
          values.push_back(row[i] == nullptr ? "\\N" : std::string(row[i], sizes[i]));
        }
      }
      mysql_free_result(result);
    } else if (mysql_errno(connection) != 0) {
      break;  // it failed while its rows were made
    }
    next = mysql_next_result(connection);
  }
  out.code = mysql_errno(connection);
  out.message = mysql_error(connection);
  return out;
}

}  // namespace bridgekeeper::support
