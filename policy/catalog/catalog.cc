// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/catalog/catalog.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bridgekeeper {
namespace {

// Tools by name; the entries of one tool from the most to the least specific, the
// servers of one rank by name.
auto Order(const CatalogEntry& entry) {
  const CatalogKey& key = entry.key;
  return std::tuple(std::string_view(key.tool.value()), !key.app.has_value(),
                    !key.server.has_value(),
                    key.server ? std::string_view(key.server->value()) : std::string_view());
}

bool Before(const CatalogEntry& a, const CatalogEntry& b) { return Order(a) < Order(b); }

}  // namespace

Catalog::Catalog(const AppId& app, std::vector<CatalogEntry> stored) : stored_(std::move(stored)) {
  std::erase_if(stored_, [&](const CatalogEntry& entry) {
    return entry.builtin || (entry.key.app && *entry.key.app != app);
  });
  std::stable_sort(stored_.begin(), stored_.end(), Before);
  const auto same_key = [](const CatalogEntry& a, const CatalogEntry& b) { return a.key == b.key; };
  stored_.erase(std::unique(stored_.begin(), stored_.end(), same_key), stored_.end());
  stored_.shrink_to_fit();

  for (uint32_t i = 0; i < stored_.size(); ++i) {
    ++by_tool_.try_emplace(stored_[i].key.tool.value(), Range{i, 0}).first->second.count;
  }
}

const CatalogEntry* Catalog::Find(std::string_view tool, std::optional<std::string_view> server,
                                  bool builtin_catalog) const {
  // Most apps store no entry of their own, and then there is nothing to hash for.
  const auto it = by_tool_.empty() ? by_tool_.end() : by_tool_.find(tool);
  if (it != by_tool_.end()) {
    for (const CatalogEntry& entry : stored().subspan(it->second.first, it->second.count)) {
      if (!entry.key.server || entry.key.server->value() == server) return &entry;
    }
  }
  return !server || builtin_catalog ? FindBuiltin(tool) : nullptr;
}

std::vector<const CatalogEntry*> Catalog::Entries() const {
  std::vector<const CatalogEntry*> entries;
  entries.reserve(stored_.size() + BuiltinCatalog().size());
  for (const CatalogEntry& entry : stored_) entries.push_back(&entry);
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    // Without a server nothing but an entry of the same key is less specific than
    // every other, so the built-in one is hidden iff the last stored one has it.
    const auto it = by_tool_.find(entry.key.tool.value());
    const bool replaced =
        it != by_tool_.end() && stored_[it->second.first + it->second.count - 1].key == entry.key;
    if (!replaced) entries.push_back(&entry);
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const CatalogEntry* a, const CatalogEntry* b) { return Before(*a, *b); });
  return entries;
}

}  // namespace bridgekeeper
