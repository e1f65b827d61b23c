// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchCopy is what the messages of WatchPolicies make: the records of some apps,
// compiled for deciding. It is the protocol without the network, so that every
// order of messages can be tried.
//
// What holds after each call, whatever came in:
//   - A message is applied whole or not at all; View() never shows a part of one.
//   - A snapshot replaces everything at its last message, and nothing before that.
//   - Within an incarnation the revision never goes back, a dropped copy included.
//   - A record that cannot be read makes the apps that it concerns kUnreadable,
//     until the same record comes in a form that can be.
//   - Age is an upper bound: it counts from before the message was sent.
//
// Thread safety: View(), token() and known() may be called from many threads at
// any time; everything else by one thread at a time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_WATCH_COPY_H_
#define BRIDGEKEEPER_CLIENTS_SDK_WATCH_COPY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/snapshot_cell.h"
#include "policy/base/strings.h"
#include "policy/model/ids.h"
#include "policy/model/policy.h"

namespace bridgekeeper::clients {

// Most records that a copy holds. Source: 1,000 apps (proto/convert/limits.h) with
// a policy and a thousand entries and connections each.
inline constexpr size_t kMaxCopiedRecords = 1'000'000;

class WatchCopy {
 public:
  // `apps` are those that are watched; a record of another one is not looked at.
  explicit WatchCopy(std::span<const AppId> apps);

  // Says that a new watch begins: half a snapshot of the last one is forgotten.
  void BeginWatch();

  struct Applied {
    std::vector<AppId> changed;   // apps that View() may answer differently now
    bool snapshot = false;        // a snapshot was taken over
    int64_t changes = 0;          // records changed outside a snapshot
    int64_t refused_records = 0;  // records that could not be read
  };

  // Applies one message. `waited_since` is the time since boot at which waiting for
  // it began, so that a message that lay in a buffer while the machine slept does
  // not look fresh.
  //
  // Errors (nothing was applied, and the watch must end):
  //   kInvalidArgument   - outside the protocol; the message says what.
  //   kOutOfRange        - would take the revision back.
  //   kResourceExhausted - more than kMaxCopiedRecords.
  absl::StatusOr<Applied> Apply(const v1::WatchPoliciesResponse& message,
                                absl::Duration waited_since);

  // Drops the copy: the source does not want us. Returns the apps that changed.
  std::vector<AppId> Drop();

  // What is known of `app`; `now` is the time since boot.
  PolicySnapshot View(std::string_view app, absl::Duration now) const;

  // The state of the copy; no incarnation where there is none.
  RevisionToken token() const { return published_.Load()->token; }
  // Age of the copy; infinite where there is none.
  absl::Duration Age(absl::Duration now) const { return AgeOf(*published_.Load(), now); }
  // Whether the source has answered: a copy was taken over, or dropped.
  bool known() const { return published_.Load()->known; }

 private:
  // Names a record. Those of one app stand together; what counts for every app
  // stands under the empty app.
  struct Key {
    std::string app;
    enum class Kind : uint8_t { kPolicy, kCatalogEntry, kConnection } kind = Kind::kPolicy;
    std::string server;  // catalogue entries only; empty: every server
    std::string id;      // tool or connection
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Unreadable {};
  struct Record {
    Revision revision;
    std::variant<Unreadable, McpPolicy, CatalogEntry, ConnectionRecord> value;
  };
  using Records = std::map<Key, Record>;
  struct Change {
    Key key;
    std::optional<Record> record;  // nullopt: deleted
  };

  struct AppState {
    PolicyView::State state = PolicyView::State::kNotReceived;
    std::shared_ptr<const CompiledPolicy> policy;
  };
  using Apps = StringMap<AppState>;

  // What readers see. Immutable; a heartbeat shares the apps of the one before.
  struct Published {
    std::shared_ptr<const Apps> apps;
    bool known = false;
    RevisionToken token;
    absl::Duration contact = -absl::InfiniteDuration();  // time since boot
    absl::Duration source_age;
  };

  static absl::Duration AgeOf(const Published& published, absl::Duration now);
  static absl::StatusOr<Key> KeyOf(const v1::Change& change);
  static absl::StatusOr<Change> Read(const v1::Change& change);

  absl::StatusOr<Applied> ApplySnapshotPart(const v1::WatchPoliciesResponse& message,
                                            absl::Duration waited_since, absl::Duration source_age);
  absl::StatusOr<Applied> ApplyChanges(const v1::WatchPoliciesResponse& message,
                                       absl::Duration waited_since, absl::Duration source_age);
  absl::Status CheckNotBack(const RevisionToken& token) const;
  bool Follows(const Key& key) const;
  std::vector<AppId> AllApps() const;
  AppState Compile(const AppId& app) const;
  void Publish(std::span<const AppId> changed, const RevisionToken& token, absl::Duration contact,
               absl::Duration source_age);

  const std::vector<AppId> apps_;
  Records records_;
  bool has_copy_ = false;
  // The highest revision that was ever taken over, also of a dropped copy.
  RevisionToken highest_;

  // A snapshot that is coming in.
  struct Staged {
    std::string incarnation;
    absl::Duration waited_since;
    Records records;
    int64_t refused_records = 0;
  };
  std::optional<Staged> staged_;

  SnapshotCell<Published> published_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_WATCH_COPY_H_
