// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Pages of records: bounded in number and in bytes, with an opaque token that names
// the last record of a page.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_SERVICE_CORE_PAGING_H_
#define BRIDGEKEEPER_SERVICE_CORE_PAGING_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "store/api/store.h"

namespace bridgekeeper::service {

// A page ends when its records take about this much, so that an answer stays below
// the 4 MiB that a client takes by default. A record that is larger stands alone.
inline constexpr size_t kMaxPageBytes = 1 << 20;

// Size of a page: `asked`, `standard` where nothing was asked.
//
// Errors:
//   kInvalidArgument   - negative.
//   kResourceExhausted - above kMaxPageSize.
absl::StatusOr<size_t> PageSize(int32_t asked, size_t standard);

// Tokens hold ids (policy/model/ids.h), each of which may be empty.
std::string EncodePageToken(std::initializer_list<std::string_view> parts);

// Reads a token of `count` parts.
//
// Errors:
//   kInvalidArgument - not one that this server made.
absl::StatusOr<std::vector<std::string>> DecodePageToken(std::string_view token, size_t count);

struct RecordPage {
  std::vector<store::Record> records;
  bool more = false;  // there are records after the last one
};

// Lists at most `size` records; `options.limit` is not read.
absl::StatusOr<RecordPage> ListPage(const store::PolicyStore& store, store::ListOptions options,
                                    size_t size);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_PAGING_H_
