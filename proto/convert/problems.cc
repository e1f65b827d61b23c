// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "proto/convert/problems.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/model/ids.h"
#include "policy/model/limits.h"

namespace bridgekeeper::convert {
namespace {}  // namespace

void Problems::Append(std::string_view field, std::string_view what) {
  if (++count_ > kMaxListed) return;
  if (!text_.empty()) text_ += "; ";
  text_ += absl::StrFormat("%s: %s", field, what);
}

void Problems::Invalid(std::string_view field, std::string_view what) {
  only_limits_ = false;
  Append(field, what);
}

void Problems::OverLimit(std::string_view field, size_t got, size_t limit, std::string_view unit) {
  Append(field, absl::StrFormat("got %d %s, want at most %d", got, unit, limit));
}

void Problems::Add(std::string_view field, const absl::Status& status) {
  if (status.ok()) return;
  if (status.code() != absl::StatusCode::kResourceExhausted) only_limits_ = false;
  Append(field, AsStd(status.message()));
}

void Problems::CheckId(std::string_view field, std::string_view id) {
  if (IsValidId(id)) return;
  std::string what = DescribeInvalidId(id);
  if (id.find('*') != std::string_view::npos) what += " (`*` is no wildcard here: leave it out)";
  Invalid(field, what);
}

void Problems::CheckOptionalId(std::string_view field, std::string_view id) {
  if (!id.empty()) CheckId(field, id);
}

void Problems::CheckText(std::string_view field, std::string_view text, size_t max_bytes) {
  if (text.size() > max_bytes) {
    OverLimit(field, text.size(), max_bytes, "bytes");
  } else if (const std::optional<size_t> bad = FirstInvalidUtf8(text)) {
    Invalid(field, absl::StrFormat("got invalid UTF-8 at byte %d, want UTF-8", *bad));
  }
}

void Problems::CheckDigest(std::string_view field, std::string_view digest) {
  if (digest.size() == kPinBytes && std::all_of(digest.begin(), digest.end(), IsLowerHexDigit)) {
    return;
  }
  Invalid(field, absl::StrFormat("got `%s`, want %d lower-case hexadecimal digits",
                                 EscapeForPeople(digest, 2 * kPinBytes), kPinBytes));
}

bool Problems::CheckCount(std::string_view field, size_t got, size_t limit) {
  if (got <= limit) return true;
  OverLimit(field, got, limit, "items");
  return false;
}

absl::Status Problems::ToStatus() const {
  if (empty()) return absl::OkStatus();
  std::string text = text_;
  if (count_ > kMaxListed) text += absl::StrFormat("; and %d more", count_ - kMaxListed);
  return only_limits_ ? absl::ResourceExhaustedError(text) : absl::InvalidArgumentError(text);
}

}  // namespace bridgekeeper::convert
