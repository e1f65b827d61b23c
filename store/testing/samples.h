// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Records for tests of stores and of what stands on them.

#ifndef BRIDGEKEEPER_STORE_TESTING_SAMPLES_H_
#define BRIDGEKEEPER_STORE_TESTING_SAMPLES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "policy/model/policy.h"
#include "store/api/store.h"

namespace bridgekeeper::store {

// A policy with every default but `mode`.
McpPolicy SamplePolicy(std::string_view app, Mode mode = Mode::kDataReadWrite);
// An entry of tool `tool`; empty app or server: for every one.
CatalogEntry SampleEntry(std::string_view app, std::string_view server, std::string_view tool,
                         Risk risk = Risk::kElevated);
ConnectionRecord SampleConnection(std::string_view app, std::string_view id,
                                  std::string_view name = "orders");

// With every field set to something other than its default, for round trips.
McpPolicy FullPolicy(std::string_view app);
CatalogEntry FullEntry(std::string_view app, std::string_view server, std::string_view tool);
ConnectionRecord FullConnection(std::string_view app, std::string_view id);

Mutation Put(RecordValue value, std::optional<int64_t> expected_revision = std::nullopt);
Mutation Delete(RecordKey key, std::optional<int64_t> expected_revision = std::nullopt);

RecordKey PolicyKey(std::string_view app);

// Author "ada", a reason, a fixed time.
CommitOptions By(std::string_view author = "ada", std::string_view request_id = "");

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_TESTING_SAMPLES_H_
