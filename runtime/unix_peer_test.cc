// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/unix_peer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {
namespace {

using ::testing::HasSubstr;
using enum absl::StatusCode;

class UnixPeerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/peerXXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);  // mode 0700
    folder_ = pattern;
    path_ = folder_ + "/keeperd.sock";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  UniqueFd Listen(const std::string& path) {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
    EXPECT_LT(path.size(), sizeof address.sun_path);
    std::copy(path.begin(), path.end(), address.sun_path);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(fd.get(), 8), 0);
    return fd;
  }

  static void SetMode(const std::string& path, mode_t mode) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
  }

  std::string folder_;
  std::string path_;
};

TEST_F(UnixPeerTest, OurOwnListenerInAFolderOfOursIsProven) {
  const UniqueFd listener = Listen(path_);
  const UnixPeer peer(path_, geteuid());
  EXPECT_THAT(peer.Check(), IsOk());
  EXPECT_THAT(peer.Check(), IsOk()) << "again, from what is known";
}

TEST_F(UnixPeerTest, ALinkLeadsToTheSocketThatIsChecked) {
  const UniqueFd listener = Listen(path_);
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_THAT(UnixPeer(link, geteuid()).Check(), IsOk());
  SetMode(folder_, 0777);
  EXPECT_THAT(UnixPeer(link, geteuid()).Check(), StatusIs(kFailedPrecondition));
}

TEST_F(UnixPeerTest, EveryLinkOfAChainIsChecked) {
  const UniqueFd listener = Listen(path_);
  const std::string open_folder = folder_ + "/open";
  ASSERT_EQ(mkdir(open_folder.c_str(), 0700), 0);
  const std::string first = folder_ + "/first";
  const std::string second = open_folder + "/second";
  ASSERT_EQ(symlink("open/second", first.c_str()), 0);
  ASSERT_EQ(symlink("../keeperd.sock", second.c_str()), 0);
  EXPECT_THAT(UnixPeer(first, geteuid()).Check(), IsOk());
  // Neither the path as it is written nor the real one goes through that folder.
  for (const mode_t mode : {0777, 01777}) {
    SetMode(open_folder, mode);
    EXPECT_THAT(UnixPeer(first, geteuid()).Check(),
                StatusIs(kFailedPrecondition, HasSubstr("/open`: got mode")))
        << std::oct << mode;
  }
}

TEST_F(UnixPeerTest, AFolderThatALinkLeadsToIsCheckedToo) {
  const std::string inner = folder_ + "/inner";
  const std::string open_folder = folder_ + "/open";
  ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
  ASSERT_EQ(mkdir(open_folder.c_str(), 0700), 0);
  ASSERT_EQ(symlink(inner.c_str(), (open_folder + "/link").c_str()), 0);
  const UniqueFd listener = Listen(inner + "/keeperd.sock");
  const std::string path = open_folder + "/link/keeperd.sock";
  EXPECT_THAT(UnixPeer(path, geteuid()).Check(), IsOk());
  SetMode(open_folder, 0777);
  EXPECT_THAT(UnixPeer(path, geteuid()).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("/open`: got mode")));
}

TEST_F(UnixPeerTest, LinksThatLeadInACircleAreRefused) {
  ASSERT_EQ(symlink("b", (folder_ + "/a").c_str()), 0);
  ASSERT_EQ(symlink("a", (folder_ + "/b").c_str()), 0);
  EXPECT_THAT(UnixPeer(folder_ + "/a", geteuid()).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("Too many levels")));
}

TEST_F(UnixPeerTest, ARelativePathIsCheckedFromTheFolderThatWeAreIn) {
  const UniqueFd listener = Listen(path_);
  const std::string inner = folder_ + "/inner";
  ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(inner);
  const UnixPeer peer("../keeperd.sock", geteuid());
  EXPECT_THAT(peer.Check(), IsOk());
  SetMode(folder_, 0777);
  const std::string name = std::filesystem::path(folder_).filename();
  EXPECT_THAT(peer.Check(), StatusIs(kFailedPrecondition, HasSubstr(name + "`: got mode")));
  SetMode(folder_, 0700);
  SetMode(inner, 0777);
  EXPECT_THAT(peer.Check(), IsOk()) << "we are in it, and nothing of it is looked up";
  std::filesystem::current_path(before);
}

TEST_F(UnixPeerTest, ASocketThatIsNotThereIsUnavailable) {
  EXPECT_THAT(UnixPeer(path_, geteuid()).Check(), StatusIs(kUnavailable));
}

TEST_F(UnixPeerTest, ASocketThatNobodyListensOnIsUnavailable) {
  Listen(path_).Reset();
  EXPECT_THAT(UnixPeer(path_, geteuid()).Check(), StatusIs(kUnavailable));
}

TEST_F(UnixPeerTest, AFileIsNoSocket) {
  std::ofstream(path_) << "x";
  EXPECT_THAT(UnixPeer(path_, geteuid()).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("got no socket")));
}

TEST_F(UnixPeerTest, AFolderThatOthersMayWriteToIsRefused) {
  const UniqueFd listener = Listen(path_);
  for (const mode_t mode : {0770, 0702, 01777}) {
    SetMode(folder_, mode);
    EXPECT_THAT(UnixPeer(path_, geteuid()).Check(),
                StatusIs(kFailedPrecondition, HasSubstr("want none that lets others write")))
        << std::oct << mode;
  }
  SetMode(folder_, 0755);
  EXPECT_THAT(UnixPeer(path_, geteuid()).Check(), IsOk()) << "others may look";
}

TEST_F(UnixPeerTest, AFolderAboveThatOthersMayWriteToIsRefusedUnlessItIsSticky) {
  const std::string inner = folder_ + "/inner";
  ASSERT_EQ(mkdir(inner.c_str(), 0700), 0);
  const std::string path = inner + "/keeperd.sock";
  const UniqueFd listener = Listen(path);
  SetMode(folder_, 0777);
  EXPECT_THAT(UnixPeer(path, geteuid()).Check(), StatusIs(kFailedPrecondition));
  SetMode(folder_, 01777);
  EXPECT_THAT(UnixPeer(path, geteuid()).Check(), IsOk());
}

TEST_F(UnixPeerTest, WhatBelongsToAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  constexpr uid_t kUser = 1000;
  constexpr uid_t kOther = 1001;
  const UniqueFd listener = Listen(path_);
  // Root's socket is good for everyone, that of another user for nobody else.
  EXPECT_THAT(UnixPeer(path_, kUser).Check(), IsOk());
  ASSERT_EQ(chown(path_.c_str(), kOther, kOther), 0);
  EXPECT_THAT(UnixPeer(path_, kUser).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("the owner of the socket")));
  ASSERT_EQ(chown(path_.c_str(), kUser, kUser), 0);
  EXPECT_THAT(UnixPeer(path_, kUser).Check(), IsOk());
  ASSERT_EQ(chown(folder_.c_str(), kOther, kOther), 0);
  EXPECT_THAT(UnixPeer(path_, kUser).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("the owner of the folder")));
}

TEST_F(UnixPeerTest, ALinkOfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  const UniqueFd listener = Listen(path_);
  const std::string link = folder_ + "/link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  ASSERT_EQ(lchown(link.c_str(), 1001, 1001), 0);
  EXPECT_THAT(UnixPeer(link, geteuid()).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("the owner of the link")));
}

TEST_F(UnixPeerTest, AListenerOfAnotherUserIsRefusedThoughTheSocketIsOurs) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can listen as somebody else";
  constexpr uid_t kOther = 1001;
  SetMode(folder_, 0777);
  // By a path from where we are: the folders above may be closed to the other user.
  const std::string before = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  ASSERT_EQ(seteuid(kOther), 0);
  const UniqueFd listener = Listen("keeperd.sock");
  ASSERT_EQ(seteuid(0), 0);
  std::filesystem::current_path(before);
  ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
  SetMode(folder_, 0700);
  EXPECT_THAT(UnixPeer(path_, 0).Check(),
              StatusIs(kFailedPrecondition, HasSubstr("the listener of the socket")));
}

TEST_F(UnixPeerTest, ASocketThatTookThePlaceOfAProvenOneIsCheckedAnew) {
  const UnixPeer peer(path_, geteuid());
  {
    const UniqueFd listener = Listen(path_);
    ASSERT_THAT(peer.Check(), IsOk());
  }
  ASSERT_EQ(unlink(path_.c_str()), 0);
  Listen(path_).Reset();
  EXPECT_THAT(peer.Check(), StatusIs(kUnavailable)) << "nobody listens on the new one";
}

}  // namespace
}  // namespace bridgekeeper
