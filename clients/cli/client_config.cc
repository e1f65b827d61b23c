// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/client_config.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/text/value.h"

namespace bridgekeeper::cli {
namespace {

using Input = ClientConfigInput;

constexpr std::string_view kNames[] = {"claude-code", "opencode", "cursor",
                                       "codex",       "vscode",   "gemini"};

// Longest names that reach the model. Source: the API of Claude; Gemini CLI cuts longer
// ones in the middle, so that no rule matches them.
constexpr size_t kModelNameBytes = 64;
constexpr size_t kGeminiNameBytes = 63;
// VS Code shortens `mcp_NAME_` to 18 characters.
constexpr size_t kVsCodePrefixBytes = 18;

constexpr std::string_view kTokenVariable = "KEEPER_TOKEN";

Value Texts(auto begin, auto end) {
  Value list = Value::List();
  for (; begin != end; ++begin) list.Add(*begin);
  return list;
}

// The variables of the command: where keeperd is, and a reference to the token.
Value Environment(const Input& input, const std::string& reference) {
  Value variables = Value::Object();
  if (!input.keeper_address.empty()) variables.Set("KEEPER_ADDRESS", input.keeper_address);
  if (!reference.empty()) variables.Set(kTokenVariable, reference);
  return variables;
}

Value Headers(const std::string& reference) {
  return Value::Object().Set("Authorization", "Bearer " + reference);
}

// The entry as most clients have it. `type`: what they call a server with a URL; empty:
// nothing is said. `url_key`: how they call the URL.
Value Entry(const Input& input, const std::string& reference, std::string_view type,
            std::string_view url_key = "url") {
  Value entry = Value::Object();
  if (!input.url.empty()) {
    if (!type.empty()) entry.Set("type", type);
    entry.Set(url_key, input.url);
    if (!reference.empty()) entry.Set("headers", Headers(reference));
    return entry;
  }
  if (!type.empty()) entry.Set("type", "stdio");
  entry.Set("command", input.command[0]);
  entry.Set("args", Texts(input.command.begin() + 1, input.command.end()));
  Value variables = Environment(input, reference);
  if (!variables.empty()) entry.Set("env", std::move(variables));
  return entry;
}

Value Servers(const Input& input, std::string_view key, Value entry) {
  return Value::Object().Set(key, Value::Object().Set(input.name, std::move(entry)));
}

std::string Reference(const Input& input, std::string_view before, std::string_view after = "}") {
  if (input.token_variable.empty()) return "";
  return std::string(before) + input.token_variable + std::string(after);
}

// A tool as clients name it that take only [A-Za-z0-9_-]: anything else is a `_`.
std::string Plain(std::string_view name) {
  std::string out(name);
  std::replace_if(
      out.begin(), out.end(),
      [](char c) {
        return !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                 c == '_' || c == '-');
      },
      '_');
  return out;
}

// True where no rule of another tool may let this one pass: two that such a client cannot
// tell apart are asked about if either is.
bool Asks(const Input& input, const Input::Tool& tool) {
  return std::any_of(input.tools.begin(), input.tools.end(), [&](const Input::Tool& other) {
    return other.asks && Plain(other.name) == Plain(tool.name);
  });
}

void WarnOfLength(const Input& input, std::string_view prefix, size_t most, ClientConfig& out) {
  for (const Input::Tool& tool : input.tools) {
    const size_t size = prefix.size() + tool.name.size();
    if (size <= most) continue;
    out.warnings.push_back(
        absl::StrFormat("`%s%s` has %d characters, and this client takes %d: give the server a "
                        "shorter `prefix`, or the entry a shorter --name",
                        prefix, tool.name, size, most));
  }
}

ClientConfig ClaudeCode(const Input& input) {
  ClientConfig out;
  out.files.push_back({".mcp.json", ToJson(Servers(input, "mcpServers",
                                                   Entry(input, Reference(input, "${"), "http")))});
  Value allow = Value::List();
  Value ask = Value::List();
  const std::string prefix = "mcp__" + input.name + "__";
  for (const Input::Tool& tool : input.tools) {
    (Asks(input, tool) ? ask : allow).Add(prefix + Plain(tool.name));
  }
  out.files.push_back(
      {".claude/settings.json",
       ToJson(Value::Object().Set(
           "permissions",
           Value::Object().Set("allow", std::move(allow)).Set("ask", std::move(ask))))});
  WarnOfLength(input, prefix, kModelNameBytes, out);
  if (!input.url.empty() && !input.token_variable.empty()) {
    out.warnings.push_back(
        "some releases of Claude Code send a variable in `headers` as it is written: check with "
        "`claude mcp list`");
  }
  return out;
}

ClientConfig OpenCode(const Input& input) {
  const std::string reference = Reference(input, "{env:");
  Value entry = Value::Object();
  if (!input.url.empty()) {
    entry.Set("type", "remote").Set("url", input.url);
    if (!reference.empty()) entry.Set("headers", Headers(reference));
  } else {
    entry.Set("type", "local").Set("command", Texts(input.command.begin(), input.command.end()));
    Value variables = Environment(input, reference);
    if (!variables.empty()) entry.Set("environment", std::move(variables));
  }
  entry.Set("enabled", true);
  // The last rule that matches holds: the one for every tool comes first.
  Value permission = Value::Object();
  permission.Set(input.name + "_*", "ask");
  for (const Input::Tool& tool : input.tools) {
    const std::string name = input.name + "_" + Plain(tool.name);
    const std::vector<std::string>& set = permission.names();
    if (Asks(input, tool) || std::find(set.begin(), set.end(), name) != set.end()) continue;
    permission.Set(name, "allow");
  }
  Value file = Servers(input, "mcp", std::move(entry));
  file.Set("permission", std::move(permission));
  ClientConfig out;
  out.files.push_back({"opencode.json", ToJson(file)});
  WarnOfLength(input, input.name + "_", kModelNameBytes, out);
  return out;
}

ClientConfig Cursor(const Input& input) {
  ClientConfig out;
  out.files.push_back(
      {".cursor/mcp.json",
       ToJson(Servers(input, "mcpServers", Entry(input, Reference(input, "${env:"), "")))});
  // What is not in the list is asked about.
  Value allowed = Value::List();
  for (const Input::Tool& tool : input.tools) {
    if (!tool.asks) allowed.Add(input.name + ":" + tool.name);
  }
  out.files.push_back({"~/.cursor/permissions.json",
                       ToJson(Value::Object().Set("mcpAllowlist", std::move(allowed)))});
  return out;
}

// A string of TOML. JSON's escapes are among its own.
std::string Toml(std::string_view text) { return ToJsonLine(Value(text)); }

std::string Toml(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ", ";
    out += Toml(text);
  }
  return out + "]";
}

ClientConfig Codex(const Input& input) {
  ClientConfig out;
  const std::string table = "mcp_servers." + input.name;
  std::string text = absl::StrFormat("[%s]\n", table);
  const auto set = [&](std::string_view key, std::string_view value) {
    text += absl::StrFormat("%s = %s\n", key, value);
  };
  if (!input.url.empty()) {
    set("url", Toml(input.url));
    if (!input.token_variable.empty()) set("bearer_token_env_var", Toml(input.token_variable));
  } else {
    set("command", Toml(input.command[0]));
    set("args", Toml(std::vector<std::string>(input.command.begin() + 1, input.command.end())));
    if (input.token_variable == kTokenVariable) {
      set("env_vars", Toml(std::vector<std::string>{std::string(kTokenVariable)}));
    } else if (!input.token_variable.empty()) {
      out.warnings.push_back(absl::StrFormat(
          "Codex hands a variable on under its own name only: put the token into %s instead of "
          "%s. Nothing about it was written",
          kTokenVariable, input.token_variable));
    }
  }
  set("default_tools_approval_mode", Toml("prompt"));
  if (input.url.empty() && !input.keeper_address.empty()) {
    text += absl::StrFormat("\n[%s.env]\n", table);
    set("KEEPER_ADDRESS", Toml(input.keeper_address));
  }
  for (const Input::Tool& tool : input.tools) {
    text += absl::StrFormat("\n[%s.tools.%s]\n", table, Toml(tool.name));
    set("approval_mode", Toml(tool.asks ? "prompt" : "approve"));
  }
  out.files.push_back({"~/.codex/config.toml", std::move(text)});
  return out;
}

ClientConfig VsCode(const Input& input) {
  ClientConfig out;
  const std::string id = input.name + "-token";
  const std::string reference = input.token_variable.empty() ? "" : "${input:" + id + "}";
  Value file = Servers(input, "servers", Entry(input, reference, "http"));
  if (!reference.empty()) {
    file.Set("inputs", Value::List().Add(Value::Object()
                                             .Set("type", "promptString")
                                             .Set("id", id)
                                             .Set("description", "token of the bridge")
                                             .Set("password", true)));
    out.warnings.push_back(absl::StrFormat(
        "VS Code has no reference to a variable of the environment for secrets: it asks once for "
        "what %s holds, and keeps it",
        input.token_variable));
  }
  out.files.push_back({".vscode/mcp.json", ToJson(file)});
  // What is not named may be approved for good; what is named asks every time.
  const std::string prefix = "mcp_" + input.name + "_";
  Value eligible = Value::Object();
  for (const Input::Tool& tool : input.tools) {
    if (tool.asks) eligible.Set(prefix + tool.name, false);
  }
  out.files.push_back(
      {".vscode/settings.json",
       ToJson(Value::Object().Set("chat.tools.eligibleForAutoApproval", std::move(eligible)))});
  if (prefix.size() > kVsCodePrefixBytes) {
    out.warnings.push_back(absl::StrFormat(
        "VS Code shortens `%s` to %d characters, so the rules would match nothing: choose a "
        "shorter --name",
        prefix, kVsCodePrefixBytes));
  }
  WarnOfLength(input, prefix, kModelNameBytes, out);
  return out;
}

ClientConfig Gemini(const Input& input) {
  ClientConfig out;
  out.files.push_back(
      {".gemini/settings.json",
       ToJson(Servers(input, "mcpServers", Entry(input, Reference(input, "${"), "", "httpUrl")))});
  std::string rules;
  const auto rule = [&](std::string_view tool, std::string_view decision, int priority) {
    rules += absl::StrFormat(
        "%s[[rule]]\nmcpName = %s\ntoolName = %s\ndecision = %s\npriority = %d\n",
        rules.empty() ? "" : "\n", Toml(input.name), Toml(tool), Toml(decision), priority);
  };
  rule("*", "ask_user", 100);
  for (const Input::Tool& tool : input.tools) {
    if (!tool.asks) rule(tool.name, "allow", 200);
  }
  out.files.push_back({"~/.gemini/policies/" + input.name + ".toml", std::move(rules)});
  WarnOfLength(input, "mcp_" + input.name + "_", kGeminiNameBytes, out);
  if (input.url.empty() && !input.token_variable.empty()) {
    out.warnings.push_back(
        "Gemini CLI takes secrets out of the environment of what it starts, but for what `env` "
        "names: keep the entry as it is");
  }
  return out;
}

}  // namespace

std::span<const std::string_view> McpClientNames() { return kNames; }

std::optional<McpClient> ParseMcpClient(std::string_view name) {
  // In any spelling that the command line takes.
  const auto plain = [](std::string_view text) {
    std::string out = AsciiLower(text);
    std::erase_if(out, [](char c) { return c == '-' || c == '_'; });
    return out;
  };
  const auto found = std::find_if(std::begin(kNames), std::end(kNames),
                                  [&](std::string_view one) { return plain(one) == plain(name); });
  if (found == std::end(kNames)) return std::nullopt;
  return static_cast<McpClient>(found - std::begin(kNames));
}

ClientConfig MakeClientConfig(McpClient client, const ClientConfigInput& input) {
  switch (client) {
    case McpClient::kClaudeCode:
      return ClaudeCode(input);
    case McpClient::kOpenCode:
      return OpenCode(input);
    case McpClient::kCursor:
      return Cursor(input);
    case McpClient::kCodex:
      return Codex(input);
    case McpClient::kVsCode:
      return VsCode(input);
    case McpClient::kGemini:
      return Gemini(input);
  }
  return {};
}

}  // namespace bridgekeeper::cli
