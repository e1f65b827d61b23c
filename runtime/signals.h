// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a program of ours sets for its whole process before anything else.

#ifndef BRIDGEKEEPER_RUNTIME_SIGNALS_H_
#define BRIDGEKEEPER_RUNTIME_SIGNALS_H_

namespace bridgekeeper {

// Gives each standard stream that we were started without a place that cannot be used,
// so that nothing else takes its number: a store's file or a client's socket of number 2
// would get our log. To be called before anything is opened.
void HoldStandardStreams();

// Ignores SIGPIPE and SIGXFSZ: a peer that is gone, or a file at its limit, shows as an
// error of write(2). A child started by runtime/process.h gets the default back.
void IgnoreSigpipe();

// Keeps what is in memory out of core files and out of the reach of other processes
// of the same user: PR_SET_DUMPABLE 0, RLIMIT_CORE 0. To be called before a secret
// is read. Source: prctl(2), ptrace(2), proc(5).
void ForbidDumps();

// Raises the number of descriptors that we may have open to what the system allows us.
// Source: getrlimit(2).
void RaiseFileLimit();

// Keeps up to 64 MiB of freed memory for what comes next, where the C library would give it
// back at once: a large answer is copied a few times on its way, and each page that is new
// costs more than copying it. Source: mallopt(3).
void KeepFreedMemory();

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_SIGNALS_H_
