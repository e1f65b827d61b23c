// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Whatever values an engine gives, the answer is JSON within its limits, says whether it
// was cut, and holds each value of each row that it counts without loss.
//
// The input: shape, most rows, most bytes in units of 64, number of columns; then values,
// each its kind, its length and its bytes.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"

#include "clients/bridge/sandbox/result_writer.h"
#include "policy/base/check.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}
  bool empty() const { return rest_.empty(); }
  size_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  std::string Text(size_t size) {
    const std::string text(rest_.substr(0, std::min(size, rest_.size())));
    rest_.remove_prefix(text.size());
    return text;
  }

 private:
  std::string_view rest_;
};

struct Value {
  char kind;
  std::string text;
};

// Whether `got` is `want`, as the header says that a value is written.
bool Holds(JsonValue got, const Value& want) {
  if (got.is_object()) {
    const auto base64 = got.Find("$base64");
    std::string bytes;
    return base64 && base64->is_string() &&
           absl::Base64Unescape(AsAbsl(base64->string()), &bytes) && bytes == want.text &&
           (want.kind == 'x' || FirstInvalidUtf8(want.text).has_value());
  }
  switch (want.kind) {
    case '0':
      return got.is_null();
    case 'b':
      return got.kind() == JsonKind::kBool && got.boolean() == !want.text.empty();
    case 'i':
    case 'f':
      return got.is_number() ? got.raw() == want.text
                             : got.is_string() && got.string() == want.text;
    default:
      return got.is_string() && got.string() == want.text;
  }
}

void Write(ResultWriter& writer, const Value& value) {
  switch (value.kind) {
    case '0':
      return writer.Null();
    case 'b':
      return writer.Bool(!value.text.empty());
    case 'i':
      return writer.Integer(value.text);
    case 'f':
      return writer.Float(value.text);
    case 'x':
      return writer.Bytes(value.text);
    default:
      return writer.Text(value.text);
  }
}

size_t SentBytes(std::string_view json) {
  return json.size() + static_cast<size_t>(std::count_if(
                           json.begin(), json.end(), [](char c) { return c == '"' || c == '\\'; }));
}

void Fuzz(Input input) {
  constexpr std::string_view kKinds = "0bifxt";
  const Shape shape = static_cast<Shape>(input.Byte() % 3);
  RunLimits limits;
  limits.max_rows = static_cast<int64_t>(input.Byte());
  limits.max_bytes = static_cast<int64_t>(input.Byte() * 64);
  const size_t columns = 1 + input.Byte() % 8;
  std::vector<ResultColumn> names;
  for (size_t i = 0; i < columns; ++i) names.push_back({input.Text(2), "t"});
  ResultWriter writer(shape, limits);
  writer.SetColumns(names);
  const bool has_all_columns = !writer.is_cut();
  std::vector<std::vector<Value>> rows;
  while (!input.empty() && writer.BeginRow()) {
    std::vector<Value>& row = rows.emplace_back();
    for (size_t i = 0; i < columns; ++i) {
      const char kind = kKinds[input.Byte() % kKinds.size()];
      const size_t length = input.Byte();
      row.push_back({kind, input.Text(length < 192 ? length : length * 16)});
      Write(writer, row.back());
    }
    if (!writer.EndRow()) break;
  }
  const bool is_cut = writer.is_cut();
  const std::string json = std::move(writer).Finish(absl::Seconds(1));
  const auto document = JsonDocument::Parse(json);
  BK_CHECK(document.ok());
  const JsonValue root = document->root();
  BK_CHECK(root.Find("truncated")->boolean() == is_cut);
  BK_CHECK(root.Find("truncatedBy").has_value() == is_cut);
  // The names of columns come in any case; here they are few and short.
  BK_CHECK(SentBytes(json) <= static_cast<size_t>(limits.max_bytes) + 2 * kEnvelopeBytes);
  if (shape == Shape::kText) return;
  const JsonValue kept = *root.Find(shape == Shape::kRows ? "rows" : "data");
  BK_CHECK(kept.size() == rows.size() - (is_cut && kept.size() < rows.size() ? 1 : 0));
  BK_CHECK(static_cast<int64_t>(kept.size()) <= limits.max_rows);
  if (shape == Shape::kRows) {
    BK_CHECK(root.Find("rowCount")->integer() == static_cast<int64_t>(kept.size()));
    const size_t named = root.Find("columns")->size();
    BK_CHECK(has_all_columns ? named == columns : named < columns && kept.size() == 0);
  }
  size_t row = 0;
  for (const JsonValue one : kept) {
    BK_CHECK(one.size() == columns);
    size_t column = 0;
    for (const JsonValue value : one) BK_CHECK(Holds(value, rows[row][column++]));
    ++row;
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bridgekeeper::bridge::Fuzz({data, size});
  return 0;
}
