// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/signals.h"
#include "tests/support/wait.h"

namespace bridgekeeper {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using enum absl::StatusCode;

constexpr int kDeadlineMs = 10'000;

absl::StatusOr<ChildProcess> SpawnShell(const std::string& script) {
  return ChildProcess::Spawn(
      {.command = {"/bin/sh", "-c", script}, .environment = {"PATH=/usr/bin:/bin"}});
}

// Reads until the end of the stream or until `stop` was seen.
std::string ReadUntil(int fd, std::string_view stop = "") {
  std::string text;
  while (stop.empty() || text.find(stop) == std::string::npos) {
    pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kDeadlineMs) != 1) {
      ADD_FAILURE() << "nothing came within the deadline; so far: " << text;
      break;
    }
    char buffer[4096];
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n <= 0) break;
    text.append(buffer, static_cast<size_t>(n));
  }
  return text;
}

bool WaitForExit(const ChildProcess& child) {
  pollfd ended = {.fd = child.exit_fd(), .events = POLLIN, .revents = 0};
  return poll(&ended, 1, kDeadlineMs) == 1;
}

bool Exists(pid_t pid) { return kill(pid, 0) == 0 || errno != ESRCH; }

// Reads the number that a script prints before it prints "up", in any order.
pid_t ReadPidAndUp(int fd) {
  std::string text = ReadUntil(fd, "up\n");
  if (text == "up\n") text = ReadUntil(fd, "\n");
  const size_t digits = text.find_first_of("0123456789");
  pid_t pid = 0;
  EXPECT_TRUE(digits != std::string::npos &&
              absl::SimpleAtoi(text.substr(digits, text.find('\n', digits) - digits), &pid));
  return pid;
}

TEST(Process, TellsHowItEnded) {
  auto child = SpawnShell("exit 7");
  ASSERT_THAT(child, IsOk());
  ASSERT_TRUE(WaitForExit(*child));
  EXPECT_EQ(child->ExitStatus(), (ProcessExit{.code = 7}));
  EXPECT_EQ(child->ExitStatus(), (ProcessExit{.code = 7})) << "asking does not reap";
}

TEST(Process, TellsTheSignalThatEndedIt) {
  auto child = SpawnShell("kill -KILL $$");
  ASSERT_THAT(child, IsOk());
  ASSERT_TRUE(WaitForExit(*child));
  EXPECT_EQ(child->ExitStatus(), (ProcessExit{.signal = SIGKILL}));
  EXPECT_EQ(child->ExitStatus()->ToString(), "signal 9 (KILL)");
}

TEST(Process, HasThreePipes) {
  auto child = SpawnShell("read line; echo \"got $line\"; echo oops >&2");
  ASSERT_THAT(child, IsOk());
  ASSERT_EQ(write(child->stdin_fd().get(), "hello\n", 6), 6);
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "got hello\n");
  EXPECT_EQ(ReadUntil(child->stderr_fd().get()), "oops\n");
}

TEST(Process, HasNoOtherDescriptor) {
  const int leaked = open("/dev/null", O_RDONLY);  // not close-on-exec
  auto child = SpawnShell("ls /proc/self/fd");
  close(leaked);
  ASSERT_THAT(child, IsOk());
  // ls itself opens the folder as 3.
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "0\n1\n2\n3\n");
}

TEST(Process, HasExactlyTheEnvironmentNamed) {
  auto child = ChildProcess::Spawn({.command = {"/usr/bin/env"}, .environment = {"A=1", "B=x y"}});
  ASSERT_THAT(child, IsOk());
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "A=1\nB=x y\n");
}

TEST(Process, StartsInTheFolderNamed) {
  auto child = ChildProcess::Spawn({.command = {"/bin/pwd"}, .working_directory = "/usr"});
  ASSERT_THAT(child, IsOk());
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "/usr\n");
}

TEST(Process, HasTheDefaultActionOfSignalsThatWeIgnore) {
  IgnoreSigpipe();
  auto child = SpawnShell("kill -PIPE $$; exit 0");
  ASSERT_THAT(child, IsOk());
  ASSERT_TRUE(WaitForExit(*child));
  EXPECT_EQ(child->ExitStatus(), (ProcessExit{.signal = SIGPIPE}));
}

// A full disk must not end us, and neither must a limit that acts like one.
TEST(Signals, AFileAtItsLimitIsAnErrorOfWrite) {
  const auto write_past_limit = [] {
    IgnoreSigpipe();
    const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
    const int fd = memfd_create("limited", 0);
    if (fd < 0 || setrlimit(RLIMIT_FSIZE, &none) != 0) _exit(2);
    _exit(write(fd, "x", 1) == -1 && errno == EFBIG ? 0 : 1);
  };
  EXPECT_EXIT(write_past_limit(), ::testing::ExitedWithCode(0), "");
}

TEST(Process, LeadsAGroupOfItsOwn) {
  auto child = SpawnShell("read line");
  ASSERT_THAT(child, IsOk());
  EXPECT_EQ(getpgid(child->pid()), child->pid());
  EXPECT_EQ(getsid(child->pid()), child->pid());
}

TEST(Process, WorksWhereOurOwnStandardStreamsAreClosed) {
  const UniqueFd saved_in(dup(0));
  ASSERT_TRUE(saved_in);
  close(0);
  auto child = SpawnShell("read line; echo \"$line\"");
  ASSERT_EQ(dup2(saved_in.get(), 0), 0);
  ASSERT_THAT(child, IsOk());
  ASSERT_EQ(write(child->stdin_fd().get(), "through\n", 8), 8);
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "through\n");
}

TEST(Process, SaysWhyItDidNotStart) {
  EXPECT_THAT(ChildProcess::Spawn({.command = {"no-such-program-of-ours"}}),
              StatusIs(kNotFound, HasSubstr("start `no-such-program-of-ours`")));
  EXPECT_THAT(ChildProcess::Spawn({.command = {"/etc/passwd"}}), StatusIs(kPermissionDenied));
  EXPECT_THAT(ChildProcess::Spawn({.command = {"/bin/true"}, .working_directory = "/no/such"}),
              StatusIs(kNotFound, HasSubstr("enter `/no/such`")));
  EXPECT_THAT(ChildProcess::Spawn({.command = {}}), StatusIs(kInvalidArgument));
  EXPECT_THAT(ChildProcess::Spawn({.command = {"/bin/true", std::string("a\0b", 3)}}),
              StatusIs(kInvalidArgument));
}

TEST(Process, StopEndsAProgramThatObeysAtOnce) {
  auto child = SpawnShell("echo up; exec sleep 1000");
  ASSERT_THAT(child, IsOk());
  ReadUntil(child->stdout_fd().get(), "up\n");
  const RealClock clock;
  const absl::Duration begin = clock.SinceBoot();
  EXPECT_EQ(child->Stop(absl::Seconds(60), clock), (ProcessExit{.signal = SIGTERM}));
  EXPECT_LT(clock.SinceBoot() - begin, absl::Seconds(10));
}

TEST(Process, StopKillsAProgramThatIgnoresTerm) {
  auto child = SpawnShell("trap '' TERM; echo up; while :; do sleep 1000; done");
  ASSERT_THAT(child, IsOk());
  ReadUntil(child->stdout_fd().get(), "up\n");
  EXPECT_EQ(child->Stop(absl::Milliseconds(50), RealClock()), (ProcessExit{.signal = SIGKILL}));
}

// A launcher that starts the real server leaves no process behind.
TEST(Process, StopReachesGrandchildren) {
  auto child = SpawnShell("sleep 1000 & echo $!; echo up; wait");
  ASSERT_THAT(child, IsOk());
  const pid_t grandchild = ReadPidAndUp(child->stdout_fd().get());
  ASSERT_TRUE(support::IsRunning(grandchild));
  child->Stop(absl::Seconds(60), RealClock());
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(grandchild); }));
}

TEST(Process, StopGivesGrandchildrenTheGraceToo) {
  // The shell dies of TERM at once; the server behind it needs a moment to say bye.
  auto child =
      SpawnShell("(trap 'echo bye; exit' TERM; echo up; while :; do sleep 0.01; done) & wait");
  ASSERT_THAT(child, IsOk());
  ReadUntil(child->stdout_fd().get(), "up\n");
  child->Stop(absl::Seconds(60), RealClock());
  EXPECT_EQ(ReadUntil(child->stdout_fd().get()), "bye\n");
}

TEST(Process, StopKillsAGrandchildThatOutlivesItsParent) {
  auto child = SpawnShell("(trap '' TERM; echo up; while :; do sleep 1000; done) & echo $!; wait");
  ASSERT_THAT(child, IsOk());
  const pid_t grandchild = ReadPidAndUp(child->stdout_fd().get());
  ASSERT_TRUE(support::IsRunning(grandchild));
  child->Stop(absl::Milliseconds(50), RealClock());
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(grandchild); }));
}

TEST(Process, DestructionLeavesNothingBehind) {
  pid_t pid = 0;
  {
    auto child = SpawnShell("trap '' TERM; sleep 1000");
    ASSERT_THAT(child, IsOk());
    pid = child->pid();
  }
  EXPECT_FALSE(Exists(pid)) << "neither running nor a zombie";
}

// The end of the process that started it, without a word: nobody sent a signal to the
// group, and nobody of it obeys the end of its standard input.
TEST(Process, OfAKilledParentIsEndedWithItsGrandchildren) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const UniqueFd from_parent(fds[0]);
  UniqueFd to_us(fds[1]);
  const pid_t parent = fork();
  ASSERT_GE(parent, 0);
  if (parent == 0) {
    auto child = SpawnShell(
        "trap '' TERM; (trap '' TERM; echo up; while :; do sleep 1000; done) & echo $!; "
        "while :; do sleep 1000; done");
    const pid_t pids[2] = {child.ok() ? child->pid() : 0,
                           child.ok() ? ReadPidAndUp(child->stdout_fd().get()) : 0};
    if (write(to_us.get(), pids, sizeof pids) != sizeof pids) _exit(1);
    pause();
    _exit(0);
  }
  to_us.Reset();
  pid_t pids[2] = {};
  ASSERT_EQ(read(from_parent.get(), pids, sizeof pids), ssize_t{sizeof pids});
  ASSERT_TRUE(support::IsRunning(pids[0]));
  ASSERT_TRUE(support::IsRunning(pids[1]));
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(pids[0]); }));
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(pids[1]); }));
}

// Children of this process whose first argument is `argument`.
std::vector<std::string> ChildrenWith(std::string_view argument) {
  std::vector<std::string> found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(task.path() / "children");
    for (std::string pid; children >> pid;) {
      std::ifstream file("/proc/" + pid + "/cmdline");
      std::string command;
      std::getline(file, command, '\0');
      std::getline(file, command, '\0');
      if (command == argument) found.push_back(pid);
    }
  }
  return found;
}

TEST(Process, ItsGuardIsAProgramOfItsOwnWithNothingOfOurs) {
  setenv("GUARD_TEST_SECRET", "of the parent", 1);
  auto child = SpawnShell("read line");
  unsetenv("GUARD_TEST_SECRET");
  ASSERT_THAT(child, IsOk());
  // It closes what it inherited just after it has started.
  std::vector<std::string> guards;
  const auto open_files = [&] {
    std::vector<std::string> names;
    std::error_code gone;
    for (const auto& file :
         std::filesystem::directory_iterator("/proc/" + guards[0] + "/fd", gone)) {
      names.push_back(file.path().filename());
    }
    return names;
  };
  EXPECT_TRUE(support::WaitUntil([&] {
    guards = ChildrenWith(kGroupGuardArgument);
    return guards.size() == 1 && open_files() == std::vector<std::string>{"0"};
  }));
  ASSERT_THAT(guards, testing::SizeIs(1));
  std::ifstream environment("/proc/" + guards[0] + "/environ");
  EXPECT_EQ(environment.peek(), std::char_traits<char>::eof()) << "its environment is empty";
  child->Stop(absl::Seconds(1), RealClock());
  EXPECT_THAT(ChildrenWith(kGroupGuardArgument), testing::IsEmpty());
}

// A process may be started by a thread that ends long before it.
TEST(Process, OutlivesTheThreadThatStartedIt) {
  std::optional<absl::StatusOr<ChildProcess>> child;
  std::thread([&] { child.emplace(SpawnShell("read line; echo $line")); }).join();
  ASSERT_THAT(*child, IsOk());
  ASSERT_EQ(write((*child)->stdin_fd().get(), "here\n", 5), 5);
  EXPECT_EQ(ReadUntil((*child)->stdout_fd().get()), "here\n");
}

TEST(Process, AHundredStartsLeakNoDescriptorAndNoProcess) {
  const auto highest = [] {
    const UniqueFd fd(open("/dev/null", O_RDONLY));
    return fd.get();
  };
  const int before = highest();
  for (int i = 0; i < 100; ++i) {
    auto child = SpawnShell(":");
    ASSERT_THAT(child, IsOk());
  }
  EXPECT_EQ(highest(), before);
  EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) << "a child is left";
}

TEST(EnvironmentWithout, DropsByPrefixOfTheName) {
  setenv("KEEPER_TOKEN", "secret", 1);
  setenv("KEEPERS_OF_BEES", "kept: another name", 1);
  const std::vector<std::string> kept = EnvironmentWithout({"KEEPER_"});
  unsetenv("KEEPER_TOKEN");
  unsetenv("KEEPERS_OF_BEES");
  EXPECT_THAT(kept, Not(Contains(HasSubstr("KEEPER_TOKEN"))));
  EXPECT_THAT(kept, Contains("KEEPERS_OF_BEES=kept: another name"));
}

}  // namespace
}  // namespace bridgekeeper
