// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// GroupGuard is a small process that ends a process group when we are gone without
// having ended it ourselves: killed, or crashed. It waits for the end of a pipe that
// this process alone holds open; then the group has kOrphanGrace to end by itself
// (its standard input has ended as well), gets SIGTERM, and kOrphanStopGrace later
// SIGKILL.
//
// It is this program again (/proc/self/exe), started with kGroupGuardArgument and an
// empty environment, and becomes the guard before main(): it holds none of our memory.
//
// Why not PR_SET_PDEATHSIG: it reaches the child and none of its children, it is lost
// where the child executes a program with privileges of its own, and it follows the
// thread that started the child, so that a thread that ends takes the server with it.
//
// Thread safety: an object is used by one thread at a time.
// Source: pipe(7), kill(2), prctl(2), posix_spawn(3).

#ifndef BRIDGEKEEPER_RUNTIME_GROUP_GUARD_H_
#define BRIDGEKEEPER_RUNTIME_GROUP_GUARD_H_

#include <sys/types.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {

// The first argument of a guard; the group is its second.
inline constexpr char kGroupGuardArgument[] = "--internal-group-guard";

// How long a group that lost us has to end by itself, and then after SIGTERM.
inline constexpr absl::Duration kOrphanGrace = absl::Milliseconds(500);
inline constexpr absl::Duration kOrphanStopGrace = absl::Seconds(1);

class GroupGuard {
 public:
  // Starts the guard of `group`, a process group that a child of ours leads.
  //
  // Errors:
  //   kResourceExhausted - no process or descriptor is left, or /proc is not there.
  static absl::StatusOr<GroupGuard> Start(pid_t group);

  GroupGuard(GroupGuard&&) = default;
  GroupGuard& operator=(GroupGuard&&) = delete;
  // Stands down.
  ~GroupGuard() { StandDown(); }

  // Ends the guard; the group is ours again. To be called before the leader of the
  // group is reaped: after that its number may name others.
  void StandDown();

 private:
  GroupGuard(pid_t pid, UniqueFd alive) : pid_(pid), alive_(std::move(alive)) {}

  // A moved-from object has no pipe and guards nothing.
  pid_t pid_;
  UniqueFd alive_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_GROUP_GUARD_H_
