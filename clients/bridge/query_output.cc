// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/query_output.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// Longest cell of a table, in bytes.
constexpr size_t kMaxCellBytes = 1024;

using Row = std::vector<std::optional<std::string>>;  // nullopt: NULL

// A value as text: bytes as their base64.
std::optional<std::string> CellOf(JsonValue value) {
  if (value.is_null()) return std::nullopt;
  if (value.is_string()) return std::string(value.string());
  if (const auto base64 = value.Find("$base64")) return std::string(TextOf(base64));
  return std::string(value.raw());
}

std::string CsvField(const std::optional<std::string>& cell) {
  if (!cell) return "";
  if (!cell->empty() && cell->find_first_of("\",\r\n") == std::string::npos) return *cell;
  std::string out = "\"";
  for (const char c : *cell) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string CsvOf(const std::vector<Row>& lines) {
  std::string out;
  for (const Row& line : lines) {
    for (size_t i = 0; i < line.size(); ++i) out += (i > 0 ? "," : "") + CsvField(line[i]);
    out += '\n';
  }
  return out;
}

// Characters of valid UTF-8.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

// One line of text: ends of lines and tabs as people write them.
std::string OneLine(std::string_view text) {
  std::string out;
  while (true) {
    const size_t at = text.find_first_of("\n\r\t");
    out += EscapeForPeople(text.substr(0, at), kMaxCellBytes);
    if (at == std::string_view::npos || out.size() >= kMaxCellBytes) return out;
    out += text[at] == '\n' ? "\\n" : text[at] == '\r' ? "\\r" : "\\t";
    text.remove_prefix(at + 1);
  }
}

std::string TableOf(const std::vector<Row>& lines) {
  std::vector<std::vector<std::string>> shown;
  std::vector<size_t> widths(lines[0].size());
  for (const Row& line : lines) {
    std::vector<std::string>& cells = shown.emplace_back();
    for (size_t i = 0; i < line.size(); ++i) {
      cells.push_back(line[i] ? OneLine(*line[i]) : "NULL");
      widths[i] = std::max(widths[i], WidthOf(cells[i]));
    }
  }
  std::string out;
  const auto add = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += "  ";
      line += cells[i] + std::string(widths[i] - WidthOf(cells[i]), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  };
  add(shown[0]);
  std::vector<std::string> rule;
  for (const size_t width : widths) rule.emplace_back(width, '-');
  add(rule);
  for (size_t i = 1; i < shown.size(); ++i) add(shown[i]);
  return out;
}

std::string Plural(int64_t count, std::string_view word) {
  return absl::StrFormat("%d %s%s", count, word, count == 1 ? "" : "s");
}

}  // namespace

absl::StatusOr<QueryOutput> RenderAnswer(std::string_view answer, OutputFormat format) {
  const auto document = JsonDocument::Parse(answer);
  const auto columns =
      document.ok() ? document->root().Find("columns") : std::optional<JsonValue>();
  const auto rows = document.ok() ? document->root().Find("rows") : std::optional<JsonValue>();
  if (!columns || !columns->is_array() || !rows || !rows->is_array()) {
    return absl::InternalError("the database's answer is out of form");
  }
  QueryOutput output{.text = {},
                     .truncated_by = std::string(TextOf(document->root().Find("truncatedBy")))};
  if (format == OutputFormat::kJson) {
    output.text = std::string(answer) + "\n";
    return output;
  }
  std::vector<Row> lines(1);
  for (const JsonValue column : *columns) lines[0].emplace_back(TextOf(column));
  for (const JsonValue row : *rows) {
    // The members stand in the order of the columns.
    Row& line = lines.emplace_back();
    for (const JsonValue value : row) line.push_back(CellOf(value));
    if (line.size() != lines[0].size()) {
      return absl::InternalError("the database's answer is out of form");
    }
  }
  const auto affected = document->root().Find("rowsAffected");
  if (format == OutputFormat::kCsv) {
    if (!lines[0].empty()) output.text = CsvOf(lines);
    return output;
  }
  if (!lines[0].empty()) {
    output.text = TableOf(lines);
    output.text +=
        absl::StrFormat("(%s%s)\n", Plural(static_cast<int64_t>(lines.size()) - 1, "row"),
                        output.truncated_by.empty() ? "" : ", truncated by " + output.truncated_by);
  }
  if (affected && affected->is_number()) {
    output.text += Plural(affected->integer().value_or(0), "row") + " affected\n";
  }
  return output;
}

}  // namespace bridgekeeper::bridge
