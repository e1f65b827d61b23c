// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any text gets a judgement, and one that holds together.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mysql.h"
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
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (bk::ScanText(text, bk::kMysqlLimits).has_value()) return 0;
  bk::JudgeOptions options;
  const bk::Judgement judgement = bk::JudgeMysql(text, options);
  bk::CheckHolds(text, judgement);
  // A comment and a semicolon before it change nothing.
  const std::string later = "/* ' */;" + std::string(text);
  const bk::Judgement again = bk::JudgeMysql(later, options);
  BK_CHECK(again.risk == judgement.risk && again.error == judgement.error);
  // The record rules readings out: what is left is no worse than all of them.
  for (const char* mode : {"", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES"}) {
    options.sql_mode = mode;
    const bk::Judgement certain = bk::JudgeMysql(text, options);
    bk::CheckHolds(text, certain);
    // A mode in which every server refuses the text is an error of its own.
    if (certain.error == bk::Judgement::Error::kUnreadable) continue;
    BK_CHECK(!bk::MoreHarmful(certain.risk, judgement.risk));
  }
  options.sql_mode.reset();
  // What is allowed beyond never makes it worse.
  options.allow_sensitive_reads = true;
  options.safe_functions = {"app.my_fn"};
  BK_CHECK(!bk::MoreHarmful(bk::JudgeMysql(text, options).risk, judgement.risk));
  return 0;
}
