// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Folders that only we may enter: data, keys, spools, caches.
//
// Source: design of the stored state: such a folder is 0700 and owned by the
// process's user, or the program does not start.

#ifndef BRIDGEKEEPER_RUNTIME_PRIVATE_DIR_H_
#define BRIDGEKEEPER_RUNTIME_PRIVATE_DIR_H_

#include <string>

#include "absl/status/status.h"

namespace bridgekeeper {

// Makes sure that `path` is a folder (not a link to one) with mode 0700, owned by
// the effective user. Creates it, and folders above it that are missing, where it
// is not there. Never changes the mode of a folder that it finds.
//
// Errors:
//   kFailedPrecondition - it is there and is no folder, a link, another user's, or
//                         open to others; the message says got and want.
//   kInternal           - the system refused to look at or make it.
absl::Status EnsurePrivateDir(const std::string& path);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_PRIVATE_DIR_H_
