// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A PartiQL statement, cut into tokens and held against DynamoDB's grammar: SELECT,
// INSERT, UPDATE, DELETE and, in transactions, EXISTS.
//
// Source: the PartiQL reference for DynamoDB; the token rules of the PartiQL
// specification.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_PARTIQL_H_
#define BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_PARTIQL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"
#include "policy/model/decision.h"

namespace bridgekeeper::dynamodb {

// Open parentheses, lists, bags and structures at one time; DynamoDB takes far fewer.
inline constexpr int kMaxNesting = 200;

struct StatementProblem {
  Judgement::Error error = Judgement::Error::kUnreadable;
  std::string message;
  int statements = 0;
  std::optional<size_t> position;  // in the text
};

// Notes what the one statement of `text` does. `offset` is where the text stands in
// the payload; nullopt: it is not spelled there as it is read. Returns a problem where
// it is not one readable statement.
std::optional<StatementProblem> ReadStatement(std::string_view text, std::optional<size_t> offset,
                                              const JudgeOptions& options, JudgementBuilder& found);

// Notes a table that the connection does not cover: one that is named by an ARN of
// another account. `databases` of a record are account ids here.
void NoteTable(std::string_view table, std::optional<size_t> position, const JudgeOptions& options,
               JudgementBuilder& found);

}  // namespace bridgekeeper::dynamodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_PARTIQL_H_
