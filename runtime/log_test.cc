// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/log.h"

#include <fcntl.h>
#include <unistd.h>

#include <limits>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "runtime/signals.h"
#include "runtime/testing/fake_logger.h"

namespace bridgekeeper {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr absl::Time kTime = absl::UnixEpoch();

std::string Format(std::vector<LogField> fields) {
  return FormatLogLine(kTime, LogLevel::kInfo, "m", fields);
}

TEST(FormatLogLine, WritesEveryKindOfValue) {
  EXPECT_EQ(Format({{"text", "a"},
                    {"negative", -1},
                    {"large", std::numeric_limits<uint64_t>::max()},
                    {"flag", true},
                    {"number", 0.5},
                    {"infinite", std::numeric_limits<double>::infinity()},
                    {"elapsed", absl::Milliseconds(1500)}}),
            "{\"time\":\"1970-01-01T00:00:00.000000Z\",\"level\":\"info\",\"message\":\"m\","
            "\"text\":\"a\",\"negative\":-1,\"large\":18446744073709551615,\"flag\":true,"
            "\"number\":0.5,\"infinite\":null,\"elapsed\":1.5}\n");
}

TEST(FormatLogLine, KeepsMicroseconds) {
  EXPECT_THAT(FormatLogLine(absl::FromUnixMicros(1), LogLevel::kError, "m", {}),
              HasSubstr("\"1970-01-01T00:00:00.000001Z\",\"level\":\"error\""));
}

TEST(FormatLogLine, TextFromOutsideCannotStartALineOrReachTheTerminal) {
  const std::string line = Format({{"tool", "x\n{\"level\":\"error\"}\x1b[2J\xe2\x80\xae\xff"}});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_THAT(line, Not(HasSubstr("\x1b")));
  EXPECT_THAT(line, Not(HasSubstr("\xe2\x80\xae")));
  EXPECT_THAT(JsonDocument::Parse(line.substr(0, line.size() - 1)), IsOk());
}

TEST(FormatLogLine, CutsALongFieldAndLeavesOutWhatPassesTheLine) {
  const std::string text(100'000, 'a');
  const std::string line =
      Format({{"a", text}, {"b", text}, {"c", text}, {"d", text}, {"e", text}});
  EXPECT_LE(line.size(), kMaxLogLineBytes);
  EXPECT_THAT(line, EndsWith("...\",\"cut\":true}\n"));
  EXPECT_THAT(line, Not(HasSubstr("\"e\":")));
  EXPECT_THAT(JsonDocument::Parse(line.substr(0, line.size() - 1)), IsOk());
}

TEST(ParseLogLevel, ReadsWhatNameWrites) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    EXPECT_EQ(ParseLogLevel(Name(level)), level);
  }
  EXPECT_EQ(ParseLogLevel("warn"), std::nullopt);
}

class JsonLoggerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    IgnoreSigpipe();
    ASSERT_EQ(pipe2(fds_, O_NONBLOCK | O_CLOEXEC), 0);
    // The writing end blocks, as standard error does.
    ASSERT_EQ(fcntl(fds_[1], F_SETFL, 0), 0);
  }
  void TearDown() override {
    CloseReader();
    close(fds_[1]);
  }

  void CloseReader() {
    if (fds_[0] >= 0) close(fds_[0]);
    fds_[0] = -1;
  }
  std::string ReadAll() {
    std::string all;
    char buffer[65536];
    for (ssize_t n; (n = read(fds_[0], buffer, sizeof buffer)) > 0;) {
      all.append(buffer, static_cast<size_t>(n));
    }
    return all;
  }

  FakeClock clock_;
  int fds_[2] = {-1, -1};
};

TEST_F(JsonLoggerTest, WritesAtTheThresholdAndAbove) {
  JsonLogger log(fds_[1], LogLevel::kWarning, clock_);
  log.Info("too low");
  log.Warning("degraded");
  log.Error("broken");
  const std::string all = ReadAll();
  EXPECT_THAT(all, Not(HasSubstr("too low")));
  EXPECT_THAT(all, HasSubstr("\"message\":\"degraded\"}\n"));
  EXPECT_THAT(all, HasSubstr("\"message\":\"broken\"}\n"));
}

TEST_F(JsonLoggerTest, LivesOnWhenItsReaderIsGone) {
  JsonLogger log(fds_[1], LogLevel::kInfo, clock_);
  CloseReader();
  log.Info("nobody reads this");
  EXPECT_EQ(log.dropped(), 1u);
}

TEST_F(JsonLoggerTest, LivesOnWhenItsDescriptorIsClosed) {
  JsonLogger log(987, LogLevel::kInfo, clock_);  // no such descriptor
  log.Info("nobody reads this");
  EXPECT_EQ(log.dropped(), 1u);
}

TEST_F(JsonLoggerTest, NeverWaitsForAReaderThatDoesNotReadAndSaysWhatWasLost) {
  JsonLogger log(fds_[1], LogLevel::kInfo, clock_);
  const std::string text(1000, 'a');
  for (int i = 0; i < 1000; ++i) log.Info("flood", {{"text", text}});
  const uint64_t dropped = log.dropped();
  EXPECT_GT(dropped, 0u);
  EXPECT_LT(dropped, 1000u);
  ReadAll();
  log.Info("after");
  EXPECT_THAT(ReadAll(), HasSubstr(absl::StrFormat("\"dropped_lines\":%d}\n", dropped)));
  EXPECT_EQ(log.dropped(), dropped);
}

TEST(FakeLogger, KeepsEvents) {
  FakeLogger log;
  log.Info("start", {{"port", 7}});
  ASSERT_THAT(log.EventsOf("start"), SizeIs(1));
  EXPECT_EQ(log.EventsOf("start")[0].fields.at("port"), "7");
}

}  // namespace
}  // namespace bridgekeeper
