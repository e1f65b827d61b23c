// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// keeper-bridge as a whole: the one place where its parts meet.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_H_

#include "clients/bridge/options.h"

namespace bridgekeeper::bridge {

// Runs `keeper-bridge stdio` on this process's standard streams until it ends.
ExitCode RunStdio(StdioCommand command);

// Runs `keeper-bridge serve` until a signal ends it.
ExitCode RunServe(ServeCommand command);

// Runs `keeper-bridge query`: one call on one database, its result on standard output.
ExitCode RunQuery(const QueryCommand& command);

// Runs `keeper-bridge check`: what it finds goes to standard output.
ExitCode RunCheck(const CheckCommand& command);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_H_
