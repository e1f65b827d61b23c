// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/json_text.h"

#include <algorithm>
#include <utility>

namespace bridgekeeper::bridge {

std::optional<JsonValue> Member(const std::optional<JsonValue>& object, std::string_view name) {
  return object ? object->Find(name) : std::nullopt;
}

bool IsTrue(const std::optional<JsonValue>& value) {
  return value && value->kind() == JsonKind::kBool && value->boolean();
}

std::string_view TextOf(const std::optional<JsonValue>& value) {
  return value && value->is_string() ? value->string() : std::string_view();
}

std::string JsonString(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

JsonObject& JsonObject::Key(std::string_view key) {
  if (!std::exchange(is_first_, false)) out_ += ',';
  AppendJsonString(key, out_);
  out_ += ':';
  return *this;
}

JsonObject& JsonObject::String(std::string_view key, std::string_view text) {
  Key(key);
  AppendJsonString(text, out_);
  return *this;
}

JsonObject& JsonObject::Integer(std::string_view key, int64_t number) {
  return Raw(key, std::to_string(number));
}

JsonObject& JsonObject::Bool(std::string_view key, bool flag) {
  return Raw(key, flag ? "true" : "false");
}

JsonObject& JsonObject::Raw(std::string_view key, std::string_view json) {
  Key(key);
  out_ += json;
  return *this;
}

void JsonEdits::Replace(JsonValue value, std::string_view json) {
  edits_.push_back({value.offset(), value.offset() + value.raw().size(), std::string(json)});
}

void JsonEdits::AppendToString(JsonValue value, std::string_view text) {
  const std::string quoted = JsonString(text);
  const size_t closing_quote = value.offset() + value.raw().size() - 1;
  edits_.push_back({closing_quote, closing_quote, quoted.substr(1, quoted.size() - 2)});
}

void JsonEdits::AddMember(JsonValue object, std::string_view key, std::string_view json) {
  const size_t closing_brace = object.offset() + object.raw().size() - 1;
  // A second member that is added at the same place comes behind the first.
  const bool is_first = object.size() == 0 &&
                        std::none_of(edits_.begin(), edits_.end(),
                                     [&](const Edit& edit) { return edit.begin == closing_brace; });
  std::string member = is_first ? "" : ",";
  AppendJsonString(key, member);
  member += ':';
  member += json;
  edits_.push_back({closing_brace, closing_brace, std::move(member)});
}

void JsonEdits::SetMember(JsonValue object, std::string_view key, std::string_view json) {
  if (const auto member = object.Find(key)) {
    Replace(*member, json);
  } else {
    AddMember(object, key, json);
  }
}

std::string JsonEdits::Apply() && {
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  const std::string_view raw = within_.raw();
  std::string out;
  size_t done = 0;
  for (const Edit& edit : edits_) {
    const size_t begin = edit.begin - within_.offset();
    out += raw.substr(done, begin - done);
    out += edit.text;
    done = edit.end - within_.offset();
  }
  out += raw.substr(done);
  return out;
}

}  // namespace bridgekeeper::bridge
