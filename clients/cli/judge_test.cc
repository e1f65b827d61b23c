// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "clients/cli/root.h"
#include "policy/base/json.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Ran {
  ExitCode code;
  std::string out;
  std::string err;
};

Ran Judge(std::vector<std::string> arguments, const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out, err;
  Session session{.in = in,
                  .out = out,
                  .err = err,
                  .interactive = false,
                  .get_env = [](const char*) { return std::nullopt; },
                  .read_file = [](const std::string& path) -> absl::StatusOr<std::string> {
                    if (path == "read.sql") return "SELECT 1";
                    return absl::NotFoundError("no file " + path);
                  },
                  .edit = [](const std::string& text) { return text; }};
  arguments.insert(arguments.begin(), "judge");
  const ExitCode code = Run(arguments, session);
  return {code, out.str(), err.str()};
}

TEST(KeeperJudge, MarksThePlaceOfEachEffectForPeople) {
  const Ran ran = Judge({"--dialect", "postgres"}, "SELECT a,\n       pg_read_file('x') FROM t");
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(
      ran.out,
      "DESTRUCTIVE, assumed (no live catalogue)\n"
      "DESTRUCTIVE HOST_FILE pg_read_file: reads, writes or lists files of the server's host\n"
      "     2 |        pg_read_file('x') FROM t\n"
      "                ^\n");
}

TEST(KeeperJudge, ReadsAFile) {
  const Ran ran = Judge({"--dialect", "postgresql", "--file", "read.sql"}, "");
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  EXPECT_EQ(ran.out, "SAFE, assumed (no live catalogue)\n");
}

TEST(KeeperJudge, SaysWhatCannotBeJudgedAndFails) {
  const Ran ran = Judge({"--dialect", "postgres"}, "SELEC 1");
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  EXPECT_THAT(
      ran.out,
      StartsWith(
          "STATEMENT_UNREADABLE: the parser of PostgreSQL 15 does not read it: syntax error"));
  EXPECT_THAT(ran.out, HasSubstr("     1 | SELEC 1\n         ^\n"));
}

TEST(KeeperJudge, EscapesWhatComesFromOutside) {
  const Ran ran = Judge({"--dialect", "postgres"}, "SELECT \"\x1b[2J\"()");
  EXPECT_EQ(ran.out.find('\x1b'), std::string::npos) << ran.out;
}

TEST(KeeperJudge, AnswersLineByLine) {
  const Ran ran = Judge({"--dialect", "postgres", "--lines"},
                        "\"SELECT 1\"\n\"DELETE FROM t\"\n\"SELECT 1; SELECT 2\"\n\"\"\n");
  EXPECT_EQ(ran.code, ExitCode::kOk) << ran.err;
  std::istringstream lines(ran.out);
  std::vector<std::string> errors, risks;
  for (std::string line; std::getline(lines, line);) {
    const auto document = JsonDocument::Parse(line);
    ASSERT_TRUE(document.ok()) << line;
    const JsonValue root = document->root();
    for (const char* name : {"risk", "effects", "statements", "proven", "error"}) {
      EXPECT_TRUE(root.Find(name).has_value()) << name;
    }
    risks.emplace_back(root.Find("risk")->string());
    errors.emplace_back(root.Find("error")->raw());
  }
  EXPECT_THAT(risks, testing::ElementsAre("SAFE", "DESTRUCTIVE", "DESTRUCTIVE", "DESTRUCTIVE"));
  EXPECT_THAT(errors, testing::ElementsAre("null", "null", "\"STATEMENT_MULTIPLE\"",
                                           "\"STATEMENT_EMPTY\""));
}

TEST(KeeperJudge, ALineThatIsNoPayloadKeepsItsPlaceAndFails) {
  const Ran ran = Judge({"--dialect", "postgres", "--lines"}, "nonsense\n\"SELECT 1\"\n7\n");
  EXPECT_EQ(ran.code, ExitCode::kFailed);
  std::istringstream lines(ran.out);
  std::string first, second, third;
  std::getline(lines, first);
  std::getline(lines, second);
  std::getline(lines, third);
  EXPECT_THAT(first, HasSubstr("STATEMENT_UNREADABLE"));
  EXPECT_THAT(second, HasSubstr("\"SAFE\""));
  EXPECT_THAT(third, HasSubstr("neither a JSON string nor a JSON object"));
}

TEST(KeeperJudge, PrintsJson) {
  const Ran ran = Judge({"--dialect", "postgres", "-o", "json"}, "INSERT INTO t VALUES (1)");
  EXPECT_EQ(ran.code, ExitCode::kOk);
  const auto document = JsonDocument::Parse(ran.out);
  ASSERT_TRUE(document.ok()) << ran.out;
  const JsonValue effect = *document->root().Find("effects")->begin();
  EXPECT_EQ(effect.Find("kind")->string(), "INSERT");
  EXPECT_EQ(effect.Find("object")->string(), "t");
  EXPECT_EQ(effect.Find("position")->integer(), 12);
}

TEST(KeeperJudge, RefusesAnUnknownDialectAndNamesTheKnown) {
  const Ran ran = Judge({"--dialect", "postgers"}, "SELECT 1");
  EXPECT_EQ(ran.code, ExitCode::kUsage);
  EXPECT_THAT(ran.err, HasSubstr("got `postgers`, want one of"));
  EXPECT_THAT(ran.err, HasSubstr("did you mean `postgres`?"));
}

TEST(KeeperJudge, TakesOnePayload) {
  EXPECT_EQ(Judge({"--dialect", "postgres", "--lines", "--file", "read.sql"}, "").code,
            ExitCode::kUsage);
  EXPECT_EQ(Judge({"--dialect", "postgres", "--statement", "SELECT 1", "--lines"}, "").code,
            ExitCode::kUsage);
  EXPECT_EQ(Judge({"--dialect", "postgres", "--statement", "SELECT 1"}, "").code, ExitCode::kOk);
}

}  // namespace
}  // namespace bridgekeeper::cli
