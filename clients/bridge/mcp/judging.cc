// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/judging.h"

#include <limits>
#include <utility>

namespace bridgekeeper::bridge {

Judgement Judge(const PayloadJudge& judge, const PayloadToJudge& payload) {
  if (!payload.is_object) return judge.JudgeText(payload.dialect, payload.payload, payload.options);
  // It was parsed before, whatever the limits were.
  const auto document =
      JsonDocument::Parse(payload.payload, {.max_depth = std::numeric_limits<int>::max(),
                                            .max_values = std::numeric_limits<size_t>::max()});
  if (!document.ok()) return {};  // unreadable
  return judge.JudgeObject(payload.dialect, document->root(), payload.options);
}

JudgeOptions WithSafeFunctions::With(JudgeOptions options) const {
  options.safe_functions.insert(functions_.begin(), functions_.end());
  return options;
}

Judgement KnownJudgement::JudgeText(std::string_view dialect, std::string_view text,
                                    const JudgeOptions& options) const {
  return Find({.dialect = std::string(dialect),
               .is_object = false,
               .payload = std::string(text),
               .options = options});
}

Judgement KnownJudgement::JudgeObject(std::string_view dialect, JsonValue object,
                                      const JudgeOptions& options) const {
  return Find({.dialect = std::string(dialect),
               .is_object = true,
               .payload = std::string(object.raw()),
               .options = options});
}

Judgement KnownJudgement::Find(PayloadToJudge asked) const {
  if (payload_ != nullptr && asked == *payload_) return *judgement_;
  missing_ = std::move(asked);
  return {};  // unreadable
}

}  // namespace bridgekeeper::bridge
