// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/catalog_core.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/catalog/catalog.h"
#include "service/core/record_size.h"

namespace bridgekeeper::service {
namespace {

using store::Mutation;
using store::Record;
using store::RecordKey;

constexpr size_t kPieceRecords = 256;

Record BuiltinRecord(const CatalogEntry& entry) {
  Record record;
  record.key = RecordKey::Catalog(entry.key);
  record.value = entry;
  return record;
}

// The first built-in entry above `after`; they are sorted by tool and all stand under
// the empty app and server, as the store would sort them.
std::span<const CatalogEntry> BuiltinAbove(const std::optional<RecordKey>& after) {
  const std::span<const CatalogEntry> all = BuiltinCatalog();
  if (!after) return all;
  const auto first = std::find_if(all.begin(), all.end(), [&](const CatalogEntry& entry) {
    return RecordKey::Catalog(entry.key) > *after;
  });
  return {first, all.end()};
}

}  // namespace

absl::StatusOr<Record> CatalogCore::Get(const CatalogKey& key) const {
  BK_ASSIGN_OR_RETURN(std::optional<Record> record, store_.Get(RecordKey::Catalog(key)));
  if (record && record->value) return *std::move(record);
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    if (entry.key == key) return BuiltinRecord(entry);
  }
  return absl::NotFoundError(store::Describe(RecordKey::Catalog(key)) + " does not exist");
}

absl::StatusOr<store::CommitResult> CatalogCore::PutAll(std::vector<Item> items,
                                                        const WriteContext& context) {
  std::vector<Mutation> mutations;
  mutations.reserve(items.size());
  for (Item& item : items) {
    RecordKey key = RecordKey::Catalog(item.entry.key);
    mutations.push_back({std::move(key), std::move(item.entry), item.expected_revision});
  }
  return writer_.Commit(std::move(mutations), context);
}

absl::StatusOr<Revision> CatalogCore::Delete(const CatalogKey& key, int64_t expected_revision,
                                             const WriteContext& context) {
  std::vector<Mutation> mutations;
  mutations.push_back({RecordKey::Catalog(key), std::nullopt, expected_revision});
  BK_ASSIGN_OR_RETURN(const store::CommitResult result,
                      writer_.Commit(std::move(mutations), context));
  return result.revision;
}

template <typename Visit>
absl::Status CatalogCore::ForEach(const Filter& filter, std::optional<RecordKey> after,
                                  Visit visit) const {
  // With an app: what counts for every app, then the app's own. Without: one range.
  std::vector<std::optional<std::string>> ranges;
  if (filter.app) {
    ranges = {"", filter.app->value()};
  } else {
    ranges = {std::nullopt};
  }
  std::span<const CatalogEntry> builtin =
      filter.include_builtin ? BuiltinAbove(after) : std::span<const CatalogEntry>();
  // Visits the built-in entries below `key`; one with that key itself is replaced.
  const auto builtin_below = [&](const RecordKey* key) {
    while (!builtin.empty()) {
      Record record = BuiltinRecord(builtin.front());
      if (key != nullptr && record.key > *key) return true;
      builtin = builtin.subspan(1);
      if (key != nullptr && record.key == *key) return true;
      if (!visit(std::move(record))) return false;
    }
    return true;
  };

  for (const auto& app : ranges) {
    store::ListOptions options{.kind = store::RecordKind::kCatalogEntry,
                               .app = app,
                               .after = after,
                               .limit = kPieceRecords};
    while (true) {
      BK_ASSIGN_OR_RETURN(std::vector<Record> piece, store_.List(options));
      const bool last = piece.size() < kPieceRecords;
      if (!piece.empty()) options.after = piece.back().key;
      for (Record& record : piece) {
        if (!builtin_below(&record.key) || !visit(std::move(record))) return absl::OkStatus();
      }
      if (last) break;
    }
  }
  builtin_below(nullptr);
  return absl::OkStatus();
}

absl::StatusOr<RecordPage> CatalogCore::List(const Filter& filter,
                                             const std::optional<RecordKey>& after,
                                             size_t size) const {
  RecordPage page;
  size_t bytes = 0;
  BK_RETURN_IF_ERROR(ForEach(filter, after, [&](Record record) {
    if (filter.server && record.key.server != filter.server->value()) return true;
    bytes += ApproximateBytes(record);
    if (page.records.size() == size || (!page.records.empty() && bytes > kMaxPageBytes)) {
      page.more = true;
      return false;
    }
    page.records.push_back(std::move(record));
    return true;
  }));
  return page;
}

}  // namespace bridgekeeper::service
