// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Kills a process (SIGKILL) at random moments of concurrent writes, again and again,
// and checks after each time that the store has kept its word.
//
//   store_kill_test [--rounds=20] [--seed=N]
//
// The process that is killed is this program with `--worker PATH SEED ROUND`: it writes
// each acknowledgement to standard output as soon as it has it.

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "store/rocksdb/rocks_store.h"
#include "tests/robustness/arguments.h"
#include "tests/robustness/store_workload.h"

namespace bridgekeeper::store {
namespace {

Arguments arguments;

RocksStoreOptions Options(const std::string& path) {
  return {.path = path,
          .new_incarnation = std::string(32, 'a'),
          .keep_revisions = 1'000'000,
          .block_cache_bytes = 1 << 20,
          .write_buffer_bytes = 1 << 20};
}

int RunWorker(const std::string& path, uint64_t seed, uint32_t round) {
  OpenReport report;
  const auto store = OpenRocksStore(Options(path), report);
  if (!store.ok()) {
    std::fprintf(stderr, "worker: %s\n", store.status().ToString().c_str());
    return 1;
  }
  RunWriters(
      **store, seed, round,
      [](const Acknowledged& ack) {
        // Short enough for a pipe to take whole or not at all.
        if (::write(STDOUT_FILENO, &ack, sizeof(ack)) != sizeof(ack)) std::abort();
      },
      [] { return false; });
  std::fprintf(stderr, "worker: a commit failed\n");
  return 1;
}

// The worker process, and the pipe that its acknowledgements come through.
class Worker {
 public:
  Worker(const std::string& path, uint64_t seed, int round) {
    int ends[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    std::array<std::string, 5> words = {"/proc/self/exe", "--worker", path,
                                        absl::StrFormat("%d", seed), absl::StrFormat("%d", round)};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  ~Worker() {
    Kill();
    ::close(pipe_);
  }

  // Reads acknowledgements for `time`, or until there are no more.
  void ReadFor(absl::Duration time, std::vector<Acknowledged>& out) {
    const RealClock clock;
    const absl::Duration end = clock.SinceBoot() + time;
    for (absl::Duration left = time; left > absl::ZeroDuration(); left = end - clock.SinceBoot()) {
      pollfd waiting{pipe_, POLLIN, 0};
      const timespec timeout = absl::ToTimespec(left);
      const int ready = ::ppoll(&waiting, 1, &timeout, nullptr);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0 || !Read(out)) return;
    }
  }

  // Reads the first acknowledgement, or fails the test.
  void ReadFirst(std::vector<Acknowledged>& out) {
    pollfd waiting{pipe_, POLLIN, 0};
    ASSERT_EQ(::poll(&waiting, 1, 60'000), 1) << "got no acknowledgement within a minute";
    ASSERT_TRUE(Read(out)) << "the worker ended by itself";
  }

  void Kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the worker ended by itself";
    pid_ = 0;
  }

  // Reads what the pipe still holds. REQUIRES: killed
  void Drain(std::vector<Acknowledged>& out) {
    while (Read(out)) {
    }
  }

 private:
  bool Read(std::vector<Acknowledged>& out) {
    std::array<Acknowledged, 64> some;
    const ssize_t got = ::read(pipe_, some.data(), sizeof(some));
    if (got <= 0) return false;
    EXPECT_EQ(static_cast<size_t>(got) % sizeof(Acknowledged), 0u);
    out.insert(out.end(), some.begin(), some.begin() + got / static_cast<ssize_t>(sizeof(some[0])));
    return true;
  }

  pid_t pid_ = 0;
  int pipe_ = -1;
};

TEST(StoreKill, LosesNothingThatWasAcknowledged) {
  std::printf("%d rounds, --seed=%llu\n", arguments.rounds,
              static_cast<unsigned long long>(arguments.seed));
  std::fflush(stdout);
  std::mt19937_64 random(arguments.seed);
  const std::string path = TemporaryPath("kill");
  std::vector<Acknowledged> acknowledged;
  int64_t dropped = 0;
  for (int round = 1; round <= arguments.rounds; ++round) {
    SCOPED_TRACE(round);
    {
      Worker worker(path, arguments.seed, round);
      // Now and then while it opens; else while it writes.
      const absl::Duration time = absl::Microseconds(random() % 100'000);
      if (random() % 8 != 0) worker.ReadFirst(acknowledged);
      if (HasFatalFailure()) return;
      worker.ReadFor(time, acknowledged);
      worker.Kill();
      worker.Drain(acknowledged);
    }
    OpenReport report;
    const auto store = OpenRocksStore(Options(path), report);
    ASSERT_THAT(store, IsOk());
    dropped += report.dropped_records;
    ASSERT_THAT(CheckStoreKeptItsWord(**store, acknowledged, round), testing::IsEmpty());
  }
  std::printf("%zu commits acknowledged, %lld incomplete records dropped\n", acknowledged.size(),
              static_cast<long long>(dropped));
}

}  // namespace
}  // namespace bridgekeeper::store

int main(int argc, char** argv) {
  using bridgekeeper::store::arguments;
  if (argc == 5 && std::strcmp(argv[1], "--worker") == 0) {
    return bridgekeeper::store::RunWorker(argv[2], std::strtoull(argv[3], nullptr, 10),
                                          static_cast<uint32_t>(std::atoi(argv[4])));
  }
  testing::InitGoogleMock(&argc, argv);
  arguments = bridgekeeper::store::ParseArguments(argc, argv);
  return RUN_ALL_TESTS();
}
