// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// UnixPeer proves who listens on a Unix socket, before anything secret is sent there
// and before anything is believed that comes from there: root or our own user.
//
// Thread safety: all methods may be called from many threads at the same time.
// Source: unix(7), SO_PEERCRED: for a client, the credentials of the process at the
// time it called listen(2).

#ifndef BRIDGEKEEPER_RUNTIME_UNIX_PEER_H_
#define BRIDGEKEEPER_RUNTIME_UNIX_PEER_H_

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "policy/base/mutex.h"

namespace bridgekeeper {

class UnixPeer {
 public:
  // `path` is that of a socket, at most 107 bytes. The system's users are 0 and
  // `user`.
  explicit UnixPeer(std::string path, uid_t user);

  // Checks every folder and link on the way to the socket, the socket and, by a
  // connection of its own, who listens. As long as the path leads to the same socket, one
  // connection is enough.
  //
  // That the folder cannot be written to by others is what makes another connection
  // to the same path reach the same listener.
  //
  // Errors:
  //   kUnavailable        - nobody listens there.
  //   kFailedPrecondition - the path is no socket; or a folder or link on the way, the
  //                         socket or its listener belongs to another user, or is
  //                         open to others. The message says got and want.
  absl::Status Check() const;

 private:
  // Of one inode; a socket that is bound anew has another one.
  struct Identity {
    uint64_t device = 0;
    uint64_t inode = 0;
    int64_t changed_ns = 0;
    friend bool operator==(const Identity&, const Identity&) = default;
  };

  // Constant after construction.
  const std::string path_;
  const uid_t user_;

  mutable Mutex mu_;
  mutable Identity proven_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_UNIX_PEER_H_
