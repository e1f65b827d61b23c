// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/worker_pool.h"

#include <chrono>
#include <utility>

#include "policy/base/check.h"
#include "policy/guard/stack_pool.h"

namespace bridgekeeper::service {
namespace {

// What a task has used of its thread's stack when it comes to judge.
constexpr size_t kOwnStackBytes = size_t{1} << 20;

}  // namespace

WorkerPool::WorkerPool(const WorkerPoolOptions& options) : max_queued_(options.max_queued) {
  pthread_attr_t attributes;
  BK_CHECK(pthread_attr_init(&attributes) == 0);
  BK_CHECK(pthread_attr_setstacksize(&attributes, kJudgeStackBytes + kOwnStackBytes) == 0);
  for (size_t i = 0; i < options.threads; ++i) {
    pthread_t thread;
    // A machine out of threads leaves a smaller pool; with none nothing would be served.
    const bool started = pthread_create(&thread, &attributes, &WorkerPool::ThreadMain, this) == 0;
    BK_CHECK(started || i > 0);
    if (!started) break;
    pthread_setname_np(thread, "worker");
    threads_.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mu_);
    closing_ = true;
    changed_.NotifyAll();
  }
  for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
}

void* WorkerPool::ThreadMain(void* pool) {
  static_cast<WorkerPool*>(pool)->Run();
  return nullptr;
}

bool WorkerPool::Submit(std::function<void()> task) {
  MutexLock lock(mu_);
  if (queue_.size() >= max_queued_) return false;
  queue_.push_back(std::move(task));
  changed_.NotifyOne();
  return true;
}

void WorkerPool::Run() {
  while (true) {
    std::function<void()> task;
    {
      MutexLock lock(mu_);
      while (queue_.empty()) {
        if (closing_) return;
        changed_.WaitFor(mu_, std::chrono::seconds(60));
      }
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace bridgekeeper::service
