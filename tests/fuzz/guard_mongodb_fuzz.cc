// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any JSON object gets a judgement, and one that holds together.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/base/json.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/mongodb.h"

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

Judgement JudgeOf(const std::string& json, const JudgeOptions& options) {
  const auto document = JsonDocument::Parse(json, {.max_depth = 512});
  BK_CHECK(document.ok());
  return JudgeMongodb(document->root(), options);
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = bk::JsonDocument::Parse(text, {.max_depth = 256});
  if (!document.ok() || !document->root().is_object()) return 0;
  const bk::JsonValue command = document->root();
  bk::JudgeOptions options;
  const bk::Judgement judgement = bk::JudgeMongodb(command, options);
  bk::CheckHolds(command.raw(), judgement);

  // What is allowed beyond never makes it worse, and a bound never better.
  options.allow_sensitive_reads = true;
  BK_CHECK(!bk::MoreHarmful(bk::JudgeMongodb(command, options).risk, judgement.risk));
  options = {.databases = {"shop"}};
  BK_CHECK(!bk::MoreHarmful(judgement.risk, bk::JudgeMongodb(command, options).risk));
  if (judgement.error != bk::Judgement::Error::kNone) return 0;

  // Explaining is judged as running; deeper, it may be refused.
  const std::string raw(command.raw());
  const bk::Judgement explained = bk::JudgeOf(R"({"explain":)" + raw + "}", {});
  BK_CHECK(explained.risk == judgement.risk || explained.error != bk::Judgement::Error::kNone);
  // What one query is judged to be, it is inside another.
  if (const auto filter = command.Find("filter"); filter && filter->is_object()) {
    const bk::Judgement alone =
        bk::JudgeOf(R"({"find":"t","filter":)" + std::string(filter->raw()) + "}", {});
    const bk::Judgement inside = bk::JudgeOf(
        R"({"find":"t","filter":{"$or":[{"a":1},)" + std::string(filter->raw()) + "]}}", {});
    BK_CHECK(!bk::MoreHarmful(alone.risk, inside.risk));
  }
  return 0;
}
