// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Deciding where judging may take its time: a call is decided with what is known, what
// is missing is judged elsewhere, and the call is decided again, by the policy that is in
// force then.
//
// Thread safety: values without shared state; KnownJudgement is used by one thread.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JUDGING_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JUDGING_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/guard/judge.h"

namespace bridgekeeper::bridge {

// A payload that is to be judged. Owns all that it says.
struct PayloadToJudge {
  std::string dialect;
  bool is_object = false;
  std::string payload;  // the text, or the object as it is written
  JudgeOptions options;
  friend bool operator==(const PayloadToJudge&, const PayloadToJudge&) = default;
};

// Asks `judge`. May take as long as the judge's own deadline.
// REQUIRES: judge.Knows(payload.dialect)
Judgement Judge(const PayloadJudge& judge, const PayloadToJudge& payload);

// Asks a judge with more functions that count as harmless.
class WithSafeFunctions : public PayloadJudge {
 public:
  // Both must outlive it.
  WithSafeFunctions(const PayloadJudge& judge, const std::set<std::string>& functions)
      : judge_(judge), functions_(functions) {}

  bool Knows(std::string_view dialect) const override { return judge_.Knows(dialect); }
  Judgement JudgeText(std::string_view dialect, std::string_view text,
                      const JudgeOptions& options) const override {
    return judge_.JudgeText(dialect, text, With(options));
  }
  Judgement JudgeObject(std::string_view dialect, JsonValue object,
                        const JudgeOptions& options) const override {
    return judge_.JudgeObject(dialect, object, With(options));
  }

 private:
  JudgeOptions With(JudgeOptions options) const;

  const PayloadJudge& judge_;
  const std::set<std::string>& functions_;
};

// Judges nothing itself: it knows one judgement at most, and keeps what else it was asked.
class KnownJudgement : public PayloadJudge {
 public:
  // All must outlive it. `payload` and `judgement`: what is known; null: nothing is.
  KnownJudgement(const PayloadJudge& judge, const PayloadToJudge* payload,
                 const Judgement* judgement)
      : judge_(judge), payload_(payload), judgement_(judgement) {}

  // What was asked and is not known. A decision that was made without it is void.
  const std::optional<PayloadToJudge>& missing() const { return missing_; }

  bool Knows(std::string_view dialect) const override { return judge_.Knows(dialect); }
  Judgement JudgeText(std::string_view dialect, std::string_view text,
                      const JudgeOptions& options) const override;
  Judgement JudgeObject(std::string_view dialect, JsonValue object,
                        const JudgeOptions& options) const override;

 private:
  Judgement Find(PayloadToJudge asked) const;

  const PayloadJudge& judge_;
  const PayloadToJudge* const payload_;
  const Judgement* const judgement_;
  mutable std::optional<PayloadToJudge> missing_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_JUDGING_H_
