// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Value is a tree to print, as JSON or as YAML. Members keep the order in which
// they were set.
//
// In both forms every character that a terminal or a reader could take for
// something else (controls, bidirectional and zero-width characters) is written as
// an escape, and invalid bytes become U+FFFD, so that text from outside can be
// printed as it is.

#ifndef BRIDGEKEEPER_POLICY_TEXT_VALUE_H_
#define BRIDGEKEEPER_POLICY_TEXT_VALUE_H_

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bridgekeeper {

class Value {
 public:
  enum class Kind { kNull, kBool, kInteger, kText, kList, kObject };

  Value() = default;
  Value(std::same_as<bool> auto value)
      : kind_(Kind::kBool), integer_(value) {}  // NOLINT: a literal is a value
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value)
      : kind_(Kind::kInteger), integer_(static_cast<int64_t>(value)) {}    // NOLINT
  Value(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}  // NOLINT
  Value(std::string_view text) : Value(std::string(text)) {}               // NOLINT
  Value(const char* text) : Value(std::string(text)) {}                    // NOLINT

  static Value List() { return Value(Kind::kList); }
  static Value Object() { return Value(Kind::kObject); }

  Kind kind() const { return kind_; }
  bool boolean() const { return integer_ != 0; }
  int64_t integer() const { return integer_; }
  const std::string& text() const { return text_; }
  // Lists: the elements. Objects: the members' values, in the order of names().
  const std::vector<Value>& items() const { return items_; }
  const std::vector<std::string>& names() const { return names_; }
  bool empty() const { return items_.empty(); }

  // Appends to a list.
  Value& Add(Value item);
  // Appends a member to an object. REQUIRES: `name` is not set yet
  Value& Set(std::string_view name, Value value);

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  Kind kind_ = Kind::kNull;
  int64_t integer_ = 0;
  std::string text_;
  std::vector<Value> items_;
  std::vector<std::string> names_;
};

// JSON with two spaces of indentation and a line feed at the end. An integer whose
// magnitude is above 2^53 - 1 is written as a string, so that no reader rounds it.
std::string ToJson(const Value& value);

// JSON in one line, without the line feed.
std::string ToJsonLine(const Value& value);

// YAML in block style with a line feed at the end.
std::string ToYaml(const Value& value);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TEXT_VALUE_H_
