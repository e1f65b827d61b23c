// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/paging.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/model/ids.h"
#include "proto/convert/limits.h"
#include "service/core/record_size.h"

namespace bridgekeeper::service {
namespace {

// No byte of an id.
constexpr char kSeparator = '~';

// Records are read in pieces, since a record may be a few MiB and a page a thousand
// records.
constexpr size_t kPieceRecords = 64;

}  // namespace

absl::StatusOr<size_t> PageSize(int32_t asked, size_t standard) {
  if (asked < 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("page_size: got %d, want 0 to %d", asked, convert::kMaxPageSize));
  }
  const auto size = static_cast<size_t>(asked);
  if (size > convert::kMaxPageSize) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("page_size: got %d, want at most %d", asked, convert::kMaxPageSize));
  }
  return size == 0 ? standard : size;
}

std::string EncodePageToken(std::initializer_list<std::string_view> parts) {
  std::string token;
  for (const std::string_view part : parts) {
    token += kSeparator;
    token += part;
  }
  return token;
}

absl::StatusOr<std::vector<std::string>> DecodePageToken(std::string_view token, size_t count) {
  std::vector<std::string> parts;
  while (!token.empty() && token.front() == kSeparator) {
    token.remove_prefix(1);
    const std::string_view part = token.substr(0, token.find(kSeparator));
    if (!part.empty() && !IsValidId(part)) break;
    parts.emplace_back(part);
    token.remove_prefix(part.size());
  }
  if (!token.empty() || parts.size() != count) {
    return absl::InvalidArgumentError(
        "page_token: want the next_page_token of an answer to the same request");
  }
  return parts;
}

absl::StatusOr<RecordPage> ListPage(const store::PolicyStore& store, store::ListOptions options,
                                    size_t size) {
  RecordPage page;
  size_t bytes = 0;
  while (true) {
    // One more than asked tells whether there are more.
    options.limit = std::min(size + 1 - page.records.size(), kPieceRecords);
    BK_ASSIGN_OR_RETURN(std::vector<store::Record> piece, store.List(options));
    const bool last = piece.size() < options.limit;
    for (store::Record& record : piece) {
      bytes += ApproximateBytes(record);
      if (page.records.size() == size || (!page.records.empty() && bytes > kMaxPageBytes)) {
        page.more = true;
        return page;
      }
      page.records.push_back(std::move(record));
    }
    if (last) return page;
    options.after = page.records.back().key;
  }
}

}  // namespace bridgekeeper::service
