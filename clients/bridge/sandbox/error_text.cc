// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/error_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kMask = "***";

bool AreWords(std::string_view text) {
  constexpr size_t kMaxWordsBytes = 24;
  return text.size() <= kMaxWordsBytes && text.starts_with(' ') && text.ends_with(' ') &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return c == ' ' || (c >= 'a' && c <= 'z'); });
}

// True where `inside`, which stands between quotes, is made of parts that the statement
// holds: each part between two quotes, and what stands between the parts is no more than
// words such as `of relation`.
bool IsOfStatement(std::string_view inside, char quote, std::string_view statement) {
  bool is_name = true;
  while (true) {
    const size_t end = std::min(inside.find(quote), inside.size());
    const std::string_view part = inside.substr(0, end);
    if (is_name ? statement.find(part) == std::string_view::npos : !AreWords(part)) return false;
    if (end == inside.size()) return is_name;
    is_name = !is_name;
    inside.remove_prefix(end + 1);
  }
}

std::string Masked(std::string_view message, char quote, std::string_view statement) {
  const size_t first = message.find(quote);
  const size_t last = message.rfind(quote);
  if (first == std::string_view::npos || first == last) return std::string(message);
  const std::string_view inside = message.substr(first + 1, last - first - 1);
  if (IsOfStatement(inside, quote, statement)) return std::string(message);
  std::string out(message.substr(0, first + 1));
  out += kMask;
  out += message.substr(last);
  return out;
}

}  // namespace

std::string ErrorForCaller(std::string_view message, std::string_view statement) {
  // A value that is cut off has no second quote.
  std::string text = Masked(Masked(message, '"', statement), '\'', statement);
  return EscapeForPeople(text, kMaxErrorBytes);
}

std::string WithoutNumbers(std::string_view message, std::string_view statement) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kOfNumbers = "0123456789.eE+-:";
  std::string out;
  while (true) {
    const size_t begin = std::min(message.find_first_of(kDigits), message.size());
    const bool is_of_name = begin > 0 && begin < message.size() &&
                            (absl::ascii_isalpha(static_cast<unsigned char>(message[begin - 1])) ||
                             message[begin - 1] == '_');
    out += message.substr(0, begin);
    message.remove_prefix(begin);
    if (message.empty()) return out;
    const size_t end =
        std::min(message.find_first_not_of(is_of_name ? kDigits : kOfNumbers), message.size());
    const std::string_view number = message.substr(0, end);
    out += is_of_name || statement.find(number) != std::string_view::npos ? number : kMask;
    message.remove_prefix(end);
  }
}

}  // namespace bridgekeeper::bridge
