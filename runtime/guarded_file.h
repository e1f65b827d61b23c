// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Files that say what a program may do, or hold its secrets: they must not be
// somebody else's to change.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_RUNTIME_GUARDED_FILE_H_
#define BRIDGEKEEPER_RUNTIME_GUARDED_FILE_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace bridgekeeper {

// Reads a whole file that belongs to us or to root, and that neither its group nor
// others may write. What is checked is what is read.
//
// Errors:
//   kNotFound           - there is no such file.
//   kFailedPrecondition - it is no regular file, another user's, or open to others; the
//                         message says got and want.
//   kResourceExhausted  - it is larger than `max_bytes`.
//   kInternal           - anything else that the system says.
absl::StatusOr<std::string> ReadGuardedFile(const std::string& path, size_t max_bytes);

// The same checks without reading it.
absl::Status CheckGuardedFile(const std::string& path);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_GUARDED_FILE_H_
