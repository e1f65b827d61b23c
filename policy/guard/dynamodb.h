// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeDynamoDbRequest judges a request as the object
//
//   {"operation": "PutItem", "request": {"TableName": "t", ...}}
//
// by the structure of the request; JudgeDynamoDbStatement judges a text in
// DynamoDB's PartiQL. An operation, a member or a statement that is not known is
// DESTRUCTIVE. No table is asked, so no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G13 and those of DynamoDB; the DynamoDB API
// reference, version 2012-08-10, and its PartiQL reference.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_H_
#define BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_H_

#include <string_view>

#include "policy/base/json.h"
#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Requests are walked without a stack; statements nest at most dynamodb::kMaxNesting
// deep, whatever the text.
inline constexpr TextLimits kDynamoDbLimits = {};

// Judges a PartiQL text. REQUIRES: ScanText(text, kDynamoDbLimits) found nothing.
Judgement JudgeDynamoDbStatement(std::string_view text, const JudgeOptions& options);

// Judges a request.
Judgement JudgeDynamoDbRequest(JsonValue object, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_H_
