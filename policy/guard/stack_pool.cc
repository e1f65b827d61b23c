// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/stack_pool.h"

#include <pthread.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include "policy/base/check.h"
#include "policy/base/mutex.h"

namespace bridgekeeper {
namespace {

// What KnownStack says of this thread.
thread_local size_t known_stack_bytes = 0;

// One call of Run(), on its caller's stack.
struct Job {
  absl::FunctionRef<void()> function;
  bool done = false;
  CondVar ended;
};

}  // namespace

struct StackPool::State {
  // Constant after construction.
  size_t stack_bytes = 0;
  std::chrono::nanoseconds max_wait;
  std::vector<pthread_t> threads;

  Mutex mu;
  CondVar work;
  std::deque<Job*> queue ABSL_GUARDED_BY(mu);
  bool stopping ABSL_GUARDED_BY(mu) = false;

  void Serve() {
    MutexLock lock(mu);
    while (true) {
      if (!queue.empty()) {
        Job* job = queue.front();
        queue.pop_front();
        mu.Unlock();
        job->function();
        mu.Lock();
        job->done = true;
        // Under the lock: the job is gone as soon as its caller has seen `done`.
        job->ended.NotifyOne();
      } else if (stopping) {
        return;
      } else {
        work.WaitFor(mu, std::chrono::seconds(60));
      }
    }
  }

  static void* ThreadMain(void* state) {
    static_cast<State*>(state)->Serve();
    return nullptr;
  }
};

StackPool::StackPool(const StackPoolOptions& options) : state_(std::make_unique<State>()) {
  BK_CHECK(options.threads >= 1 && options.threads <= 64);
  state_->stack_bytes = options.stack_bytes;
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

KnownStack::KnownStack(size_t bytes) : before_(std::exchange(known_stack_bytes, bytes)) {}
KnownStack::~KnownStack() { known_stack_bytes = before_; }

bool StackPool::Run(absl::FunctionRef<void()> function) {
  State& state = *state_;
  if (known_stack_bytes >= state.stack_bytes) {
    function();
    return true;
  }
  if (state.threads.empty()) return false;
  Job job{function, false, {}};
  MutexLock lock(state.mu);
  state.queue.push_back(&job);
  state.work.NotifyOne();
  while (!job.done) {
    if (job.ended.WaitFor(state.mu, state.max_wait) || job.done) continue;
    const auto queued = std::find(state.queue.begin(), state.queue.end(), &job);
    if (queued != state.queue.end()) {
      state.queue.erase(queued);
      return false;
    }
    // It runs, and what runs here is bounded: wait on.
  }
  return true;
}

}  // namespace bridgekeeper
