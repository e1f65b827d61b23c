// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicySource keeps a copy of some apps' policies. Whoever decides asks it for a
// snapshot of the app and hands that to the engine:
//
//   const PolicySnapshot snapshot = source.View("dockit");
//   const Decision decision = Decide(snapshot.view(), call, judge);
//
// WatchPolicySource (watch_policy_source.h) follows keeperd, FakePolicySource
// (testing/fake_policy_source.h) follows a test.
//
// Thread safety: all methods may be called from many threads at the same time.
// Source: policy/spec.md, section D, check 1.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_POLICY_SOURCE_H_
#define BRIDGEKEEPER_CLIENTS_SDK_POLICY_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/engine/engine.h"
#include "policy/model/ids.h"

namespace bridgekeeper::clients {

// Names a state of a store: revisions of two incarnations do not compare.
struct RevisionToken {
  std::string incarnation;  // 32 lower-case hexadecimal digits; empty: none yet
  Revision revision;
  friend bool operator==(const RevisionToken&, const RevisionToken&) = default;
};

// What is known of one app's policy at one moment. A value of its own: it stays
// what it is while the source goes on.
struct PolicySnapshot {
  PolicyView::State state = PolicyView::State::kNotReceived;
  std::shared_ptr<const CompiledPolicy> policy;  // not null iff state is kPresent
  // How long ago the source was last known to agree. Infinite before the first
  // contact.
  absl::Duration age = absl::InfiniteDuration();
  RevisionToken token;

  // The same for the engine. `max_staleness` may only lower the policy's own.
  // Borrows: this snapshot must outlive the view and every decision made on it.
  PolicyView view(std::optional<absl::Duration> max_staleness = std::nullopt) const& {
    return {state, policy.get(), age, max_staleness};
  }
  PolicyView view(std::optional<absl::Duration> = std::nullopt) && = delete;
};

// Counts since the source was made, for metrics and for ListBridges.
struct PolicySourceStats {
  bool connected = false;  // a watch is open and has delivered a message
  RevisionToken token;     // the state of the copy
  absl::Duration age = absl::InfiniteDuration();
  int64_t connects = 0;           // watches that delivered a first message
  int64_t failures = 0;           // watches that ended, for whatever reason
  int64_t missed_heartbeats = 0;  // of these, cut because nothing came in time
  int64_t snapshots = 0;          // taken over whole
  int64_t changes = 0;            // records changed outside a snapshot
  int64_t heartbeats = 0;
  int64_t refused_revisions = 0;  // messages that would have gone back in time
  int64_t refused_messages = 0;   // messages outside the protocol
  int64_t refused_records = 0;    // records that could not be read; their app denies
  std::string last_error;         // why the last watch ended; empty: none has
};

class PolicySource {
 public:
  // Told which apps changed: their policy, catalogue entries, connections or
  // state. Called on a thread of the source, one call at a time, with no lock
  // held; View() already answers the new state. It must return soon, since no
  // further change is taken in before that.
  using ChangeListener = std::function<void(std::span<const AppId> apps)>;

  // Ends a subscription when destroyed: waits for a call that is running, unless
  // it is destroyed inside that call. Must not outlive its source.
  class Subscription {
   public:
    virtual ~Subscription() = default;
  };

  virtual ~PolicySource() = default;

  // What is known of `app` now. An app that this source does not follow is
  // kNotReceived. Cheap: copies two pointers, no I/O.
  virtual PolicySnapshot View(std::string_view app) const = 0;

  // Waits until the source has answered for the first time (with a copy, or by
  // refusing us). Returns whether it has.
  virtual bool WaitForFirst(absl::Duration timeout) const = 0;

  [[nodiscard]] virtual std::unique_ptr<Subscription> Subscribe(ChangeListener listener) = 0;

  virtual PolicySourceStats Stats() const = 0;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_POLICY_SOURCE_H_
