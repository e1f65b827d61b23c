// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any PartiQL text and any JSON object gets a judgement, and one that holds together.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/base/json.h"
#include "policy/guard/dynamodb.h"
#include "policy/guard/judgement_builder.h"
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

void FuzzText(std::string_view text) {
  const Judgement judgement = JudgeDynamoDbStatement(text, {});
  CheckHolds(text, judgement);
  const std::string ended = std::string(text) + "\n";
  const Judgement same = JudgeDynamoDbStatement(ended, {});
  if (same.error == Judgement::Error::kNone) {
    for (const char* second : {"DELETE FROM t", ";SELECT * FROM t"}) {
      BK_CHECK(JudgeDynamoDbStatement(ended + second, {}).risk == Risk::kDestructive);
    }
  }
  // Inside of a request it is what it is alone.
  std::string request = R"({"operation":"ExecuteStatement","request":{"Statement":)";
  AppendJsonString(text, request);
  request += "}}";
  const auto document = JsonDocument::Parse(request);
  BK_CHECK(document.ok());
  const Judgement inside = JudgeDynamoDbRequest(document->root(), {});
  BK_CHECK(inside.risk == judgement.risk && inside.error == judgement.error);
}

void FuzzObject(JsonValue object) {
  const Judgement judgement = JudgeDynamoDbRequest(object, {});
  CheckHolds(object.raw(), judgement);
  BK_CHECK(!MoreHarmful(JudgeDynamoDbRequest(object, {.allow_sensitive_reads = true}).risk,
                        judgement.risk));
  BK_CHECK(!MoreHarmful(judgement.risk, JudgeDynamoDbRequest(object, {.databases = {"1"}}).risk));
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (bk::ScanText(text, bk::kDynamoDbLimits).has_value()) return 0;
  bk::FuzzText(text);
  const auto document = bk::JsonDocument::Parse(text);
  if (document.ok() && document->root().is_object()) bk::FuzzObject(document->root());
  return 0;
}
