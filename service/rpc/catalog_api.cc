// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/catalog_api.h"

#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/catalog/catalog.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"
#include "service/core/paging.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

constexpr size_t kEntriesPage = 200;

absl::StatusOr<std::optional<AppId>> ReadApp(const std::string& app) {
  if (app.empty()) return std::optional<AppId>();
  BK_RETURN_IF_ERROR(convert::CheckId("app", app));
  return std::optional<AppId>(AppId(app));
}

absl::StatusOr<std::optional<ServerId>> ReadServer(const std::string& server) {
  if (server.empty()) return std::optional<ServerId>();
  BK_RETURN_IF_ERROR(convert::CheckId("server", server));
  return std::optional<ServerId>(ServerId(server));
}

// The catalogues of the apps of one page, each read once.
class Catalogs {
 public:
  explicit Catalogs(const store::PolicyStore& store) : store_(store) {}

  absl::StatusOr<const Catalog*> Of(const AppId& app) {
    auto it = catalogs_.find(app);
    if (it == catalogs_.end()) {
      BK_ASSIGN_OR_RETURN(auto snapshot, store_.ReadApp(app));
      std::vector<CatalogEntry> entries;
      for (store::Record& record : snapshot.records) {
        if (!record.value) continue;
        if (auto* entry = std::get_if<CatalogEntry>(&*record.value)) {
          entries.push_back(std::move(*entry));
        }
      }
      it = catalogs_.emplace(app, std::make_unique<Catalog>(app, std::move(entries))).first;
    }
    return it->second.get();
  }

 private:
  const store::PolicyStore& store_;
  std::map<AppId, std::unique_ptr<const Catalog>> catalogs_;
};

void ToMessage(const ReportedTools::Row& row, ReasonCode state, const CatalogEntry* entry,
               pb::ReportedTool& out) {
  out.set_app(row.key.app.value());
  out.set_server(row.key.server.value());
  out.set_definition_json(row.tool.definition_json);
  out.set_tool(row.tool.tool);
  out.set_digest(row.tool.digest);
  out.set_definition_cut(row.tool.definition_cut);
  *out.mutable_last_seen() = convert::ToProto(row.last_seen);
  out.set_suggested_risk(convert::ToProto(SuggestedRisk(row.tool.definition_json)));
  out.set_state(convert::ToProto(state));
  if (entry == nullptr || entry->pin.empty()) return;
  out.set_pin(entry->pin);
  if (entry->pin != row.tool.digest) {
    out.set_reviewed_definition_json(std::string(DefinitionWith(row.tool, entry->pin)));
  }
}

}  // namespace

absl::Status CatalogApi::GetCatalogEntry(const pb::GetCatalogEntryRequest& request,
                                         pb::GetCatalogEntryResponse& response) {
  BK_ASSIGN_OR_RETURN(const CatalogKey key, convert::FromProto(request.key()));
  BK_ASSIGN_OR_RETURN(const store::Record record, core_.Get(key));
  service::ToMessage(record, *response.mutable_record());
  return absl::OkStatus();
}

absl::Status CatalogApi::PutCatalogEntries(const pb::PutCatalogEntriesRequest& request,
                                           pb::PutCatalogEntriesResponse& response) {
  const auto count = static_cast<size_t>(request.entries_size());
  convert::Problems problems;
  if (count == 0) problems.Invalid("entries", "got 0 items, want at least 1");
  if (!problems.CheckCount("entries", count, convert::kMaxCatalogBatchItems) || count == 0) {
    return problems.ToStatus();
  }
  std::vector<CatalogCore::Item> items;
  items.reserve(count);
  for (int i = 0; i < request.entries_size(); ++i) {
    const pb::PutCatalogEntry& item = request.entries(i);
    const std::string field = absl::StrFormat("entries[%d]", i);
    auto entry = convert::FromProto(item.entry());
    problems.Add(field, entry.status());
    if (!item.has_expected_revision() || item.expected_revision() < 0) {
      problems.Invalid(field,
                       "expected_revision: want the revision of the entry's last change as you "
                       "read it, or 0 where it must not be stored yet");
    } else if (entry.ok()) {
      items.push_back({*std::move(entry), item.expected_revision()});
    }
  }
  if (!problems.empty()) return problems.ToStatus();
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(const store::CommitResult result, core_.PutAll(std::move(items), context));
  response.set_revision(result.revision.value);
  response.set_changed(static_cast<int32_t>(result.changed));
  return absl::OkStatus();
}

absl::Status CatalogApi::DeleteCatalogEntry(const pb::DeleteCatalogEntryRequest& request,
                                            pb::DeleteCatalogEntryResponse& response) {
  BK_ASSIGN_OR_RETURN(const CatalogKey key, convert::FromProto(request.key()));
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(const Revision revision, core_.Delete(key, expected, context));
  response.set_revision(revision.value);
  return absl::OkStatus();
}

absl::Status CatalogApi::ListCatalogEntries(const pb::ListCatalogEntriesRequest& request,
                                            pb::ListCatalogEntriesResponse& response) {
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kEntriesPage));
  CatalogCore::Filter filter{.include_builtin = request.include_builtin()};
  BK_ASSIGN_OR_RETURN(filter.app, ReadApp(request.app()));
  BK_ASSIGN_OR_RETURN(filter.server, ReadServer(request.server()));
  std::optional<store::RecordKey> after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(const auto parts, DecodePageToken(request.page_token(), 3));
    after = store::RecordKey{store::RecordKind::kCatalogEntry, parts[0], parts[1], parts[2]};
  }
  BK_ASSIGN_OR_RETURN(const RecordPage page, core_.List(filter, after, size));
  for (const store::Record& record : page.records) {
    service::ToMessage(record, *response.add_records());
  }
  if (page.more) {
    const store::RecordKey& last = page.records.back().key;
    response.set_next_page_token(EncodePageToken({last.app, last.server, last.id}));
  }
  return absl::OkStatus();
}

absl::Status CatalogApi::ListReportedTools(const pb::ListReportedToolsRequest& request,
                                           pb::ListReportedToolsResponse& response) {
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kEntriesPage));
  BK_ASSIGN_OR_RETURN(const auto app, ReadApp(request.app()));
  BK_ASSIGN_OR_RETURN(const auto server, ReadServer(request.server()));
  std::optional<ReportedTools::Position> after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(auto parts, DecodePageToken(request.page_token(), 3));
    after = ReportedTools::Position{{AppId(parts[0]), ServerId(parts[1])}, std::move(parts[2])};
  }
  Catalogs catalogs(store_);
  size_t bytes = 0;
  while (true) {
    const std::vector<ReportedTools::Row> rows = reported_.List(app, server, after, size);
    for (const ReportedTools::Row& row : rows) {
      BK_ASSIGN_OR_RETURN(const Catalog* catalog, catalogs.Of(row.key.app));
      const CatalogEntry* entry =
          catalog->Find(row.tool.tool, row.key.server.value(), row.builtin_catalog);
      const ReasonCode state = StateOf(row.tool, entry);
      const bool needs_review =
          state == ReasonCode::kToolUnreviewed || state == ReasonCode::kToolChanged;
      if (!request.unreviewed_only() || needs_review) {
        bytes += row.tool.definition_json.size();
        if (entry != nullptr && entry->pin != row.tool.digest) {
          bytes += DefinitionWith(row.tool, entry->pin).size();
        }
        const auto count = static_cast<size_t>(response.tools_size());
        if (count == size || (count > 0 && bytes > kMaxPageBytes)) {
          const pb::ReportedTool& last = response.tools(response.tools_size() - 1);
          response.set_next_page_token(EncodePageToken({last.app(), last.server(), last.tool()}));
          return absl::OkStatus();
        }
        ToMessage(row, state, entry, *response.add_tools());
      }
      after = ReportedTools::Position{row.key, row.tool.tool};
    }
    if (rows.size() < size) return absl::OkStatus();
  }
}

}  // namespace bridgekeeper::service
