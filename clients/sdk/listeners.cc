// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/listeners.h"

#include <cstdint>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "policy/base/mutex.h"

namespace bridgekeeper::clients {

struct Listeners::Rep {
  Mutex mu;
  CondVar call_ended;
  int64_t next_id ABSL_GUARDED_BY(mu) = 1;
  std::map<int64_t, std::shared_ptr<const PolicySource::ChangeListener>> listeners
      ABSL_GUARDED_BY(mu);
  int64_t running ABSL_GUARDED_BY(mu) = 0;  // id of the listener being called; 0: none
  std::thread::id runner ABSL_GUARDED_BY(mu);
};

class Listeners::SubscriptionImpl : public PolicySource::Subscription {
 public:
  SubscriptionImpl(std::shared_ptr<Rep> rep, int64_t id) : rep_(std::move(rep)), id_(id) {}

  ~SubscriptionImpl() override {
    MutexLock lock(rep_->mu);
    rep_->listeners.erase(id_);
    while (rep_->running == id_ && rep_->runner != std::this_thread::get_id()) {
      rep_->call_ended.WaitFor(rep_->mu, std::chrono::seconds(1));
    }
  }

 private:
  const std::shared_ptr<Rep> rep_;
  const int64_t id_;
};

Listeners::Listeners() : rep_(std::make_shared<Rep>()) {}
Listeners::~Listeners() = default;

std::unique_ptr<PolicySource::Subscription> Listeners::Subscribe(
    PolicySource::ChangeListener listener) {
  MutexLock lock(rep_->mu);
  const int64_t id = rep_->next_id++;
  rep_->listeners.emplace(
      id, std::make_shared<const PolicySource::ChangeListener>(std::move(listener)));
  return std::make_unique<SubscriptionImpl>(rep_, id);
}

void Listeners::Notify(std::span<const AppId> apps) {
  int64_t last = 0;
  while (true) {
    // Held while it runs: a listener may end its own subscription.
    std::shared_ptr<const PolicySource::ChangeListener> listener;
    {
      MutexLock lock(rep_->mu);
      const auto next = rep_->listeners.upper_bound(last);
      if (next == rep_->listeners.end()) return;
      last = next->first;
      listener = next->second;
      rep_->running = last;
      rep_->runner = std::this_thread::get_id();
    }
    (*listener)(apps);
    MutexLock lock(rep_->mu);
    rep_->running = 0;
    rep_->call_ended.NotifyAll();
  }
}

}  // namespace bridgekeeper::clients
