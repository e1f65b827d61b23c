// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/stack_pool.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "policy/base/check.h"
#include "policy/base/mutex.h"

namespace bridgekeeper {
namespace {

struct Stack {
  uintptr_t lowest = 0;
  uintptr_t end = 0;
};

Stack StackOfThisThread() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return {};
  void* lowest = nullptr;
  size_t bytes = 0;
  const bool known = pthread_attr_getstack(&attributes, &lowest, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  if (!known) return {};
  const auto begin = reinterpret_cast<uintptr_t>(lowest);
  return {begin, begin + bytes};
}

struct Job {
  std::function<void()> function;
  bool done = false;
  CondVar ended;
};

}  // namespace

size_t StackLeft() {
  thread_local const Stack stack = StackOfThisThread();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here > stack.lowest && here < stack.end ? here - stack.lowest : 0;
}

struct StackPool::State {
  using End = StackPool::End;

  // Constant after construction.
  std::chrono::nanoseconds max_wait;
  std::vector<pthread_t> threads;

  Mutex mu;
  CondVar work;
  std::deque<std::shared_ptr<Job>> queue ABSL_GUARDED_BY(mu);
  bool stopping ABSL_GUARDED_BY(mu) = false;

  void Serve() {
    MutexLock lock(mu);
    while (true) {
      if (!queue.empty()) {
        const std::shared_ptr<Job> job = std::move(queue.front());
        queue.pop_front();
        mu.Unlock();
        job->function();
        mu.Lock();
        job->done = true;
        job->ended.NotifyOne();
      } else if (stopping) {
        return;
      } else {
        work.WaitFor(mu, std::chrono::seconds(60));
      }
    }
  }

  // Waits `for_thread` for a thread, and for the end of `function` at most `in_all`.
  End Run(std::chrono::nanoseconds for_thread, std::chrono::nanoseconds in_all,
          std::function<void()> function) {
    if (threads.empty()) return End::kNoThread;
    const auto job = std::make_shared<Job>();
    job->function = std::move(function);
    MutexLock lock(mu);
    queue.push_back(job);
    work.NotifyOne();
    const auto done = [&] { return job->done; };
    if (job->ended.WaitFor(mu, for_thread, done)) return End::kDone;
    const auto queued = std::find(queue.begin(), queue.end(), job);
    if (queued != queue.end()) {
      queue.erase(queued);
      return End::kNoThread;
    }
    if (in_all == std::chrono::nanoseconds::max()) {
      while (!job->ended.WaitFor(mu, std::chrono::seconds(60), done)) {
      }
      return End::kDone;
    }
    return job->ended.WaitFor(mu, in_all - for_thread, done) ? End::kDone : End::kLate;
  }

  static void* ThreadMain(void* state) {
    static_cast<State*>(state)->Serve();
    return nullptr;
  }
};

StackPool::StackPool(const StackPoolOptions& options) : state_(std::make_unique<State>()) {
  BK_CHECK(options.threads >= 1 && options.threads <= 64);
  state_->max_wait = absl::ToChronoNanoseconds(options.max_wait);
  pthread_attr_t attributes;
  BK_CHECK(pthread_attr_init(&attributes) == 0);
  BK_CHECK(pthread_attr_setstacksize(&attributes, options.stack_bytes) == 0);
  for (int i = 0; i < options.threads; ++i) {
    pthread_t thread;
    // A machine out of threads leaves a smaller pool; an empty one runs nothing.
    if (pthread_create(&thread, &attributes, &State::ThreadMain, state_.get()) != 0) break;
    pthread_setname_np(thread, "bk-judge");
    state_->threads.push_back(thread);
  }
  pthread_attr_destroy(&attributes);
}

StackPool::~StackPool() {
  {
    MutexLock lock(state_->mu);
    state_->stopping = true;
    state_->work.NotifyAll();
  }
  for (const pthread_t thread : state_->threads) pthread_join(thread, nullptr);
}

StackPool::End StackPool::RunWithin(absl::Duration deadline, std::function<void()> function) {
  return state_->Run(std::min(state_->max_wait, absl::ToChronoNanoseconds(deadline)),
                     absl::ToChronoNanoseconds(deadline), std::move(function));
}

bool StackPool::Run(absl::FunctionRef<void()> function) {
  // What runs here is bounded: its end is waited for.
  return state_->Run(state_->max_wait, std::chrono::nanoseconds::max(), function) == End::kDone;
}

}  // namespace bridgekeeper
