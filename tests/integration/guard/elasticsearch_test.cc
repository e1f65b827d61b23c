// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the vectors (tests/vectors/guard/elasticsearch.json) cannot say: that the tables
// hold together, what must be true of every request, and hostile ones.

#include "policy/guard/elasticsearch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/guard/elasticsearch/apis.h"
#include "policy/guard/elasticsearch/grammar.h"
#include "policy/guard/elasticsearch/languages.h"
#include "policy/guard/guard.h"
#include "tests/vectors/guard/guard_vectors.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Error = Judgement::Error;

Judgement Judge(std::string_view json, const JudgeOptions& options = {}) {
  static const PayloadJudge* const guard = MakeGuard({.pool = {}, .cache_bytes = 0}).release();
  const auto document =
      JsonDocument::Parse(json, {.max_depth = 100'000, .max_values = size_t{1} << 24});
  EXPECT_TRUE(document.ok()) << document.status() << json.substr(0, 200);
  if (!document.ok()) return {};
  return guard->JudgeObject("elasticsearch", document->root(), options);
}

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

std::string RequestText(std::string_view method, std::string_view path,
                        std::string_view body = "null") {
  return absl::StrFormat(R"({"method":%s,"path":%s,"body":%s})", Quoted(method), Quoted(path),
                         body);
}

std::string Repeat(std::string_view unit, size_t count) {
  std::string out;
  out.reserve(unit.size() * count);
  for (size_t i = 0; i < count; ++i) out += unit;
  return out;
}

TEST(ElasticsearchTables, HoldTogether) {
  EXPECT_EQ(elasticsearch::ApiProblems(), "");
  EXPECT_EQ(elasticsearch::GrammarProblems(), "");
}

// Every action of the grammar is one that the walker has, and every row's rule exists:
// else a request would end the process.
TEST(ElasticsearchTables, EveryMemberOfTheGrammarCanBeMet) {
  for (const std::string_view rule :
       {"search",    "template_search", "eql",     "sql",      "os_sql",         "ppl",
        "esql",      "rank_eval",       "closed",  "update",   "by_query",       "reindex",
        "aliases",   "new_index",       "mapping", "painless", "msearch_header", "mvt",
        "bulk_meta", "rollover",        "resized"}) {
    std::string body = "{";
    for (const auto& [name, target] : elasticsearch::FindRule(rule).members) {
      if (name == "*") continue;
      body += (body.size() > 1 ? "," : "") + Quoted(name) + ":" +
              (target.rule == nullptr ? R"(["x"])" : R"({"x":{"script":"1"}})");
    }
    body += "}";
    for (const std::string_view path :
         {"/o/_search", "/_search/template", "/o/_eql/search", "/_sql", "/_plugins/_sql",
          "/_plugins/_ppl", "/_query", "/_rank_eval", "/_sql/close", "/o/_update/1",
          "/o/_update_by_query", "/_reindex", "/_aliases", "/o/_mapping",
          "/_scripts/painless/_execute", "/o/_rollover"}) {
      EXPECT_EQ(Judge(RequestText("POST", path, body)).error, Error::kNone) << path << body;
    }
    EXPECT_EQ(Judge(RequestText("PUT", "/o", body)).error, Error::kNone) << body;
  }
}

TEST(ElasticsearchPositions, AreBytesOfThePayload) {
  const std::string json = RequestText(
      "POST", "/o/_search", R"({"query":{"bool":{"filter":{"script":{"script":"1"}}}}})");
  const std::string around = R"({"arguments": )" + json + "}";
  const auto document = JsonDocument::Parse(around);
  const Judgement judgement = JudgeElasticsearch(*document->root().Find("arguments"), {});
  ASSERT_FALSE(judgement.effects.empty());
  EXPECT_EQ(judgement.effects[0].position, json.find(R"("1")"));
  // What stands in a text is at the text's own place.
  const std::string bulk = RequestText("POST", "/_bulk", R"("{\"delete\":{\"_index\":\"o\"}}")");
  EXPECT_EQ(Judge(bulk).effects[0].position, bulk.find(R"("{\"delete)"));
}

TEST(ElasticsearchLanguages, FindNamesWhereverTheyStand) {
  using elasticsearch::ReadEsql;
  using elasticsearch::ReadSql;
  EXPECT_THAT(ReadSql("SELECT a FROM x, \"y-*\" WHERE b = 'FROM z'").names,
              UnorderedElementsAre("x", "y-*"));
  EXPECT_THAT(ReadSql("select 1 from\n\t`.a`").names, ElementsAre(".a"));
  EXPECT_THAT(ReadSql("SELECT email.from, from_date FROM t").names, ElementsAre("t"));
  EXPECT_THAT(ReadSql("SELECT * FROM \"c\":\"i\"").names, ElementsAre("c:i"));
  EXPECT_NE(ReadSql("/* x */ DELETE FROM t").unknown, "");
  EXPECT_THAT(ReadSql("SELECT 1.5FROM a b, (SELECT c FROM d) e, FROZEN f").names,
              UnorderedElementsAre("a", "d", "FROZEN", "f"));
  EXPECT_NE(ReadSql("(SELECT 1)").unknown, "");
  EXPECT_EQ(ReadSql(" select 1 ; ").unknown, "");
  EXPECT_THAT(ReadEsql("FROM a, b* METADATA _id | WHERE x == \"|\"").names, ElementsAre("a", "b*"));
  EXPECT_EQ(ReadEsql("FROM a | WHERE x == \"| DROP it\" | LIMIT 1").unknown, "");
  EXPECT_NE(ReadEsql("FROM a | FROBNICATE 1").unknown, "");
  EXPECT_TRUE(ReadEsql("ROW a = 1 | completion x").asks_a_model);
}

TEST(ElasticsearchScripts, ChangeOnlyTheSourceWhereContextIsNothingElse) {
  using elasticsearch::ChangesOnlySource;
  for (const char* script : {"ctx._source.a = 1", "ctx._source.remove('op')", "1 + params.n",
                             "if (ctx._source['a'] > 1) { ctx._source.b.add(2) }"}) {
    EXPECT_TRUE(ChangesOnlySource(script)) << script;
  }
  for (const char* script :
       {"ctx.op = 'delete'", "ctx['op'] = 'delete'", "ctx . op = 'none'", "def c = ctx;", "ctx?.op",
        "ctx._source2.op", "ctx._sourceX", "/* ctx */ 1", "ctx /**/._source", "f(ctx)",
        "ctx._index = 'x'", "Map m = ctx._source; ctx.op='delete'"}) {
    EXPECT_FALSE(ChangesOnlySource(script)) << script;
  }
}

// ---- what must hold of every request -----------------------------------------------------

struct Case {
  std::string name;
  std::string method;
  std::string path;
  std::string body;  // JSON
  JudgeOptions options;
  Risk risk;
};

// The vectors whose requests are of the usual shape.
const std::vector<Case>& Cases() {
  static const auto& cases = *[] {
    auto* made = new std::vector<Case>;
    for (const GuardVector& vector : LoadGuardVectors("elasticsearch")) {
      const auto document = JsonDocument::Parse(vector.object);
      const auto method = document->root().Find("method");
      const auto path = document->root().Find("path");
      const auto body = document->root().Find("body");
      if (!method || !path || document->root().size() > (body ? 3u : 2u)) continue;
      made->push_back({vector.name, std::string(method->string()), std::string(path->string()),
                       body ? std::string(body->raw()) : "null", vector.options,
                       Judge(vector.object, vector.options).risk});
    }
    return made;
  }();
  return cases;
}

// Judges each case written otherwise; nullopt: the change does not fit the case.
void ExpectNeverLower(const std::function<std::optional<std::string>(const Case&)>& rewrite) {
  int tried = 0;
  for (const Case& one : Cases()) {
    const auto json = rewrite(one);
    if (!json) continue;
    ++tried;
    const Judgement judgement = Judge(*json, one.options);
    EXPECT_FALSE(MoreHarmful(one.risk, judgement.risk))
        << one.name << ": got " << Name(judgement.risk) << ", want at least " << Name(one.risk)
        << " of " << *json;
  }
  EXPECT_GE(tried, 20);
}

// `path` with what `change` makes of each byte of a segment.
std::string ChangeSegments(const std::string& path,
                           const std::function<std::string(char, size_t)>& change) {
  std::string out;
  const size_t end = std::min(path.find('?'), path.size());
  for (size_t i = 0; i < end; ++i) out += path[i] == '/' ? "/" : change(path[i], i);
  return out + path.substr(end);
}

std::string Escape(char c) { return absl::StrFormat("%%%02X", static_cast<unsigned char>(c)); }

TEST(ElasticsearchMetamorphic, PercentEncodingNeverLowers) {
  for (size_t step = 1; step <= 3; ++step) {
    ExpectNeverLower([&](const Case& one) {
      return RequestText(one.method,
                         ChangeSegments(one.path,
                                        [&](char c, size_t i) {
                                          return i % step == 0 && c != '%' ? Escape(c)
                                                                           : std::string(1, c);
                                        }),
                         one.body);
    });
  }
  // The whole path at once, slashes too.
  ExpectNeverLower([](const Case& one) {
    std::string path = "/";
    for (const char c : one.path.substr(1)) path += Escape(c);
    return RequestText(one.method, path, one.body);
  });
}

TEST(ElasticsearchMetamorphic, CaseNeverLowers) {
  ExpectNeverLower([](const Case& one) {
    std::string method = one.method;
    for (char& c : method) c = static_cast<char>(c | 0x20);
    return RequestText(method, one.path, one.body);
  });
  ExpectNeverLower([](const Case& one) {
    return RequestText(one.method,
                       ChangeSegments(one.path,
                                      [](char c, size_t i) {
                                        const bool letter = c >= 'a' && c <= 'z';
                                        return std::string(1, letter && i % 2 == 0
                                                                  ? static_cast<char>(c - 32)
                                                                  : c);
                                      }),
                       one.body);
  });
}

TEST(ElasticsearchMetamorphic, SlashesAndParametersNeverLower) {
  for (const char* around : {"%s/", "//%s", "%s//", "/%s", "%s/.", "%s/..", "%s;x=1"}) {
    ExpectNeverLower([&](const Case& one) -> std::optional<std::string> {
      const size_t end = std::min(one.path.find('?'), one.path.size());
      std::string path = around;
      path.replace(path.find("%s"), 2, one.path.substr(0, end));
      return RequestText(one.method, path + one.path.substr(end), one.body);
    });
  }
  for (const char* parameter : {"pretty", "x_unknown=1", "expand_wildcards=all", "scroll=1m",
                                "human&format=json", "_method=GET", ";pretty;"}) {
    ExpectNeverLower([&](const Case& one) {
      const char* join = one.path.find('?') == std::string::npos ? "?" : "&";
      return RequestText(one.method, one.path + join + parameter, one.body);
    });
  }
}

TEST(ElasticsearchMetamorphic, WhiteSpaceInBodiesChangesNothing) {
  int tried = 0;
  for (const Case& one : Cases()) {
    const auto body = JsonDocument::Parse(one.body);
    if (!body->root().is_object()) continue;
    std::string spaced;
    bool in_string = false;
    for (size_t i = 0; i < one.body.size(); ++i) {
      const char c = one.body[i];
      if (in_string && c == '\\') {
        spaced += one.body.substr(i++, 2);
        continue;
      }
      if (c == '"') in_string = !in_string;
      const bool mark = !in_string && std::string_view("{}[],:").find(c) != std::string_view::npos;
      spaced += mark ? absl::StrFormat("\n\t%c\r ", c) : std::string(1, c);
    }
    EXPECT_EQ(Judge(RequestText(one.method, one.path, spaced), one.options).risk, one.risk)
        << one.name;
    // The same body as a text.
    EXPECT_EQ(Judge(RequestText(one.method, one.path, Quoted(one.body)), one.options).risk,
              one.risk)
        << one.name;
    ++tried;
  }
  EXPECT_GE(tried, 100);
}

TEST(ElasticsearchMetamorphic, ASecondActionNeverYieldsSafe) {
  const std::pair<const char*, Risk> actions[] = {
      {"{\"delete\":{\"_index\":\"x\",\"_id\":\"1\"}}", Risk::kDestructive},
      {"{\"index\":{\"_index\":\"x\"}}\n{}", Risk::kElevated},
      {"{\"update\":{\"_index\":\"x\",\"_id\":\"1\"}}\n{\"script\":\"ctx.op='delete'\"}",
       Risk::kDestructive}};
  for (const auto& [action, risk] : actions) {
    for (const char* before : {"", "{\"index\":{\"_index\":\"a\"}}\n{\"f\":1}\n", "\n\n",
                               "{\"create\":{\"_index\":\"a\"}}\n{\"delete\":1}\n", "{ }\n",
                               "{\"index\":{\"_index\":\"a\"}}\n"}) {
      const Judgement judgement =
          Judge(RequestText("POST", "/_bulk", Quoted(std::string(before) + action + "\n")));
      EXPECT_FALSE(MoreHarmful(risk, judgement.risk) && judgement.error == Error::kNone &&
                   !(std::string(before).ends_with("}}\n")))
          << before << action;
      EXPECT_NE(judgement.risk, Risk::kSafe) << before << action;
    }
  }
}

// What one query is judged to be, it is at any depth.
TEST(ElasticsearchMetamorphic, DepthHidesNothing) {
  const std::string script = R"({"script":{"script":{"lang":"groovy","source":"x"}}})";
  std::string query = script;
  for (int i = 0; i < 15; ++i) {
    query = absl::StrFormat(
        R"({"bool":{"filter":[{"nested":{"path":"p","query":{"constant_score":{"filter":%s}}}}]}})",
        query);
    const auto judgement = Judge(RequestText("POST", "/o/_search", R"({"query":)" + query + "}"));
    EXPECT_EQ(judgement.risk, Risk::kDestructive) << i;
    EXPECT_EQ(judgement.error, Error::kNone) << i;
  }
}

TEST(ElasticsearchOptions, NeverMakeItWorseAndBoundsNeverBetter) {
  for (const Case& one : Cases()) {
    const std::string json = RequestText(one.method, one.path, one.body);
    const Risk plain = Judge(json).risk;
    EXPECT_FALSE(MoreHarmful(Judge(json, {.allow_sensitive_reads = true}).risk, plain)) << one.name;
    EXPECT_FALSE(MoreHarmful(plain, Judge(json, {.databases = {"nowhere"}}).risk)) << one.name;
  }
}

// ---- hostile requests ------------------------------------------------------------------

TEST(ElasticsearchHostile, EndsInTimeAndIsNeverSafe) {
  const std::string deep = Repeat(R"({"bool":{"must":)", 30'000) + "{}" + Repeat("}}", 30'000);
  const std::string arrays = Repeat("[", 90'000) + Repeat("]", 90'000);
  std::string members = "{";
  for (int i = 0; i < 60'000; ++i) members += absl::StrFormat("%s\"x%d\":1", i > 0 ? "," : "", i);
  members += "}";
  for (const std::string& json : {
           RequestText("POST", "/o/_search", R"({"query":)" + deep + "}"),
           RequestText("POST", "/o/_search", R"({"query":)" + arrays + "}"),
           RequestText("POST", "/o/_search", members),
           RequestText("POST", "/o/_bulk",
                       Quoted(Repeat("{\"delete\":{\"_id\":\"1\"}}\n", 30'000))),
           RequestText("POST", "/o/_bulk", Quoted(Repeat("\n", 500'000))),
           RequestText("GET", Repeat("/a", 300'000)),
           RequestText("GET", "/a?" + Repeat("q=1&", 100'000)),
           RequestText("POST", "/" + Repeat("a,", 200'000) + ".security/_search"),
           RequestText("POST", "/_query",
                       absl::StrFormat(R"({"query":%s})", Quoted(Repeat("FROM a|", 60'000)))),
           RequestText("POST", "/_sql",
                       absl::StrFormat(R"({"query":%s})", Quoted(Repeat("FROM ", 100'000)))),
           std::string(R"({"method":"GET","path":"/_search","body":")") +
               std::string(kMaxJudgedBytes, 'x') + "\"}",
       }) {
    EXPECT_NE(Judge(json).risk, Risk::kSafe) << json.substr(0, 100);
  }
}

TEST(ElasticsearchHostile, ManyParametersAreReadOnce) {
  std::string path = "/a?";
  for (int i = 0; i < 60'000; ++i) path += absl::StrFormat("p%d=1&", i);
  EXPECT_EQ(Judge(RequestText("GET", path)).risk, Risk::kDestructive);
}

}  // namespace
}  // namespace bridgekeeper
