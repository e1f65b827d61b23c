// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/group_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "absl/strings/str_format.h"
#include "policy/base/check.h"

namespace bridgekeeper {
namespace {

// How often the guard looks whether the group has ended: no event tells it. As long as
// one process is left, the group's number is not given away.
constexpr int kLookMs = 20;

// True once nobody of the group is left, false after `grace`.
bool EndsWithin(pid_t group, absl::Duration grace) {
  for (int64_t left_ms = absl::ToInt64Milliseconds(grace); left_ms > 0; left_ms -= kLookMs) {
    if (kill(-group, 0) != 0) return true;
    poll(nullptr, 0, kLookMs);
  }
  return false;
}

// What the guard does. Its standard input is the pipe that its parent holds open.
[[noreturn]] void Guard(pid_t group) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  prctl(PR_SET_NAME, "group-guard");
  // Nothing else is held open: neither pipes of the server nor our standard streams.
  close_range(1, ~0U, 0);
  if (chdir("/") != 0) {
    // It stays where it is: a folder that cannot be unmounted is all that follows.
  }
  char byte;
  while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR) {
  }
  if (!EndsWithin(group, kOrphanGrace)) kill(-group, SIGTERM);
  if (!EndsWithin(group, kOrphanStopGrace)) kill(-group, SIGKILL);
  _exit(0);
}

// Becomes the guard before main() and most of what a program sets up for itself, in
// every program that can start one: none has to think of it, so none can forget it.
// glibc calls constructors with the arguments of main().
[[gnu::constructor]] void GuardIfAsked(int argc, char** argv) {
  if (argc != 3 || std::string_view(argv[1]) != kGroupGuardArgument) return;
  const std::string_view text = argv[2];
  pid_t group = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), group);
  // 1 would be every process.
  if (error != std::errc() || end != text.data() + text.size() || group <= 1) _exit(2);
  Guard(group);
}

absl::Status Failed(const char* what, int error) {
  return absl::ResourceExhaustedError(
      absl::StrFormat("%s: %s", what, std::generic_category().message(error)));
}

}  // namespace

absl::StatusOr<GroupGuard> GroupGuard::Start(pid_t group) {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return Failed("make a pipe", errno);
  UniqueFd theirs(fds[0]);
  UniqueFd ours(fds[1]);
  // dup2 onto itself would leave it closed by the execution.
  if (theirs.get() == STDIN_FILENO) {
    theirs = UniqueFd(fcntl(theirs.get(), F_DUPFD_CLOEXEC, 3));
    if (!theirs) return Failed("duplicate a descriptor", errno);
  }

  // Not a fork: that would keep all of our memory, with what is secret in it, for as long
  // as the guard lives.
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  BK_CHECK(posix_spawn_file_actions_init(&actions) == 0);
  BK_CHECK(posix_spawnattr_init(&attributes) == 0);
  BK_CHECK(posix_spawn_file_actions_adddup2(&actions, theirs.get(), STDIN_FILENO) == 0);
  sigset_t none;
  sigemptyset(&none);
  BK_CHECK(posix_spawnattr_setsigmask(&attributes, &none) == 0);
  // A session of its own: a signal of the terminal is for us, not for the guard.
  BK_CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK) == 0);
  std::string argument = kGroupGuardArgument;
  std::string number = absl::StrFormat("%d", group);
  char name[] = "group-guard";
  char* const arguments[] = {name, argument.data(), number.data(), nullptr};
  char* const environment[] = {nullptr};
  pid_t pid = 0;
  const int error =
      posix_spawn(&pid, "/proc/self/exe", &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return Failed("start the guard of a process group", error);
  return GroupGuard(pid, std::move(ours));
}

void GroupGuard::StandDown() {
  if (!alive_) return;
  kill(pid_, SIGKILL);
  while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
  alive_.Reset();
}

}  // namespace bridgekeeper
