// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/config.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "clients/bridge/config/map_reader.h"
#include "clients/bridge/config/server_url.h"
#include "policy/base/strings.h"
#include "policy/guard/dialects.h"
#include "policy/guard/safe_function.h"
#include "policy/model/limits.h"
#include "policy/text/document.h"
#include "policy/text/node_values.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {
namespace {

using text_internal::AsBool;
using text_internal::AsInteger;
using text_internal::AsText;
using text_internal::Describe;
using text_internal::LineIndex;
using text_internal::NearestHelp;
using text_internal::Node;
using text_internal::Report;
using text_internal::Show;

constexpr size_t kMaxPathBytes = 4096;
constexpr size_t kMaxWordBytes = 32 << 10;
constexpr size_t kMaxAddressBytes = 256;
constexpr size_t kMaxRoleRisks = 16;
constexpr std::string_view kWritesAllowed = "allowed";

constexpr std::string_view kAnnounceNames[] = {"dockit", "sqlkit"};

// MCP's set of characters in the name of a tool.
bool IsToolCharacters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  });
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

// RFC 9110 section 5.6.2.
bool IsHeaderName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxHeaderNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
         });
}

// A header that neither HTTP nor MCP gives another meaning between the bridge and a server.
bool IsFreeHeader(std::string_view name) {
  constexpr std::string_view kOurs[] = {
      "accept",    "accept-encoding", "connection",        "expect",
      "host",      "keep-alive",      "last-event-id",     "origin",
      "te",        "trailer",         "transfer-encoding", "upgrade",
      "user-agent"};
  const std::string lower = AsciiLower(name);
  return IsHeaderName(name) && !lower.starts_with("mcp-") && !lower.starts_with("content-") &&
         !lower.starts_with("proxy-") &&
         std::find(std::begin(kOurs), std::end(kOurs), lower) == std::end(kOurs);
}

class ConfigReader {
 public:
  ConfigReader(Report& report, const Node& root) : report_(report), top_(report, root, "") {}

  BridgeConfig Read() {
    top_.Id("app", default_app_);
    ReadKeeper();
    if (const Node* node = top_.Text("listen", kMaxAddressBytes, config_.listen)) {
      const auto address = ParseLoopbackAddress(
          config_.listen, "a loopback address: clients of other hosts are not authenticated yet");
      if (!address.ok()) report_.Error(*node, "listen", std::string(address.status().message()));
    }
    if (const Node* node = top_.Text("separator", kMaxSeparatorBytes, config_.separator);
        node != nullptr && !IsToolCharacters(config_.separator)) {
      report_.Error(*node, "separator",
                    absl::StrFormat("got `%s`, want only [A-Za-z0-9_.-]", Show(config_.separator)));
    }
    ReadAnnounce();
    top_.EachMember("servers", kMaxServers,
                    [this](const Node& key, const Node& value, std::string path) {
                      ReadServer(key, value, std::move(path));
                    });
    top_.EachMember("connections", kMaxServers,
                    [this](const Node& key, const Node& value, std::string path) {
                      ReadConnection(key, value, std::move(path));
                    });
    AddDatabaseServers();
    ReadDataStudio();
    top_.Finish();
    if (config_.servers.empty() && config_.connections.empty()) {
      report_.Error(top_.node(), "", "got neither `servers` nor `connections`",
                    "name at least one of what the bridge stands in front of");
    }
    CheckPrefixes();
    return std::move(config_);
  }

 private:
  void ReadKeeper() {
    const Node* node = top_.Take("keeper");
    if (node == nullptr) return;
    MapReader keeper(report_, *node, "keeper");
    keeper.Texts("addresses", /*max_items=*/8, kMaxAddressBytes, config_.keeper_addresses);
    keeper.Text("token_file", kMaxPathBytes, config_.keeper_token_file);
    keeper.Text("ca", kMaxPathBytes, config_.keeper_ca_file);
    keeper.Finish();
  }

  void ReadAnnounce() {
    std::string text;
    const Node* node = top_.Text("announce", kMaxIdBytes, text);
    if (node == nullptr) return;
    if (text == "dockit") {
      config_.announce = Announce::kDockit;
    } else if (text == "sqlkit") {
      config_.announce = Announce::kSqlkit;
    } else {
      report_.Error(*node, "announce",
                    absl::StrFormat("got `%s`, want dockit or sqlkit", Show(text)),
                    NearestHelp(text, kAnnounceNames));
    }
  }

  void ReadApp(MapReader& map, AppId& out) {
    std::string app = default_app_;
    map.Id("app", app);
    if (app.empty()) {
      report_.Error(map.node(), map.path(), "`app` is missing",
                    "name the app whose policy holds, here or at the top");
      return;
    }
    out = AppId(app);
  }

  void ReadServer(const Node& key, const Node& value, std::string path) {
    ServerConfig server;
    server.name = key.text;
    MapReader map(report_, value, path);
    if (server.name.empty() || server.name.size() > kMaxPrefixBytes ||
        !IsToolCharacters(server.name)) {
      report_.Error(key, path,
                    absl::StrFormat("got the name `%s`, want 1 to %d of [A-Za-z0-9_.-]",
                                    Show(server.name), kMaxPrefixBytes));
    }
    ReadApp(map, server.app);
    map.Texts("command", kMaxCommandWords, kMaxWordBytes, server.command);
    const bool has_command = map.Take("command") != nullptr;
    const bool has_url = map.Take("url") != nullptr;
    if (has_command == has_url) {
      report_.Error(key, path,
                    has_url ? "got both `command` and `url`, want one"
                            : "got neither `command` nor `url`, want one");
    }
    ReadEnvironment(map, server);
    map.Text("cwd", kMaxPathBytes, server.working_directory);
    for (const std::string_view name : {"env", "cwd"}) {
      if (const Node* node = map.Take(name); node != nullptr && has_url) {
        report_.Error(*node, map.Path(name), "got one beside `url`, want it only beside `command`");
      }
    }
    ReadUrl(map, server);
    for (const std::string_view name : {"headers", "ca"}) {
      if (const Node* node = map.Take(name); node != nullptr && !has_url) {
        report_.Error(*node, map.Path(name), "got it without `url`, want it only beside `url`");
      }
    }
    ReadCatalog(map, server);
    ReadConnectionOf(map, server);
    std::string prefix = server.name;
    if (const Node* node = map.Text("prefix", kMaxPrefixBytes, prefix);
        node != nullptr && !IsToolCharacters(prefix)) {
      report_.Error(*node, map.Path("prefix"),
                    absl::StrFormat("got `%s`, want only [A-Za-z0-9_.-]", Show(prefix)));
    }
    map.Finish();
    server.prefix = prefix + config_.separator;
    if (server.prefix.size() > kMaxPrefixBytes) {
      report_.Error(key, path,
                    absl::StrFormat("got a prefix of %d bytes with its separator, want at most %d",
                                    server.prefix.size(), kMaxPrefixBytes),
                    "set a shorter `prefix`");
    }
    if (kClientPrefix.size() + server.prefix.size() >= kClientNameBytes) {
      report_.Warning(
          key, path,
          absl::StrFormat("got a prefix of %d bytes with its separator: with a client's own, `%s`, "
                          "no tool's name stays within the %d bytes that common clients take",
                          server.prefix.size(), kClientPrefix, kClientNameBytes),
          "set a shorter `prefix`");
    }
    server_keys_.push_back(&key);
    config_.servers.push_back(std::move(server));
  }

  void ReadUrl(MapReader& map, ServerConfig& server) {
    const Node* node = map.Text("url", kMaxUrlBytes, server.url);
    map.Text("ca", kMaxPathBytes, server.ca_file);
    ReadHeaderList(map, server);
    if (node == nullptr) return;
    const auto url = ParseServerUrl(server.url);
    if (!url.ok()) {
      report_.Error(*node, map.Path("url"), std::string(url.status().message()));
      return;
    }
    if (!url->tls && !server.ca_file.empty()) {
      report_.Error(*map.Take("ca"), map.Path("ca"),
                    "got one beside an `http` URL, want it only beside `https`");
    }
  }

  void ReadHeaderList(MapReader& map, ServerConfig& server) {
    map.EachMember(
        "headers", kMaxHeaders, [&](const Node& key, const Node& value, const std::string& path) {
          HeaderConfig header;
          header.name = key.text;
          if (!IsFreeHeader(header.name)) {
            report_.Error(key, path,
                          absl::StrFormat("got the name `%s`, want that of a header "
                                          "which the bridge does not set itself",
                                          Show(key.text)));
          }
          for (const HeaderConfig& other : server.headers) {
            if (AsciiLower(other.name) != AsciiLower(header.name)) continue;
            report_.Error(key, path, "got a header twice, want it once");
          }
          if (value.kind != Node::Kind::kMap) {
            // What stands here may be a credential: it is not shown.
            report_.Error(key, path, "want one of `env` and `file`",
                          "a credential never stands in the configuration itself");
            return;
          }
          MapReader source(report_, value, path);
          const Node* variable = source.Text("env", kMaxPathBytes, header.variable);
          source.Text("file", kMaxPathBytes, header.file);
          const Node* scheme = source.Text("scheme", kMaxIdBytes, header.scheme);
          if ((source.Take("env") == nullptr) == (source.Take("file") == nullptr)) {
            report_.Error(key, path, "want one of `env` and `file`",
                          "a credential never stands in the configuration itself");
          }
          if (variable != nullptr && !IsVariableName(header.variable)) {
            report_.Error(
                *variable, source.Path("env"),
                absl::StrFormat("got `%s`, want [A-Za-z_][A-Za-z0-9_]*", Show(header.variable)));
          } else if (header.variable.starts_with("KEEPER_")) {
            report_.Error(*variable, source.Path("env"),
                          "got a variable of the bridge's own, want another",
                          "a server is never given the credentials for keeperd");
          }
          if (scheme != nullptr && !IsHeaderName(header.scheme)) {
            report_.Error(
                *scheme, source.Path("scheme"),
                absl::StrFormat("got `%s`, want a word such as `Bearer`", Show(header.scheme)));
          }
          source.Finish();
          server.headers.push_back(std::move(header));
        });
  }

  void ReadEnvironment(MapReader& map, ServerConfig& server) {
    map.EachMember(
        "env", kMaxVariables, [&](const Node& key, const Node& value, const std::string& path) {
          EnvironmentVariable variable{.name = key.text, .value = std::nullopt};
          if (!IsVariableName(key.text)) {
            report_.Error(
                key, path,
                absl::StrFormat("got the name `%s`, want [A-Za-z_][A-Za-z0-9_]*", Show(key.text)));
          } else if (key.text.starts_with("KEEPER_")) {
            report_.Error(key, path, "got a variable of the bridge's own, want another",
                          "a server is never given the credentials for keeperd");
          }
          if (value.kind != Node::Kind::kNull) {
            std::string text;
            // An empty value is one; ReadText wants some.
            const auto empty = AsText(value);
            if (!empty || !empty->empty()) map.ReadText(value, path, kMaxWordBytes, text);
            variable.value = std::move(text);
          }
          server.environment.push_back(std::move(variable));
        });
  }

  void ReadCatalog(MapReader& map, ServerConfig& server) {
    std::string catalog;
    const Node* node = map.Text("catalog", kMaxIdBytes, catalog);
    if (node == nullptr) return;
    server.builtin_catalog = catalog == "data-studio";
    if (!server.builtin_catalog) {
      report_.Error(*node, map.Path("catalog"),
                    absl::StrFormat("got `%s`, want `data-studio` or no such key", Show(catalog)));
    }
  }

  void ReadConnectionOf(MapReader& map, ServerConfig& server) {
    std::string connection;
    if (map.Id("connection", connection) != nullptr) server.connection = ConnectionId(connection);
    const Node* argument =
        map.Text("connection_arg", kMaxArgumentNameBytes, server.connection_argument);
    if (argument != nullptr && map.Take("connection") != nullptr) {
      report_.Error(*argument, map.Path("connection_arg"),
                    "got one beside `connection`, want one of the two");
    }
  }

  void ReadConnection(const Node& key, const Node& value, std::string path) {
    ConnectionConfig connection;
    MapReader map(report_, value, path);
    if (!IsValidId(key.text)) {
      report_.Error(key, path, DescribeInvalidId(key.text));
    } else {
      connection.id = ConnectionId(key.text);
    }
    ReadApp(map, connection.app);
    map.Text("name", kMaxConnectionNameBytes, connection.name);
    const Node* type = map.Text("type", kMaxTypeBytes, connection.type);
    if (type != nullptr && FindDialect(connection.type) == nullptr) {
      std::vector<std::string_view> names;
      for (const Dialect& dialect : AllDialects()) names.push_back(dialect.name);
      report_.Error(*type, map.Path("type"),
                    absl::StrFormat("got `%s`, want a type that is known", Show(connection.type)),
                    NearestHelp(connection.type, names));
    } else if (map.Take("type") == nullptr) {
      report_.Error(key, path, "`type` is missing",
                    "it names the database: postgres, duckdb, sqlite, ...");
    }
    map.Text("dsn_file", kMaxPathBytes, connection.dsn_file);
    map.Text("dsn_env", kMaxPathBytes, connection.dsn_variable);
    if ((map.Take("dsn_file") == nullptr) == (map.Take("dsn_env") == nullptr)) {
      report_.Error(key, path, "want one of `dsn_file` and `dsn_env`",
                    "a credential never stands in the configuration itself");
    }
    ReadWrites(map, connection);
    if (const Node* limits = map.Take("limits"))
      ReadLimits(*limits, map.Path("limits"), connection);
    const Node* functions = map.Texts("safe_functions", kMaxSafeFunctions, kMaxSafeFunctionBytes,
                                      connection.safe_functions);
    if (functions != nullptr)
      CheckSafeFunctions(*functions, map.Path("safe_functions"), connection);
    map.Texts("role_risks", kMaxRoleRisks, kMaxIdBytes, connection.role_risks);
    map.Finish();
    connection_keys_.push_back(&key);
    config_.connections.push_back(std::move(connection));
  }

  // One that covers nothing would look as if it did.
  void CheckSafeFunctions(const Node& node, const std::string& path,
                          const ConnectionConfig& connection) {
    const Dialect* dialect = FindDialect(connection.type);
    const bool wants_types = dialect != nullptr && dialect->name == "postgres";
    for (size_t i = 0; i < connection.safe_functions.size(); ++i) {
      const auto function = ParseSafeFunction(connection.safe_functions[i]);
      if (function && (!wants_types || (function->schema() != nullptr && function->arguments))) {
        continue;
      }
      report_.Error(
          node.items[i], absl::StrFormat("%s[%d]", path, i),
          absl::StrFormat("got `%s`, want %s", Show(connection.safe_functions[i]),
                          wants_types ? "`schema.name(types)`" : "`name` or `name(types)`"),
          wants_types ? "for example `public.add_tax(numeric)`, or `public.now_utc()`" : "");
    }
  }

  // A word that nobody writes by accident; `true` and `false` read as well.
  void ReadWrites(MapReader& map, ConnectionConfig& connection) {
    const Node* node = map.Take("writes");
    if (node == nullptr) return;
    const auto text = AsText(*node);
    if (text && *text == kWritesAllowed) {
      connection.writes = true;
    } else if (const auto flag = AsBool(*node)) {
      connection.writes = *flag;
    } else {
      report_.Error(
          *node, map.Path("writes"),
          absl::StrFormat("got %s, want `%s` or no such key", Describe(*node), kWritesAllowed));
    }
  }

  // The databases of each app are the tools of one server.
  void AddDatabaseServers() {
    const std::vector<ServerConfig> named = config_.servers;
    // Not by their order: reviews and pins go by the name.
    const bool has_many_apps = std::any_of(config_.connections.begin(), config_.connections.end(),
                                           [&](const ConnectionConfig& other) {
                                             return other.app != config_.connections.front().app;
                                           });
    for (size_t i = 0; i < config_.connections.size(); ++i) {
      const ConnectionConfig& connection = config_.connections[i];
      const auto of_app =
          std::find_if(config_.servers.begin() + static_cast<std::ptrdiff_t>(named.size()),
                       config_.servers.end(),
                       [&](const ServerConfig& server) { return server.app == connection.app; });
      if (of_app != config_.servers.end()) {
        of_app->connections.push_back(connection);
        continue;
      }
      ServerConfig server;
      server.name = std::string(kDatabasesServer);
      if (has_many_apps) {
        server.name += '.' + connection.app.value();
        std::replace_if(
            server.name.begin(), server.name.end(),
            [](char c) { return !IsToolCharacters(std::string_view(&c, 1)); }, '-');
      }
      server.app = connection.app;
      server.builtin_catalog = true;
      server.connection_argument = "connection_id";
      server.connections = {connection};
      server.prefix = server.name + config_.separator;
      for (const ServerConfig& other : config_.servers) {
        if (other.name != server.name) continue;
        report_.Error(*connection_keys_[i], MemberPath("connections", connection.id.value()),
                      absl::StrFormat("got a server of the name `%s` too, want another: these "
                                      "databases are served by that name",
                                      Show(server.name)));
      }
      server_keys_.push_back(connection_keys_[i]);
      config_.servers.push_back(std::move(server));
    }
  }

  void ReadLimits(const Node& node, std::string path, ConnectionConfig& connection) {
    MapReader map(report_, node, std::move(path));
    const auto integer = [&](std::string_view name, int64_t max, std::optional<int64_t>& out) {
      const Node* value = map.Take(name);
      if (value == nullptr) return;
      const auto number = AsInteger(*value);
      if (!number || *number < 1 || *number > max) {
        report_.Error(
            *value, map.Path(name),
            absl::StrFormat("got %s, want a whole number from 1 to %d", Describe(*value), max));
        return;
      }
      out = number;
    };
    integer("max_rows", kMaxRowsLimit, connection.limits.max_rows);
    integer("max_bytes", kMaxBytesLimit, connection.limits.max_bytes);
    std::string timeout;
    if (const Node* value = map.Text("timeout", 64, timeout)) {
      absl::Duration time;
      if (!absl::ParseDuration(timeout, &time) || time < kMinTimeoutLimit ||
          time > kMaxTimeoutLimit) {
        report_.Error(*value, map.Path("timeout"),
                      absl::StrFormat("got `%s`, want a duration from %s to %s", Show(timeout),
                                      absl::FormatDuration(kMinTimeoutLimit),
                                      absl::FormatDuration(kMaxTimeoutLimit)));
      } else {
        connection.limits.timeout = time;
      }
    }
    map.Finish();
  }

  void ReadDataStudio() {
    const Node* node = top_.Take("data_studio");
    if (node == nullptr) return;
    DataStudioConfig data_studio;
    MapReader map(report_, *node, "data_studio");
    std::string risk;
    if (const Node* value = map.Text("max_risk", kMaxIdBytes, risk)) {
      if (const auto known = ParseEnum<Risk>(risk)) {
        data_studio.max_risk = *known;
      } else {
        report_.Error(*value, map.Path("max_risk"),
                      absl::StrFormat("got `%s`, want one of %s", Show(risk),
                                      text_internal::Listed(NamesOf<Risk>())),
                      NearestHelp(risk, NamesOf<Risk>()));
      }
    }
    if (const Node* uids = map.Take("uids")) {
      if (uids->kind != Node::Kind::kList || uids->items.size() > kMaxUids) {
        report_.Error(*uids, map.Path("uids"),
                      absl::StrFormat("got %s, want a list of at most %d numbers of users",
                                      Describe(*uids), kMaxUids));
      } else {
        for (size_t i = 0; i < uids->items.size(); ++i) ReadUid(uids->items[i], i, data_studio);
      }
    }
    map.Finish();
    config_.data_studio = std::move(data_studio);
  }

  void ReadUid(const Node& node, size_t i, DataStudioConfig& data_studio) {
    const auto number = AsInteger(node);
    // The highest number is `no user` to the system.
    if (!number || *number < 0 || *number >= int64_t{UINT32_MAX}) {
      report_.Error(node, absl::StrFormat("data_studio.uids[%d]", i),
                    absl::StrFormat("got %s, want the number of a user", Describe(node)));
      return;
    }
    data_studio.uids.push_back(static_cast<uid_t>(*number));
  }

  // Two servers whose prefixes are equal, or one of which begins like the other, could
  // have tools of the same name: `a` with `b__x` and `a__b` with `x`.
  void CheckPrefixes() {
    for (size_t i = 0; i < config_.servers.size(); ++i) {
      for (size_t j = 0; j < config_.servers.size(); ++j) {
        const std::string& one = config_.servers[i].prefix;
        const std::string& other = config_.servers[j].prefix;
        if (i == j || !one.starts_with(other) || (one == other && i < j)) continue;
        report_.Error(
            *server_keys_[i], MemberPath("servers", config_.servers[i].name),
            absl::StrFormat("its tools begin with `%s`, as may those of `%s`, which begin "
                            "with `%s`",
                            one, Show(config_.servers[j].name), other),
            "set a `prefix` that does not begin like another one");
      }
    }
  }

  Report& report_;
  MapReader top_;
  std::string default_app_;
  BridgeConfig config_;
  std::vector<const Node*> server_keys_;      // of config_.servers
  std::vector<const Node*> connection_keys_;  // of config_.connections
};

}  // namespace

ParsedConfig ParseBridgeConfig(std::string_view text) {
  Report report(text, kMaxDocumentIssues);
  const auto root = text_internal::ReadTree(text, report.lines(), report.issues());
  ParsedConfig parsed;
  if (root) parsed.config = ConfigReader(report, *root).Read();
  parsed.issues = report.Take();
  return parsed;
}

std::vector<AppId> AppsOf(const BridgeConfig& config) {
  std::vector<AppId> apps;
  const auto add = [&](const AppId& app) {
    if (std::find(apps.begin(), apps.end(), app) == apps.end()) apps.push_back(app);
  };
  for (const ServerConfig& server : config.servers) add(server.app);
  for (const ConnectionConfig& connection : config.connections) add(connection.app);
  return apps;
}

}  // namespace bridgekeeper::bridge
