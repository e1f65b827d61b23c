// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeMongodb reads a command document: the JSON object that a driver's
// `runCommand` takes, in Extended JSON (canonical, relaxed, and the older form). Its
// first member names the command. Commands and their fields, pipeline stages,
// expression, query and update operators go by reviewed tables; what is in none of
// them is DESTRUCTIVE. No server is asked, so a name is taken for a plain collection
// (a view is one too) and no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G9 and G60 to G66.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MONGODB_H_
#define BRIDGEKEEPER_POLICY_GUARD_MONGODB_H_

#include "policy/base/json.h"
#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Recursion is bounded by the depth (mongodb/extended_json.h), time and memory by the
// bytes.
inline constexpr TextLimits kMongodbLimits = {};

// Judges `command`. REQUIRES: command.is_object()
Judgement JudgeMongodb(JsonValue command, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_MONGODB_H_
