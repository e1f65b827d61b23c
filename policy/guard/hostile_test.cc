// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Hostile payloads against every dialect that is judged in this process, through the
// guard: each has an answer, a clear one where it is an error, and the next payload is
// judged as if nothing had been. (DuckDB: tests/integration/guard/duckdb_hostile_test.cc.)
// What is particular to a dialect stands in its own test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/dialects.h"
#include "policy/guard/guard.h"

namespace bridgekeeper {
namespace {

using Error = Judgement::Error;
using ::testing::HasSubstr;

constexpr size_t kMebibyte = size_t{1} << 20;

std::string Times(size_t count, std::string_view unit) {
  std::string out;
  out.reserve(count * unit.size());
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

class HostileTest : public testing::TestWithParam<const Dialect*> {
 protected:
  Judgement Text(std::string_view text) { return guard_->JudgeText(name(), text, {}); }

  Judgement Object(std::string_view json) {
    // A caller's reader may have other limits than ours, or none.
    const auto document =
        JsonDocument::Parse(json, {.max_depth = std::numeric_limits<int>::max(),
                                   .max_values = std::numeric_limits<size_t>::max()});
    EXPECT_TRUE(document.ok()) << document.status() << json.substr(0, 100);
    return document.ok() ? guard_->JudgeObject(name(), document->root(), {}) : Judgement();
  }

  static void ExpectClear(const Judgement& judgement, const std::string& what) {
    EXPECT_LE(judgement.effects.size(), 64u) << what;
    if (judgement.error == Error::kNone) return;
    EXPECT_EQ(judgement.risk, Risk::kDestructive) << what;
    EXPECT_FALSE(judgement.message.empty()) << what;
    EXPECT_LE(judgement.message.size(), 1000u) << what;
  }

  void TearDown() override { EXPECT_EQ(faults_, 0) << "not judged in time"; }

  std::string_view name() const { return GetParam()->name; }

  int faults_ = 0;
  // Nobody waits so long in use: here it is the end of the test that counts.
  const std::unique_ptr<PayloadJudge> guard_ =
      MakeGuard({.pool = {.max_wait = absl::Seconds(100)},
                 .cache_bytes = 0,
                 .deadline = absl::Seconds(100),
                 .on_fault = [this](JudgeFault) { ++faults_; }});
};

// ---- texts ----------------------------------------------------------------------------

class HostileText : public HostileTest {
 protected:
  std::string Read() const {
    return name() == "dynamodb" ? "SELECT * FROM t WHERE a = 1" : "SELECT 1";
  }
};

TEST_P(HostileText, WithoutItsEndIsNeverSafe) {
  const std::string read = Read();
  // Quotes and parentheses: where those are open, nobody knows what is in them.
  // (What lacks an operand or a word runs nowhere, and some judges pass it.)
  for (const std::string_view tail :
       {"'", "\"", " '", " \"", " + '", "(", "((", " + (", " + f(", " IN (", "'a' 'b", " = 'a''",
        " = \"a\"\"", "; DROP TABLE", "; DROP TABLE '", " = x'0", " = N'", " = E'\\"}) {
    const std::string text = read + std::string(tail);
    const Judgement judgement = Text(text);
    ExpectClear(judgement, text);
    EXPECT_NE(judgement.risk, Risk::kSafe) << text;
  }
  EXPECT_EQ(Text(read).risk, Risk::kSafe);
}

TEST_P(HostileText, OfNothingButOpeningsIsNeverSafe) {
  for (const std::string_view unit : {"'",
                                      "\"",
                                      "`",
                                      "[",
                                      "(",
                                      "{",
                                      "/*",
                                      "$$",
                                      "$a$",
                                      "<<",
                                      "N'",
                                      "E'",
                                      "x'",
                                      "q'[",
                                      "'\\",
                                      "--",
                                      "--\n",
                                      "#\n",
                                      ";",
                                      ";;",
                                      " ",
                                      "\t",
                                      "\r\n",
                                      "\\",
                                      "/",
                                      "*",
                                      "!",
                                      "@",
                                      "@@",
                                      "?",
                                      "%",
                                      "^",
                                      "~",
                                      "\x7F",
                                      "\x01",
                                      "\xC2\xA0",
                                      "\xEF\xBB\xBF",
                                      "\xF0\x9F\x98\x80"}) {
    for (const size_t count : {size_t{1}, size_t{2}, size_t{3}, kMebibyte / unit.size()}) {
      const Judgement judgement = Text(Times(count, unit));
      const std::string what = std::string(unit) + " times " + std::to_string(count);
      ExpectClear(judgement, what);
      EXPECT_NE(judgement.risk, Risk::kSafe) << what;
    }
  }
}

struct Nesting {
  std::string_view begin, open, middle, close;
};

TEST_P(HostileText, ThatNestsIsAnsweredAtEveryDepth) {
  for (const Nesting& row : std::initializer_list<Nesting>{
           {"SELECT ", "(", "1", ")"},
           {"SELECT ", "f(", "1", ")"},
           {"SELECT ", "(SELECT ", "1", ")"},
           {"SELECT ", "CASE WHEN 1=1 THEN ", "1", " END"},
           {"SELECT ", "CAST(", "1", " AS int)"},
           {"SELECT ", "NOT ", "1", ""},
           {"SELECT ", "- ", "1", ""},
           {"SELECT ", "~", "1", ""},
           {"SELECT * FROM ", "(SELECT * FROM ", "t", ") a"},
           {"SELECT * FROM ", "(t JOIN ", "t", ")"},
           {"SELECT * FROM t WHERE ", "EXISTS (SELECT 1 FROM t WHERE ", "1=1", ")"},
           {"SELECT * FROM t WHERE a IN ", "(SELECT a FROM t WHERE a IN ", "(1)", ")"},
           {"SELECT * FROM t WHERE a = ", "[", "1", "]"},
           {"SELECT * FROM t WHERE a = ", "{'a':", "1", "}"},
           {"WITH a AS ", "(WITH a AS ", "(SELECT 1)", " SELECT 1)"},
           {"", "EXPLAIN ", "SELECT 1", ""},
           {"", "(", "SELECT 1", ")"},
           {"CREATE TABLE t (a ", "array[", "1", "]"},
           {"SELECT 1 ", "/* ", "", " */"},
       }) {
    for (const size_t depth : {10, 1'000, 10'000, 30'000}) {
      if (depth * (row.open.size() + row.close.size()) > kMebibyte) continue;
      const std::string text = std::string(row.begin) + Times(depth, row.open) +
                               std::string(row.middle) + Times(depth, row.close);
      ExpectClear(Text(text), text.substr(0, 60) + " ... " + std::to_string(depth));
    }
    // What is closed less often than it is opened is nothing.
    const std::string open = std::string(row.begin) + Times(1'000, row.open) +
                             std::string(row.middle) + Times(999, row.close);
    if (row.open.ends_with('(')) {
      EXPECT_NE(Text(open).risk, Risk::kSafe) << open.substr(0, 60);
    }
  }
}

TEST_P(HostileText, OfAChainIsAnsweredUpToTheLimit) {
  struct Chain {
    std::string_view begin, unit;
  };
  for (const Chain& row : std::initializer_list<Chain>{
           {"SELECT 1", "+1"},
           {"SELECT 1", "::a"},
           {"SELECT 'a'", "||'a'"},
           {"SELECT a", ".a"},
           {"SELECT a", "[1]"},
           {"SELECT a", ",a"},
           {"SELECT f()", ",f()"},
           {"SELECT 1", " UNION SELECT 1"},
           {"SELECT 1", " UNION ALL SELECT 1"},
           {"SELECT 1", " EXCEPT SELECT 1"},
           {"SELECT 1 FROM t", ",t"},
           {"SELECT 1 FROM t", " JOIN t ON 1=1"},
           {"SELECT 1 FROM t", " NATURAL JOIN t"},
           {"SELECT 1 FROM t WHERE a", " AND a"},
           {"SELECT 1 FROM t WHERE a=1", " OR a=1"},
           {"SELECT 1 FROM t ORDER BY a", ",a"},
           {"SELECT 1 FROM t WHERE a IN (1", ",1"},
           {"INSERT INTO t VALUES (1)", ",(1)"},
           {"WITH a AS (SELECT 1)", ",a AS (SELECT 1)"},
           {"UPDATE t SET a=1", ",a=1"},
           {"SELECT 1", ";SELECT 1"},
           {"SELECT 1", "/**/"},
           {"SELECT 1", " COLLATE a"},
           {"SELECT 1", " IS NULL"},
           {"SELECT 1", "/*!50000 +1*/"},
           {"SELECT 1", "\nGO"},
       }) {
    for (const size_t bytes : {size_t{1'000}, size_t{30'000}, kMebibyte}) {
      const size_t count = (bytes - row.begin.size()) / row.unit.size();
      const std::string text = std::string(row.begin) + Times(count, row.unit);
      ExpectClear(Text(text), text.substr(0, 60) + " ... " + std::to_string(bytes));
    }
  }
}

TEST_P(HostileText, WithAByteThatIsNoTextIsUnreadable) {
  using namespace std::string_literals;
  for (const std::string& bad :
       {"\0"s, "\xFF"s, "\xC3\x28"s, "\xC0\xAF"s, "\xED\xA0\x80"s, "\xF8\x88\x80\x80\x80"s,
        "\xF4\x90\x80\x80"s, "\xE2\x82"s, "\x80"s}) {
    for (const std::string& text : {bad + Read(), Read() + bad, "SELECT '" + bad + "'",
                                    "SELECT \"" + bad + "\"", Read() + " /*" + bad + "*/", bad}) {
      EXPECT_EQ(Text(text).error, Error::kUnreadable) << testing::PrintToString(text);
    }
  }
  EXPECT_NE(Text("\xEF\xBB\xBF" + Read()).risk, Risk::kSafe) << "a byte order mark";
}

TEST_P(HostileText, ThatIsTooLargeIsUnreadable) {
  for (const std::string& text :
       {Read() + std::string(10 << 20, ' '), std::string(10 << 20, '('),
        Read() + " /*" + std::string(10 << 20, 'x') + "*/", Read() + Times(1 << 20, ", 1")}) {
    const Judgement judgement = Text(text);
    EXPECT_EQ(judgement.error, Error::kUnreadable);
    EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
  }
}

// ---- objects --------------------------------------------------------------------------

class HostileObject : public HostileTest {
 protected:
  // A read whose body has `value` where anything may stand.
  std::string With(const std::string& value) const {
    if (name() == "mongodb") return R"({"find":"t","filter":{"a":)" + value + "}}";
    if (name() == "elasticsearch") {
      return R"({"method":"POST","path":"/o/_search","body":{"query":{"bool":{"must":)" + value +
             "}}}}";
    }
    return R"({"operation":"Scan","request":{"TableName":"t","ScanFilter":)" + value + "}}";
  }
};

TEST_P(HostileObject, ThatNestsDeeplyIsNotPassedUnread) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"[", "]"},
                                    {R"({"a":)", "}"},
                                    {R"([{"a":)", "}]"},
                                    {R"({"$and":[)", "]}"},
                                    {R"({"bool":{"must":)", "}}"},
                                    {R"({"M":)", "}"}}) {
    for (const size_t depth : {1'000, 20'000, 60'000}) {
      const Judgement judgement = Object(With(Times(depth, open) + "1" + Times(depth, close)));
      ExpectClear(judgement, std::string(open) + std::to_string(depth));
      // DynamoDB's filters hold values alone: nothing within is an operation.
      if (name() != "dynamodb") {
        EXPECT_NE(judgement.risk, Risk::kSafe) << open << depth;
      }
    }
  }
}

TEST_P(HostileObject, ThatIsWideIsAnswered) {
  std::string members = R"({"a":1)";
  for (int i = 0; i < 50'000; ++i) members += ",\"f" + std::to_string(i) + "\":1";
  for (const std::string& value :
       {members + "}", "[1" + Times(300'000, ",1") + "]", "[{}" + Times(200'000, ",{}") + "]",
        "\"" + std::string(1'000'000, 'x') + "\"", "\"" + Times(100'000, "\\u0000") + "\"",
        std::string(100'000, '9'), "1e" + std::string(50'000, '9')}) {
    ExpectClear(Object(With(value)), value.substr(0, 40));
  }
}

TEST_P(HostileObject, OfAnyOtherFormIsNeverSafe) {
  for (const std::string_view json :
       {"{}", R"({"":""})", R"({"a":null})", R"({"$where":"1"})", R"({"find":null})",
        R"({"find":{}})", R"({"method":1,"path":[]})", R"({"method":"GET","path":"\u0000"})",
        R"({"operation":[],"request":1})", R"({"operation":"Scan"})", R"({"FIND":"t"})",
        R"({"Method":"GET","Path":"/"})"}) {
    const Judgement judgement = Object(json);
    ExpectClear(judgement, std::string(json));
    EXPECT_NE(judgement.risk, Risk::kSafe) << json;
  }
}

TEST_P(HostileObject, ThatIsTooLargeIsUnreadable) {
  const Judgement judgement = Object(With("\"" + std::string(10 << 20, 'x') + "\""));
  EXPECT_EQ(judgement.error, Error::kUnreadable);
  EXPECT_THAT(judgement.message, HasSubstr("want at most 1048576"));
}

std::vector<const Dialect*> InProcess(bool objects) {
  std::vector<const Dialect*> out;
  for (const Dialect& dialect : AllDialects()) {
    const bool reads = objects ? dialect.object != nullptr : dialect.text != nullptr;
    if (reads && !dialect.isolated) out.push_back(&dialect);
  }
  return out;
}

std::string NameOf(const testing::TestParamInfo<const Dialect*>& row) {
  return std::string(row.param->name);
}

INSTANTIATE_TEST_SUITE_P(All, HostileText, testing::ValuesIn(InProcess(false)), NameOf);
INSTANTIATE_TEST_SUITE_P(All, HostileObject, testing::ValuesIn(InProcess(true)), NameOf);

}  // namespace
}  // namespace bridgekeeper
