// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/file_watch.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper {
namespace {

class FileWatchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/watchXXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    Write("file", "one");
  }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(At(name)) << text;
  }
  static bool IsReadable(const FileWatch& watch) {
    pollfd ready = {.fd = watch.fd(), .events = POLLIN, .revents = 0};
    return poll(&ready, 1, 30'000) == 1;
  }

  std::string folder_;
};

TEST_F(FileWatchTest, SaysNothingBeforeAnythingHappens) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  EXPECT_FALSE(watch->Drain());
}

TEST_F(FileWatchTest, SeesAWriteInPlace) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  Write("file", "two");
  EXPECT_TRUE(IsReadable(*watch));
  EXPECT_TRUE(watch->Drain());
  EXPECT_FALSE(watch->Drain());
}

TEST_F(FileWatchTest, SeesARenameOverIt) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  Write("next", "two");
  ASSERT_EQ(std::rename(At("next").c_str(), At("file").c_str()), 0);
  EXPECT_TRUE(IsReadable(*watch));
  EXPECT_TRUE(watch->Drain());
}

TEST_F(FileWatchTest, SeesAModeThatChanges) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  ASSERT_EQ(chmod(At("file").c_str(), 0666), 0);
  EXPECT_TRUE(IsReadable(*watch));
  EXPECT_TRUE(watch->Drain());
}

TEST_F(FileWatchTest, SeesItGoAndComeBack) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  ASSERT_EQ(unlink(At("file").c_str()), 0);
  EXPECT_TRUE(watch->Drain());
  Write("file", "one");
  EXPECT_TRUE(watch->Drain());
}

// As Kubernetes replaces what a volume holds: file -> ..data/file, ..data -> a folder.
TEST_F(FileWatchTest, SeesALinkOnItsWayThatPointsElsewhere) {
  for (const char* name : {"1", "2"}) {
    ASSERT_EQ(mkdir(At(name).c_str(), 0700), 0);
    Write(std::string(name) + "/config", name);
  }
  ASSERT_EQ(symlink("1", At("..data").c_str()), 0);
  ASSERT_EQ(symlink("..data/config", At("config").c_str()), 0);
  auto watch = FileWatch::Create(At("config"));
  ASSERT_THAT(watch, IsOk());
  ASSERT_EQ(symlink("2", At("..next").c_str()), 0);
  ASSERT_EQ(std::rename(At("..next").c_str(), At("..data").c_str()), 0);
  EXPECT_TRUE(IsReadable(*watch));
  EXPECT_TRUE(watch->Drain());
  Write("2/config", "3");
  EXPECT_TRUE(IsReadable(*watch)) << "it follows to the new folder";
  EXPECT_TRUE(watch->Drain());
}

TEST_F(FileWatchTest, IsNotMovedByOtherFiles) {
  auto watch = FileWatch::Create(At("file"));
  ASSERT_THAT(watch, IsOk());
  Write("other", "x");
  EXPECT_TRUE(IsReadable(*watch));
  EXPECT_FALSE(watch->Drain());
}

TEST_F(FileWatchTest, WantsAFolder) {
  EXPECT_THAT(FileWatch::Create(At("none/file")), StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace bridgekeeper
