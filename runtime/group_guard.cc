// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/group_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>

#include "absl/strings/str_format.h"

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

// What the guard does. It is a copy of a process with other threads: nothing but what
// signal-safety(7) lists may be called here.
[[noreturn]] void Guard(pid_t group, int alive) {
  setsid();  // a signal of the terminal is for us, not for the guard
  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) ::signal(signal, SIG_IGN);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  prctl(PR_SET_NAME, "group-guard");
  // Nothing else is held open: neither pipes of the server nor our standard streams.
  if (alive > 0) close_range(0, static_cast<unsigned>(alive) - 1, 0);
  close_range(static_cast<unsigned>(alive) + 1, ~0U, 0);
  if (chdir("/") != 0) {
    // It stays where it is: a folder that cannot be unmounted is all that follows.
  }
  char byte;
  while (read(alive, &byte, 1) < 0 && errno == EINTR) {
  }
  if (!EndsWithin(group, kOrphanGrace)) kill(-group, SIGTERM);
  if (!EndsWithin(group, kOrphanStopGrace)) kill(-group, SIGKILL);
  _exit(0);
}

}  // namespace

absl::StatusOr<GroupGuard> GroupGuard::Start(pid_t group) {
  const auto failed = [](const char* what) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("%s: %s", what, std::generic_category().message(errno)));
  };
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) return failed("make a pipe");
  const UniqueFd theirs(fds[0]);
  UniqueFd ours(fds[1]);
  // Without the handlers that libraries register for fork(2): nothing of theirs is used.
  const pid_t pid = _Fork();
  if (pid < 0) return failed("start the guard of a process group");
  if (pid == 0) Guard(group, theirs.get());
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
