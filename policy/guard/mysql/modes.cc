// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mysql/modes.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::mysql {
namespace {

struct Mode {
  std::string_view name;  // in lower case
  bool no_backslash_escapes = false;
  bool ansi_quotes = false;
  bool ignore_space = false;
};

// `||` and NOT mean something else in some modes, and cut nothing elsewhere.
constexpr Mode kModes[] = {
    {"no_backslash_escapes", true, false, false},
    {"ansi_quotes", false, true, false},
    {"ignore_space", false, false, true},
    {"ansi", false, true, true},
    {"db2", false, true, true},
    {"maxdb", false, true, true},
    {"postgresql", false, true, true},
    {""},
    {"allow_invalid_dates"},
    {"empty_string_is_null"},
    {"error_for_division_by_zero"},
    {"high_not_precedence"},
    {"ignore_bad_table_options"},
    {"mysql323"},
    {"mysql40"},
    {"no_auto_create_user"},
    {"no_auto_value_on_zero"},
    {"no_dir_in_create"},
    {"no_engine_substitution"},
    {"no_field_options"},
    {"no_key_options"},
    {"no_table_options"},
    {"no_unsigned_subtraction"},
    {"no_zero_date"},
    {"no_zero_in_date"},
    {"only_full_group_by"},
    {"pad_char_to_full_length"},
    {"pipes_as_concat"},
    {"real_as_float"},
    {"simultaneous_assignment"},
    {"strict_all_tables"},
    {"strict_trans_tables"},
    {"time_round_fractional"},
    {"time_truncate_fractional"},
    {"traditional"},
};

}  // namespace

absl::StatusOr<std::vector<Reading>> ReadingsOf(std::string_view text,
                                                const std::optional<std::string>& sql_mode) {
  Reading named;
  bool certain = sql_mode.has_value();
  if (certain) {
    const std::string lower = AsciiLower(*sql_mode);
    std::string_view rest = lower;
    while (true) {
      const size_t comma = rest.find(',');
      const std::string_view name = rest.substr(0, comma);
      if (name == "oracle" || name == "mssql") {
        return absl::UnimplementedError(
            absl::StrFormat("sql_mode %s is another language, which is not judged", name));
      }
      const auto* const mode = std::find_if(std::begin(kModes), std::end(kModes),
                                            [&](const Mode& m) { return m.name == name; });
      if (mode == std::end(kModes)) {
        certain = false;
      } else {
        named.backslash_escapes &= !mode->no_backslash_escapes;
        named.ansi_quotes |= mode->ansi_quotes;
        named.ignore_space |= mode->ignore_space;
      }
      if (comma == rest.npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  std::vector<Reading> readings = {named};
  if (certain) return readings;
  if (text.find('\\') != text.npos) {
    Reading other = named;
    other.backslash_escapes = !named.backslash_escapes;
    readings.push_back(other);
  }
  if (text.find('"') != text.npos) {
    for (size_t i = 0, count = readings.size(); i < count; ++i) {
      Reading other = readings[i];
      other.ansi_quotes = !named.ansi_quotes;
      readings.push_back(other);
    }
  }
  return readings;
}

std::string Describe(const Reading& reading) {
  std::string out;
  const auto add = [&](std::string_view what) {
    out += absl::StrFormat("%s %s", out.empty() ? " with" : " and", what);
  };
  if (!reading.backslash_escapes) add("NO_BACKSLASH_ESCAPES");
  if (reading.ansi_quotes) add("ANSI_QUOTES");
  const bool comments = std::any_of(reading.versions.begin(), reading.versions.end(),
                                    [](Version v) { return v != Version::kCode; });
  if (comments) add("an executable comment that the server does not run");
  return out;
}

bool NextVersions(const Tokens& read, std::vector<Version>& versions) {
  versions = read.versions;
  while (!versions.empty()) {
    Version& last = versions.back();
    if (last == Version::kCode) {
      last = read.choices[versions.size() - 1] == 3 ? Version::kCodeFiveDigits : Version::kComment;
      return true;
    }
    if (last == Version::kCodeFiveDigits) {
      last = Version::kComment;
      return true;
    }
    versions.pop_back();
  }
  return false;
}

}  // namespace bridgekeeper::mysql
