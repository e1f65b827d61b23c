// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchPolicySource follows keeperd: a thread of its own keeps one WatchPolicies
// call open and its copy fresh. While keeperd is away the copy stays and its age
// grows, until the engine finds it too old.
//
//   what happens                       what it does
//   the watch ends                     waits (back-off with jitter), then resumes
//                                      after the revision that it has
//   no message within two heartbeats   ends the watch itself, then the same
//   UNAUTHENTICATED, PERMISSION_DENIED drops the copy at once (kNotAuthorized) and
//                                      tries again, with the token read anew
//   a message outside the protocol, or refuses the message whole, ends the watch,
//   one that would go back in time     and asks for a snapshot
//
// Thread safety: see policy_source.h. Listeners must not destroy the source.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_WATCH_POLICY_SOURCE_H_
#define BRIDGEKEEPER_CLIENTS_SDK_WATCH_POLICY_SOURCE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"

namespace bridgekeeper::clients {

struct WatchOptions {
  // The apps to follow. 1 to 1,000.
  std::vector<AppId> apps;
  // Name for ListBridges. At most 128 bytes; may be empty.
  std::string bridge;
  // A watch that has not delivered its first message by then is ended.
  absl::Duration first_message_timeout = absl::Seconds(10);
  // The wait before the next watch: doubles from the one to the other, less up to
  // half of it at random. Range: [1 ms, 1 h].
  absl::Duration min_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(5);
};

class WatchPolicySource : public PolicySource {
 public:
  // Starts to follow. Does not wait for keeperd: until it answers, every app is
  // kNotReceived. `clock` and `ids` must outlive the source.
  //
  // Errors:
  //   kInvalidArgument - an option is outside its range; the message names it.
  static absl::StatusOr<std::unique_ptr<WatchPolicySource>> Create(std::shared_ptr<Channel> channel,
                                                                   const WatchOptions& options,
                                                                   const Clock& clock,
                                                                   IdSource& ids);

  // Ends the watch; returns once no listener runs any more.
  ~WatchPolicySource() override;

  PolicySnapshot View(std::string_view app) const override;
  bool WaitForFirst(absl::Duration timeout) const override;
  std::unique_ptr<Subscription> Subscribe(ChangeListener listener) override;
  PolicySourceStats Stats() const override;

 private:
  class Watch;
  explicit WatchPolicySource(std::unique_ptr<Watch> watch);
  const std::unique_ptr<Watch> watch_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_WATCH_POLICY_SOURCE_H_
