// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/private_dir.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using enum absl::StatusCode;

class PrivateDirTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/private_dir.XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string root_;
};

TEST_F(PrivateDirTest, MakesTheFolderAndThoseAboveIt) {
  const std::string path = root_ + "/a/b/c";
  EXPECT_THAT(EnsurePrivateDir(path), IsOk());
  struct stat found = {};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0700u);
  EXPECT_THAT(EnsurePrivateDir(path), IsOk()) << "a second time";
}

TEST_F(PrivateDirTest, RefusesAFolderThatOthersMayEnterAndLeavesItsMode) {
  const std::string path = root_ + "/open";
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  ASSERT_EQ(chmod(path.c_str(), 0750), 0);
  EXPECT_THAT(EnsurePrivateDir(path),
              StatusIs(kFailedPrecondition, HasSubstr("got mode 0750, want mode 0700")));
  struct stat found = {};
  ASSERT_EQ(stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0750u);
}

TEST_F(PrivateDirTest, RefusesALinkToAFolderOfOurs) {
  ASSERT_EQ(mkdir((root_ + "/real").c_str(), 0700), 0);
  ASSERT_EQ(symlink((root_ + "/real").c_str(), (root_ + "/link").c_str()), 0);
  EXPECT_THAT(EnsurePrivateDir(root_ + "/link"),
              StatusIs(kFailedPrecondition, HasSubstr("a symbolic link")));
}

TEST_F(PrivateDirTest, RefusesAFile) {
  std::ofstream(root_ + "/file") << "x";
  EXPECT_THAT(EnsurePrivateDir(root_ + "/file"),
              StatusIs(kFailedPrecondition, HasSubstr("a file")));
  EXPECT_THAT(EnsurePrivateDir(root_ + "/file/below"), StatusIs(kInternal));
}

TEST_F(PrivateDirTest, RefusesAFolderOfAnotherUser) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to make one";
  const std::string path = root_ + "/theirs";
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  ASSERT_EQ(chown(path.c_str(), 12345, 12345), 0);
  EXPECT_THAT(EnsurePrivateDir(path), StatusIs(kFailedPrecondition, HasSubstr("owner 12345")));
}

}  // namespace
}  // namespace bridgekeeper
