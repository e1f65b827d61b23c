// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/result_writer.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// 2^53 - 1: above it a reader with doubles sees another number.
constexpr int64_t kLargestExact = (int64_t{1} << 53) - 1;

// Bytes that `json` takes inside a JSON string, which is how a result is sent.
size_t SentBytes(std::string_view json) {
  return json.size() + static_cast<size_t>(std::count_if(
                           json.begin(), json.end(), [](char c) { return c == '"' || c == '\\'; }));
}

// An integer that every reader takes for the same. What is written otherwise, `007` say, is
// no number of JSON.
bool IsExact(std::string_view digits) {
  int64_t value = 0;
  return absl::SimpleAtoi(AsAbsl(digits), &value) && value <= kLargestExact &&
         value >= -kLargestExact && std::to_string(value) == digits;
}

// A number by the grammar of JSON.
bool IsJsonNumber(std::string_view text) {
  const auto document = JsonDocument::Parse(text);
  return document.ok() && document->root().is_number() && document->root().raw() == text;
}

}  // namespace

void JsonValues::Integer(std::string_view digits) {
  if (!IsExact(digits)) return Text(digits);
  out_ += digits;
}

void JsonValues::Float(std::string_view text) {
  if (!IsJsonNumber(text)) return Text(text);
  out_ += text;
}

void JsonValues::Text(std::string_view text) {
  if (FirstInvalidUtf8(text)) return Bytes(text);
  AppendJsonString(text, out_);
}

void JsonValues::Bytes(std::string_view bytes) {
  JsonObject object(out_);
  object.String("$base64", absl::Base64Escape(AsAbsl(bytes)));
  object.Close();
}

ResultWriter::ResultWriter(Shape shape, const RunLimits& limits)
    : shape_(shape),
      limits_(limits),
      left_(static_cast<size_t>(
          std::max<int64_t>(limits.max_bytes - static_cast<int64_t>(kEnvelopeBytes), 0))) {}

void ResultWriter::SetColumns(const std::vector<ResultColumn>& columns) {
  has_columns_ = true;
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, int> next;  // the number to try for a name that was taken
  for (const ResultColumn& column : columns) {
    // A name that is no text is shown as one that is. One that is larger than all that may
    // be sent is not even copied.
    if (column.name.size() > left_) return Cut("bytes");
    const bool is_text =
        !FirstInvalidUtf8(column.name) && column.name.find('\0') == std::string::npos;
    const std::string base = is_text ? column.name : EscapeForPeople(column.name);
    std::string name = base;
    while (!used.insert(name).second) {
      int& number = next.try_emplace(base, 2).first->second;
      name = base + "_" + std::to_string(number++);
    }
    const std::string quoted = JsonString(name);
    const std::string type = JsonString(column.type);
    // A list has them in each row, and nowhere else.
    const size_t bytes = shape_ == Shape::kRows ? SentBytes(quoted) + SentBytes(type) + 2 : 0;
    if (bytes > left_) return Cut("bytes");
    left_ -= bytes;
    keys_.push_back(quoted + ":");
    if (!columns_.empty()) columns_ += ',', types_ += ',';
    columns_ += quoted;
    types_ += type;
  }
}

bool ResultWriter::BeginRow() {
  if (is_cut()) return false;
  if (count_ >= limits_.max_rows) {
    Cut("rows");
    return false;
  }
  row_.clear();
  column_ = 0;
  row_fits_ = true;
  if (shape_ != Shape::kText) row_ += '{';
  return true;
}

bool ResultWriter::BeginValue(size_t bytes) {
  const size_t column = column_++;
  if (shape_ == Shape::kText) return column == 0;
  row_fits_ = row_fits_ && column < keys_.size() && row_.size() + bytes <= left_;
  if (!row_fits_) return false;
  if (column > 0) row_ += ',';
  row_ += keys_[column];
  return true;
}

void ResultWriter::Null() {
  if (!BeginValue(4)) return;
  if (shape_ != Shape::kText) row_ += "null";
}

void ResultWriter::Bool(bool value) {
  if (BeginValue(5)) row_ += value ? "true" : "false";
}

void ResultWriter::Integer(std::string_view digits) {
  if (!IsExact(digits)) return Text(digits);
  if (BeginValue(digits.size())) row_ += digits;
}

void ResultWriter::Float(std::string_view text) {
  if (!IsJsonNumber(text)) return Text(text);
  if (BeginValue(text.size())) row_ += text;
}

void ResultWriter::Text(std::string_view text) {
  if (text.size() <= left_ && FirstInvalidUtf8(text)) return Bytes(text);
  if (!BeginValue(text.size() + 2)) {
    if (shape_ == Shape::kText && column_ == 1) row_fits_ = false;
    return;
  }
  if (shape_ == Shape::kText) {
    row_fits_ = text.size() <= left_;
    if (row_fits_) row_ += text;
    return;
  }
  AppendJsonString(text, row_);
}

void ResultWriter::Bytes(std::string_view bytes) {
  if (!BeginValue(bytes.size() / 3 * 4 + 16)) return;
  if (shape_ == Shape::kText) {
    row_ += absl::Base64Escape(AsAbsl(bytes));
    return;
  }
  JsonValues(row_).Bytes(bytes);
}

void ResultWriter::Json(std::string_view json) {
  if (shape_ == Shape::kText) return Text(json);
  if (BeginValue(json.size())) row_ += json;
}

bool ResultWriter::EndRow() {
  size_t bytes = 0;
  if (shape_ == Shape::kText) {
    bytes = SentBytes(JsonString(row_)) + 3;
  } else {
    row_ += '}';
    bytes = SentBytes(row_) + 1;
  }
  if (!row_fits_ || bytes > left_) {
    Cut("bytes");
    return false;
  }
  left_ -= bytes;
  if (count_ > 0) rows_ += shape_ == Shape::kText ? '\n' : ',';
  rows_ += row_;
  ++count_;
  return true;
}

void ResultWriter::Cut(std::string_view by) {
  if (cut_by_.empty()) cut_by_ = by;
}

std::string ResultWriter::Finish(absl::Duration elapsed) && {
  std::string out;
  out.reserve(rows_.size() + columns_.size() + types_.size() + kEnvelopeBytes);
  JsonObject object(out);
  const auto list = [&](std::string_view key, std::string_view elements) {
    object.Key(key);
    out += '[';
    out += elements;
    out += ']';
  };
  switch (shape_) {
    case Shape::kRows:
      list("columns", columns_);
      list("columnTypes", types_);
      list("rows", rows_);
      object.Integer("rowCount", count_);
      if (rows_affected_) object.Integer("rowsAffected", *rows_affected_);
      object.Integer("executionTimeMs", absl::ToInt64Milliseconds(elapsed));
      break;
    case Shape::kList:
      list("data", rows_);
      break;
    case Shape::kText:
      object.String("data", rows_);
      break;
  }
  object.Bool("truncated", is_cut());
  if (is_cut()) object.String("truncatedBy", cut_by_);
  object.Close();
  return out;
}

}  // namespace bridgekeeper::bridge
