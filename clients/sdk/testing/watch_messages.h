// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Short ways to write the messages of a watch in tests.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_TESTING_WATCH_MESSAGES_H_
#define BRIDGEKEEPER_CLIENTS_SDK_TESTING_WATCH_MESSAGES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "bridgekeeper/v1/decision_service.pb.h"
#include "policy/model/enums.h"

namespace bridgekeeper::clients {

// Two stores.
inline constexpr std::string_view kThisStore = "00000000000000000000000000000001";
inline constexpr std::string_view kOtherStore = "00000000000000000000000000000002";

// A policy with every default but the mode.
v1::Change PolicyChange(int64_t revision, std::string_view app, Mode mode = Mode::kDataReadWrite);
v1::Change PolicyDeleted(int64_t revision, std::string_view app);
// An entry; an empty app or server is every one.
v1::Change EntryChange(int64_t revision, std::string_view app, std::string_view server,
                       std::string_view tool, Risk risk = Risk::kSafe);
v1::Change EntryDeleted(int64_t revision, std::string_view app, std::string_view server,
                        std::string_view tool);
v1::Change ConnectionChange(int64_t revision, std::string_view app, std::string_view id,
                            std::string_view type = "postgres");
v1::Change ConnectionDeleted(int64_t revision, std::string_view app, std::string_view id);
// A policy that no reader of this build accepts: a limit below its range.
v1::Change UnreadablePolicy(int64_t revision, std::string_view app);

// A message outside a snapshot; without changes, a heartbeat.
v1::WatchPoliciesResponse Changes(int64_t revision, std::vector<v1::Change> changes,
                                  std::string_view incarnation = kThisStore);
v1::WatchPoliciesResponse Heartbeat(int64_t revision, std::string_view incarnation = kThisStore);

// A snapshot in one message, and one of its messages.
v1::WatchPoliciesResponse Snapshot(int64_t revision, std::vector<v1::Change> changes,
                                   std::string_view incarnation = kThisStore);
struct Part {
  bool begin = false;
  bool end = false;
};
v1::WatchPoliciesResponse SnapshotPart(int64_t revision, Part part, std::vector<v1::Change> changes,
                                       std::string_view incarnation = kThisStore);

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_TESTING_WATCH_MESSAGES_H_
