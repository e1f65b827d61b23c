// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/guard.h"

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_format.h"
#include "policy/guard/dialects.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/judgement_cache.h"
#include "policy/guard/text_scan.h"

namespace bridgekeeper {
namespace {

constexpr char kTextForm = 't';
constexpr char kObjectForm = 'o';

class Guard final : public PayloadJudge {
 public:
  explicit Guard(const GuardOptions& options) : pool_(options.pool), cache_(options.cache_bytes) {}

  bool Knows(std::string_view dialect) const override { return FindDialect(dialect) != nullptr; }

  Judgement JudgeText(std::string_view name, std::string_view text,
                      const JudgeOptions& options) const override {
    const Dialect* dialect = FindDialect(name);
    if (dialect == nullptr || dialect->text == nullptr) return NoJudge(name, "text");
    // Before the key is built, so that a huge text costs nothing.
    if (text.size() > dialect->limits.max_bytes) return *ScanText(text, dialect->limits);
    return Remembered(JudgementKey(dialect->name, kTextForm, text, options), [&] {
      if (auto problem = ScanText(text, dialect->limits)) return *std::move(problem);
      return OnPool([&] { return dialect->text(text, options); });
    });
  }

  Judgement JudgeObject(std::string_view name, JsonValue object,
                        const JudgeOptions& options) const override {
    const Dialect* dialect = FindDialect(name);
    if (dialect == nullptr || dialect->object == nullptr) return NoJudge(name, "a JSON object");
    const std::string_view raw = object.raw();
    if (raw.size() > dialect->limits.max_bytes) {
      return JudgementError(Judgement::Error::kUnreadable,
                            absl::StrFormat("got a payload of %d bytes, want at most %d",
                                            raw.size(), dialect->limits.max_bytes));
    }
    return Remembered(JudgementKey(dialect->name, kObjectForm, raw, options),
                      [&] { return OnPool([&] { return dialect->object(object, options); }); });
  }

 private:
  static Judgement NoJudge(std::string_view dialect, std::string_view form) {
    return JudgementError(Judgement::Error::kUnreadable,
                          absl::StrFormat("no judge reads %s as `%s`", form, dialect));
  }

  Judgement Remembered(std::string key, absl::FunctionRef<Judgement()> judge) const {
    if (auto known = cache_.Find(key)) return *std::move(known);
    Judgement judgement = judge();
    // What was not read may be read next time: a thread may be free then.
    if (judgement.error != Judgement::Error::kUnreadable) cache_.Insert(std::move(key), judgement);
    return judgement;
  }

  Judgement OnPool(absl::FunctionRef<Judgement()> judge) const {
    Judgement judgement;
    if (!pool_.Run([&] { judgement = judge(); })) {
      return JudgementError(Judgement::Error::kUnreadable,
                            "no thread was free to judge it in time");
    }
    return judgement;
  }

  mutable StackPool pool_;
  mutable JudgementCache cache_;
};

}  // namespace

std::unique_ptr<PayloadJudge> MakeGuard(const GuardOptions& options) {
  return std::make_unique<Guard>(options);
}

}  // namespace bridgekeeper
