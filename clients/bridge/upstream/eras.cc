// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/eras.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/upstream/upstream.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

bool IsOfStatelessEra(std::string_view key) {
  return key == kMetaVersion || key == kMetaClientInfo || key == kMetaCapabilities;
}

// `params._meta` less what only the stateless era has, with `more` at its end.
std::string MetaWithout(const Message& request, std::string_view more) {
  std::string out = "{";
  const auto meta = Member(request.params, "_meta");
  if (meta && meta->is_object()) {
    for (const JsonValue member : *meta) {
      if (IsOfStatelessEra(member.key())) continue;
      if (out.size() > 1) out += ',';
      out += JsonString(member.key());
      out += ':';
      out += member.raw();
    }
  }
  if (out.size() > 1 && !more.empty()) out += ',';
  out += more;
  out += '}';
  return out;
}

}  // namespace

std::string HeaderTools::TakePage(const Message& answer, std::string_view line,
                                  const OnDropped& on_dropped) {
  const auto list = answer.kind == Message::Kind::kResult ? answer.body->Find("tools")
                                                          : std::optional<JsonValue>();
  if (!list || !list->is_array()) return std::string(line);
  std::string kept = "[";
  bool has_dropped = false;
  for (const JsonValue tool : *list) {
    const std::string_view name = TextOf(tool.Find("name"));
    auto params = HeaderParamsOf(tool.Find("inputSchema"));
    if (!params.ok()) {
      has_dropped = true;
      on_dropped(name, AsStd(params.status().message()));
      continue;
    }
    if (kept.size() > 1) kept += ',';
    kept += tool.raw();
    if (params->empty()) {
      const auto known = tools_.find(name);
      if (known != tools_.end()) tools_.erase(known);
    } else if (tools_.size() < kMaxHeaderTools || tools_.contains(name)) {
      tools_[std::string(name)] = *std::move(params);
    }
  }
  kept += ']';
  if (!has_dropped) return std::string(line);
  JsonEdits edits(answer.document->root());
  edits.Replace(*list, kept);
  return std::move(edits).Apply();
}

const std::vector<HeaderParam>* HeaderTools::Find(std::string_view tool) const {
  const auto found = tools_.find(tool);
  return found == tools_.end() ? nullptr : &found->second;
}

std::string ToStateless(const Message& request, std::string_view version) {
  const auto capabilities = request.Meta(kMetaCapabilities);
  const auto client = request.Meta(kMetaClientInfo);
  // A client of this era is asked what it says it can be asked, any other nothing.
  const bool is_of_client = request.Meta(kMetaVersion) && capabilities && capabilities->is_object();
  std::string more;
  JsonObject members(more);
  members.String(kMetaVersion, kStatelessVersion);
  if (is_of_client && client && client->is_object()) {
    members.Raw(kMetaClientInfo, client->raw());
  } else {
    members.Key(kMetaClientInfo);
    JsonObject info(more);
    info.String("name", "bridgekeeper").String("version", version);
    info.Close();
  }
  members.Raw(kMetaCapabilities, is_of_client ? capabilities->raw() : "{}");
  // Without the brace that begins it.
  const std::string meta = MetaWithout(request, std::string_view(more).substr(1));

  const JsonValue root = request.document->root();
  JsonEdits edits(root);
  if (const auto old = Member(request.params, "_meta")) {
    edits.Replace(*old, meta);
  } else if (request.params) {
    edits.AddMember(*request.params, "_meta", meta);
  } else {
    std::string params;
    JsonObject object(params);
    object.Raw("_meta", meta);
    object.Close();
    edits.AddMember(root, "params", params);
  }
  return std::move(edits).Apply();
}

HttpFieldList StatelessFields(const Message& request, const HeaderTools& tools) {
  HttpFieldList fields = {{"MCP-Protocol-Version", std::string(kStatelessVersion)},
                          {"Mcp-Method", EncodeHeaderValue(request.method)}};
  const std::string_view named_by =
      request.method == "tools/call" || request.method == "prompts/get" ? "name"
      : request.method == "resources/read"                              ? "uri"
                                                                        : "";
  if (named_by.empty()) return fields;
  const std::string_view name = TextOf(request.Param(named_by));
  fields.emplace_back("Mcp-Name", EncodeHeaderValue(name));
  if (request.method != "tools/call") return fields;
  const std::vector<HeaderParam>* params = tools.Find(name);
  if (params == nullptr) return fields;
  for (const HeaderParam& param : *params) {
    const auto value = HeaderParamValue(request.Param("arguments"), param);
    if (value) fields.emplace_back(param.header, EncodeHeaderValue(*value));
  }
  return fields;
}

std::string ToSession(const Message& request, std::string_view line) {
  const auto meta = Member(request.params, "_meta");
  if (!meta || !meta->is_object() || !meta->Find(kMetaVersion)) return std::string(line);
  JsonEdits edits(request.document->root());
  edits.Replace(*meta, MetaWithout(request, ""));
  return std::move(edits).Apply();
}

bool IsStatelessError(const Message& answer) {
  if (answer.kind != Message::Kind::kError) return false;
  const auto code = answer.body->Find("code");
  const auto number = code && code->is_number() ? code->integer() : std::nullopt;
  return number == kHeaderMismatch || number == kMissingCapability || number == kUnsupportedVersion;
}

absl::StatusOr<std::string> InitializeResultOf(JsonValue discovered) {
  const auto versions = discovered.Find("supportedVersions");
  bool is_supported = false;
  std::string listed;
  if (versions && versions->is_array()) {
    for (const JsonValue version : *versions) {
      is_supported = is_supported || TextOf(version) == kStatelessVersion;
      if (listed.size() < 128) listed += " " + EscapeForPeople(TextOf(version), 32);
    }
  }
  if (!is_supported) {
    return absl::FailedPreconditionError(
        absl::StrFormat("it speaks none of our versions; it names:%s", listed));
  }
  std::string result;
  JsonObject object(result);
  object.String("protocolVersion", kSessionVersions[0]).Key("capabilities");
  JsonObject capabilities(result);
  const auto offered = discovered.Find("capabilities");
  for (const std::string_view family : {"tools", "prompts", "resources", "completions"}) {
    const auto capability = Member(offered, family);
    if (!capability || !capability->is_object()) continue;
    capabilities.Key(family);
    JsonObject members(result);
    // Not `subscribe`: this era has no such request.
    if (IsTrue(capability->Find("listChanged"))) members.Bool("listChanged", true);
    members.Close();
  }
  capabilities.Close();
  const auto info = Member(discovered.Find("_meta"), kMetaServerInfo);
  if (info && info->is_object()) {
    object.Raw("serverInfo", info->raw());
  } else {
    object.Key("serverInfo");
    JsonObject unknown(result);
    unknown.String("name", "unknown").String("version", "");
    unknown.Close();
  }
  const auto instructions = discovered.Find("instructions");
  if (instructions && instructions->is_string()) object.Raw("instructions", instructions->raw());
  object.Close();
  return result;
}

}  // namespace bridgekeeper::bridge
