// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What must hold of every text in every SQL dialect: another way to write it is judged
// no better, and neither is more of it. The texts are the vectors'. A dialect is one
// row of kStyles, which says how its texts are cut; this knows nothing else of them.
//
// Source: policy/spec.md, clauses G1, G13 and G16.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/guard.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

constexpr uint32_t kSeed = 20261201;
constexpr int kRounds = 6;

struct Style {
  std::string_view dialect;
  std::string_view quotes;       // each opens and closes a literal or a name
  std::string_view name_quotes;  // what may be put around a name: opening, closing
  std::string_view escaping;     // quotes in which a backslash escapes, in some mode
  bool brackets = false;         // [x] is a name
  bool dollars = false;          // $x$ ... $x$ is a literal
  bool hash_comments = false;    // # to the end of the line
  bool dashes_need_space = false;
  bool executable_comments = false;  // texts that hold one are left out
  bool comments_nest = false;

  friend void PrintTo(const Style& style, std::ostream* out) { *out << style.dialect; }
};

constexpr Style kStyles[] = {
    {.dialect = "mysql",
     .quotes = "'\"`",
     .name_quotes = "``",
     .escaping = "'\"",
     .hash_comments = true,
     .dashes_need_space = true,
     .executable_comments = true},
    {.dialect = "postgres",
     .quotes = "'\"",
     .name_quotes = "\"\"",
     .escaping = "",
     .dollars = true,
     .comments_nest = true},
    {.dialect = "sqlite",
     .quotes = "'\"`",
     .name_quotes = "\"\"",
     .escaping = "",
     .brackets = true},
    {.dialect = "sqlserver",
     .quotes = "'\"",
     .name_quotes = "[]",
     .escaping = "",
     .brackets = true,
     .comments_nest = true},
};

// Names that the vectors use for tables, columns and functions, and that are no
// keywords anywhere.
constexpr std::string_view kNames[] = {"t",
                                       "u",
                                       "w",
                                       "a",
                                       "b",
                                       "c",
                                       "id",
                                       "name",
                                       "doc",
                                       "app",
                                       "other",
                                       "my_fn",
                                       "f",
                                       "pg_sleep",
                                       "load_file",
                                       "lower",
                                       "upper",
                                       "pg_authid",
                                       "sqlite_master"};

enum class Kind { kWord, kSpace, kQuoted, kComment, kOther };

struct Piece {
  Kind kind;
  std::string text;
};

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Cutter {
 public:
  Cutter(std::string_view text, const Style& style) : text_(text), style_(style) {}

  // The pieces of the text, which put together are the text.
  std::vector<Piece> Cut() {
    while (at_ < text_.size()) Next();
    return std::move(pieces_);
  }

 private:
  bool At(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void Take(Kind kind, size_t end) {
    end = std::min(end, text_.size());
    pieces_.push_back({kind, std::string(text_.substr(at_, end - at_))});
    at_ = end;
  }

  void Next() {
    const char c = text_[at_];
    size_t end = at_ + 1;
    if (IsSpace(c)) {
      while (end < text_.size() && IsSpace(text_[end])) ++end;
      return Take(Kind::kSpace, end);
    }
    if (IsLineComment()) {
      const size_t line = text_.find('\n', at_);
      return Take(Kind::kComment, line == text_.npos ? line : line + 1);
    }
    if (At("/*")) return Take(Kind::kComment, CommentEnd());
    if (style_.quotes.find(c) != style_.quotes.npos) return Take(Kind::kQuoted, QuoteEnd(c));
    if (style_.brackets && c == '[') {
      const size_t close = text_.find(']', at_);
      return Take(Kind::kQuoted, close == text_.npos ? close : close + 1);
    }
    if (style_.dollars && c == '$') {
      while (end < text_.size() && IsWordByte(text_[end]) && text_[end] != '$') ++end;
      if (end < text_.size() && text_[end] == '$') {
        const std::string_view tag = text_.substr(at_, end + 1 - at_);
        const size_t close = text_.find(tag, end + 1);
        return Take(Kind::kQuoted, close == text_.npos ? close : close + tag.size());
      }
      return Take(Kind::kOther, end);
    }
    if (IsWordByte(c)) {
      while (end < text_.size() && IsWordByte(text_[end])) ++end;
      return Take(Kind::kWord, end);
    }
    Take(Kind::kOther, end);
  }

  bool IsLineComment() const {
    if (style_.hash_comments && At("#")) return true;
    if (!At("--")) return false;
    return !style_.dashes_need_space || at_ + 2 >= text_.size() || IsSpace(text_[at_ + 2]);
  }

  size_t CommentEnd() const {
    size_t depth = 1;
    for (size_t i = at_ + 2; i + 1 < text_.size(); ++i) {
      if (text_.substr(i, 2) == "*/") {
        if (--depth == 0) return i + 2;
        ++i;
      } else if (style_.comments_nest && text_.substr(i, 2) == "/*") {
        ++depth;
        ++i;
      }
    }
    return text_.npos;
  }

  size_t QuoteEnd(char quote) const {
    const bool escapes = style_.escaping.find(quote) != style_.escaping.npos;
    for (size_t i = at_ + 1; i < text_.size(); ++i) {
      if (escapes && text_[i] == '\\') {
        ++i;
      } else if (text_[i] == quote) {
        if (i + 1 == text_.size() || text_[i + 1] != quote) return i + 1;
        ++i;
      }
    }
    return text_.npos;
  }

  std::string_view text_;
  const Style& style_;
  size_t at_ = 0;
  std::vector<Piece> pieces_;
};

std::string Join(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text += piece.text;
  return text;
}

class SqlMetamorphic : public testing::TestWithParam<Style> {
 protected:
  SqlMetamorphic() : random_(kSeed) { std::printf("seed %u\n", kSeed); }

  Judgement Judge(const std::string& text, const JudgeOptions& options) const {
    static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
    return guard->JudgeText(GetParam().dialect, text, options);
  }

  // Vectors that this can cut: of the others a word may be code in a comment, or the
  // options say how a quote ends.
  std::vector<GuardVector> Vectors() const {
    std::vector<GuardVector> vectors;
    for (GuardVector& vector : LoadGuardVectors(GetParam().dialect)) {
      const bool other = vector.options.sql_mode.has_value() ||
                         vector.options.standard_conforming_strings.has_value();
      const bool code = GetParam().executable_comments && vector.sql.find('!') != vector.sql.npos;
      if (!vector.sql.empty() && !other && !code && vector.error != Judgement::Error::kUnreadable) {
        vectors.push_back(std::move(vector));
      }
    }
    return vectors;
  }

  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  bool OneIn(size_t n) { return Below(n) == 0; }

  // Holds what `change` makes of every vector to what it was made of.
  template <typename Change>
  void ExpectNoBetter(Change change) {
    int changed = 0;
    int raised = 0;
    for (const GuardVector& vector : Vectors()) {
      const Judgement before = Judge(vector.sql, vector.options);
      for (int round = 0; round < kRounds; ++round) {
        std::vector<Piece> pieces = Cutter(vector.sql, GetParam()).Cut();
        change(vector, pieces);
        const std::string text = Join(pieces);
        if (text == vector.sql) continue;
        const Judgement after = Judge(text, vector.options);
        ++changed;
        raised += MoreHarmful(after.risk, before.risk);
        EXPECT_FALSE(MoreHarmful(before.risk, after.risk))
            << vector.name << ": " << Name(before.risk) << " became " << Name(after.risk)
            << "\n  of " << vector.sql << "\n  as " << text;
        if (before.error == Judgement::Error::kMultiple) {
          EXPECT_NE(after.error, Judgement::Error::kNone)
              << vector.name << " became one statement\n  as " << text;
        }
      }
    }
    std::printf("%s: %d texts, %d judged worse\n", std::string(GetParam().dialect).c_str(), changed,
                raised);
    EXPECT_GT(changed, 300);
    last_changed_ = changed;
    last_raised_ = raised;
  }

  std::mt19937 random_;
  int last_changed_ = 0;
  int last_raised_ = 0;
};

TEST_P(SqlMetamorphic, OtherSpaceAndCommentsAreNoBetter) {
  std::vector<std::string> gaps = {" ",     "\n",          "\t",   "\r\n",
                                   "  \n ", " /* ; ' */ ", "/**/", " -- '\n"};
  if (GetParam().hash_comments) gaps.emplace_back(" # \"\n");
  ExpectNoBetter([&](const GuardVector&, std::vector<Piece>& pieces) {
    for (Piece& piece : pieces) {
      if (piece.kind == Kind::kSpace && OneIn(2)) piece.text = gaps[Below(gaps.size())];
    }
  });
  // Hardly a text is refused for its spaces: PostgreSQL joins strings over a line's end
  // only.
  EXPECT_LT(last_raised_ * 100, last_changed_);
}

TEST_P(SqlMetamorphic, SpaceAndCommentsWhereThereWereNoneAreNoBetter) {
  static constexpr std::string_view kGaps[] = {" ", "\n", "/* ' */", " -- \"\n"};
  ExpectNoBetter([&](const GuardVector&, std::vector<Piece>& pieces) {
    static constexpr std::string_view kAround = "(),;";
    for (Piece& piece : pieces) {
      const bool symbol = piece.kind == Kind::kOther && kAround.find(piece.text) != kAround.npos;
      if (!symbol || !OneIn(2)) continue;
      const std::string gap(kGaps[Below(std::size(kGaps))]);
      piece.text = OneIn(2) ? gap + piece.text : piece.text + gap;
    }
  });
}

TEST_P(SqlMetamorphic, OtherCaseIsNoBetter) {
  ExpectNoBetter([&](const GuardVector& vector, std::vector<Piece>& pieces) {
    // Names of databases may go by their case.
    if (!vector.options.databases.empty()) return;
    for (size_t i = 0; i < pieces.size(); ++i) {
      // A prefix of a literal (`E''`) may be in one case only.
      const bool prefix = i + 1 < pieces.size() && pieces[i + 1].kind == Kind::kQuoted;
      if (pieces[i].kind != Kind::kWord || prefix) continue;
      for (char& c : pieces[i].text) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (letter && OneIn(2)) c = static_cast<char>(c ^ 0x20);
      }
    }
  });
}

TEST_P(SqlMetamorphic, QuotesAroundNamesAreNoBetter) {
  const std::string_view quotes = GetParam().name_quotes;
  ExpectNoBetter([&](const GuardVector&, std::vector<Piece>& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      // `@a` and `:a` are something else, and so is `a` in `1.5a`.
      const bool alone = i == 0 || pieces[i - 1].kind == Kind::kSpace ||
                         (pieces[i - 1].kind == Kind::kOther &&
                          std::string_view("(),.=").find(pieces[i - 1].text) != std::string::npos);
      const bool known =
          std::find(std::begin(kNames), std::end(kNames), pieces[i].text) != std::end(kNames);
      if (pieces[i].kind == Kind::kWord && alone && known && OneIn(2)) {
        pieces[i].text = quotes.front() + pieces[i].text + quotes.back();
      }
    }
  });
}

TEST_P(SqlMetamorphic, ParenthesesAroundLiteralsAreNoBetter) {
  ExpectNoBetter([&](const GuardVector&, std::vector<Piece>& pieces) {
    for (size_t i = 0; i < pieces.size(); ++i) {
      const bool number = pieces[i].kind == Kind::kWord &&
                          pieces[i].text.find_first_not_of("0123456789") == std::string::npos;
      const bool string = pieces[i].kind == Kind::kQuoted && pieces[i].text.front() == '\'';
      const bool alone = (i == 0 || pieces[i - 1].kind == Kind::kSpace) &&
                         (i + 1 == pieces.size() || pieces[i + 1].kind == Kind::kSpace);
      if ((number || string) && alone && OneIn(2)) pieces[i].text = "(" + pieces[i].text + ")";
    }
  });
}

TEST_P(SqlMetamorphic, AQueryInParenthesesIsNoBetter) {
  int changed = 0;
  for (const GuardVector& vector : Vectors()) {
    if (!vector.sql.starts_with("SELECT") || vector.sql.find(';') != vector.sql.npos) continue;
    const Judgement before = Judge(vector.sql, vector.options);
    for (const auto& [open, close] : {std::pair{"(", "\n)"},
                                      {"SELECT * FROM (", "\n) AS q"},
                                      {"SELECT EXISTS (", "\n)"},
                                      {"EXPLAIN ANALYZE ", ""}}) {
      const std::string text = open + vector.sql + close;
      EXPECT_FALSE(MoreHarmful(before.risk, Judge(text, vector.options).risk)) << text;
      ++changed;
    }
  }
  EXPECT_GT(changed, 300);
}

TEST_P(SqlMetamorphic, ASecondStatementIsNeverSafe) {
  static constexpr std::string_view kSeconds[] = {";SELECT 1", " ; DELETE FROM t", ";\nselect 2;",
                                                  "\n;/* x */ DROP TABLE t", ";--\nSELECT 3"};
  for (const GuardVector& vector : Vectors()) {
    if (vector.error == Judgement::Error::kEmpty) continue;
    // SQLite takes the end of the text for the end of a comment.
    const std::vector<Piece> pieces = Cutter(vector.sql, GetParam()).Cut();
    if (pieces.back().text.starts_with("/*") && !pieces.back().text.ends_with("*/")) continue;
    for (const std::string_view second : kSeconds) {
      // A comment at its end would swallow the semicolon.
      const std::string text = vector.sql + "\n" + std::string(second);
      const Judgement judgement = Judge(text, vector.options);
      EXPECT_NE(judgement.risk, Risk::kSafe) << text;
      EXPECT_EQ(judgement.risk, Risk::kDestructive) << text;
      const Judgement first = Judge(
          std::string(second.substr(second.find(';') + 1)) + ";" + vector.sql, vector.options);
      EXPECT_EQ(first.risk, Risk::kDestructive) << second << ";" << vector.sql;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Guard, SqlMetamorphic, testing::ValuesIn(kStyles),
                         [](const auto& row) { return std::string(row.param.dialect); });

}  // namespace
}  // namespace bridgekeeper
