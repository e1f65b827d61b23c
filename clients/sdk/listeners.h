// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Listeners holds the subscriptions of a PolicySource.
//
// Thread safety: Subscribe() and the end of a subscription may happen on any
// thread, inside a listener too. Notify() is called by one thread at a time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_LISTENERS_H_
#define BRIDGEKEEPER_CLIENTS_SDK_LISTENERS_H_

#include <memory>
#include <span>

#include "clients/sdk/policy_source.h"

namespace bridgekeeper::clients {

class Listeners {
 public:
  Listeners();
  ~Listeners();
  Listeners(const Listeners&) = delete;
  Listeners& operator=(const Listeners&) = delete;

  [[nodiscard]] std::unique_ptr<PolicySource::Subscription> Subscribe(
      PolicySource::ChangeListener listener);

  // Calls every listener, without a lock. One that subscribes meanwhile may be
  // left out; one whose subscription has ended is not called.
  void Notify(std::span<const AppId> apps);

 private:
  struct Rep;
  class SubscriptionImpl;
  const std::shared_ptr<Rep> rep_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_LISTENERS_H_
