// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/call_folder.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

namespace fs = std::filesystem;

class CallFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    parent_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(parent_);
    fs::create_directory(parent_);
    setenv("TMPDIR", parent_.c_str(), 1);
  }
  void TearDown() override { unsetenv("TMPDIR"); }

  // The folder of a process that has ended without removing it.
  static std::string LeftByAnother() {
    int pipe_fds[2];
    EXPECT_EQ(pipe(pipe_fds), 0);
    const pid_t child = fork();
    if (child == 0) {
      const CallFolder folder;
      std::ofstream(folder.path() + "/spilled") << "rows";
      const std::string& path = folder.path();
      _exit(write(pipe_fds[1], path.data(), path.size()) < 0 ? 1 : 0);
    }
    close(pipe_fds[1]);
    char buffer[1024];
    const ssize_t n = read(pipe_fds[0], buffer, sizeof(buffer));
    close(pipe_fds[0]);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
    return n > 0 ? std::string(buffer, static_cast<size_t>(n)) : "";
  }

  fs::path parent_;
};

TEST_F(CallFolderTest, IsRemovedWithTheCall) {
  std::string path;
  {
    const CallFolder folder;
    path = folder.path();
    EXPECT_TRUE(fs::is_directory(path));
    std::ofstream(path + "/spilled") << "rows";
  }
  EXPECT_FALSE(path.empty());
  EXPECT_FALSE(fs::exists(path));
}

TEST_F(CallFolderTest, WhatAProcessLeftThatIsGoneIsSwept) {
  const std::string left = LeftByAnother();
  ASSERT_TRUE(fs::exists(left + "/spilled"));
  const CallFolder own;
  // One of another namespace, whose processes we cannot see, and what only looks like one.
  const fs::path elsewhere = parent_ / "bridgekeeper-call-1-999999999-abcdef";
  fs::create_directory(elsewhere);
  const fs::path link = left.substr(0, left.size() - 6) + "zzzzzz";
  fs::create_directory_symlink(elsewhere, link);
  const fs::path other = parent_ / "bridgekeeper-call-notes";
  fs::create_directory(other);
  SweepCallFolders();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(own.path()));
  EXPECT_TRUE(fs::exists(elsewhere));
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace bridgekeeper::bridge
