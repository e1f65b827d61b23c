// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/worker_pool.h"

#include <pthread.h>

#include <chrono>
#include <utility>

namespace bridgekeeper::service {

WorkerPool::WorkerPool(const WorkerPoolOptions& options) : max_queued_(options.max_queued) {
  for (size_t i = 0; i < options.threads; ++i) {
    threads_.emplace_back([this] { Run(); });
    pthread_setname_np(threads_.back().native_handle(), "worker");
  }
}

WorkerPool::~WorkerPool() {
  {
    MutexLock lock(mu_);
    closing_ = true;
    changed_.NotifyAll();
  }
  threads_.clear();  // joins
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
