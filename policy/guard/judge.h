// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Judge says what a payload really does, asked of the engine's own parser.
//
// A judgement with an error has risk DESTRUCTIVE and is a denial in every mode; a
// text that was read and not known is DESTRUCTIVE. The worst part decides.
//
// Source: policy/spec.md, section G.

#ifndef BRIDGEKEEPER_POLICY_GUARD_JUDGE_H_
#define BRIDGEKEEPER_POLICY_GUARD_JUDGE_H_

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "policy/base/json.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Largest text that is judged, in bytes; a longer one is unreadable.
inline constexpr size_t kMaxJudgedBytes = 1 << 20;

// What changes a judgement besides the text: from the connection's record.
struct JudgeOptions {
  // Functions that count as harmless: schema-qualified, with argument types,
  // e.g. "public.add_tax(numeric)".
  std::set<std::string> safe_functions;
  // Databases or catalogues that the connection covers; empty: not checked.
  std::set<std::string> databases;
  bool allow_sensitive_reads = false;
  std::optional<std::string> sql_mode;
  std::optional<bool> standard_conforming_strings;

  static JudgeOptions From(const ConnectionRecord& record);
  friend bool operator==(const JudgeOptions&, const JudgeOptions&) = default;
};

// Judges one payload: a JSON string (SQL, PartiQL, NDJSON) or a JSON object.
//
// Thread safety: implementations may be called from many threads at the same time.
class PayloadJudge {
 public:
  virtual ~PayloadJudge() = default;

  // True where `dialect` has a judge.
  virtual bool Knows(std::string_view dialect) const = 0;

  // Judges `text` in `dialect`. Never fails: what goes wrong is in the judgement.
  // REQUIRES: Knows(dialect)
  virtual Judgement JudgeText(std::string_view dialect, std::string_view text,
                              const JudgeOptions& options) const = 0;

  // Judges a payload that is a JSON object (elasticsearch, mongodb, dynamodb).
  // REQUIRES: Knows(dialect)
  virtual Judgement JudgeObject(std::string_view dialect, JsonValue object,
                                const JudgeOptions& options) const = 0;

  // The same for a thread that must not wait: nullopt where another thread or process
  // would have to judge.
  virtual std::optional<Judgement> TryJudgeText(std::string_view /*dialect*/,
                                                std::string_view /*text*/,
                                                const JudgeOptions& /*options*/) const {
    return std::nullopt;
  }
  virtual std::optional<Judgement> TryJudgeObject(std::string_view /*dialect*/,
                                                  JsonValue /*object*/,
                                                  const JudgeOptions& /*options*/) const {
    return std::nullopt;
  }
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_JUDGE_H_
