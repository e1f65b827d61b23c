// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/testing/fake_policy_source.h"

#include <utility>

#include "policy/base/check.h"

namespace bridgekeeper::clients {

void FakePolicySource::SetPolicy(AppData data) {
  const std::string app = data.policy.app.value();
  Put(app, PolicyView::State::kPresent, CompiledPolicy::Compile(std::move(data)));
}

void FakePolicySource::SetState(std::string_view app, PolicyView::State state) {
  BK_CHECK(state != PolicyView::State::kPresent);
  Put(app, state, nullptr);
}

void FakePolicySource::Put(std::string_view app, PolicyView::State state,
                           std::shared_ptr<const CompiledPolicy> policy) {
  {
    MutexLock lock(mu_);
    ++token_.revision.value;
    age_ = absl::ZeroDuration();
    PolicySnapshot& snapshot = apps_[std::string(app)];
    snapshot.state = state;
    snapshot.policy = std::move(policy);
  }
  const AppId changed[] = {AppId(app)};
  MutexLock lock(notify_mu_);
  listeners_.Notify(changed);
}

void FakePolicySource::SetAge(absl::Duration age) {
  MutexLock lock(mu_);
  age_ = age;
}

PolicySnapshot FakePolicySource::View(std::string_view app) const {
  MutexLock lock(mu_);
  const auto found = apps_.find(app);
  if (found == apps_.end()) return {};
  PolicySnapshot snapshot = found->second;
  snapshot.age = age_;
  snapshot.token = token_;
  return snapshot;
}

bool FakePolicySource::WaitForFirst(absl::Duration) const {
  MutexLock lock(mu_);
  return !apps_.empty();
}

std::unique_ptr<PolicySource::Subscription> FakePolicySource::Subscribe(ChangeListener listener) {
  return listeners_.Subscribe(std::move(listener));
}

PolicySourceStats FakePolicySource::Stats() const {
  MutexLock lock(mu_);
  PolicySourceStats stats;
  stats.connected = !apps_.empty();
  stats.token = token_;
  stats.age = age_;
  return stats;
}

}  // namespace bridgekeeper::clients
