// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any text gets a judgement, and one that holds together.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "policy/base/check.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/postgres.h"
#include "policy/guard/stack_pool.h"
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
  // The parser's tree held nothing that the tables do not know.
  for (const Effect& effect : judgement.effects) BK_CHECK(effect.kind != "UNKNOWN");
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  static bk::StackPool* const pool = new bk::StackPool({.threads = 1});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (bk::ScanText(text, bk::kPostgresLimits).has_value()) return 0;
  BK_CHECK(pool->Run([&] {
    bk::JudgeOptions options;
    const bk::Judgement judgement = bk::JudgePostgres(text, options);
    bk::CheckHolds(text, judgement);
    // What is allowed beyond never makes it worse.
    options.allow_sensitive_reads = true;
    BK_CHECK(!bk::MoreHarmful(bk::JudgePostgres(text, options).risk, judgement.risk));
  }));
  return 0;
}
