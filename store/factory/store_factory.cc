// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/factory/store_factory.h"

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "store/memory/memory_store.h"
#include "store/rocksdb/rocks_store.h"

namespace bridgekeeper::store {
namespace {

RocksStoreOptions ToRocks(const StoreOptions& options) {
  return {.path = options.path,
          .new_incarnation = options.new_incarnation,
          .keep_revisions = options.keep_revisions,
          .block_cache_bytes = options.block_cache_bytes,
          .write_buffer_bytes = options.write_buffer_bytes,
          .verify_files = options.verify_files};
}

absl::StatusOr<OpenedStore> OpenRocks(const StoreOptions& options) {
  OpenedStore out;
  BK_ASSIGN_OR_RETURN(out.store, OpenRocksStore(ToRocks(options), out.report));
  return out;
}

absl::StatusOr<RevisionToken> RestoreRocks(const std::string& backup, const StoreOptions& options) {
  return RestoreRocksBackup(backup, ToRocks(options));
}

absl::StatusOr<OpenedStore> OpenMemory(const StoreOptions& options) {
  if (options.keep_revisions < 1) {
    return absl::InvalidArgumentError(
        absl::StrFormat("keep_revisions: got %d, want at least 1", options.keep_revisions));
  }
  OpenedStore out;
  out.store = std::make_unique<MemoryStore>(MemoryStoreOptions{
      .incarnation = options.new_incarnation, .keep_revisions = options.keep_revisions});
  out.report.created = true;
  out.report.notes.push_back("policies are kept in memory and end with this process");
  return out;
}

absl::StatusOr<RevisionToken> RestoreMemory(const std::string&, const StoreOptions&) {
  return absl::UnimplementedError("a memory store has no backups");
}

struct Kind {
  std::string_view name;
  absl::StatusOr<OpenedStore> (*open)(const StoreOptions&);
  absl::StatusOr<RevisionToken> (*restore)(const std::string& backup, const StoreOptions&);
};

constexpr std::array kKinds = {
    Kind{"rocksdb", OpenRocks, RestoreRocks},
    Kind{"memory", OpenMemory, RestoreMemory},
};

absl::StatusOr<const Kind*> FindKind(std::string_view name) {
  for (const Kind& kind : kKinds) {
    if (kind.name == name) return &kind;
  }
  const std::vector<std::string_view> names = StoreKinds();
  std::string message = absl::StrFormat("store kind: got `%s`, want", EscapeForPeople(name, 64));
  for (const std::string_view known : names) {
    message += absl::StrFormat("%s `%s`", known == names.front() ? "" : " or", known);
  }
  if (const auto near = NearestName(name, names)) {
    message += absl::StrFormat(" (did you mean `%s`?)", *near);
  }
  return absl::InvalidArgumentError(message);
}

}  // namespace

std::vector<std::string_view> StoreKinds() {
  std::vector<std::string_view> out;
  for (const Kind& kind : kKinds) out.push_back(kind.name);
  return out;
}

absl::StatusOr<OpenedStore> OpenStore(const StoreOptions& options) {
  BK_ASSIGN_OR_RETURN(const Kind* kind, FindKind(options.kind));
  return kind->open(options);
}

absl::StatusOr<RevisionToken> RestoreStore(const std::string& backup, const StoreOptions& options) {
  BK_ASSIGN_OR_RETURN(const Kind* kind, FindKind(options.kind));
  return kind->restore(backup, options);
}

}  // namespace bridgekeeper::store
