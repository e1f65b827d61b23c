// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakePolicySource holds what a test puts into it. It knows nothing until the
// first Set...(): WaitForFirst() returns at once, with whether there was one.
//
// Thread safety: all methods may be called from many threads at the same time;
// listeners run inside Set...().

#ifndef BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_POLICY_SOURCE_H_
#define BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_POLICY_SOURCE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "clients/sdk/listeners.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/mutex.h"

namespace bridgekeeper::clients {

class FakePolicySource : public PolicySource {
 public:
  // Puts a policy in force, with age zero, and tells the listeners.
  void SetPolicy(AppData data);

  // Takes the policy away and tells the listeners. REQUIRES: state is not kPresent
  void SetState(std::string_view app, PolicyView::State state);

  // The age of every app from now on. Tells nobody.
  void SetAge(absl::Duration age);

  PolicySnapshot View(std::string_view app) const override;
  bool WaitForFirst(absl::Duration timeout) const override;
  std::unique_ptr<Subscription> Subscribe(ChangeListener listener) override;
  PolicySourceStats Stats() const override;

 private:
  void Put(std::string_view app, PolicyView::State state,
           std::shared_ptr<const CompiledPolicy> policy);

  mutable Mutex mu_;
  std::map<std::string, PolicySnapshot, std::less<>> apps_ ABSL_GUARDED_BY(mu_);
  RevisionToken token_ ABSL_GUARDED_BY(mu_) = {std::string(32, 'f'), {}};
  absl::Duration age_ ABSL_GUARDED_BY(mu_);
  Mutex notify_mu_;  // one call to the listeners at a time
  Listeners listeners_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_POLICY_SOURCE_H_
