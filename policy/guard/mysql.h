// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeMysql cuts a text into tokens by the rules of MySQL 5.7 to 9 and MariaDB 10 to
// 12 and holds it against a list of known shapes; what is not on the list is
// DESTRUCTIVE. Where servers, versions or sessions would cut the text elsewhere each
// way is judged, and the worst counts. No server is asked: tables are taken as plain
// and no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G14, G16 and G30 to G33.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_H_

#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Nothing here recurses: memory and time grow with the text and no stack does.
inline constexpr TextLimits kMysqlLimits = {};

// Ways to read one text that are judged; a text with more of them is DESTRUCTIVE. Two
// executable comments with versions of six digits make nine, times four for sql_mode.
inline constexpr int kMaxMysqlReadings = 36;

// Judges `text`. REQUIRES: ScanText(text, kMysqlLimits) found nothing.
Judgement JudgeMysql(std::string_view text, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_H_
