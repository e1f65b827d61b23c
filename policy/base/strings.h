// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Text helpers that every layer shares: crossing between the two string_view
// types, keys for string maps, nearest-name hints, UTF-8 checks and escaping of
// text that came from outside.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_POLICY_BASE_STRINGS_H_
#define BRIDGEKEEPER_POLICY_BASE_STRINGS_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace bridgekeeper {

// Debian's Abseil is built with a string_view of its own; these two cross over.
inline absl::string_view AsAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view AsStd(absl::string_view s) { return {s.data(), s.size()}; }

// Hash for maps keyed by std::string that are searched with std::string_view.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};

// A map from std::string that can be searched with std::string_view.
template <typename V>
using StringMap = absl::flat_hash_map<std::string, V, StringHash, std::equal_to<>>;

// Returns the candidate nearest to `name` (edit distance, case ignored), or
// nullopt where none is near enough to be a likely slip of the pen (distance at
// most 2, and at most a third of the length).
std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> candidates);

// Returns the byte offset of the first byte that is not part of valid UTF-8
// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF), or
// nullopt where all of `text` is valid.
std::optional<size_t> FirstInvalidUtf8(std::string_view text);

// Returns `text` fit for a terminal, a log line or a page. Written as \u{XXXX} are
// C0, DEL and C1 controls, line and paragraph separators, and what has no shape of
// its own but changes how its neighbours read or hides text from people: soft
// hyphen, bidirectional controls and marks, zero-width characters, invisible
// operators, annotation marks, tags (U+E0000 block) and the supplementary variation
// selectors. Invalid bytes are written as \xNN; everything else is kept. At most
// `max_bytes` bytes are returned; what is cut ends in "...".
std::string EscapeForPeople(std::string_view text, size_t max_bytes = 4096);

// Appends `text` as a double-quoted string that both JSON and YAML read back, with
// every character up to U+FFFF that EscapeForPeople() escapes written as \uXXXX, so
// that it can be shown as it is (above it the two have no escape in common). An
// invalid byte becomes U+FFFD.
void AppendQuotedForPeople(std::string_view text, std::string& out);

// ASCII-only lower case: ids are compared byte for byte, this is for hints and
// for CONNECTION_AMBIGUOUS only (policy/spec.md, clause I3).
std::string AsciiLower(std::string_view text);

// Lower-case hexadecimal digits of `bytes`.
std::string HexEncode(std::string_view bytes);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_STRINGS_H_
