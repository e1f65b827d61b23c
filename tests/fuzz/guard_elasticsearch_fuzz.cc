// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Any JSON object gets a judgement, and one that holds together.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/base/json.h"
#include "policy/guard/elasticsearch.h"
#include "policy/guard/judgement_builder.h"

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

Judgement JudgeOf(std::string_view method, std::string_view path, std::string_view body) {
  std::string json = R"({"method":)";
  AppendJsonString(method, json);
  json += R"(,"path":)";
  AppendJsonString(path, json);
  json += R"(,"body":)" + std::string(body) + "}";
  const auto document = JsonDocument::Parse(json, {.max_depth = 512});
  BK_CHECK(document.ok());
  return JudgeElasticsearch(document->root(), {});
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = bk::JsonDocument::Parse(text, {.max_depth = 256});
  if (!document.ok() || !document->root().is_object()) return 0;
  const bk::JsonValue request = document->root();
  bk::JudgeOptions options;
  const bk::Judgement judgement = bk::JudgeElasticsearch(request, options);
  bk::CheckHolds(request.raw(), judgement);

  // What is allowed beyond never makes it worse, and a bound never better.
  options.allow_sensitive_reads = true;
  BK_CHECK(!bk::MoreHarmful(bk::JudgeElasticsearch(request, options).risk, judgement.risk));
  options = {.databases = {"nowhere"}};
  BK_CHECK(!bk::MoreHarmful(judgement.risk, bk::JudgeElasticsearch(request, options).risk));

  // A slash, a parameter or an escape more is never judged lower.
  const auto method = request.Find("method");
  const auto path = request.Find("path");
  if (!method || !path || !method->is_string() || !path->is_string()) return 0;
  if (judgement.error != bk::Judgement::Error::kNone) return 0;
  const auto body = request.Find("body");
  const std::string_view raw = body ? body->raw() : "null";
  const std::string whole(path->string());
  const size_t question = std::min(whole.find('?'), whole.size());
  for (const std::string& changed :
       {whole.substr(0, question) + "/" + whole.substr(question),
        whole + (question == whole.size() ? "?pretty" : "&pretty"), "/" + whole,
        whole.substr(0, question) + "/.." + whole.substr(question)}) {
    BK_CHECK(!bk::MoreHarmful(judgement.risk, bk::JudgeOf(method->string(), changed, raw).risk));
  }
  return 0;
}
