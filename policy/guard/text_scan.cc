// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/text_scan.h"

#include <array>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace {

enum class Class : uint8_t { kSpace, kWord, kOther };

constexpr std::array<Class, 256> kClasses = [] {
  std::array<Class, 256> classes{};
  for (size_t c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool digit = c >= '0' && c <= '9';
    if (letter || digit || c == '_' || c == '$' || c >= 0x80) {
      classes[c] = Class::kWord;
    } else if (c == ' ' || (c >= '\t' && c <= '\r')) {
      classes[c] = Class::kSpace;
    } else {
      classes[c] = Class::kOther;
    }
  }
  return classes;
}();

size_t CountTokens(std::string_view text) {
  size_t tokens = 0;
  Class previous = Class::kSpace;
  for (const char c : text) {
    const Class now = kClasses[static_cast<uint8_t>(c)];
    tokens += now == Class::kOther || (now == Class::kWord && previous != Class::kWord);
    previous = now;
  }
  return tokens;
}

}  // namespace

std::optional<Judgement> ScanText(std::string_view text, const TextLimits& limits) {
  constexpr auto kUnreadable = Judgement::Error::kUnreadable;
  if (text.size() > limits.max_bytes) {
    return JudgementError(
        kUnreadable, absl::StrFormat("got a statement of %d bytes, want at most %d", text.size(),
                                     limits.max_bytes));
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return JudgementError(kUnreadable, absl::StrFormat("got a NUL byte at byte %d", nul), 0, nul);
  }
  if (const auto bad = FirstInvalidUtf8(text)) {
    return JudgementError(kUnreadable, absl::StrFormat("got invalid UTF-8 at byte %d", *bad), 0,
                          *bad);
  }
  if (text.size() > limits.max_tokens) {  // no text has more tokens than bytes
    if (const size_t tokens = CountTokens(text); tokens > limits.max_tokens) {
      return JudgementError(kUnreadable,
                            absl::StrFormat("got a statement of %d tokens, want at most %d", tokens,
                                            limits.max_tokens));
    }
  }
  return std::nullopt;
}

}  // namespace bridgekeeper
