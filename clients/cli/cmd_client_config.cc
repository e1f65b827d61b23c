// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/cli/catalog_flow.h"
#include "clients/cli/client_config.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/model/ids.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr std::string_view kDefaultName = "bridgekeeper";
constexpr std::string_view kDefaultServer = "stdio";  // of keeper-bridge stdio
// Between a server's name and a tool's, where one bridge stands in front of many. The bridge
// has the same unless its configuration says `separator`.
constexpr std::string_view kDefaultSeparator = "__";
constexpr size_t kMaxNameBytes = 32;
constexpr std::string_view kSchemeEnd = "://";
constexpr std::string_view kServersPath = "/servers/";
constexpr std::string_view kMcpPath = "/mcp";

constexpr Flag kFlags[] = {
    {.name = "CLIENT",
     .kind = Flag::Kind::kChoice,
     .value = "CLIENT",
     .help = "claude-code, opencode, cursor, codex, vscode or gemini",
     .required = true,
     .choices = McpClientNames},
    {.name = "COMMAND",
     .kind = Flag::Kind::kTexts,
     .help = "with --stdio: the MCP server's own command, behind `--`"},
    {.name = "--bridge",
     .value = "URL",
     .help = "the bridge's address: .../mcp, or .../servers/NAME/mcp for one server"},
    {.name = "--stdio",
     .kind = Flag::Kind::kSwitch,
     .help = "the client starts keeper-bridge itself"},
    kAppFlag,
    {.name = "--server",
     .value = "SERVER",
     .help = "only this server; with --bridge URL/mcp all that were seen unless given"},
    kCatalogFlag,
    {.name = "--separator",
     .value = "TEXT",
     .help = "`separator` of the bridge's configuration; __ unless given"},
    {.name = "--prefix",
     .kind = Flag::Kind::kTexts,
     .value = "SERVER=PREFIX",
     .help = "`prefix` of a server in the bridge's configuration; its name unless given"},
    {.name = "--name",
     .value = "NAME",
     .help = "what the client calls it; bridgekeeper unless given"},
    {.name = "--token-env",
     .value = "VARIABLE",
     .help = "the client sends the token that this variable of its environment holds"},
};

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool IsVariable(std::string_view name) {
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                  c == '_';
         });
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// What the bridge takes as a server's name, its prefix and the separator.
bool IsToolCharacters(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || IsDigit(c) || c == '_' || c == '-' ||
           c == '.';
  });
}

// HOST or HOST:PORT; an IPv6 address in its brackets.
bool IsAuthority(std::string_view text) {
  const size_t colon = text.ends_with(']') ? std::string_view::npos : text.rfind(':');
  std::string_view host = text.substr(0, colon);
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    if (port.empty() || !std::all_of(port.begin(), port.end(), IsDigit)) return false;
  }
  if (!host.starts_with('[')) return !host.empty() && IsToolCharacters(host);
  if (!host.ends_with(']')) return false;
  host = host.substr(1, host.size() - 2);
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' || c == '.';
  });
}

// What follows the scheme of a URL.
std::string_view BehindScheme(std::string_view url) {
  const size_t end = url.find(kSchemeEnd);
  return end == std::string_view::npos ? "" : url.substr(end + kSchemeEnd.size());
}

// NAME of http://HOST/servers/NAME/mcp; empty: it is another address.
std::string ServerInUrl(std::string_view url) {
  std::string_view path = BehindScheme(url);
  path.remove_prefix(std::min(path.find('/'), path.size()));
  if (!path.starts_with(kServersPath)) return "";
  path.remove_prefix(kServersPath.size());
  if (!path.ends_with(kMcpPath)) return "";
  path.remove_suffix(kMcpPath.size());
  return std::string(path);
}

// The URL is printed into files: nothing that may be a token belongs there. What was got is
// not shown for the same reason.
absl::Status CheckBridgeUrl(std::string_view url) {
  if (!url.starts_with("http://") && !url.starts_with("https://")) {
    return UsageError("`--bridge`: want http://HOST:PORT/mcp or https://HOST:PORT/mcp");
  }
  if (url.find('@') != std::string_view::npos) {
    return UsageError(
        "`--bridge`: got a user name or a password, want a URL without: `--token-env` names the "
        "variable that holds a token");
  }
  if (url.find_first_of("?#") != std::string_view::npos) {
    return UsageError(
        "`--bridge`: got a query or a fragment, want a URL without: `--token-env` names the "
        "variable that holds a token");
  }
  const std::string_view rest = BehindScheme(url);
  const size_t slash = std::min(rest.find('/'), rest.size());
  if (!IsAuthority(rest.substr(0, slash))) {
    return UsageError("`--bridge`: got another host or port, want HOST or HOST:PORT");
  }
  const std::string server = ServerInUrl(url);
  if (rest.substr(slash) != kMcpPath && (server.empty() || !IsToolCharacters(server))) {
    return UsageError("`--bridge`: got another path, want /mcp or /servers/NAME/mcp");
  }
  return absl::OkStatus();
}

// What `--prefix` says: the prefix by its server.
absl::StatusOr<std::map<std::string, std::string>> ReadPrefixes(const Args& args, bool has_prefix) {
  std::map<std::string, std::string> out;
  for (const std::string& text : args.Texts("--prefix")) {
    const auto refuse = [&](std::string_view want) {
      return UsageError(
          absl::StrFormat("`--prefix`: got `%s`, want %s", EscapeForPeople(text, 128), want));
    };
    if (!has_prefix) return refuse("it only with `--bridge` and the path /mcp");
    const size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) return refuse("SERVER=PREFIX");
    const std::string prefix = text.substr(sign + 1);
    if (!IsToolCharacters(prefix)) return refuse("only [A-Za-z0-9_.-] behind the `=`");
    if (!out.emplace(text.substr(0, sign), prefix).second) return refuse("each server once");
  }
  return out;
}

// The tools of one server that the app may see, as the catalogue and the policy have it,
// and of these the ones that a bridge saw it list, where one did. `seen` are then those
// that an entry counts for, of the catalogue that the bridge declared.
absl::StatusOr<std::vector<v1::Tool>> ToolsOf(Context& context, const std::string& server,
                                              const std::optional<std::set<std::string>>& seen) {
  v1::ListToolsRequest request;
  request.set_app(context.args().Text("--app"));
  request.set_server(server);
  request.set_builtin_catalog(seen.has_value() || context.args().Has("--catalog"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  std::vector<v1::Tool> tools;
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListToolsResponse page, client->ListTools(request));
    request.set_page_token(page.next_page_token());
    for (const v1::Tool& tool : page.tools()) {
      if (!seen || seen->contains(tool.name())) tools.push_back(tool);
    }
  } while (!request.page_token().empty());
  return tools;
}

absl::Status ReadFlags(const Args& args, ClientConfigInput& input, std::string& server) {
  if (args.Has("--bridge") == args.Has("--stdio")) {
    return UsageError("want exactly one of `--bridge` and `--stdio`");
  }
  const std::vector<std::string> command = args.Texts("COMMAND");
  if (args.Has("--stdio") == command.empty()) {
    return UsageError(args.Has("--stdio")
                          ? "`--stdio`: want the MCP server's own command behind `--`"
                          : "got a command, want one only with `--stdio`");
  }
  input.name = args.Has("--name") ? args.Text("--name") : std::string(kDefaultName);
  // Neither `_`, which several clients put between its parts, nor what a key must quote.
  if (!IsName(input.name)) {
    return UsageError(absl::StrFormat("`--name`: want 1 to %d of [a-z0-9-]", kMaxNameBytes));
  }
  input.token_variable = args.Text("--token-env");
  if (args.Has("--token-env") && !IsVariable(input.token_variable)) {
    return UsageError("`--token-env`: want the name of a variable, never a token");
  }
  if (args.Has("--bridge") && input.token_variable.starts_with("KEEPER_")) {
    return UsageError(
        "`--token-env`: got a variable of the bridge's own credentials for keeperd, want one that "
        "holds a token for the bridge");
  }
  input.url = args.Text("--bridge");
  server = args.Text("--server");
  if (args.Has("--bridge")) {
    BK_RETURN_IF_ERROR(CheckBridgeUrl(input.url));
    const std::string named = ServerInUrl(input.url);
    if (!named.empty() && !server.empty() && named != server) {
      return UsageError("`--server`: got another one than `--bridge` names");
    }
    if (!named.empty()) server = named;
  } else {
    if (server.empty()) server = kDefaultServer;
    input.command = {"keeper-bridge", "stdio", "--app", args.Text("--app"), "--server", server};
    if (args.Has("--catalog")) {
      input.command.insert(input.command.end(), {"--catalog", args.Text("--catalog")});
    }
    input.command.emplace_back("--");
    input.command.insert(input.command.end(), command.begin(), command.end());
  }
  return absl::OkStatus();
}

// The servers that a bridge has reported, by name, or the one that was named.
using Servers = std::map<std::string, std::optional<std::set<std::string>>>;

absl::Status CheckServersOf(const std::map<std::string, std::string>& prefixes,
                            const Servers& servers) {
  for (const auto& [name, prefix] : prefixes) {
    if (servers.contains(name)) continue;
    std::string listed;
    for (const auto& [known, seen] : servers) {
      listed += absl::StrFormat("%s`%s`", listed.empty() ? "" : ", ", known);
    }
    return UsageError(absl::StrFormat("`--prefix`: got the server `%s`, want one of %s",
                                      EscapeForPeople(name, 128), listed));
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  ClientConfigInput input;
  std::string server;
  BK_RETURN_IF_ERROR(ReadFlags(args, input, server));
  const bool has_prefix = !input.url.empty() && ServerInUrl(input.url).empty();
  BK_ASSIGN_OR_RETURN(const auto prefixes, ReadPrefixes(args, has_prefix));
  if (!input.command.empty()) {
    input.keeper_address = context.session().get_env("KEEPER_ADDRESS").value_or("");
  }
  BK_ASSIGN_OR_RETURN(
      const std::vector<v1::ReportedTool> reported,
      ReadReportedTools(context, args.Text("--app"), server, /*unreviewed_only=*/false));
  Servers servers;
  if (!server.empty()) servers[server];
  std::map<std::string, std::vector<v1::ReportedTool>> by_server;
  for (const v1::ReportedTool& tool : reported) by_server[tool.server()].push_back(tool);
  for (const auto& [name, tools] : by_server) {
    std::set<std::string>& seen = servers[name].emplace();
    if (!args.Has("--catalog")) {
      seen = CoveredOf(tools);
      continue;
    }
    for (const v1::ReportedTool& tool : tools) seen.insert(tool.tool());
  }
  if (servers.empty()) {
    return WithHelp(absl::FailedPreconditionError(absl::StrFormat(
                        "no bridge has reported a server of `%s` yet", args.Text("--app"))),
                    "start the bridge once, or name the server with `--server`");
  }
  const std::string separator =
      args.Has("--separator") ? args.Text("--separator") : std::string(kDefaultSeparator);
  if (!IsValidToolName("a" + separator) || separator.find('/') != std::string::npos) {
    return UsageError("`--separator`: want only [A-Za-z0-9_.-]");
  }
  BK_RETURN_IF_ERROR(CheckServersOf(prefixes, servers));
  bool denies_changed = true;
  if (std::any_of(by_server.begin(), by_server.end(),
                  [](const auto& one) { return !ChangedOf(one.second).empty(); })) {
    BK_ASSIGN_OR_RETURN(denies_changed, DeniesChanged(context, args.Text("--app")));
  }
  size_t left_out = 0;
  for (const auto& [name, seen] : servers) {
    const auto given = prefixes.find(name);
    const std::string prefix =
        has_prefix ? (given == prefixes.end() ? name : given->second) + separator : std::string();
    const std::set<std::string> changed = ChangedOf(by_server[name]);
    BK_ASSIGN_OR_RETURN(const std::vector<v1::Tool> tools, ToolsOf(context, name, seen));
    for (const v1::Tool& tool : tools) {
      const bool is_changed = changed.contains(tool.name());
      if (is_changed && denies_changed) {
        ++left_out;
        continue;
      }
      input.tools.push_back({.name = prefix + tool.name(),
                             .asks = is_changed || convert::FromProto(tool.risk()) != Risk::kSafe});
    }
  }
  const auto client = ParseMcpClient(args.Text("CLIENT"));
  if (!client) return UsageError("`CLIENT`: want one that `--help` names");
  const ClientConfig config = MakeClientConfig(*client, input);
  if (context.for_people()) {
    for (const ClientConfig::File& file : config.files) {
      if (&file != &config.files.front()) context.out() << "\n";
      context.out() << absl::StrFormat("# %s\n%s", file.path, file.text);
    }
  } else {
    Value files = Value::List();
    for (const ClientConfig::File& file : config.files) {
      files.Add(Value::Object().Set("path", file.path).Set("text", file.text));
    }
    context.Print(Value::Object().Set("files", std::move(files)));
  }
  for (const std::string& warning : config.warnings) context.Warn(warning);
  if (left_out > 0) {
    context.Note(absl::StrFormat(
        "%d more changed since their review, are denied, and so left out: `keeper catalog diff` "
        "shows how",
        left_out));
  }
  if (input.tools.empty()) {
    context.Note("the app may see no tool yet, so every call is asked about or hidden");
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kClientConfig = {
    .name = "client-config",
    .usage =
        "CLIENT (--bridge URL | --stdio) --app APP [--server SERVER] [--catalog NAME] "
        "[--separator TEXT] [--prefix SERVER=PREFIX...] [--name NAME] [--token-env VARIABLE] "
        "[COMMAND...]",
    .summary = "print what an MCP client's own files must hold",
    .help =
        "Prints the entry of the server and a rule for each tool that the app may see now: the "
        "client calls\n"
        "what is SAFE without a question and asks its user before anything else. Merge it into the "
        "files that\n"
        "it names. The client's rules are a convenience: the bridge decides whatever they say.\n"
        "A tool that changed since its review is left out where the policy denies it, and asked "
        "about else.\n"
        "No token is ever printed: --token-env names a variable, and the client expands a "
        "reference to it.\n"
        "With --stdio the server's own command follows `--`.\n"
        "The bridge's own databases are a server like any other, `databases`, once it has run.\n"
        "Where the bridge's configuration has another `separator`, or a `prefix` for a server, "
        "--separator and\n"
        "--prefix have to say the same.\n",
    .examples = {"keeper client-config claude-code --bridge http://127.0.0.1:9120/mcp --app dockit "
                 "--prefix files=f",
                 "keeper client-config codex --stdio --app dockit --server files -- npx files-mcp"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
