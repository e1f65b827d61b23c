// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DecisionClient asks whether a tool call may run, for programs that hold the
// check in their own agent loop:
//
//   const auto answer = client->Decide({.app = "dockit", .tool = "list_containers"});
//   if (!answer.ok() || answer->verdict != Verdict::kAllow) refuse();
//
// RemoteDecisionClient asks keeperd for each call. CachedDecisionClient decides in
// this process on a copy that a PolicySource keeps fresh: no network in the call.
// Both give the same verdict, since both are the same engine.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_DECISION_CLIENT_H_
#define BRIDGEKEEPER_CLIENTS_SDK_DECISION_CLIENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "policy/guard/judge.h"
#include "policy/model/enums.h"
#include "policy/model/policy.h"
#include "runtime/id_source.h"

namespace bridgekeeper::clients {

// What to do where no decision can be had. There is no mode that lets a call run.
enum class FailureMode : uint8_t {
  // Answers DENY with the reason: PDP_UNREACHABLE, INVALID_REQUEST, OVERLOADED,
  // NOT_AUTHORIZED or EVALUATION_FAULT.
  kDeny,
  // Returns the error.
  kReturnError,
};

// A tool call to decide. What is not set was not said.
struct Question {
  std::string app;   // 1 to 128 bytes of [A-Za-z0-9._:@/-]
  std::string tool;  // 1 to 128 bytes
  std::optional<std::string> server;
  std::optional<std::string> connection;
  std::optional<std::string> arguments_json;  // a JSON object, at most 1 MiB
  std::optional<std::string> payload_json;    // a JSON string or object, at most 1 MiB
  std::optional<Risk> declared_risk;          // can raise the risk, never lower it
  std::optional<std::string> definition_digest;
  bool read_only_hint = false;
  bool listed_by_server = false;
  bool builtin_catalog = false;
};

struct Answer {
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason_code = ReasonCode::kUnspecified;
  Risk effective_risk = Risk::kDestructive;
  // For the user; holds no command.
  std::string reason;
  Revision policy_revision;
  Revision catalog_revision;
  std::string decision_id;  // empty where nobody decided
  bool judged = false;
  // What the caller must enforce where the verdict is not DENY.
  std::optional<Limits> obligations;
  // How an ASK reaches a person. Set where the verdict is ASK.
  std::optional<AskMode> ask_mode;
};

class DecisionClient {
 public:
  virtual ~DecisionClient() = default;

  // Decides one call. A denial is an OK answer.
  //
  // Errors (only under FailureMode::kReturnError):
  //   kInvalidArgument, kResourceExhausted - the question breaks a limit.
  //   kUnavailable, kDeadlineExceeded      - no decision could be had.
  //   kUnauthenticated, kPermissionDenied  - keeperd does not answer us.
  virtual absl::StatusOr<Answer> Decide(const Question& question) = 0;
};

// Asks keeperd. Waits `timeout` for an answer at most. Range: [1 ms, 1 h].
//
// Errors:
//   kInvalidArgument - `timeout` is outside its range.
absl::StatusOr<std::unique_ptr<DecisionClient>> MakeRemoteDecisionClient(
    std::shared_ptr<Channel> channel, absl::Duration timeout, FailureMode failure_mode);

struct CachedDecisionOptions {
  FailureMode failure_mode = FailureMode::kDeny;
  // Lowers the policy's own max_staleness. Unset: the policy's.
  std::optional<absl::Duration> max_staleness;
  // Judges payloads; null: none is judged. Must outlive the client.
  const PayloadJudge* judge = nullptr;
};

// Decides in this process. `source` and `ids` must outlive the client.
std::unique_ptr<DecisionClient> MakeCachedDecisionClient(const PolicySource& source, IdSource& ids,
                                                         const CachedDecisionOptions& options);

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_DECISION_CLIENT_H_
