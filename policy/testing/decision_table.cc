// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/decision_table.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "policy/testing/source_file.h"

namespace bridgekeeper {
namespace {

constexpr std::string_view kPath = "tests/vectors/decision_table.tsv";
constexpr std::string_view kHeader =
    "mode\trisk\tconnection\tallowed_connection_ids\toverride_read_only\t"
    "override_allowed_actions\tconfirm_destructive\tverdict\treason_code";
constexpr size_t kRows = 2052;

[[noreturn]] void Die(int line, std::string_view why) {
  std::cerr << kPath << ":" << line << ": " << why << "\n";
  std::abort();
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// The items of "[a,b]"; none of "[]".
std::vector<std::string_view> Items(std::string_view list, int line) {
  if (list.size() < 2 || list.front() != '[' || list.back() != ']') Die(line, "want a list");
  list = list.substr(1, list.size() - 2);
  return list.empty() ? std::vector<std::string_view>() : Split(list, ',');
}

bool Bool(std::string_view text, int line) {
  if (text != "true" && text != "false") Die(line, "want true or false");
  return text == "true";
}

template <typename Enum>
Enum Value(std::string_view text, int line) {
  const auto value = ParseEnum<Enum>(text);
  if (!value) Die(line, "unknown name");
  return *value;
}

// "READ_ONLY_SAFE_at_c1_allow_c1_c2_override_ro_false_READ_WRITE_confirm".
std::string NameOf(const std::vector<std::string_view>& cells) {
  const auto plain = [](std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
        out += c;
      } else if (!out.empty() && out.back() != '_') {
        out += '_';
      }
    }
    while (!out.empty() && out.back() == '_') out.pop_back();
    return out.empty() ? std::string("none") : out;
  };
  std::string name = plain(cells[0]) + "_" + plain(cells[1]) + "_at_" + plain(cells[2]) +
                     "_allow_" + (cells[3] == "[]" ? "every" : plain(cells[3]));
  if (cells[4] != "-") {
    name += "_override_ro_" + plain(cells[4]);
    if (cells[5] != "-") name += "_actions_" + plain(cells[5]);
  }
  return name + (cells[6] == "true" ? "_confirm" : "_no_confirm");
}

DecisionRow ReadRow(std::string_view text, int line) {
  const std::vector<std::string_view> cells = Split(text, '\t');
  if (cells.size() != 9) Die(line, "want 9 columns");
  DecisionRow row;
  row.name = NameOf(cells);
  row.line = line;
  row.policy.app = AppId(kDecisionRowApp);
  row.policy.mode = Value<Mode>(cells[0], line);
  row.policy.confirm_destructive = Bool(cells[6], line);
  for (const std::string_view id : Items(cells[3], line)) {
    row.policy.allowed_connection_ids.emplace(id);
  }
  if (cells[4] != "-") {
    ConnectionOverride& entry = row.policy.connection_overrides[ConnectionId("c1")];
    entry.read_only = Bool(cells[4], line);
    if (cells[5] != "-") {
      entry.allowed_actions.emplace();
      for (const std::string_view action : Items(cells[5], line)) {
        entry.allowed_actions->insert(Value<Action>(action, line));
      }
    }
  } else if (cells[5] != "-") {
    Die(line, "want no actions without an override");
  }
  row.entry.key = {.app = AppId(kDecisionRowApp),
                   .server = ServerId(kDecisionRowServer),
                   .tool = ToolName("table_tool")};
  row.entry.risk = Value<Risk>(cells[1], line);
  row.entry.needs_connection = NeedsConnection::kNo;
  if (cells[2] != "-") {
    row.connection = std::string(cells[2]);
    row.entry.needs_connection = NeedsConnection::kYes;
    row.entry.connection_argument = "connection_id";
  }
  row.verdict = Value<Verdict>(cells[7], line);
  row.reason = Value<ReasonCode>(cells[8], line);
  return row;
}

std::vector<DecisionRow> ReadTable() {
  const std::string text = ReadSourceFile(kPath);
  std::vector<std::string_view> lines = Split(text, '\n');
  if (lines.front() != kHeader) Die(1, "want the header that the reader knows");
  if (lines.back().empty()) lines.pop_back();
  std::vector<DecisionRow> rows;
  for (size_t i = 1; i < lines.size(); ++i)
    rows.push_back(ReadRow(lines[i], static_cast<int>(i) + 1));
  if (rows.size() != kRows) Die(static_cast<int>(lines.size()), "want 2,052 rows");
  return rows;
}

}  // namespace

ToolCall DecisionRow::Call() const {
  ToolCall call;
  call.tool = entry.key.tool.value();
  call.server = kDecisionRowServer;
  if (connection) call.connection = *connection;
  return call;
}

const std::vector<DecisionRow>& DecisionTable() {
  static const auto& rows = *new std::vector<DecisionRow>(ReadTable());
  return rows;
}

}  // namespace bridgekeeper
