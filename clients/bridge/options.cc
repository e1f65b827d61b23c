// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/options.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "clients/bridge/metrics/metrics_server.h"
#include "policy/base/strings.h"
#include "policy/guard/dialects.h"
#include "policy/model/ids.h"
#include "runtime/process.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kUsage =
    R"(keeper-bridge stands between an MCP client and an MCP server and lets pass what the
policy allows.

usage:
  keeper-bridge stdio --app APP [FLAGS] -- COMMAND [ARGUMENTS...]
  keeper-bridge serve --config FILE [FLAGS]
  keeper-bridge query --config FILE --connection ID [FLAGS] [SQL | -]
  keeper-bridge check --config FILE [FLAGS]
  keeper-bridge --version

`stdio` stands in front of one server and speaks to the client that starts it, `serve` in
front of many and speaks HTTP. `query` runs one statement on a database of a configuration
as an agent would, `check` says what is wrong with its databases. Each lists its flags with
--help.
)";

constexpr std::string_view kStdioHelp =
    R"(Starts an MCP server that speaks stdio and bridges it to this program's own standard
streams: put it into a client's configuration in place of the server's command.

usage: keeper-bridge stdio --app APP [FLAGS] -- COMMAND [ARGUMENTS...]

  --app APP               the app whose policy holds
  --server NAME           the server's name in the catalogue (stdio)
  --connection ID         the connection that the server is fixed to (none)
  --connection-type TYPE  its type, where it has no record: names the SQL dialect
  --catalog data-studio   the built-in catalogue covers this server's tools
  --keeper ADDRESS        where keeperd is ($KEEPER_ADDRESS, else 127.0.0.1:7420)
  --readonly              only calls that read
  --policy-wait TIME      how long the first request waits for the policy (3s)
  --metrics-address ADDR  serve Prometheus metrics on a loopback IP:PORT (nowhere)

environment: KEEPER_ADDRESS, KEEPER_TOKEN, KEEPER_TOKEN_FILE, KEEPER_CA, KEEPER_CERT,
KEEPER_KEY. No variable that begins with KEEPER_ reaches the server.

exit: 0 the client ended or a signal came, 1 the server ended, 2 usage, 3 the server could
not be started

examples:
  keeper-bridge stdio --app dockit -- npx -y @modelcontextprotocol/server-everything
  keeper-bridge stdio --app sqlkit --server notes --connection prod --readonly -- notes-mcp
)";

constexpr std::string_view kServeHelp =
    R"(Serves MCP over HTTP on a loopback address, in front of the servers of a configuration:
http://127.0.0.1:9120/mcp for all of them, /servers/NAME/mcp for one.

usage: keeper-bridge serve --config FILE [FLAGS]

  --config FILE           the configuration, YAML or JSON
  --announce APP          write the port file of dockit or sqlkit, so that data-studio
                          finds this bridge in its place
  --check-config          read the configuration and end
  --reload-on-change      read the configuration again when its file changes, too

environment: KEEPER_ADDRESS, KEEPER_TOKEN, KEEPER_TOKEN_FILE, KEEPER_CA, KEEPER_CERT,
KEEPER_KEY, for what the configuration leaves out.

A server is a command that speaks MCP on its standard streams, or a `url` that speaks
Streamable HTTP, with `headers` from variables or files of the bridge alone.

Not served yet, and refused at the start: `connections` to anything but PostgreSQL, DuckDB
and SQLite, `writes` to the last two, more than one keeperd.

SIGHUP reads the configuration again. It is put in force whole, or the old one stays and
the log, /health and /metrics say so; servers that are the same go on. Another `listen` or
`announce` wants a restart. With --reload-on-change a change of the file does the same for
what opens nothing; a new server, another command, app or keeperd and the like wait for
SIGHUP, and the log tells the difference.

exit: 0 a signal came, or the configuration is valid; 2 usage or configuration, 3 the
bridge could not be started

examples:
  keeper-bridge serve --config keeper-bridge.yaml --check-config
  keeper-bridge serve --config keeper-bridge.yaml
)";

constexpr std::string_view kQueryHelp =
    R"(Runs one statement on a database of a configuration: by the same way as an agent's call
of `sqlkit__execute_query`, judged, decided by keeperd's policy, run under the same limits,
reported.

usage: keeper-bridge query --config FILE --connection ID [FLAGS] [SQL | -]

  SQL                     the statement; `-` or nothing: read it from standard input
  --config FILE           the configuration of `keeper-bridge serve`
  --connection ID         the database, one of its `connections`
  --write                 it may insert, update or merge, as `sqlkit__execute_write`; the
                          connection must say `writes: allowed`. What deletes or changes
                          definitions is denied here
  -o, --output FORMAT     table, json or csv (table)

Only the result is printed on standard output; a result that a limit cut, a denial and an
error are told on standard error. In csv a NULL is empty and an empty text is "".

environment: as for `serve`

exit: 0 it ran, 1 the database did not run it, 2 usage or configuration, 3 it was denied

examples:
  keeper-bridge query --config keeper-bridge.yaml --connection shop 'SELECT count(*) FROM t'
  keeper-bridge query --config keeper-bridge.yaml --connection shop -o csv - < report.sql
)";

constexpr std::string_view kCheckHelp =
    R"(Looks at the databases of a configuration: whether each can be reached, what its role
could do besides reading, and the SQL that makes a role that only reads. Runs nothing but
reads of our own; asks no keeperd.

usage: keeper-bridge check --config FILE [FLAGS]

  --config FILE           the configuration of `keeper-bridge serve`
  --connection ID         only this one of its `connections`
  -o, --output FORMAT     table or json (table)

exit: 0 calls on each would run, 1 one would be refused, 2 usage or configuration

examples:
  keeper-bridge check --config keeper-bridge.yaml
  keeper-bridge check --config keeper-bridge.yaml --connection shop -o json
)";

Printout Error(std::string message, std::string_view verb = "stdio") {
  return {absl::StrFormat("keeper-bridge: error: %s\n`keeper-bridge %s --help` lists the flags\n",
                          message, verb),
          ExitCode::kUsage};
}

std::string Quote(std::string_view text) { return "`" + EscapeForPeople(text, 128) + "`"; }

// The flags as they were given.
struct Flags {
  std::optional<std::string> app;
  std::optional<std::string> server;
  std::optional<std::string> connection;
  std::optional<std::string> connection_type;
  std::optional<std::string> catalog;
  std::optional<std::string> keeper;
  std::optional<std::string> policy_wait;
  std::optional<std::string> metrics_address;
  std::optional<std::string> config;
  std::optional<std::string> announce;
  std::optional<std::string> output;
  bool write = false;
  bool check_config = false;
  bool reload_on_change = false;
  bool readonly = false;
  bool help = false;
};

// A flag has a value or is a switch.
struct Flag {
  std::string_view name;
  std::optional<std::string> Flags::*value;
  bool Flags::*is_on;
};
constexpr Flag kServeFlags[] = {
    {"--config", &Flags::config, nullptr},
    {"--announce", &Flags::announce, nullptr},
    {"--check-config", nullptr, &Flags::check_config},
    {"--reload-on-change", nullptr, &Flags::reload_on_change},
    {"--help", nullptr, &Flags::help},
    {"-h", nullptr, &Flags::help},
};
constexpr Flag kQueryFlags[] = {
    {"--config", &Flags::config, nullptr}, {"--connection", &Flags::connection, nullptr},
    {"--output", &Flags::output, nullptr}, {"-o", &Flags::output, nullptr},
    {"--write", nullptr, &Flags::write},   {"--help", nullptr, &Flags::help},
    {"-h", nullptr, &Flags::help},
};
constexpr Flag kCheckFlags[] = {
    {"--config", &Flags::config, nullptr}, {"--connection", &Flags::connection, nullptr},
    {"--output", &Flags::output, nullptr}, {"-o", &Flags::output, nullptr},
    {"--help", nullptr, &Flags::help},     {"-h", nullptr, &Flags::help},
};
constexpr Flag kStdioFlags[] = {
    {"--app", &Flags::app, nullptr},
    {"--server", &Flags::server, nullptr},
    {"--connection", &Flags::connection, nullptr},
    {"--connection-type", &Flags::connection_type, nullptr},
    {"--catalog", &Flags::catalog, nullptr},
    {"--keeper", &Flags::keeper, nullptr},
    {"--policy-wait", &Flags::policy_wait, nullptr},
    {"--metrics-address", &Flags::metrics_address, nullptr},
    {"--readonly", nullptr, &Flags::readonly},
    {"--help", nullptr, &Flags::help},
    {"-h", nullptr, &Flags::help},
};

std::string UnknownFlag(const std::string& argument, std::span<const Flag> known) {
  std::vector<std::string_view> names;
  for (const Flag& flag : known) names.push_back(flag.name);
  const bool is_stdio = known.data() == kStdioFlags;
  std::string message = absl::StrFormat("got %s, want a flag", Quote(argument));
  if (is_stdio) message += ", or `--` before the server's command";
  if (const auto near = NearestName(argument, names)) {
    message += absl::StrFormat("; did you mean `%s`?", *near);
  }
  return message;
}

// Reads flags as `--name value` or `--name=value`; returns what is wrong, or nullopt. What
// is no flag goes to `rest`, as does all behind `--`; null: there can be no such thing.
std::optional<std::string> ReadFlags(const std::vector<std::string>& arguments,
                                     std::span<const Flag> known_flags, Flags& flags,
                                     std::vector<std::string>* rest = nullptr) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (rest != nullptr && arguments[i] == "--") {
      rest->insert(rest->end(), arguments.begin() + static_cast<ptrdiff_t>(i) + 1, arguments.end());
      return std::nullopt;
    }
    if (rest != nullptr && (arguments[i] == "-" || !arguments[i].starts_with('-'))) {
      rest->push_back(arguments[i]);
      continue;
    }
    const size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    const auto flag = std::find_if(known_flags.begin(), known_flags.end(),
                                   [&](const Flag& known) { return known.name == name; });
    if (flag == known_flags.end()) return UnknownFlag(arguments[i], known_flags);
    if (flag->is_on != nullptr) {
      if (equals != std::string::npos) {
        return absl::StrFormat("%s: got %s, want it without a value", name, Quote(arguments[i]));
      }
      flags.*flag->is_on = true;
      continue;
    }
    std::optional<std::string>& value = flags.*flag->value;
    if (value) return absl::StrFormat("%s: got it twice, want it once", name);
    if (equals != std::string::npos) {
      value = arguments[i].substr(equals + 1);
    } else if (i + 1 < arguments.size() && !arguments[i + 1].starts_with("--")) {
      value = arguments[++i];
    } else {
      return absl::StrFormat("%s: got no value, want one", name);
    }
  }
  return std::nullopt;
}

// Says what is wrong with an id, or nullopt.
std::optional<std::string> IdProblem(std::string_view flag, std::string_view id) {
  if (IsValidId(id)) return std::nullopt;
  return absl::StrFormat("%s: %s", flag, DescribeInvalidId(id));
}

std::optional<std::string> TypeProblem(const Flags& flags) {
  if (!flags.connection_type) return std::nullopt;
  if (!flags.connection) return "--connection-type: got one without --connection, want both";
  if (FindDialect(*flags.connection_type) != nullptr) return std::nullopt;
  std::string known;
  for (const Dialect& dialect : AllDialects()) {
    known += (known.empty() ? "" : ", ") + std::string(dialect.name);
  }
  return absl::StrFormat("--connection-type: got %s, want one of %s", Quote(*flags.connection_type),
                         known);
}

Command CheckServe(const Flags& flags, const clients::GetEnv& get_env) {
  if (!flags.config) return Error("--config: got none, want a file", "serve");
  const std::string announce = flags.announce.value_or("");
  if (flags.announce && announce != "dockit" && announce != "sqlkit") {
    return Error(absl::StrFormat("--announce: got %s, want `dockit` or `sqlkit`", Quote(announce)),
                 "serve");
  }
  return ServeCommand{.config_file = *flags.config,
                      .announce = announce,
                      .check_only = flags.check_config,
                      .reload_on_change = flags.reload_on_change,
                      .keeper = clients::ChannelOptionsFromEnvironment(get_env)};
}

std::optional<std::string> ReadOutput(const Flags& flags, bool csv, OutputFormat& output) {
  const std::string name = flags.output.value_or("table");
  if (name == "table") {
    output = OutputFormat::kTable;
  } else if (name == "json") {
    output = OutputFormat::kJson;
  } else if (name == "csv" && csv) {
    output = OutputFormat::kCsv;
  } else {
    return absl::StrFormat("--output: got %s, want %s", Quote(name),
                           csv ? "`table`, `json` or `csv`" : "`table` or `json`");
  }
  return std::nullopt;
}

Command CheckQuery(const Flags& flags, std::vector<std::string> rest,
                   const clients::GetEnv& get_env) {
  QueryCommand command;
  if (!flags.config) return Error("--config: got none, want a file", "query");
  if (!flags.connection) return Error("--connection: got none, want a database's id", "query");
  if (const auto problem = IdProblem("--connection", *flags.connection)) {
    return Error(*problem, "query");
  }
  if (const auto problem = ReadOutput(flags, /*csv=*/true, command.output)) {
    return Error(*problem, "query");
  }
  if (rest.size() > 1) {
    return Error(absl::StrFormat("got %d statements, want one, in quotes", rest.size()), "query");
  }
  command.config_file = *flags.config;
  command.connection = *flags.connection;
  command.write = flags.write;
  if (!rest.empty() && rest[0] != "-") command.sql = std::move(rest[0]);
  command.keeper = clients::ChannelOptionsFromEnvironment(get_env);
  return command;
}

Command CheckCheck(const Flags& flags) {
  CheckCommand command;
  if (!flags.config) return Error("--config: got none, want a file", "check");
  if (const auto problem = ReadOutput(flags, /*csv=*/false, command.output)) {
    return Error(*problem, "check");
  }
  command.config_file = *flags.config;
  command.connection = flags.connection.value_or("");
  return command;
}

Command Check(const Flags& flags, std::vector<std::string> server_command,
              const clients::GetEnv& get_env) {
  const std::string server = flags.server.value_or("stdio");
  const std::string wait = flags.policy_wait.value_or("3s");
  if (!flags.app) return Error("--app: got none, want the app whose policy holds");
  if (const auto problem = IdProblem("--app", *flags.app)) return Error(*problem);
  if (const auto problem = IdProblem("--server", server)) return Error(*problem);
  if (flags.connection) {
    if (const auto problem = IdProblem("--connection", *flags.connection)) return Error(*problem);
  }
  if (const auto problem = TypeProblem(flags)) return Error(*problem);
  if (flags.catalog && *flags.catalog != "data-studio") {
    return Error(absl::StrFormat("--catalog: got %s, want `data-studio` or no such flag",
                                 Quote(*flags.catalog)));
  }
  absl::Duration policy_wait;
  if (!absl::ParseDuration(wait, &policy_wait) || policy_wait < absl::ZeroDuration() ||
      policy_wait > kMaxPolicyWait) {
    return Error(absl::StrFormat("--policy-wait: got %s, want a time from 0s to 1h, such as `3s`",
                                 Quote(wait)));
  }
  if (flags.metrics_address) {
    const absl::Status status = CheckMetricsAddress(*flags.metrics_address);
    if (!status.ok()) return Error("--metrics-address: " + std::string(status.message()));
  }
  if (server_command.empty()) {
    return Error("got no server, want `-- COMMAND [ARGUMENTS...]` behind the flags");
  }

  StdioCommand command;
  command.core = {
      .app = AppId(*flags.app),
      .server = ServerId(server),
      .connection =
          flags.connection ? std::optional(ConnectionId(*flags.connection)) : std::nullopt,
      .connection_type = flags.connection_type.value_or(""),
      .builtin_catalog = flags.catalog.has_value(),
      .read_only = flags.readonly,
      .policy_wait = policy_wait,
  };
  command.metrics_address = flags.metrics_address.value_or("");
  command.keeper = clients::ChannelOptionsFromEnvironment(get_env);
  if (flags.keeper) command.keeper.address = *flags.keeper;
  command.command = std::move(server_command);
  return command;
}

}  // namespace

Command ParseArguments(const std::vector<std::string>& arguments, const clients::GetEnv& get_env) {
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  std::vector<std::string> ours(arguments.begin(), separator);
  std::vector<std::string> server_command;
  if (separator != arguments.end()) server_command.assign(separator + 1, arguments.end());

  const std::string verb = ours.empty() ? "" : ours[0];
  if (verb == "--version" || verb == "version") return Printout{"keeper-bridge " BK_VERSION "\n"};
  if (verb == "--help" || verb == "-h" || verb == "help") return Printout{std::string(kUsage)};
  if (verb == "serve") {
    Flags flags;
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (const auto problem = ReadFlags(rest, kServeFlags, flags)) return Error(*problem, "serve");
    if (flags.help) return Printout{std::string(kServeHelp)};
    return CheckServe(flags, get_env);
  }
  if (verb == "query") {
    Flags flags;
    std::vector<std::string> rest;
    const std::vector<std::string> given(arguments.begin() + 1, arguments.end());
    if (const auto problem = ReadFlags(given, kQueryFlags, flags, &rest)) {
      return Error(*problem, "query");
    }
    if (flags.help) return Printout{std::string(kQueryHelp)};
    return CheckQuery(flags, std::move(rest), get_env);
  }
  if (verb == "check") {
    Flags flags;
    const std::vector<std::string> given(arguments.begin() + 1, arguments.end());
    if (const auto problem = ReadFlags(given, kCheckFlags, flags)) return Error(*problem, "check");
    if (flags.help) return Printout{std::string(kCheckHelp)};
    return CheckCheck(flags);
  }
  if (verb != "stdio") {
    return Printout{absl::StrFormat("keeper-bridge: error: got %s, want `stdio`, `serve`, `query` "
                                    "or `check`\n\n%s",
                                    verb.empty() ? "no command" : Quote(verb), kUsage),
                    ExitCode::kUsage};
  }
  ours.erase(ours.begin());
  Flags flags;
  if (const auto problem = ReadFlags(ours, kStdioFlags, flags)) return Error(*problem);
  if (flags.help) return Printout{std::string(kStdioHelp)};
  return Check(flags, std::move(server_command), get_env);
}

std::vector<std::string> ServerEnvironment() { return EnvironmentWithout({"KEEPER_"}); }

}  // namespace bridgekeeper::bridge
