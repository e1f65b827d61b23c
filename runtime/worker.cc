// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/worker.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/status_macros.h"
#include "runtime/signals.h"
#include "runtime/worker_frame.h"

namespace bridgekeeper {
namespace {

// Waits for `events` on `fd`, at most until `deadline`, or until `stop_fd` is readable.
absl::Status Await(int fd, short events, absl::Duration deadline, const Clock& clock, int stop_fd) {
  while (true) {
    const absl::Duration left = deadline - clock.SinceBoot();
    if (left <= absl::ZeroDuration()) return absl::DeadlineExceededError("the worker is late");
    // A descriptor of -1 is never ready.
    std::array<pollfd, 2> ready = {pollfd{fd, events, 0}, pollfd{stop_fd, POLLIN, 0}};
    const int result =
        poll(ready.data(), ready.size(),
             static_cast<int>(absl::ToInt64Milliseconds(absl::Ceil(left, absl::Milliseconds(1)))));
    if (result > 0 && ready[1].revents != 0) return absl::CancelledError("the call was cancelled");
    if (result > 0) return absl::OkStatus();
    if (result < 0 && errno != EINTR) return absl::AbortedError("the worker cannot be waited for");
  }
}

absl::Status WriteAll(int fd, std::string_view bytes, absl::Duration deadline, const Clock& clock,
                      int stop_fd) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<size_t>(n));
    } else if (n < 0 && errno == EAGAIN) {
      BK_RETURN_IF_ERROR(Await(fd, POLLOUT, deadline, clock, stop_fd));
    } else if (n == 0 || errno != EINTR) {
      return absl::AbortedError("the worker has ended");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadFrame(int fd, absl::Duration deadline, const Clock& clock,
                                      int stop_fd) {
  std::string bytes;
  size_t wanted = kWorkerHeaderBytes;
  bool has_header = false;
  while (true) {
    if (bytes.size() == wanted && !has_header) {
      has_header = true;
      wanted = MessageSizeOf(bytes);
      if (wanted > kMaxWorkerMessageBytes)
        return absl::AbortedError("the worker answered out of form");
      bytes.clear();
    }
    if (bytes.size() == wanted) return bytes;
    const size_t had = bytes.size();
    bytes.resize(std::min(wanted, had + (size_t{64} << 10)));
    const ssize_t n = read(fd, bytes.data() + had, bytes.size() - had);
    bytes.resize(had + static_cast<size_t>(std::max<ssize_t>(n, 0)));
    if (n < 0 && errno == EAGAIN) {
      BK_RETURN_IF_ERROR(Await(fd, POLLIN, deadline, clock, stop_fd));
    } else if (n == 0 || (n < 0 && errno != EINTR)) {
      return absl::AbortedError("the worker has ended");
    }
  }
}

}  // namespace

struct WorkerPool::Worker {
  explicit Worker(ChildProcess child) : process(std::move(child)) {}
  ChildProcess process;
};

WorkerPool::WorkerPool(WorkerPoolOptions options, const Clock& clock)
    : options_(std::move(options)), clock_(clock) {
  BK_CHECK(options_.max_workers >= 1 && options_.max_workers <= 64);
  IgnoreSigpipe();  // a worker may end while it is written to
}

WorkerPool::~WorkerPool() = default;

absl::StatusOr<std::unique_ptr<WorkerPool::Worker>> WorkerPool::Take(absl::Duration until) {
  {
    MutexLock lock(mu_);
    const absl::Duration wait = std::max(until - clock_.SinceBoot(), absl::ZeroDuration());
    const bool free = freed_.WaitFor(mu_, absl::ToChronoNanoseconds(wait), [&] {
      mu_.AssertHeld();
      return !idle_.empty() || running_ < options_.max_workers;
    });
    if (!free) return absl::ResourceExhaustedError("every worker is busy");
    if (!idle_.empty()) {
      std::unique_ptr<Worker> worker = std::move(idle_.back());
      idle_.pop_back();
      return worker;
    }
    ++running_;
  }
  absl::StatusOr<ChildProcess> process =
      ChildProcess::Spawn({.command = {options_.program, kWorkerArgument, options_.kind},
                           .environment = {},
                           .working_directory = "/"});
  MutexLock lock(mu_);
  if (!process.ok()) {
    --running_;
    freed_.NotifyOne();
    return absl::UnavailableError(absl::StrFormat("no worker: %s", process.status().message()));
  }
  // It writes nothing there.
  process->stderr_fd().Reset();
  pids_.push_back(process->pid());
  return std::make_unique<Worker>(*std::move(process));
}

void WorkerPool::GiveBack(std::unique_ptr<Worker> worker) {
  MutexLock lock(mu_);
  idle_.push_back(std::move(worker));
  freed_.NotifyOne();
}

void WorkerPool::Drop(std::unique_ptr<Worker> worker) {
  const pid_t pid = worker->process.pid();
  worker.reset();  // kills and reaps it: not under the lock
  MutexLock lock(mu_);
  std::erase(pids_, pid);
  --running_;
  freed_.NotifyOne();
}

absl::StatusOr<std::string> WorkerPool::Call(std::string_view request, absl::Duration deadline,
                                             int stop_fd) {
  if (request.size() > kMaxWorkerMessageBytes) {
    return absl::InvalidArgumentError(absl::StrFormat("got a request of %d bytes, want at most %d",
                                                      request.size(), kMaxWorkerMessageBytes));
  }
  const absl::Duration until = clock_.SinceBoot() + deadline;
  BK_ASSIGN_OR_RETURN(std::unique_ptr<Worker> worker, Take(until));
  while (worker->process.ExitStatus()) {  // it died while nobody asked it
    Drop(std::move(worker));
    BK_ASSIGN_OR_RETURN(worker, Take(until));
  }
  absl::Status sent =
      WriteAll(worker->process.stdin_fd().get(), FrameOf(request), until, clock_, stop_fd);
  absl::StatusOr<std::string> answer =
      sent.ok() ? ReadFrame(worker->process.stdout_fd().get(), until, clock_, stop_fd)
                : absl::StatusOr<std::string>(std::move(sent));
  if (answer.ok()) {
    GiveBack(std::move(worker));
  } else {
    Drop(std::move(worker));
  }
  return answer;
}

std::vector<pid_t> WorkerPool::Pids() const {
  MutexLock lock(mu_);
  return pids_;
}

}  // namespace bridgekeeper
