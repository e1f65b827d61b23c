// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerPool answers requests in processes of this program's own: bytes go in, bytes
// come out, and what crashes or hangs there ends one request. A worker is this
// program again (/proc/self/exe), started with kWorkerArgument and an empty
// environment; its main() calls RunWorkerIfAsked() before anything else.
//
// Workers are started when they are needed and kept. One that dies, is late or answers
// out of form is killed and replaced at the next request.
//
// Source: pipe(7), setrlimit(2), prctl(2), signal(7).

#ifndef BRIDGEKEEPER_RUNTIME_WORKER_H_
#define BRIDGEKEEPER_RUNTIME_WORKER_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "runtime/process.h"

namespace bridgekeeper {

// The first argument of a worker; its kind is the second.
inline constexpr char kWorkerArgument[] = "--internal-worker";

// Bytes of one request or answer.
inline constexpr size_t kMaxWorkerMessageBytes = size_t{8} << 20;

struct WorkerPoolOptions {
  // What the worker is to do: names a row of RunWorkerIfAsked().
  std::string kind;
  // The program to start; tests name another one than themselves.
  std::string program = "/proc/self/exe";
  int max_workers = 2;  // [1, 64]
};

// Thread safety: safe to share between threads.
class WorkerPool {
 public:
  WorkerPool(WorkerPoolOptions options, const Clock& clock);
  // Kills the workers. REQUIRES: nobody is in Call().
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Sends `request` to a worker and returns its answer.
  //
  // Errors:
  //   kResourceExhausted - no worker was free in `deadline`.
  //   kDeadlineExceeded  - the worker did not answer in `deadline`; it is dead now.
  //   kAborted           - it ended without an answer.
  //   kUnavailable       - none could be started.
  //   kInvalidArgument   - the request is larger than kMaxWorkerMessageBytes.
  //   kCancelled         - `stop_fd` became readable while the worker was at it; it is
  //                        dead now. -1: nothing is looked at.
  absl::StatusOr<std::string> Call(std::string_view request, absl::Duration deadline,
                                   int stop_fd = -1);

  // Processes of this pool that run now.
  std::vector<pid_t> Pids() const;

 private:
  struct Worker;

  // A worker of the caller's own until it is given back or dropped.
  absl::StatusOr<std::unique_ptr<Worker>> Take(absl::Duration until);
  void GiveBack(std::unique_ptr<Worker> worker);
  void Drop(std::unique_ptr<Worker> worker);

  const WorkerPoolOptions options_;
  const Clock& clock_;
  mutable Mutex mu_;
  CondVar freed_;
  std::vector<std::unique_ptr<Worker>> idle_ ABSL_GUARDED_BY(mu_);
  std::vector<pid_t> pids_ ABSL_GUARDED_BY(mu_);
  int running_ ABSL_GUARDED_BY(mu_) = 0;
};

// One kind of worker: made once in the process, then called for each request.
struct WorkerKind {
  std::string name;
  // Makes what answers. It runs before the limits that forbid to open files.
  std::function<std::function<std::string(std::string_view request)>()> make;
  // It may open files, and write at most `file_bytes` of each: a database engine,
  // whose own rules and the files' rights are the bound.
  bool opens_files = false;
  size_t file_bytes = size_t{1} << 20;
};

// Where the arguments of main() are those of a worker: becomes one, and returns the
// exit code once the other side has closed its pipe. nullopt: an ordinary start.
//
// A worker has no core file and no dump, no new privileges, no descriptor of ours but its
// two pipes, and after the making may open none (but see `opens_files`); it may use 2 GiB
// of addresses, write no file, and use kWorkerCpuSeconds of CPU for one request. Standard
// input and output are /dev/null for whatever runs in it.
std::optional<int> RunWorkerIfAsked(int argc, char** argv, const std::vector<WorkerKind>& kinds);

inline constexpr unsigned kWorkerCpuSeconds = 30;

// Lets this process, a worker, use `seconds` more of CPU instead: a request's own limit.
void AllowWorkerCpu(uint64_t seconds);

// Lets this process, a worker, write files of up to `bytes` from now on, where its kind's
// `file_bytes` is not less.
void AllowWorkerFiles(uint64_t bytes);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_WORKER_H_
