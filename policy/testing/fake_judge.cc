// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/fake_judge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <regex>
#include <string>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper {
namespace {

std::string Trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

Judgement WithError(Judgement::Error error, std::string message) {
  Judgement judgement;
  judgement.error = error;
  judgement.message = std::move(message);
  return judgement;
}

std::optional<Risk> RiskOfVerb(std::string_view verb) {
  using enum Risk;
  static const auto& risks = *new std::map<std::string, Risk, std::less<>>{
      {"select", kSafe},       {"show", kSafe},
      {"insert", kElevated},   {"update", kElevated},
      {"create", kElevated},   {"delete", kDestructive},
      {"drop", kDestructive},  {"truncate", kDestructive},
      {"grant", kDestructive}, {"revoke", kDestructive},
  };
  const auto it = risks.find(AsciiLower(verb));
  return it == risks.end() ? std::nullopt : std::optional(it->second);
}

}  // namespace

bool FakeJudge::Knows(std::string_view dialect) const {
  const std::string name = AsciiLower(dialect);
  return name == "postgres" || name == "postgresql" || name == "fake";
}

Judgement FakeJudge::JudgeText(std::string_view, std::string_view text,
                               const JudgeOptions& options) const {
  std::string statement = Trimmed(text);
  if (statement.ends_with(';')) statement = Trimmed(statement.substr(0, statement.size() - 1));
  if (statement.empty()) return WithError(Judgement::Error::kEmpty, "no statement");
  if (statement.find(';') != std::string::npos) {
    return WithError(Judgement::Error::kMultiple, "more than one statement");
  }
  const auto risk = RiskOfVerb(statement.substr(0, statement.find_first_of(" \t\r\n")));
  if (!risk) return WithError(Judgement::Error::kUnreadable, "unknown first word");

  Judgement judgement;
  judgement.error = Judgement::Error::kNone;
  judgement.statements = 1;
  judgement.proven = proven;
  judgement.risk = *risk;

  static const std::regex& call = *new std::regex(R"(([a-z_.]+)\(1\))");
  if (std::smatch match; std::regex_search(statement, match, call)) {
    const std::string function = match[1];
    const std::string schema = function.find('.') == std::string::npos ? "public." : "";
    if (function != "lower" && !options.safe_functions.contains(schema + function + "(integer)")) {
      judgement.effects.push_back({.kind = std::string(effect::kFunction),
                                   .object = function,
                                   .position = static_cast<size_t>(match.position()),
                                   .risk = Risk::kElevated,
                                   .why = "not known to be harmless"});
      judgement.risk = Worst(judgement.risk, Risk::kElevated);
    }
  }
  static const std::regex& name = *new std::regex(R"(([a-z0-9_]+)\.[a-z0-9_]+\.[a-z0-9_]+)");
  if (std::smatch match; std::regex_search(statement, match, name)) {
    if (!options.databases.empty() && !options.databases.contains(match[1])) {
      judgement.effects.push_back({.kind = std::string(effect::kOtherConnection),
                                   .object = match[0],
                                   .position = static_cast<size_t>(match.position()),
                                   .risk = judgement.risk,
                                   .why = "outside the connection's databases"});
    }
  }
  return judgement;
}

Judgement FakeJudge::JudgeObject(std::string_view dialect, JsonValue object,
                                 const JudgeOptions&) const {
  const auto does = object.Find("does");
  const auto risk =
      does && does->is_string() ? ParseEnum<Risk>(does->string()) : std::optional<Risk>();
  if (AsciiLower(dialect) != "fake" || !risk) {
    return WithError(Judgement::Error::kUnreadable, "no member `does`");
  }
  Judgement judgement;
  judgement.error = Judgement::Error::kNone;
  judgement.statements = 1;
  judgement.proven = proven;
  judgement.risk = *risk;
  return judgement;
}

}  // namespace bridgekeeper
