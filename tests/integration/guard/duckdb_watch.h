// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FileWatch notes what the process asks the system for while it is armed: files by
// name, sockets, programs. Its functions stand before those of the C library, so a
// library's calls come here first. Files of /proc and /sys, where an engine looks for
// memory and processors, are not noted.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_WATCH_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_WATCH_H_

#include <string>
#include <vector>

namespace bridgekeeper {

// Notes from here on.
void ArmFileWatch();
// Stops, and returns what was noted: "open /x", "socket", ...
std::vector<std::string> DisarmFileWatch();

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_WATCH_H_
