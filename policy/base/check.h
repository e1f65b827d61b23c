// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BK_CHECK ends the process when an invariant of ours is broken. It is never for
// input, disk or network: those are answered with an absl::Status.

#ifndef BRIDGEKEEPER_POLICY_BASE_CHECK_H_
#define BRIDGEKEEPER_POLICY_BASE_CHECK_H_

#include <cstdio>
#include <cstdlib>

#define BK_CHECK(condition)                                                             \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                     \
    }                                                                                   \
  } while (false)

#endif  // BRIDGEKEEPER_POLICY_BASE_CHECK_H_
