// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/guard.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/guard/dialects.h"
#include "policy/guard/in_place.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/judgement_cache.h"
#include "policy/guard/text_scan.h"

namespace bridgekeeper {
namespace {

constexpr char kTextForm = 't';
constexpr char kObjectForm = 'o';

class Guard final : public PayloadJudge {
 public:
  explicit Guard(const GuardOptions& options)
      : options_(options), pool_(options.pool), cache_(options.cache_bytes) {}

  bool Knows(std::string_view dialect) const override { return FindDialect(dialect) != nullptr; }

  Judgement JudgeText(std::string_view name, std::string_view text,
                      const JudgeOptions& options) const override {
    return *Text(name, text, options, Waiting::kMayWait);
  }
  std::optional<Judgement> TryJudgeText(std::string_view name, std::string_view text,
                                        const JudgeOptions& options) const override {
    return Text(name, text, options, Waiting::kMayNotWait);
  }

  Judgement JudgeObject(std::string_view name, JsonValue object,
                        const JudgeOptions& options) const override {
    return *Object(name, object, options, Waiting::kMayWait);
  }
  std::optional<Judgement> TryJudgeObject(std::string_view name, JsonValue object,
                                          const JudgeOptions& options) const override {
    return Object(name, object, options, Waiting::kMayNotWait);
  }

 private:
  enum class Waiting : uint8_t { kMayWait, kMayNotWait };

  // nullopt: it would have to wait, and may not.
  std::optional<Judgement> Text(std::string_view name, std::string_view text,
                                const JudgeOptions& options, Waiting waiting) const {
    const Dialect* dialect = FindDialect(name);
    if (dialect == nullptr || dialect->text == nullptr) return NoJudge(name, "text");
    // Before the key is built, so that a huge text costs nothing.
    if (text.size() > dialect->limits.max_bytes) return *ScanText(text, dialect->limits);
    if (waiting == Waiting::kMayNotWait && !IsShort(text)) return std::nullopt;
    std::string key = JudgementKey(dialect->name, kTextForm, text, options);
    if (auto known = cache_.Find(key)) return known;
    const bool in_place = !dialect->isolated && MayJudgeInPlace(text);
    if (waiting == Waiting::kMayNotWait && !in_place) return std::nullopt;
    return Remember(std::move(key), [&]() -> Judgement {
      if (auto problem = ScanText(text, dialect->limits)) return *std::move(problem);
      if (in_place) return dialect->text(text, options);
      if (dialect->isolated) return Isolated(*dialect, text, options);
      return OnPool(
          [dialect, text = std::string(text), options] { return dialect->text(text, options); });
    }());
  }

  std::optional<Judgement> Object(std::string_view name, JsonValue object,
                                  const JudgeOptions& options, Waiting waiting) const {
    const Dialect* dialect = FindDialect(name);
    if (dialect == nullptr || dialect->object == nullptr) return NoJudge(name, "a JSON object");
    const std::string_view raw = object.raw();
    if (raw.size() > dialect->limits.max_bytes) {
      return JudgementError(Judgement::Error::kUnreadable,
                            absl::StrFormat("got a payload of %d bytes, want at most %d",
                                            raw.size(), dialect->limits.max_bytes));
    }
    const bool in_place = MayJudgeInPlace(raw);
    if (waiting == Waiting::kMayNotWait && !in_place) return std::nullopt;
    std::string key = JudgementKey(dialect->name, kObjectForm, raw, options);
    if (auto known = cache_.Find(key)) return known;
    if (in_place) return Remember(std::move(key), dialect->object(object, options));
    // The caller's document may be gone before a late judge is done with it.
    return Remember(
        std::move(key), OnPool([dialect, raw = std::string(raw), options] {
          // What the caller could parse, whatever its limits were.
          const auto document =
              JsonDocument::Parse(raw, {.max_depth = std::numeric_limits<int>::max(),
                                        .max_values = std::numeric_limits<size_t>::max()});
          if (!document.ok()) {
            return JudgementError(Judgement::Error::kUnreadable, "the payload is not JSON");
          }
          return dialect->object(document->root(), options);
        }));
  }

  static Judgement NoJudge(std::string_view dialect, std::string_view form) {
    return JudgementError(Judgement::Error::kUnreadable,
                          absl::StrFormat("no judge reads %s as `%s`", form, dialect));
  }

  bool IsShort(std::string_view payload) const { return payload.size() <= options_.in_place_bytes; }

  bool MayJudgeInPlace(std::string_view payload) const {
    return IsShort(payload) && StackLeft() >= kInPlaceStackBytes;
  }

  Judgement Remember(std::string key, Judgement judgement) const {
    // What was not read may be read next time: a thread may be free then.
    if (judgement.error != Judgement::Error::kUnreadable) cache_.Insert(std::move(key), judgement);
    return judgement;
  }

  // `judge` owns what it uses: where it is late it runs on.
  Judgement OnPool(std::function<Judgement()> judge) const {
    const auto judgement = std::make_shared<Judgement>();
    const StackPool::End end = pool_.RunWithin(
        options_.deadline, [judgement, judge = std::move(judge)] { *judgement = judge(); });
    switch (end) {
      case StackPool::End::kDone:
        return std::move(*judgement);
      case StackPool::End::kNoThread:
        return Faulty(JudgeFault::kNoThread, "no thread was free to judge it in time");
      case StackPool::End::kLate:
        return Faulty(JudgeFault::kLate, "judging it took too long");
    }
    return Faulty(JudgeFault::kLate, "judging it took too long");
  }

  Judgement Isolated(const Dialect& dialect, std::string_view text,
                     const JudgeOptions& options) const {
    if (options_.isolated == nullptr) {
      return Faulty(JudgeFault::kWorkerUnavailable,
                    absl::StrFormat("`%s` is judged in a worker process, and this program has none",
                                    dialect.name));
    }
    IsolatedJudge::Answer answer =
        options_.isolated->JudgeText(dialect.name, text, options, options_.deadline);
    if (answer.fault.has_value()) Count(*answer.fault);
    return std::move(answer.judgement);
  }

  Judgement Faulty(JudgeFault fault, std::string message) const {
    Count(fault);
    return JudgementError(Judgement::Error::kUnreadable, std::move(message));
  }

  void Count(JudgeFault fault) const {
    if (options_.on_fault) options_.on_fault(fault);
  }

  const GuardOptions options_;
  mutable StackPool pool_;
  mutable JudgementCache cache_;
};

}  // namespace

std::unique_ptr<PayloadJudge> MakeGuard(const GuardOptions& options) {
  return std::make_unique<Guard>(options);
}

}  // namespace bridgekeeper
