// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Whatever bytes come, the JSON reader neither crashes nor disagrees with itself:
// what it accepts has a canonical form, which it accepts too and which is its own
// canonical form.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

#include "policy/base/check.h"
#include "policy/base/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bridgekeeper::CanonicalJson;
  using bridgekeeper::JsonDocument;

  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<JsonDocument> document = JsonDocument::Parse(text);
  if (!document.ok()) return 0;

  const std::string canonical = CanonicalJson(document->root());
  const absl::StatusOr<JsonDocument> again = JsonDocument::Parse(canonical);
  BK_CHECK(again.ok());
  BK_CHECK(CanonicalJson(again->root()) == canonical);
  return 0;
}
