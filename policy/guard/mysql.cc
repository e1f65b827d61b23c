// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mysql/modes.h"
#include "policy/guard/mysql/statement.h"
#include "policy/guard/mysql/token.h"

namespace bridgekeeper {
namespace {

using Error = Judgement::Error;

struct Judged {
  Judgement judgement;
  // Every server that reads the text so refuses it before it runs anything.
  bool refused = false;
};

// Hints steer the optimizer, save two.
void NoteHints(const mysql::Tokens& tokens, JudgementBuilder& found) {
  for (const mysql::Token& token : tokens.hints) {
    const std::string hint = AsciiLower(tokens.Spelling(token));
    if (hint.find("set_var") == hint.npos && hint.find("resource_group") == hint.npos) continue;
    found.Add(effect::kSetting, "", token.begin, Risk::kDestructive,
              "changes a setting for the statement");
  }
}

Judged JudgeReading(const mysql::Tokens& tokens, const mysql::Reading& reading, bool likeliest,
                    const JudgeOptions& options) {
  const auto statements = mysql::SplitStatements(tokens);
  const int count = static_cast<int>(statements.size());
  if (!tokens.error.empty()) {
    // A server runs what stands before a semicolon before it reads on.
    const bool whole = !statements.empty() && statements[0].end < tokens.list.size();
    return {JudgementError(Error::kUnreadable,
                           absl::StrFormat("MySQL: %s at byte %d%s", tokens.error,
                                           tokens.error_position, mysql::Describe(reading)),
                           0, tokens.error_position),
            !whole && (tokens.refusal == mysql::Refusal::kEverywhere ||
                       (tokens.refusal == mysql::Refusal::kServer && !likeliest))};
  }
  if (statements.empty()) return {JudgementError(Error::kEmpty, "got no statement")};
  if (count > 1) {
    return {JudgementError(
        Error::kMultiple,
        absl::StrFormat("got %d statements%s, want one", count, mysql::Describe(reading)), count)};
  }
  JudgementBuilder found;
  mysql::Statement(tokens, statements[0], reading, options, found).Judge();
  NoteHints(tokens, found);
  return {std::move(found).Finish(1)};
}

// Whether it is worse that a text may be `a` than that it may be `b`. One that holds
// nothing for some servers is what it is for the others.
bool IsWorse(const Judgement& a, const Judgement& b) {
  const auto rank = [](const Judgement& judgement) {
    switch (judgement.error) {
      case Error::kEmpty:
        return 0;
      case Error::kNone:
        return 1;
      case Error::kMultiple:
      case Error::kUnreadable:
        return 2;
    }
    return 2;
  };
  if (rank(a) != rank(b)) return rank(a) > rank(b);
  return rank(a) == 1 && MoreHarmful(a.risk, b.risk);
}

}  // namespace

Judgement JudgeMysql(std::string_view text, const JudgeOptions& options) {
  const auto readings = mysql::ReadingsOf(text, options.sql_mode);
  if (!readings.ok()) {
    return JudgementError(Error::kUnreadable, std::string(AsStd(readings.status().message())));
  }
  std::optional<Judgement> worst;
  std::optional<Judgement> refused;
  int count = 0;
  for (mysql::Reading reading : *readings) {
    do {
      if (++count > kMaxMysqlReadings) {
        JudgementBuilder found;
        found.Add(effect::kUnknown, "/*!", std::nullopt, Risk::kDestructive,
                  "holds more executable comments than are judged");
        return std::move(found).Finish(1);
      }
      const mysql::Tokens tokens = mysql::Tokenize(text, reading);
      reading.versions = tokens.versions;
      Judged judged = JudgeReading(tokens, reading, count == 1, options);
      std::optional<Judgement>& kept = judged.refused ? refused : worst;
      if (!kept.has_value() || IsWorse(judged.judgement, *kept)) {
        kept = std::move(judged.judgement);
      }
      if (!mysql::NextVersions(tokens, reading.versions)) break;
    } while (true);
  }
  return worst.has_value() ? *std::move(worst) : *std::move(refused);
}

}  // namespace bridgekeeper
