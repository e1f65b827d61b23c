// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WorkerPool runs what may wait (disk, judging, other threads), so that the threads
// that read the network never do. Its queue is bounded. Its threads have the stack that
// a judge needs (policy/guard/stack_pool.h), so that a payload is judged where its call is.
//
// Thread safety: Submit() may be called from many threads at the same time, also from
// a task. The destructor runs what was queued and joins.

#ifndef BRIDGEKEEPER_SERVICE_CORE_WORKER_POOL_H_
#define BRIDGEKEEPER_SERVICE_CORE_WORKER_POOL_H_

#include <pthread.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "policy/base/mutex.h"

namespace bridgekeeper::service {

struct WorkerPoolOptions {
  size_t threads = 4;        // [1, 1024]
  size_t max_queued = 4096;  // tasks that wait
};

class WorkerPool {
 public:
  explicit WorkerPool(const WorkerPoolOptions& options);
  ~WorkerPool();

  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Queues `task`. Returns false, and does not keep it, where the queue is full.
  [[nodiscard]] bool Submit(std::function<void()> task);

 private:
  static void* ThreadMain(void* pool);
  void Run();

  const size_t max_queued_;

  Mutex mu_;
  CondVar changed_;
  bool closing_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<std::function<void()>> queue_ ABSL_GUARDED_BY(mu_);

  std::vector<pthread_t> threads_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_WORKER_POOL_H_
