// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ChildProcess is a program that we started, with what it starts in turn: it leads
// a session and a process group of its own, so that one signal reaches the launcher
// (npx, uv, a shell) and the real server behind it.
//
// Where we are killed or crash, the group does not outlive us for long: group_guard.h.
//
// The child gets exactly the environment named, three pipes as its standard
// streams, no other descriptor, and the default action of every signal.
//
// Thread safety: an object is used by one thread at a time.
// Source: posix_spawn(3), setsid(2), pidfd_open(2), kill(2).

#ifndef BRIDGEKEEPER_RUNTIME_PROCESS_H_
#define BRIDGEKEEPER_RUNTIME_PROCESS_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "runtime/group_guard.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {

struct ProcessSpec {
  // The program and its arguments. A program without `/` is looked up in our PATH.
  std::vector<std::string> command;
  // All of the child's environment, each "NAME=VALUE".
  std::vector<std::string> environment;
  // Where it starts. Empty: where we are.
  std::string working_directory;
};

// How a process ended.
struct ProcessExit {
  int code = 0;    // its exit code; 0 where a signal ended it
  int signal = 0;  // the signal that ended it; 0: none did

  // "exit code 1", "signal 9 (Killed)".
  std::string ToString() const;
  friend bool operator==(const ProcessExit&, const ProcessExit&) = default;
};

class ChildProcess {
 public:
  // Starts a program.
  //
  // Errors:
  //   kInvalidArgument    - no command, or text with a NUL.
  //   kNotFound           - there is no such program or working directory.
  //   kPermissionDenied   - it may not be run.
  //   kResourceExhausted  - no process or descriptor is left.
  //   kInternal           - anything else that the system says.
  static absl::StatusOr<ChildProcess> Spawn(const ProcessSpec& spec);

  ChildProcess(ChildProcess&&) = default;
  ChildProcess& operator=(ChildProcess&&) = delete;
  // Kills what is left of the group, at once, and reaps the child.
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  // Our ends of the pipes, non-blocking. The caller may take them.
  UniqueFd& stdin_fd() { return stdin_; }
  UniqueFd& stdout_fd() { return stdout_; }
  UniqueFd& stderr_fd() { return stderr_; }

  // A descriptor that polls as readable once the child has ended.
  int exit_fd() const { return pidfd_.get(); }

  // How the child ended, or nullopt while it runs. The child is not reaped by this,
  // so that its number stays taken and names this group alone.
  std::optional<ProcessExit> ExitStatus() const;

  // Sends `signal` to every process of the group.
  void SignalGroup(int signal) const;

  // True where the child and every other process of its group have ended.
  bool GroupIsGone() const;

  // Ends the group: SIGTERM, then SIGKILL to what is still there after `grace`.
  // Waits for that, at most for `grace` and the moment that a kill takes, and
  // reaps the child. Returns how it ended.
  ProcessExit Stop(absl::Duration grace, const Clock& clock);

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd, GroupGuard guard, UniqueFd in, UniqueFd out,
               UniqueFd err);

  ProcessExit Reap();

  // A moved-from object has no pidfd and owns no process.
  pid_t pid_;
  UniqueFd pidfd_;
  GroupGuard guard_;
  UniqueFd stdin_;
  UniqueFd stdout_;
  UniqueFd stderr_;
};

// Our own environment, each "NAME=VALUE", without the variables whose name begins
// with one of `dropped_prefixes`.
std::vector<std::string> EnvironmentWithout(const std::vector<std::string>& dropped_prefixes);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_PROCESS_H_
