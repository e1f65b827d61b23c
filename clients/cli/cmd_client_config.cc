// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <set>
#include <string>
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
#include "policy/model/ids.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr std::string_view kDefaultName = "bridgekeeper";
constexpr std::string_view kDefaultServer = "stdio";  // of keeper-bridge stdio
// Between a server's name and a tool's, where one bridge stands in front of many.
constexpr std::string_view kSeparator = "__";
constexpr size_t kMaxNameBytes = 32;

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

// NAME of http://HOST/servers/NAME/mcp; empty: it is another address.
std::string ServerInUrl(std::string_view url) {
  constexpr std::string_view kBegin = "/servers/";
  constexpr std::string_view kEnd = "/mcp";
  const size_t begin = url.rfind(kBegin);
  if (begin == std::string_view::npos || !url.ends_with(kEnd)) return "";
  url.remove_suffix(kEnd.size());
  return std::string(url.substr(std::min(begin + kBegin.size(), url.size())));
}

// The tools of one server that the app may see, as the catalogue and the policy have it,
// and of these the ones that a bridge saw it list, where one did.
absl::StatusOr<std::vector<v1::Tool>> ToolsOf(Context& context, const std::string& server,
                                              const std::set<std::string>& seen) {
  v1::ListToolsRequest request;
  request.set_app(context.args().Text("--app"));
  request.set_server(server);
  request.set_builtin_catalog(context.args().Has("--catalog"));
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  std::vector<v1::Tool> tools;
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListToolsResponse page, client->ListTools(request));
    request.set_page_token(page.next_page_token());
    for (const v1::Tool& tool : page.tools()) {
      if (seen.empty() || seen.contains(tool.name())) tools.push_back(tool);
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
  input.url = args.Text("--bridge");
  server = args.Text("--server");
  if (args.Has("--bridge")) {
    if (!input.url.starts_with("http://") && !input.url.starts_with("https://")) {
      return UsageError("`--bridge`: want http://HOST:PORT/mcp or https://HOST:PORT/mcp");
    }
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

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  ClientConfigInput input;
  std::string server;
  BK_RETURN_IF_ERROR(ReadFlags(args, input, server));
  if (!input.command.empty()) {
    input.keeper_address = context.session().get_env("KEEPER_ADDRESS").value_or("");
  }
  BK_ASSIGN_OR_RETURN(
      const std::vector<v1::ReportedTool> reported,
      ReadReportedTools(context, args.Text("--app"), server, /*unreviewed_only=*/false));
  std::map<std::string, std::set<std::string>> servers;
  if (!server.empty()) servers[server];
  for (const v1::ReportedTool& tool : reported) servers[tool.server()].insert(tool.tool());
  if (servers.empty()) {
    return WithHelp(absl::FailedPreconditionError(absl::StrFormat(
                        "no bridge has reported a server of `%s` yet", args.Text("--app"))),
                    "start the bridge once, or name the server with `--server`");
  }
  const bool has_prefix = !input.url.empty() && ServerInUrl(input.url).empty();
  for (const auto& [name, seen] : servers) {
    BK_ASSIGN_OR_RETURN(const std::vector<v1::Tool> tools, ToolsOf(context, name, seen));
    for (const v1::Tool& tool : tools) {
      input.tools.push_back(
          {.name = (has_prefix ? name + std::string(kSeparator) : std::string()) + tool.name(),
           .asks = convert::FromProto(tool.risk()) != Risk::kSafe});
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
  if (input.tools.empty()) {
    context.Note("the app may see no tool yet, so every call is asked about or hidden");
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kClientConfig = {
    .name = "client-config",
    .usage =
        "CLIENT (--bridge URL | --stdio) --app APP [--server SERVER] [--catalog NAME] [--name "
        "NAME] "
        "[--token-env VARIABLE] [COMMAND...]",
    .summary = "print what an MCP client's own files must hold",
    .help =
        "Prints the entry of the server and a rule for each tool that the app may see now: the "
        "client calls\n"
        "what is SAFE without a question and asks its user before anything else. Merge it into the "
        "files that\n"
        "it names. The client's rules are a convenience: the bridge decides whatever they say.\n"
        "No token is ever printed: --token-env names a variable, and the client expands a "
        "reference to it.\n"
        "With --stdio the server's own command follows `--`.\n",
    .examples = {"keeper client-config claude-code --bridge http://127.0.0.1:9120/mcp --app dockit",
                 "keeper client-config codex --stdio --app dockit --server files -- npx files-mcp"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
