// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/keyword.h"

#include <algorithm>
#include <iterator>

#include "policy/base/ascii.h"

namespace bridgekeeper::mysql {
namespace {

using enum Place;

struct KeywordRow {
  std::string_view name;
  Place place;
};

constexpr KeywordRow kKeywords[] = {{"", kFree},
#define BRIDGEKEEPER_MYSQL_KEYWORD(enumerator, name, place) {name, place},
                                    BRIDGEKEEPER_MYSQL_KEYWORDS(BRIDGEKEEPER_MYSQL_KEYWORD)
#undef BRIDGEKEEPER_MYSQL_KEYWORD
};
static_assert(std::is_sorted(std::begin(kKeywords), std::end(kKeywords),
                             [](const auto& a, const auto& b) { return a.name < b.name; }));

constexpr size_t kLongestKeyword = 19;  // SQL_CALC_FOUND_ROWS

}  // namespace

Keyword FindKeyword(std::string_view word) {
  if (word.size() > kLongestKeyword) return Keyword::kNone;
  char upper[kLongestKeyword];
  std::transform(word.begin(), word.end(), upper, ToAsciiUpper);
  const std::string_view name(upper, word.size());
  const auto* const row =
      std::lower_bound(std::begin(kKeywords), std::end(kKeywords), name,
                       [](const KeywordRow& a, std::string_view b) { return a.name < b; });
  if (row == std::end(kKeywords) || row->name != name) return Keyword::kNone;
  return static_cast<Keyword>(row - kKeywords);
}

Place PlaceOf(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)].place; }

std::string_view NameOf(Keyword keyword) { return kKeywords[static_cast<size_t>(keyword)].name; }

}  // namespace bridgekeeper::mysql
