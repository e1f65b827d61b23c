// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/diff.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "clients/bridge/config/server_url.h"
#include "policy/model/enums.h"

namespace bridgekeeper::bridge {
namespace {

// The differences of one thing with a name.
class Differences {
 public:
  explicit Differences(std::string path) : path_(std::move(path)) {}

  void Add(std::string_view field, std::string_view text) {
    lines_.push_back(field.empty() ? absl::StrFormat("%s: %s", path_, text)
                                   : absl::StrFormat("%s.%s: %s", path_, field, text));
  }
  void Texts(std::string_view field, const std::string& from, const std::string& to) {
    const auto shown = [](const std::string& text) { return text.empty() ? "none" : text; };
    if (from != to) Add(field, absl::StrFormat("%s -> %s", shown(from), shown(to)));
  }
  bool empty() const { return lines_.empty(); }
  void MoveTo(std::vector<std::string>& out) {
    std::move(lines_.begin(), lines_.end(), std::back_inserter(out));
  }

 private:
  const std::string path_;
  std::vector<std::string> lines_;
};

std::string CommandText(const std::vector<std::string>& command) {
  if (command.empty()) return "";
  return absl::StrFormat("%s with %d argument%s", command[0], command.size() - 1,
                         command.size() == 2 ? "" : "s");
}

// An address without its query, which may hold a key.
std::string AddressText(const std::string& text) {
  const auto url = ParseServerUrl(text);
  if (!url.ok()) return "";
  return absl::StrFormat("%s://%s:%d%s", url->tls ? "https" : "http", url->host, url->port,
                         url->target.substr(0, url->target.find('?')));
}

std::string NamesText(const std::vector<EnvironmentVariable>& environment) {
  return absl::StrJoin(
      environment, ", ",
      [](std::string* out, const EnvironmentVariable& variable) { out->append(variable.name); });
}

// Where the values come from; the values themselves are nowhere in a configuration.
std::string HeadersText(const std::vector<HeaderConfig>& headers) {
  return absl::StrJoin(headers, ", ", [](std::string* out, const HeaderConfig& header) {
    out->append(absl::StrFormat("%s from %s", header.name,
                                header.file.empty() ? header.variable : header.file));
    if (!header.scheme.empty()) out->append(absl::StrFormat(" as %s", header.scheme));
  });
}

std::string IdText(const std::optional<ConnectionId>& id) { return id ? id->value() : ""; }

// What cannot be shown: says only that it differs where the texts are equal.
void Shown(Differences& differences, std::string_view field, bool is_equal, const std::string& from,
           const std::string& to, std::string_view otherwise) {
  if (is_equal) return;
  if (from != to) return differences.Texts(field, from, to);
  differences.Add(field, otherwise);
}

void CompareServers(const ServerConfig& from, const ServerConfig& to,
                    std::vector<std::string>& out) {
  ServerConfig same = from;
  same.connections = to.connections;  // compared one by one
  if (same == to) return;
  Differences differences("servers." + to.name);
  differences.Texts("app", from.app.value(), to.app.value());
  Shown(differences, "command", from.command == to.command, CommandText(from.command),
        CommandText(to.command), "other arguments");
  Shown(differences, "url", from.url == to.url, AddressText(from.url), AddressText(to.url),
        "another query");
  Shown(differences, "env", from.environment == to.environment, NamesText(from.environment),
        NamesText(to.environment), "other values");
  differences.Texts("headers", HeadersText(from.headers), HeadersText(to.headers));
  differences.Texts("ca", from.ca_file, to.ca_file);
  differences.Texts("cwd", from.working_directory, to.working_directory);
  differences.Texts("catalog", from.builtin_catalog ? "data-studio" : "",
                    to.builtin_catalog ? "data-studio" : "");
  differences.Texts("connection", IdText(from.connection), IdText(to.connection));
  differences.Texts("connection_arg", from.connection_argument, to.connection_argument);
  differences.Texts("prefix", from.prefix, to.prefix);
  if (differences.empty()) differences.Add("", "changed");
  differences.MoveTo(out);
}

std::string LimitText(const std::optional<int64_t>& limit) {
  return limit ? absl::StrFormat("%d", *limit) : "";
}
std::string LimitText(const std::optional<absl::Duration>& limit) {
  return limit ? std::string(absl::FormatDuration(*limit)) : "";
}

void CompareConnections(const ConnectionConfig& from, const ConnectionConfig& to,
                        std::vector<std::string>& out) {
  if (from == to) return;
  Differences differences("connections." + to.id.value());
  differences.Texts("app", from.app.value(), to.app.value());
  differences.Texts("name", from.name, to.name);
  differences.Texts("type", from.type, to.type);
  differences.Texts("dsn_file", from.dsn_file, to.dsn_file);
  differences.Texts("dsn_env", from.dsn_variable, to.dsn_variable);
  differences.Texts("writes", from.writes ? "true" : "false", to.writes ? "true" : "false");
  differences.Texts("limits.max_rows", LimitText(from.limits.max_rows),
                    LimitText(to.limits.max_rows));
  differences.Texts("limits.max_bytes", LimitText(from.limits.max_bytes),
                    LimitText(to.limits.max_bytes));
  differences.Texts("limits.timeout", LimitText(from.limits.timeout), LimitText(to.limits.timeout));
  differences.Texts("safe_functions", absl::StrJoin(from.safe_functions, ", "),
                    absl::StrJoin(to.safe_functions, ", "));
  differences.Texts("role_risks", absl::StrJoin(from.role_risks, ", "),
                    absl::StrJoin(to.role_risks, ", "));
  if (differences.empty()) differences.Add("", "changed");
  differences.MoveTo(out);
}

std::string_view AnnounceText(Announce announce) {
  switch (announce) {
    case Announce::kNone:
      return "";
    case Announce::kDockit:
      return "dockit";
    case Announce::kSqlkit:
      return "sqlkit";
  }
  return "";
}

std::string UidsText(const std::vector<uid_t>& uids) { return absl::StrJoin(uids, ", "); }

void CompareDataStudio(const std::optional<DataStudioConfig>& from,
                       const std::optional<DataStudioConfig>& to, std::vector<std::string>& out) {
  Differences differences("data_studio");
  if (from.has_value() != to.has_value()) {
    differences.Add("", to ? "added" : "removed");
  } else if (from) {
    differences.Texts("max_risk", std::string(Name(from->max_risk)),
                      std::string(Name(to->max_risk)));
    differences.Texts("uids", UidsText(from->uids), UidsText(to->uids));
  }
  differences.MoveTo(out);
}

const std::string& NameOf(const ServerConfig& server) { return server.name; }
const std::string& NameOf(const ConnectionConfig& connection) { return connection.id.value(); }

template <typename T>
const T* Find(const std::vector<T>& list, const T& like) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const T& item) { return NameOf(item) == NameOf(like); });
  return found == list.end() ? nullptr : &*found;
}

// ---- what opens ------------------------------------------------------------------------

// Each takes over from `to` what does not open, and compares what is left: a field that
// nobody thought of here opens.
bool Opens(const ServerConfig& from, const ServerConfig& to) {
  // Another prefix too: by its name a tool may have been allowed that is another one now.
  ServerConfig same = from;
  same.connections = to.connections;  // compared one by one
  if (!to.builtin_catalog) same.builtin_catalog = false;
  return !(same == to);
}

template <typename T>
bool IsLower(const std::optional<T>& from, const std::optional<T>& to) {
  return to && (!from || *to <= *from);
}

template <typename T>
bool IsSubset(const std::vector<T>& of, const std::vector<T>& part) {
  return std::all_of(part.begin(), part.end(), [&](const T& item) {
    return std::find(of.begin(), of.end(), item) != of.end();
  });
}

bool Opens(const ConnectionConfig& from, const ConnectionConfig& to) {
  ConnectionConfig same = from;
  same.name = to.name;
  if (!to.writes) same.writes = false;
  const auto lower = [](auto& ours, const auto& theirs) {
    if (IsLower(ours, theirs)) ours = theirs;
  };
  lower(same.limits.max_rows, to.limits.max_rows);
  lower(same.limits.max_bytes, to.limits.max_bytes);
  lower(same.limits.timeout, to.limits.timeout);
  if (IsSubset(from.safe_functions, to.safe_functions)) same.safe_functions = to.safe_functions;
  if (IsSubset(from.role_risks, to.role_risks)) same.role_risks = to.role_risks;
  return !(same == to);
}

bool Opens(const DataStudioConfig& from, const DataStudioConfig& to) {
  // The first of the risks is the highest.
  return to.max_risk < from.max_risk || !IsSubset(from.uids, to.uids);
}

// `to` without what is new, and with what opens as it was.
template <typename T>
std::vector<T> WithoutOpening(const std::vector<T>& from, const std::vector<T>& to) {
  std::vector<T> out;
  for (const T& item : to) {
    const T* was = Find(from, item);
    if (was != nullptr) out.push_back(Opens(*was, item) ? *was : item);
  }
  return out;
}

bool PrefixesMeet(const std::vector<ServerConfig>& servers) {
  for (const ServerConfig& one : servers) {
    for (const ServerConfig& other : servers) {
      if (&one != &other && one.prefix.starts_with(other.prefix)) return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> DifferencesOf(const BridgeConfig& from, const BridgeConfig& to) {
  std::vector<std::string> out;
  const auto top = [&](std::string_view key, std::string_view was, std::string_view is) {
    if (was == is) return;
    out.push_back(
        absl::StrFormat("%s: %s -> %s", key, was.empty() ? "none" : was, is.empty() ? "none" : is));
  };
  top("keeper.addresses", absl::StrJoin(from.keeper_addresses, ", "),
      absl::StrJoin(to.keeper_addresses, ", "));
  top("keeper.token_file", from.keeper_token_file, to.keeper_token_file);
  top("keeper.ca", from.keeper_ca_file, to.keeper_ca_file);
  top("listen", from.listen, to.listen);
  top("separator", from.separator, to.separator);
  top("announce", AnnounceText(from.announce), AnnounceText(to.announce));
  for (const ServerConfig& server : to.servers) {
    const ServerConfig* was = Find(from.servers, server);
    if (was != nullptr) {
      CompareServers(*was, server, out);
    } else if (server.connections.empty()) {
      out.push_back(absl::StrFormat(
          "servers.%s: added, app %s, %s", server.name, server.app.value(),
          server.command.empty() ? AddressText(server.url) : CommandText(server.command)));
    }
  }
  for (const ServerConfig& server : from.servers) {
    if (server.connections.empty() && Find(to.servers, server) == nullptr) {
      out.push_back(absl::StrFormat("servers.%s: removed", server.name));
    }
  }
  for (const ConnectionConfig& connection : to.connections) {
    const ConnectionConfig* was = Find(from.connections, connection);
    if (was != nullptr) {
      CompareConnections(*was, connection, out);
    } else {
      out.push_back(absl::StrFormat("connections.%s: added, app %s, %s", connection.id.value(),
                                    connection.app.value(), connection.type));
    }
  }
  for (const ConnectionConfig& connection : from.connections) {
    if (Find(to.connections, connection) == nullptr) {
      out.push_back(absl::StrFormat("connections.%s: removed", connection.id.value()));
    }
  }
  CompareDataStudio(from.data_studio, to.data_studio, out);
  if (out.empty() && !(from == to)) out.push_back("another order");
  return out;
}

BridgeConfig WithoutOpening(const BridgeConfig& from, const BridgeConfig& to) {
  BridgeConfig out = from;
  out.separator = to.separator;  // the prefixes have it already
  out.servers = WithoutOpening(from.servers, to.servers);
  out.connections = WithoutOpening(from.connections, to.connections);
  std::erase_if(out.servers, [&](ServerConfig& server) {
    if (server.connections.empty()) return false;
    server.connections.clear();
    for (const ConnectionConfig& connection : out.connections) {
      if (connection.app == server.app) server.connections.push_back(connection);
    }
    return server.connections.empty();
  });
  if (!to.data_studio || (from.data_studio && !Opens(*from.data_studio, *to.data_studio))) {
    out.data_studio = to.data_studio;
  }
  const bool is_empty = out.servers.empty() && out.connections.empty();
  return is_empty || PrefixesMeet(out.servers) ? from : out;
}

}  // namespace bridgekeeper::bridge
