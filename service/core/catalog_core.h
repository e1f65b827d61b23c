// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CatalogCore keeps what is known about tools: what CatalogService offers, without
// the wire. What comes in has been checked by proto/convert.
//
// Thread safety: all methods may be called at the same time. All of them read or
// write the store and may wait.

#ifndef BRIDGEKEEPER_SERVICE_CORE_CATALOG_CORE_H_
#define BRIDGEKEEPER_SERVICE_CORE_CATALOG_CORE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/model/policy.h"
#include "service/core/paging.h"
#include "service/core/record_writer.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

class CatalogCore {
 public:
  // Both must outlive it.
  CatalogCore(store::PolicyStore& store, RecordWriter& writer) : store_(store), writer_(writer) {}

  // The entry with exactly this key; a built-in one has revision 0.
  //
  // Errors:
  //   kNotFound - there is none.
  absl::StatusOr<store::Record> Get(const CatalogKey& key) const;

  struct Item {
    CatalogEntry entry;
    int64_t expected_revision = 0;
  };
  // Writes all in one revision, or none. Errors: those of PolicyStore::Commit.
  absl::StatusOr<store::CommitResult> PutAll(std::vector<Item> items, const WriteContext& context);

  // Returns the revision of the deletion. Errors: those of PolicyStore::Commit.
  absl::StatusOr<Revision> Delete(const CatalogKey& key, int64_t expected_revision,
                                  const WriteContext& context);

  struct Filter {
    std::optional<AppId> app;        // entries that can apply to it
    std::optional<ServerId> server;  // entries that name it
    bool include_builtin = false;
  };
  // Entries in the order of their keys: those for every app first. Built-in ones have
  // revision 0; a stored one with the same key takes their place.
  absl::StatusOr<RecordPage> List(const Filter& filter,
                                  const std::optional<store::RecordKey>& after, size_t size) const;

 private:
  // Calls `visit` with each record above `after` in the order of keys, until it
  // answers false.
  template <typename Visit>
  absl::Status ForEach(const Filter& filter, std::optional<store::RecordKey> after,
                       Visit visit) const;

  store::PolicyStore& store_;
  RecordWriter& writer_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_CATALOG_CORE_H_
