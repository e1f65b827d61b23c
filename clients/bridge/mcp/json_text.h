// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reading what may not be there, writing JSON, and changing a few members of a JSON text while
// every other byte of it stays.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JSON_TEXT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/json.h"

namespace bridgekeeper::bridge {

// The member `name` of a value that may not be there or be no object.
std::optional<JsonValue> Member(const std::optional<JsonValue>& object, std::string_view name);
// Whether a value is there and `true`.
bool IsTrue(const std::optional<JsonValue>& value);
// The text of a string; empty where there is none.
std::string_view TextOf(const std::optional<JsonValue>& value);

// `text` as a JSON string with its quotes.
std::string JsonString(std::string_view text);

// Writes one object, member by member, behind what `out` holds already.
//
//   JsonObject object(out);
//   object.String("jsonrpc", "2.0").Raw("id", id);
//   object.Close();
class JsonObject {
 public:
  explicit JsonObject(std::string& out) : out_(out) { out_ += '{'; }
  JsonObject(const JsonObject&) = delete;
  JsonObject& operator=(const JsonObject&) = delete;

  JsonObject& String(std::string_view key, std::string_view text);
  JsonObject& Integer(std::string_view key, int64_t number);
  JsonObject& Bool(std::string_view key, bool flag);
  // `json` is a JSON text.
  JsonObject& Raw(std::string_view key, std::string_view json);
  // Begins a member whose value the caller appends to the output itself.
  JsonObject& Key(std::string_view key);
  void Close() { out_ += '}'; }

 private:
  std::string& out_;
  bool is_first_ = true;
};

// Changes to one JSON text, by the values that were parsed out of it. The changes
// are made all at once by Apply(); they must not overlap.
class JsonEdits {
 public:
  // Every value named later is `within` or stands inside it.
  explicit JsonEdits(JsonValue within) : within_(within) {}

  void Replace(JsonValue value, std::string_view json);
  // Appends `text` to a string value. REQUIRES: value.is_string()
  void AppendToString(JsonValue value, std::string_view text);
  // Adds a member at the end. REQUIRES: object.is_object()
  void AddMember(JsonValue object, std::string_view key, std::string_view json);
  // Sets member `key` of an object, whether it is there or not.
  void SetMember(JsonValue object, std::string_view key, std::string_view json);

  // The text of `within` with the changes made.
  std::string Apply() &&;

 private:
  struct Edit {
    size_t begin;  // offsets in the text that was parsed
    size_t end;
    std::string text;
  };

  JsonValue within_;
  std::vector<Edit> edits_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JSON_TEXT_H_
