// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "policy/base/check.h"

namespace bridgekeeper {

void HoldStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF) continue;
    // The other way round, so that using it fails. The lowest free number is `fd`.
    const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    BK_CHECK(open("/dev/null", flags | O_NOCTTY) == fd);
  }
}

void IgnoreSigpipe() {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  BK_CHECK(sigaction(SIGPIPE, &action, nullptr) == 0);
  BK_CHECK(sigaction(SIGXFSZ, &action, nullptr) == 0);
}

void ForbidDumps() {
  const rlimit none = {.rlim_cur = 0, .rlim_max = 0};
  BK_CHECK(setrlimit(RLIMIT_CORE, &none) == 0);
  BK_CHECK(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0);
}

void KeepFreedMemory() {
  // The threshold of mmap may be no higher; what is larger is given back still.
  BK_CHECK(mallopt(M_MMAP_THRESHOLD, 32 << 20) == 1);
  BK_CHECK(mallopt(M_TRIM_THRESHOLD, 64 << 20) == 1);
}

void RaiseFileLimit() {
  rlimit limit = {};
  BK_CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  limit.rlim_cur = limit.rlim_max;
  BK_CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
}

}  // namespace bridgekeeper
