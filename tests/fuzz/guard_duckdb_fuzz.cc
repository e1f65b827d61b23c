// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The DuckDB judge's own code: its tokens, its statements and its walk over trees.
// DuckDB itself is not in it: it runs in a worker process, since it can crash. The
// input is a text, a NUL, and what the parser answers for every text.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/guard/duckdb.h"
#include "policy/guard/duckdb/token.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/text_scan.h"

namespace bridgekeeper {
namespace {

class FuzzedParser final : public duckdb::SqlParser {
 public:
  explicit FuzzedParser(std::string_view answer) : answer_(answer) {}
  absl::StatusOr<std::string> Serialize(std::string_view text) override {
    // The whole text is no query, its parts are whatever the input says.
    if (first_ && answer_.starts_with('#')) {
      first_ = false;
      return std::string(R"({"error":true,"error_message":)"
                         R"("Only SELECT statements can be serialized to json!"})");
    }
    (void)text;
    return std::string(answer_.starts_with('#') ? answer_.substr(1) : answer_);
  }
  absl::StatusOr<int> CountStatements(std::string_view) override { return 1; }

 private:
  const std::string_view answer_;
  bool first_ = true;
};

void CheckHolds(std::string_view text, const Judgement& judgement) {
  Risk worst = judgement.error == Judgement::Error::kNone ? Risk::kSafe : Risk::kDestructive;
  for (const Effect& effect : judgement.effects) {
    worst = Worst(worst, effect.risk);
    BK_CHECK(effect.position.value_or(0) <= text.size());
  }
  BK_CHECK(judgement.risk == worst);
  BK_CHECK(judgement.effects.size() <= kMaxEffects);
  BK_CHECK(judgement.message.empty() == (judgement.error == Judgement::Error::kNone));
}

void CheckTokens(std::string_view text) {
  const duckdb::Tokens tokens = duckdb::Tokenize(text);
  size_t end = 0;
  for (const duckdb::Token& token : tokens.tokens) {
    BK_CHECK(token.begin >= end && token.end > token.begin && token.end <= text.size());
    end = token.end;
  }
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace bk = bridgekeeper;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t nul = input.find('\0');
  const std::string_view text = input.substr(0, nul);
  const std::string_view answer = nul == input.npos ? "" : input.substr(nul + 1);
  if (bk::ScanText(text, bk::kDuckdbLimits).has_value()) return 0;
  bk::CheckTokens(text);
  bk::JudgeOptions options;
  bk::FuzzedParser parser(answer);
  const bk::Judgement judgement = bk::duckdb::JudgeWith(parser, text, options);
  bk::CheckHolds(text, judgement);
  // What is allowed beyond never makes it worse.
  options.allow_sensitive_reads = true;
  options.safe_functions = {"my_fn"};
  bk::FuzzedParser again(answer);
  BK_CHECK(!bk::MoreHarmful(bk::duckdb::JudgeWith(again, text, options).risk, judgement.risk));
  return 0;
}
