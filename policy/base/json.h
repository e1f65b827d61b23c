// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JsonDocument is the one JSON reader of this project: strict (RFC 8259), and it
// refuses whatever two readers could read differently. It keeps for each value
// the exact bytes it was read from, so that an id, a number or a whole message
// can be passed on byte for byte. It has no recursion, so depth costs no stack.
//
// Refused everywhere: a byte order mark, invalid UTF-8, a lone surrogate escape, two members
// of one object whose names are equal after unescaping, U+0000 in a member's name, any text
// outside the grammar, more depth or more values than the limits allow.
//
// Why not a library: the JSON libraries at hand drop number tokens, keep the last
// of two equal keys, or do not check what they skip, and each of these is a way to
// smuggle a call past a guard.
//
// JsonValue is a view: two words, cheap to copy, valid as long as its document.
//
// Thread safety: immutable after Parse(); safe to share between threads.
// Source: RFC 8259; RFC 7493 section 2.1 (surrogates), 2.3 (duplicate names);
// policy/spec.md, clause J1.

#ifndef BRIDGEKEEPER_POLICY_BASE_JSON_H_
#define BRIDGEKEEPER_POLICY_BASE_JSON_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace bridgekeeper {

enum class JsonKind : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

struct JsonLimits {
  // Open arrays and objects at one time. A scalar has depth 0.
  int max_depth = 128;
  // Values, member names not counted.
  size_t max_values = 1'000'000;
};

class JsonDocument;

class JsonValue {
 public:
  class Iterator;

  JsonKind kind() const;
  bool is_object() const { return kind() == JsonKind::kObject; }
  bool is_array() const { return kind() == JsonKind::kArray; }
  bool is_string() const { return kind() == JsonKind::kString; }
  bool is_number() const { return kind() == JsonKind::kNumber; }
  bool is_null() const { return kind() == JsonKind::kNull; }

  // The bytes of this value in the text that was parsed: a string with its
  // quotes, a number as it was written, a container with all its white space.
  std::string_view raw() const;

  // Byte offset of raw() in the text that was parsed.
  size_t offset() const;

  // The string after unescaping. REQUIRES: is_string()
  std::string_view string() const;

  // REQUIRES: kind() == kBool
  bool boolean() const;

  // The number as int64, or nullopt where it is written with a fraction or an
  // exponent or does not fit. REQUIRES: is_number()
  std::optional<int64_t> integer() const;

  // Members of an object or elements of an array; 0 for every other kind.
  size_t size() const;

  // The member `name` of an object; nullopt where there is none or where this is
  // no object. Linear in the number of members.
  std::optional<JsonValue> Find(std::string_view name) const;

  // The name of this value as a member, after unescaping; empty for array
  // elements and the root.
  std::string_view key() const;

  // Iterates over the members or elements, in the order of the text. Empty for
  // scalars.
  Iterator begin() const;
  Iterator end() const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument* document, uint32_t index) : document_(document), index_(index) {}

  const JsonDocument* document_;
  uint32_t index_;
};

class JsonDocument {
 public:
  // Parses `text`, which must outlive the document and stay where it is.
  // At most 2 GiB.
  //
  // Errors:
  //   kInvalidArgument   - not JSON, or refused as listed at the top; the message
  //                        says what was found at which byte offset.
  //   kResourceExhausted - a limit was passed; the message names it.
  static absl::StatusOr<JsonDocument> Parse(std::string_view text, const JsonLimits& limits = {});

  JsonDocument(JsonDocument&&) = default;
  JsonDocument& operator=(JsonDocument&&) = default;
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;

  JsonValue root() const { return {this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonParser;

  struct Node {
    JsonKind kind;
    uint32_t begin;       // offset of the first byte
    uint32_t end;         // offset after the last byte
    uint32_t next;        // index of the node after this one's subtree
    uint32_t count;       // members or elements
    std::string_view key;   // member name, unescaped
    std::string_view text;  // strings: the unescaped content
  };

  explicit JsonDocument(std::string_view text) : text_(text) {}

  std::string_view text_;
  std::vector<Node> nodes_;              // pre-order
  std::deque<std::string> unescaped_;    // owns what differs from the text; a deque never moves them
};

// Walks siblings.
class JsonValue::Iterator {
 public:
  using value_type = JsonValue;
  JsonValue operator*() const { return {document_, index_}; }
  Iterator& operator++();
  bool operator==(const Iterator& other) const { return index_ == other.index_; }

 private:
  friend class JsonValue;
  Iterator(const JsonDocument* document, uint32_t index) : document_(document), index_(index) {}
  const JsonDocument* document_;
  uint32_t index_;
};

// Writes `text` (valid UTF-8) as a JSON string with its quotes. Only what RFC 8259
// section 7 requires is escaped.
void AppendJsonString(std::string_view text, std::string& out);

// Returns the value as canonical JSON: no white space, members sorted by the
// bytes of their unescaped names, strings written by AppendJsonString, numbers by
// their token. Two values are the same call argument iff these bytes are equal.
std::string CanonicalJson(JsonValue value);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_JSON_H_
