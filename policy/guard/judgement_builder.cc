// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/judgement_builder.h"

#include <algorithm>
#include <utility>

#include "policy/base/check.h"
#include "policy/guard/effects.h"

namespace bridgekeeper {
namespace {

// Of an error's message: a parser's own may quote a token of any length.
constexpr size_t kMaxMessageBytes = 512;

// `text` cut to at most `max_bytes` without splitting a UTF-8 character.
std::string_view CutAtCharacter(std::string_view text, size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

void JudgementBuilder::Add(std::string_view kind, std::string_view object,
                           std::optional<size_t> position, Risk risk, std::string_view why) {
  worst_ = Worst(worst_, risk);
  object = CutAtCharacter(object, kMaxEffectObjectBytes);
  for (const Effect& known : effects_) {
    if (known.kind == kind && known.object == object && known.risk == risk) return;
  }
  if (effects_.size() == kMaxEffects) {
    const auto least = std::min_element(
        effects_.begin(), effects_.end(),
        [](const Effect& a, const Effect& b) { return MoreHarmful(b.risk, a.risk); });
    if (!MoreHarmful(risk, least->risk)) return;
    effects_.erase(least);
  }
  effects_.push_back({std::string(kind), std::string(object), position, risk, std::string(why)});
}

Judgement JudgementBuilder::Finish(int statements) && {
  std::stable_sort(effects_.begin(), effects_.end(),
                   [](const Effect& a, const Effect& b) { return MoreHarmful(a.risk, b.risk); });
  Judgement judgement;
  judgement.risk = worst_;
  judgement.effects = std::move(effects_);
  judgement.statements = statements;
  judgement.error = Judgement::Error::kNone;
  return judgement;
}

Judgement JudgementError(Judgement::Error error, std::string message, int statements,
                         std::optional<size_t> position) {
  BK_CHECK(error != Judgement::Error::kNone);
  if (message.size() > kMaxMessageBytes) {
    message.resize(CutAtCharacter(message, kMaxMessageBytes - 3).size());
    message += "...";
  }
  Judgement judgement;
  judgement.error = error;
  judgement.statements = statements;
  if (position.has_value()) {
    judgement.effects.push_back(
        {std::string(effect::kUnreadable), "", position, Risk::kDestructive, message});
  }
  judgement.message = std::move(message);
  return judgement;
}

}  // namespace bridgekeeper
