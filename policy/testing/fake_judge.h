// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeJudge judges a text by its first word, so that decisions can be tested
// without a parser. For the statements that it knows it answers what a real judge
// of PostgreSQL answers, so a vector holds on both:
//
//   SELECT, SHOW                       SAFE
//   INSERT, UPDATE, CREATE             ELEVATED
//   DELETE, DROP, TRUNCATE,
//   GRANT, REVOKE                      DESTRUCTIVE
//   nothing but white space            no statement
//   text after a `;`                   several statements
//   any other word                     not readable
//   SELECT f(1), any f but `lower`     ELEVATED, unless listed as "public.f(integer)"
//   a.b.c where `databases` lacks a    the effect OTHER_CONNECTION
//
// An object is judged by its member `does`, the name of a risk.
//
// Thread safety: immutable; safe to share between threads.

#ifndef BRIDGEKEEPER_POLICY_TESTING_FAKE_JUDGE_H_
#define BRIDGEKEEPER_POLICY_TESTING_FAKE_JUDGE_H_

#include <string_view>

#include "policy/guard/judge.h"

namespace bridgekeeper {

class FakeJudge : public PayloadJudge {
 public:
  // Knows "postgres", "postgresql" and, for objects too, "fake".
  bool Knows(std::string_view dialect) const override;
  Judgement JudgeText(std::string_view dialect, std::string_view text,
                      const JudgeOptions& options) const override;
  Judgement JudgeObject(std::string_view dialect, JsonValue object,
                        const JudgeOptions& options) const override;

  // Whether its judgements say that every name was resolved.
  bool proven = false;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_FAKE_JUDGE_H_
