// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Runs the example as a reader would, against a server that answers.

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/watch_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/wait.h"

namespace bridgekeeper::clients {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Outcome {
  std::string output;
  int exit_code = -1;
};

Outcome RunExample(const std::string& address, const std::string& arguments) {
  const char* folder = std::getenv("BK_BIN_DIR");
  EXPECT_NE(folder, nullptr) << "BK_BIN_DIR: want the folder of the programs";
  if (folder == nullptr) return {};
  const std::string command = "env KEEPER_ADDRESS=" + address + " " + std::string(folder) +
                              "/decide_example " + arguments + " 2>&1";
  std::FILE* pipe = popen(command.c_str(), "r");
  Outcome outcome;
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) outcome.output += buffer;
  const int status = pclose(pipe);
  if (WIFEXITED(status)) outcome.exit_code = WEXITSTATUS(status);
  return outcome;
}

TEST(DecideExample, DecidesOnWhatTheServerSends) {
  FakePdp pdp;
  std::thread server([&pdp] {
    for (int i = 0; i < 2; ++i) {
      const auto watch = pdp.NextWatch(support::kDeadline);
      if (watch == nullptr) return;
      watch->Send(Snapshot(2, {PolicyChange(1, "dockit"),
                               EntryChange(2, "dockit", "", "list_containers", Risk::kSafe)}));
    }
  });
  const Outcome allowed = RunExample(pdp.address(), "dockit list_containers");
  EXPECT_THAT(allowed.output, StartsWith("ALLOW: "));
  EXPECT_EQ(allowed.exit_code, 0);
  const Outcome denied = RunExample(pdp.address(), "dockit no_such_tool");
  EXPECT_THAT(denied.output, StartsWith("DENY: "));
  EXPECT_EQ(denied.exit_code, 3);
  server.join();
}

TEST(DecideExample, SaysWhatIsWrongWithAnAddress) {
  const Outcome outcome = RunExample("keeper.example:7420", "dockit list_containers");
  EXPECT_THAT(outcome.output, HasSubstr("want `https://keeper.example:7420`"));
  EXPECT_EQ(outcome.exit_code, 2);
}

}  // namespace
}  // namespace bridgekeeper::clients
