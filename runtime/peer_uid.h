// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Whose process stands at the other end of a TCP connection within this machine.
//
// Thread safety: free functions without state.
// Source: sock_diag(7).

#ifndef BRIDGEKEEPER_RUNTIME_PEER_UID_H_
#define BRIDGEKEEPER_RUNTIME_PEER_UID_H_

#include <sys/types.h>

#include "absl/status/statusor.h"

namespace bridgekeeper {

// The user that owns the other end of a connected TCP socket.
//
// Errors:
//   kNotFound    - the other end is not on this machine, is closed, or is in another
//                  network namespace: nobody knows whose it is.
//   kUnavailable - the kernel does not tell.
absl::StatusOr<uid_t> PeerUid(int socket);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_PEER_UID_H_
