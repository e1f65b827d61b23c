// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/signals.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "policy/base/check.h"

namespace bridgekeeper {

void IgnoreSigpipe() {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  BK_CHECK(sigaction(SIGPIPE, &action, nullptr) == 0);
}

void ForbidDumps() {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  BK_CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
  BK_CHECK(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
}

void RaiseFileLimit() {
  rlimit limit = {};
  BK_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  BK_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace bridgekeeper
