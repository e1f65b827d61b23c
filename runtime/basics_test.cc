// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Clock, ids and digests: small contracts in one binary.

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "runtime/clock.h"
#include "runtime/id_source.h"
#include "runtime/sha256.h"
#include "runtime/signals.h"
#include "runtime/token_bucket.h"

namespace bridgekeeper {
namespace {

using ::testing::Each;
using ::testing::MatchesRegex;

TEST(RealClock, ReadsATimeOfThisCentury) {
  EXPECT_GT(RealClock().Now(), absl::FromUnixSeconds(1'700'000'000));
  EXPECT_LT(RealClock().Now(), absl::FromUnixSeconds(4'100'000'000));
}

TEST(RealClock, SinceBootNeverGoesBack) {
  RealClock clock;
  absl::Duration before = clock.SinceBoot();
  EXPECT_GT(before, absl::ZeroDuration());
  for (int i = 0; i < 1000; ++i) {
    const absl::Duration now = clock.SinceBoot();
    ASSERT_GE(now, before);
    before = now;
  }
}

TEST(RandomIdSource, IdsAre32HexadecimalDigitsAndDiffer) {
  RandomIdSource source;
  std::vector<std::string> ids;
  for (int i = 0; i < 1000; ++i) ids.push_back(source.NewId());
  EXPECT_THAT(ids, Each(MatchesRegex("[0-9a-f]{32}")));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
}

TEST(RandomIdSource, FillsMoreThanItsBufferHolds) {
  RandomIdSource source;
  std::vector<uint8_t> bytes(10'000, 0);
  source.Fill(bytes);
  // 10,000 random bytes hold about 39 zeros; 200 are out of reach.
  EXPECT_LT(std::count(bytes.begin(), bytes.end(), 0), 200);
}

// Source: FIPS 180-4, the examples of NIST for one and two blocks.
TEST(Sha256, EqualsThePublishedExamples) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

// RFC 4231, test cases 1, 2 and 6.
TEST(HmacSha256, EqualsThePublishedExamples) {
  EXPECT_EQ(HmacSha256Hex(std::string(20, '\x0b'), "Hi There"),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(HmacSha256Hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(HmacSha256Hex(std::string(131, '\xaa'),
                          "Test Using Larger Than Block-Size Key - Hash Key First"),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(EqualInConstantTime, IsEquality) {
  EXPECT_TRUE(EqualInConstantTime("", ""));
  EXPECT_TRUE(EqualInConstantTime("abc", "abc"));
  EXPECT_FALSE(EqualInConstantTime("abc", "abd"));
  EXPECT_FALSE(EqualInConstantTime("abc", "ab"));
}

TEST(TokenBucket, GivesABurstThenASteadyRateAndNeverMoreThanABurst) {
  TokenBucket bucket(3, 2);
  const auto taken = [&](absl::Duration now) {
    int count = 0;
    while (bucket.Take(now)) ++count;
    return count;
  };
  EXPECT_EQ(taken(absl::Seconds(1000)), 3);
  EXPECT_EQ(taken(absl::Seconds(1000)), 0);
  EXPECT_EQ(taken(absl::Seconds(1001)), 2);
  EXPECT_EQ(taken(absl::Seconds(2000)), 3);
}

// A process of the same user can neither read the memory of one that is not dumpable
// nor attach to it (ptrace(2)).
TEST(ForbidDumps, MakesTheProcessNotDumpable) {
  EXPECT_EXIT(_exit(prctl(PR_GET_DUMPABLE)), ::testing::ExitedWithCode(1), "");
  EXPECT_EXIT(
      {
        ForbidDumps();
        _exit(prctl(PR_GET_DUMPABLE));
      },
      ::testing::ExitedWithCode(0), "");
}

// Started without a standard stream, a program opens nothing in its place: else its log
// would go into whatever file or socket got number 2.
TEST(HoldStandardStreams, LeavesTheirNumbersToNobodyElse) {
  for (const int missing : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    EXPECT_EXIT(
        {
          close(missing);
          HoldStandardStreams();
          const int next = open("/dev/null", O_RDWR | O_CLOEXEC);
          char byte = 0;
          const bool is_usable = missing == STDIN_FILENO ? read(missing, &byte, 1) >= 0
                                                         : write(missing, &byte, 1) >= 0;
          _exit(next > STDERR_FILENO && !is_usable && errno == EBADF ? 0 : 1);
        },
        ::testing::ExitedWithCode(0), "")
        << missing;
  }
}

TEST(HoldStandardStreams, LeavesThoseThatAreThere) {
  EXPECT_EXIT(
      {
        struct stat before[3];
        struct stat after[3];
        for (int fd = 0; fd < 3; ++fd) fstat(fd, &before[fd]);
        HoldStandardStreams();
        bool are_same = true;
        for (int fd = 0; fd < 3; ++fd) {
          fstat(fd, &after[fd]);
          are_same = are_same && before[fd].st_ino == after[fd].st_ino &&
                     before[fd].st_dev == after[fd].st_dev;
        }
        _exit(are_same ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace bridgekeeper
