// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/catalog_flow.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/model/ids.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr size_t kDescriptionBytes = 60;
constexpr size_t kOriginBytes = 1024;  // a command with its arguments

}  // namespace

absl::StatusOr<CatalogKey> EntryKeyOf(const Args& args) {
  CatalogKey key;
  if (args.Has("--app")) key.app = AppId(args.Text("--app"));
  if (args.Has("--server")) key.server = ServerId(args.Text("--server"));
  key.tool = ToolName(args.Text("TOOL"));
  if (!IsValidToolName(key.tool.value()))
    return UsageError("`TOOL`: " + DescribeInvalidId(key.tool.value()));
  return key;
}

absl::StatusOr<std::map<std::string, StoredEntry>> ReadEntries(Context& context, const AppId& app,
                                                               const ServerId& server) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListCatalogEntriesRequest request;
  request.set_app(app.value());
  request.set_server(server.value());
  request.set_page_size(static_cast<int32_t>(convert::kMaxPageSize));
  std::map<std::string, StoredEntry> out;
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListCatalogEntriesResponse page,
                        client->ListCatalogEntries(request));
    request.set_page_token(page.next_page_token());
    for (const v1::CatalogRecord& record : page.records()) {
      const v1::CatalogKey& key = record.entry().key();
      if (key.app() != app.value() || key.server() != server.value())
        continue;  // entries for every app come too
      BK_ASSIGN_OR_RETURN(const CatalogEntry entry, convert::FromProto(record.entry()));
      out[key.tool()] = {entry, record.meta().revision(), /*found=*/true};
    }
  } while (!request.page_token().empty());
  return out;
}

absl::StatusOr<std::vector<v1::ReportedTool>> ReadReportedTools(Context& context,
                                                                std::string_view app,
                                                                std::string_view server,
                                                                bool unreviewed_only) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::ListReportedToolsRequest request;
  request.set_app(std::string(app));
  request.set_server(std::string(server));
  request.set_unreviewed_only(unreviewed_only);
  // A tool may come with two definitions of 16 KiB, and a page is one message.
  request.set_page_size(
      static_cast<int32_t>(convert::kMaxMessageBytes / (4 * convert::kMaxDefinitionBytes)));
  std::vector<v1::ReportedTool> out;
  do {
    BK_ASSIGN_OR_RETURN(const v1::ListReportedToolsResponse page,
                        client->ListReportedTools(request));
    request.set_page_token(page.next_page_token());
    out.insert(out.end(), page.tools().begin(), page.tools().end());
  } while (!request.page_token().empty());
  return out;
}

std::set<std::string> CoveredOf(const std::vector<v1::ReportedTool>& tools) {
  std::set<std::string> out;
  for (const v1::ReportedTool& tool : tools) {
    const ReasonCode state = convert::FromProto(tool.state());
    if (state == ReasonCode::kAllowed || state == ReasonCode::kToolChanged ||
        state == ReasonCode::kToolDisabled) {
      out.insert(tool.tool());
    }
  }
  return out;
}

std::set<std::string> ChangedOf(const std::vector<v1::ReportedTool>& tools) {
  std::set<std::string> out;
  for (const v1::ReportedTool& tool : tools) {
    if (convert::FromProto(tool.state()) == ReasonCode::kToolChanged) out.insert(tool.tool());
  }
  return out;
}

absl::StatusOr<bool> DeniesChanged(Context& context, std::string_view app) {
  BK_ASSIGN_OR_RETURN(const StoredPolicy stored, ReadPolicy(context, AppId(app)));
  return !stored.policy || stored.policy->pinning == Pinning::kEnforce;
}

absl::StatusOr<std::vector<v1::ReportedTool>> Named(const std::vector<v1::ReportedTool>& tools,
                                                    const std::vector<std::string>& names) {
  std::vector<v1::ReportedTool> out;
  for (const std::string& name : names) {
    const auto it = std::find_if(tools.begin(), tools.end(),
                                 [&](const v1::ReportedTool& tool) { return tool.tool() == name; });
    if (it == tools.end()) {
      std::vector<std::string> known;
      for (const v1::ReportedTool& tool : tools) known.push_back(tool.tool());
      return WithHelp(
          absl::NotFoundError(absl::StrFormat("no bridge reported a tool `%s` of this server",
                                              EscapeForPeople(name, 128))),
          NearestHint(name, known, "keeper catalog diff"));
    }
    const bool twice = std::any_of(
        out.begin(), out.end(), [&](const v1::ReportedTool& tool) { return tool.tool() == name; });
    if (!twice) out.push_back(*it);
  }
  return out;
}

absl::StatusOr<StoredEntry> ReadEntry(Context& context, const CatalogKey& key) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::GetCatalogEntryRequest request;
  *request.mutable_key() = convert::ToProto(key);
  const absl::StatusOr<v1::GetCatalogEntryResponse> response = client->GetCatalogEntry(request);
  StoredEntry out;
  out.entry.key = key;
  if (absl::IsNotFound(response.status())) return out;
  BK_RETURN_IF_ERROR(response.status());
  BK_ASSIGN_OR_RETURN(out.entry, convert::FromProto(response->record().entry()));
  out.found = true;
  // A built-in entry is not stored: what is written over it is new.
  out.entry.builtin = false;
  out.revision = response->record().entry().builtin() ? 0 : response->record().meta().revision();
  return out;
}

std::string OriginOf(const v1::ReportedTool& tool) {
  const auto json = JsonDocument::Parse(tool.definition_json());
  const auto origin = json.ok() ? json->root().Find("bridgekeeper/origin") : std::nullopt;
  if (!origin) return "(not known)";
  return EscapeForPeople(origin->raw(), kOriginBytes);
}

std::string HintsOf(const v1::ReportedTool& tool) {
  if (tool.definition_cut()) return "(definition too long)";
  const auto json = JsonDocument::Parse(tool.definition_json());
  if (!json.ok()) return "(unreadable)";
  const auto annotations = json->root().Find("annotations");
  std::string out;
  const auto add = [&](std::string_view member, std::string_view yes, std::string_view no) {
    const auto hint = annotations ? annotations->Find(member) : std::nullopt;
    if (!hint || hint->kind() != JsonKind::kBool) return;
    out += (out.empty() ? "" : ", ") + std::string(hint->boolean() ? yes : no);
  };
  add("readOnlyHint", "read-only", "not read-only");
  add("destructiveHint", "destructive", "not destructive");
  return out.empty() ? "none" : out;
}

std::string DescriptionOf(const v1::ReportedTool& tool) {
  const auto json = JsonDocument::Parse(tool.definition_json());
  if (!json.ok()) return "";
  const auto description = json->root().Find("description");
  return description && description->is_string()
             ? EscapeForPeople(description->string(), kDescriptionBytes)
             : "";
}

absl::StatusOr<ExitCode> WriteEntries(Context& context, const std::vector<StoredEntry>& entries) {
  if (entries.size() > convert::kMaxCatalogBatchItems) {
    return absl::ResourceExhaustedError(absl::StrFormat(
        "got %d entries, want at most %d at once", entries.size(), convert::kMaxCatalogBatchItems));
  }
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::PutCatalogEntriesRequest request;
  for (const StoredEntry& stored : entries) {
    v1::PutCatalogEntry& put = *request.add_entries();
    *put.mutable_entry() = convert::ToProto(stored.entry);
    put.set_expected_revision(stored.revision);
  }
  request.mutable_options()->set_author(context.Author());
  request.mutable_options()->set_reason(context.args().Text("--reason"));
  const absl::StatusOr<v1::PutCatalogEntriesResponse> response = client->PutCatalogEntries(request);
  if (absl::IsAborted(response.status())) {
    for (const StoredEntry& stored : entries) {
      BK_ASSIGN_OR_RETURN(const StoredEntry now, ReadEntry(context, stored.entry.key));
      if (now.revision == stored.revision) continue;
      context.err() << absl::StrFormat(
          "the entry of `%s` changed since it was read: revision %d -> %d\n",
          stored.entry.key.tool.value(), stored.revision, now.revision);
    }
    return WithHelp(response.status(),
                    "look at the change, then run the command again: nothing was written");
  }
  BK_RETURN_IF_ERROR(response.status());
  if (context.for_people()) {
    context.out() << absl::StrFormat("%d of %d entries changed, revision %d\n", response->changed(),
                                     entries.size(), response->revision());
  } else {
    context.Print(
        Value::Object().Set("revision", response->revision()).Set("changed", response->changed()));
  }
  return ExitCode::kOk;
}

}  // namespace bridgekeeper::cli
