// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mongodb/extended_json.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "absl/strings/str_format.h"

namespace bridgekeeper::mongodb {
namespace {

bool IsScalar(JsonValue value) { return !value.is_object() && !value.is_array(); }

// An object with exactly the members `first` and, where it is not empty, `second`, all
// of them scalars.
bool HasOnly(JsonValue value, std::string_view first, std::string_view second = {}) {
  if (!value.is_object() || value.size() != (second.empty() ? 1u : 2u)) return false;
  for (const JsonValue member : value) {
    if (!IsScalar(member) || (member.key() != first && member.key() != second)) return false;
  }
  return true;
}

// A DBRef; a server never follows one, so its names reach nothing.
bool IsReference(JsonValue value) {
  if (value.size() < 2) return false;
  for (const JsonValue member : value) {
    const bool id = member.key() == "$id" && (IsScalar(member) || IsTypedValue(member));
    const bool name = (member.key() == "$ref" || member.key() == "$db") && member.is_string();
    if (!id && !name) return false;
  }
  return true;
}

constexpr std::string_view kOneScalar[] = {
    "$oid",    "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal",
    "$symbol", "$uuid",      "$undefined",  "$minKey",       "$maxKey",
};

struct Span {
  uint32_t first;
  uint32_t last;
};

// Characters without a shape of their own: white space, controls, format characters,
// fillers and variation selectors. Sorted.
// Source: Unicode 15, White_Space and Default_Ignorable_Code_Point.
constexpr Span kUnseen[] = {
    {0x0000, 0x0020},  {0x007F, 0x00A0}, {0x00AD, 0x00AD}, {0x034F, 0x034F},   {0x061C, 0x061C},
    {0x115F, 0x1160},  {0x1680, 0x1680}, {0x17B4, 0x17B5}, {0x180B, 0x180F},   {0x2000, 0x200F},
    {0x2028, 0x202F},  {0x205F, 0x206F}, {0x3000, 0x3000}, {0x3164, 0x3164},   {0xFE00, 0xFE0F},
    {0xFEFF, 0xFEFF},  {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE0FFF}};

bool IsUnseen(uint32_t character) {
  const auto* const span = std::lower_bound(std::begin(kUnseen), std::end(kUnseen), character,
                                            [](const Span& a, uint32_t c) { return a.last < c; });
  return span != std::end(kUnseen) && span->first <= character;
}

// The character at `at`, which moves behind it. REQUIRES: valid UTF-8, at < size
uint32_t Next(std::string_view text, size_t& at) {
  const auto byte = [&] { return static_cast<unsigned char>(text[at++]); };
  const uint32_t first = byte();
  if (first < 0x80) return first;
  const int more = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  uint32_t character = first & (0x3F >> more);
  for (int i = 0; i < more && at < text.size(); ++i) character = character << 6 | (byte() & 0x3F);
  return character;
}

bool IsDollarInDisguise(std::string_view name) {
  constexpr uint32_t kSmallDollar = 0xFE69;
  constexpr uint32_t kFullwidthDollar = 0xFF04;
  for (size_t at = 0; at < name.size();) {
    const bool first = at == 0;
    const uint32_t character = Next(name, at);
    if (character == kSmallDollar || character == kFullwidthDollar) return true;
    if (character == '$') return !first;
    if (!IsUnseen(character)) return false;
  }
  return false;
}

std::optional<Unreadable> Look(JsonValue value, int depth) {
  if (IsScalar(value)) return std::nullopt;
  if (depth == kMaxDepth) {
    return Unreadable{absl::StrFormat("got nesting deeper than %d", kMaxDepth), value};
  }
  const bool object = value.is_object();
  for (const JsonValue inner : value) {
    if (object && inner.key().find('\0') != std::string_view::npos) {
      return Unreadable{"got a NUL in a name, at which BSON would end it", inner};
    }
    if (object && IsDollarInDisguise(inner.key())) {
      return Unreadable{"got a name that only looks as if it began with a dollar sign", inner};
    }
    if (auto found = Look(inner, depth + 1)) return found;
  }
  return std::nullopt;
}

}  // namespace

bool IsTypedValue(JsonValue value) {
  if (!value.is_object() || value.size() == 0) return false;
  const JsonValue first = *value.begin();
  const std::string_view name = first.key();
  if (!name.starts_with('$')) return false;
  if (std::find(std::begin(kOneScalar), std::end(kOneScalar), name) != std::end(kOneScalar)) {
    return HasOnly(value, name);
  }
  if (name == "$date")
    return HasOnly(value, name) || (value.size() == 1 && HasOnly(first, "$numberLong"));
  if (name == "$timestamp") return value.size() == 1 && HasOnly(first, "t", "i");
  if (name == "$regularExpression")
    return value.size() == 1 && HasOnly(first, "pattern", "options");
  if (name == "$binary" && value.size() == 1) return HasOnly(first, "base64", "subType");
  if (name == "$binary" || name == "$type") return HasOnly(value, "$binary", "$type");
  if (name == "$regex" || name == "$options") return HasOnly(value, "$regex", "$options");
  if (name == "$dbPointer") return value.size() == 1 && first.is_object() && IsReference(first);
  if (name == "$ref" || name == "$id" || name == "$db") return IsReference(value);
  return false;
}

bool IsPlainlyOff(JsonValue value) {
  return value.is_null() || value.raw() == "false" || value.raw() == "0";
}

std::optional<Unreadable> FindUnreadable(JsonValue command) { return Look(command, 0); }

}  // namespace bridgekeeper::mongodb
