// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the commands that change policies share: read what is there, show what would
// change, never lift a restriction that was not mentioned, write on top of exactly
// what was read.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_POLICY_FLOW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_POLICY_FLOW_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/cli/context.h"
#include "policy/model/issue.h"
#include "policy/model/policy.h"
#include "policy/text/value.h"

namespace bridgekeeper::cli {

inline constexpr Flag kReasonFlag = {
    .name = "--reason", .value = "TEXT", .help = "why, for the history"};
inline constexpr Flag kYesFlag = {
    .name = "--yes", .kind = Flag::Kind::kSwitch, .help = "do not ask; for scripts"};
inline constexpr Flag kAllConnectionsFlag = {
    .name = "--all-connections",
    .kind = Flag::Kind::kSwitch,
    .help = "every connection, where the policy names some now"};
inline constexpr Flag kExpectedRevisionFlag = {
    .name = "--expected-revision",
    .kind = Flag::Kind::kInteger,
    .value = "N",
    .help =
        "write only if the last change is this one (0: if there is none); else the one that is "
        "read now"};

// A policy as it was read.
struct StoredPolicy {
  AppId app;
  std::optional<McpPolicy> policy;  // nullopt: there is none
  int64_t revision = 0;             // of its last change; 0: there is none
  std::string last_change;          // "revision 4, by ann, 2026-07-01T12:00:00Z: too wide"
};

// Reads the policy of `app`, now or as of `revision`. None is no error.
absl::StatusOr<StoredPolicy> ReadPolicy(Context& context, const AppId& app, int64_t revision = 0);

// The same for several apps, in their order, and with fewer requests: a page of the
// policies whose apps start as theirs do, instead of one each.
absl::StatusOr<std::vector<StoredPolicy>> ReadPolicies(Context& context,
                                                       const std::vector<AppId>& apps);

// The same as ReadPolicy() where none is an error: kNotFound with the nearest name there is.
absl::StatusOr<StoredPolicy> ReadExistingPolicy(Context& context, const AppId& app);

// One line a field that differs: "mode: READ_ONLY -> FULL_ACCESS".
std::vector<std::string> ChangedFields(const Value& before, const Value& after);

// An error where `after` would allow every connection though `before` names some,
// unless --all-connections is given, or where it would lift a suspension (there is a
// command for that).
absl::Status CheckNothingLifted(const Context& context, const StoredPolicy& before,
                                const McpPolicy& after);

// Writes `after` on top of `before`, and prints what became of it. An ABORTED write
// shows what changed meanwhile.
absl::StatusOr<ExitCode> WritePolicy(Context& context, const StoredPolicy& before,
                                     const McpPolicy& after);

// For a write of `app` that the server aborted: what the policy became since it was
// read. Returns `status` with what to do.
absl::Status ShowWhatChanged(Context& context, absl::Status status, const StoredPolicy& read);

// Prints the issues of a document. An error where one of them is an error.
absl::Status ReportIssues(Context& context, const std::vector<Issue>& issues,
                          std::string_view file);

// The hint of the nearest name, or how to see all; `list` is a command.
std::string NearestHint(std::string_view name, const std::vector<std::string>& names,
                        std::string_view list);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_POLICY_FLOW_H_
