// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/foreground.h"

#include <signal.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;

TEST(RunInForeground, TellsHowTheProgramEnded) {
  EXPECT_THAT(RunInForeground({"true"}, {}), IsOkAndHolds(ProcessExit{}));
  EXPECT_THAT(RunInForeground({"sh", "-c", "exit 7"}, {}), IsOkAndHolds(ProcessExit{.code = 7}));
  EXPECT_THAT(RunInForeground({"sh", "-c", "kill -TERM $$"}, {}),
              IsOkAndHolds(ProcessExit{.signal = SIGTERM}));
}

TEST(RunInForeground, AnInterruptIsTheProgramsAloneAndOursAgainAfterwards) {
  struct sigaction before = {};
  ASSERT_EQ(sigaction(SIGINT, nullptr, &before), 0);
  // The child has the default action again, and sends the key to its parent too.
  EXPECT_THAT(RunInForeground({"sh", "-c", "kill -INT $PPID; kill -INT $$"}, {}),
              IsOkAndHolds(ProcessExit{.signal = SIGINT}));
  struct sigaction after = {};
  ASSERT_EQ(sigaction(SIGINT, nullptr, &after), 0);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(RunInForeground, GivesExactlyTheEnvironmentNamed) {
  const std::string file = std::string(std::getenv("TEST_TMPDIR")) + "/environment";
  EXPECT_THAT(RunInForeground({"sh", "-c", "/usr/bin/env >\"$FILE\""}, {"FILE=" + file}),
              IsOkAndHolds(ProcessExit{}));
  std::ifstream in(file);
  const std::string seen{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_THAT(seen, HasSubstr("FILE=" + file));
  EXPECT_THAT(seen, ::testing::Not(HasSubstr("HOME=")));
}

TEST(RunInForeground, NamesAProgramThatCannotRun) {
  EXPECT_THAT(RunInForeground({"/nowhere/program"}, {}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("`/nowhere/program`")));
  EXPECT_THAT(RunInForeground({"/etc/passwd"}, {}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(RunInForeground({}, {}), StatusIs(absl::StatusCode::kInvalidArgument));
}

}  // namespace
}  // namespace bridgekeeper
