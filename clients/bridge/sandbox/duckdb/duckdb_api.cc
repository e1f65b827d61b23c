// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_api.h"

#include <dlfcn.h>

#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/guard/duckdb/engine.h"

namespace bridgekeeper::bridge {

absl::StatusOr<DuckdbApi> DuckdbApi::Open(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::NotFoundError(absl::StrFormat("DuckDB's library: %s", dlerror()));
  }
  DuckdbApi api;
  const char* missing = nullptr;
#define BRIDGEKEEPER_DUCKDB_FIND(name)                                              \
  api.name = reinterpret_cast<decltype(api.name)>(dlsym(library, "duckdb_" #name)); \
  if (api.name == nullptr) missing = "duckdb_" #name;
  BRIDGEKEEPER_DUCKDB_SANDBOX_FUNCTIONS(BRIDGEKEEPER_DUCKDB_FIND)
#undef BRIDGEKEEPER_DUCKDB_FIND
  if (missing != nullptr) {
    return absl::NotFoundError(absl::StrFormat("DuckDB's library has no `%s`", missing));
  }
  if (std::string_view(api.library_version()) != duckdb::kEngineVersion) {
    return absl::FailedPreconditionError(
        absl::StrFormat("got DuckDB %s, want %s", api.library_version(), duckdb::kEngineVersion));
  }
  return api;
}

}  // namespace bridgekeeper::bridge
