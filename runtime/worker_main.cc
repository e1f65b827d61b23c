// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The side of a worker that is the worker.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "policy/base/check.h"
#include "runtime/signals.h"
#include "runtime/unique_fd.h"
#include "runtime/worker.h"
#include "runtime/worker_frame.h"

namespace bridgekeeper {
namespace {

// Sanitizers reserve terabytes of addresses.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsAddresses = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kLimitsAddresses = false;
#else
constexpr bool kLimitsAddresses = true;
#endif
#else
constexpr bool kLimitsAddresses = true;
#endif
constexpr rlim_t kAddressBytes = rlim_t{2} << 30;
// Descriptors of a worker that opens files.
constexpr rlim_t kWorkerFiles = 128;

void Limit(__rlimit_resource resource, rlim_t value) {
  rlimit now = {};
  BK_CHECK(getrlimit(resource, &now) == 0);
  const rlim_t allowed = std::min(value, now.rlim_max);
  const rlimit both = {.rlim_cur = allowed, .rlim_max = allowed};
  BK_CHECK(setrlimit(resource, &both) == 0);
}

// False at the end of the pipe.
bool ReadBytes(int fd, char* out, size_t size) {
  while (size > 0) {
    const ssize_t n = read(fd, out, size);
    if (n == 0 || (n < 0 && errno != EINTR)) return false;
    if (n < 0) continue;
    out += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

bool WriteBytes(int fd, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

int Serve(const WorkerKind& kind) {
  ForbidDumps();
  IgnoreSigpipe();
  BK_CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  // The pipes move away: what runs here may print, and reads nothing.
  const UniqueFd in(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  const UniqueFd out(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!in || !out || !null) return 1;
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (dup2(null.get(), standard) < 0) return 1;
  }
  if (kLimitsAddresses) Limit(RLIMIT_AS, kAddressBytes);
  // A write beyond the limit is an error to who writes, not the end of the process.
  BK_CHECK(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
  Limit(RLIMIT_FSIZE, kind.opens_files ? kind.file_bytes : 0);
  AllowWorkerCpu(kWorkerCpuSeconds);
  const auto answer = kind.make();
  Limit(RLIMIT_NOFILE, kind.opens_files ? kWorkerFiles : 0);

  std::string request;
  while (true) {
    char header[kWorkerHeaderBytes];
    if (!ReadBytes(in.get(), header, sizeof(header))) return 0;
    const size_t size = MessageSizeOf({header, sizeof(header)});
    if (size > kMaxWorkerMessageBytes) return 1;
    request.resize(size);
    if (!ReadBytes(in.get(), request.data(), request.size())) return 1;
    AllowWorkerCpu(kWorkerCpuSeconds);
    const std::string reply = answer(request);
    if (reply.size() > kMaxWorkerMessageBytes) return 1;
    const std::string frame = FrameOf(reply);
    if (!WriteBytes(out.get(), frame.data(), frame.size())) return 0;
  }
}

}  // namespace

void AllowWorkerCpu(uint64_t seconds) {
  rusage used = {};
  BK_CHECK(getrusage(RUSAGE_SELF, &used) == 0);
  rlimit cpu = {};
  BK_CHECK(getrlimit(RLIMIT_CPU, &cpu) == 0);
  // The soft limit grows with each request: the kernel counts for the whole life.
  cpu.rlim_cur = std::min<rlim_t>(
      cpu.rlim_max, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 1);
  BK_CHECK(setrlimit(RLIMIT_CPU, &cpu) == 0);
}

void AllowWorkerFiles(uint64_t bytes) {
  rlimit files = {};
  BK_CHECK(getrlimit(RLIMIT_FSIZE, &files) == 0);
  files.rlim_cur = std::min<rlim_t>(files.rlim_max, bytes);
  BK_CHECK(setrlimit(RLIMIT_FSIZE, &files) == 0);
}

std::optional<int> RunWorkerIfAsked(int argc, char** argv, const std::vector<WorkerKind>& kinds) {
  if (argc != 3 || std::string_view(argv[1]) != kWorkerArgument) return std::nullopt;
  const std::string_view name = argv[2];
  const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                 [&](const WorkerKind& each) { return each.name == name; });
  return kind == kinds.end() ? 2 : Serve(*kind);
}

}  // namespace bridgekeeper
