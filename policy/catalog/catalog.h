// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The catalogue: what each tool is. Catalog finds the entry that covers a tool;
// BuiltinCatalog() holds the 115 tools of the data-studio apps, all under the key
// (`*`, `*`, name).
//
// Lookup, most specific first: app+server, app, server, neither. Entries of an app
// other than the one asked about never match. For a named server a built-in entry
// counts only where the upstream is declared `catalog: data-studio`, so that a
// stranger's `es__search` inherits nothing.
//
// Thread safety: immutable after construction; safe to share between threads.
// Source: policy/spec.md, section C.

#ifndef BRIDGEKEEPER_POLICY_CATALOG_CATALOG_H_
#define BRIDGEKEEPER_POLICY_CATALOG_CATALOG_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "policy/base/strings.h"
#include "policy/model/policy.h"

namespace bridgekeeper {

// The 115 built-in entries, sorted by tool name. Built once, at first use.
std::span<const CatalogEntry> BuiltinCatalog();

// The built-in entry of this name, or null.
const CatalogEntry* FindBuiltin(std::string_view tool);

class Catalog {
 public:
  // Takes the entries that can apply to `app`: those of the app and those for
  // every app. Entries of another app are dropped, and so are entries marked
  // built-in: those are the same for every catalogue and shared. Of several with
  // one key the first counts.
  Catalog(const AppId& app, std::vector<CatalogEntry> stored);

  // Returns the entry that covers `tool`, or null. `server` is nullopt where the
  // caller names none. The pointer lives as long as this catalogue.
  const CatalogEntry* Find(std::string_view tool, std::optional<std::string_view> server,
                           bool builtin_catalog) const;

  // The entries that were taken, sorted by tool, then from the most to the least
  // specific.
  std::span<const CatalogEntry> stored() const { return stored_; }

  // Every entry in the same order: the stored ones, and each built-in one that no
  // stored entry replaces by having its key.
  std::vector<const CatalogEntry*> Entries() const;

 private:
  struct Range {
    uint32_t first;
    uint32_t count;
  };

  std::vector<CatalogEntry> stored_;
  StringMap<Range> by_tool_;  // into stored_
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_CATALOG_CATALOG_H_
