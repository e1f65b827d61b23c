// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any text gets a judgement, one that holds together, and more text never makes it SAFE.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/sqlserver.h"
#include "policy/guard/text_scan.h"

namespace bridgekeeper {
namespace {

void CheckHolds(std::string_view text, const Judgement& judgement) {
  Risk worst = judgement.error == Judgement::Error::kNone ? Risk::kSafe : Risk::kDestructive;
  for (const Effect& effect : judgement.effects) {
    worst = Worst(worst, effect.risk);
    BK_CHECK(effect.position.value_or(0) <= text.size());
  }
  BK_CHECK(judgement.risk == worst);
  BK_CHECK(judgement.effects.size() <= kMaxEffects);
  BK_CHECK(judgement.message.empty() == (judgement.error == Judgement::Error::kNone));
  BK_CHECK((judgement.statements == 1) == (judgement.error == Judgement::Error::kNone));
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  using Error = bk::Judgement::Error;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (bk::ScanText(text, bk::kSqlServerLimits).has_value()) return 0;
  bk::JudgeOptions options;
  const bk::Judgement judgement = bk::JudgeSqlServer(text, options);
  bk::CheckHolds(text, judgement);
  // A comment before it changes nothing.
  const std::string later = "/* ' /* [ */ \" */ " + std::string(text);
  const bk::Judgement again = bk::JudgeSqlServer(later, options);
  BK_CHECK(again.risk == judgement.risk && again.error == judgement.error);
  // Neither does an end of the line, which a comment at its end may need. What follows
  // is another statement, with or without a semicolon; a SELECT may complete one that
  // is not yet one (`INSERT t (a)`).
  const std::string ended = std::string(text) + "\n";
  const bk::Judgement same = bk::JudgeSqlServer(ended, options);
  // (After an unreadable `0x\` at the end it is a continuation.)
  BK_CHECK(same.error == judgement.error || same.error == Error::kUnreadable ||
           judgement.error == Error::kUnreadable);
  if (same.error == Error::kNone) {
    for (const char* second : {"DELETE FROM t", ";DROP TABLE t", "\nGO\nEXEC p", "SELECT 2"}) {
      const bk::Judgement both = bk::JudgeSqlServer(ended + second, options);
      const bool completes = same.risk == bk::Risk::kDestructive;
      BK_CHECK(both.risk == bk::Risk::kDestructive || (completes && second[0] == 'S'));
    }
  }
  // What is allowed beyond never makes it worse, and a bound never better.
  options.allow_sensitive_reads = true;
  options.safe_functions = {"dbo.my_fn()"};
  BK_CHECK(!bk::MoreHarmful(bk::JudgeSqlServer(text, options).risk, judgement.risk));
  return 0;
}
