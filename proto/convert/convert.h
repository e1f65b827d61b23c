// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Converts between the messages of bridgekeeper.v1 and the model, and holds every
// request to its limits. This is the one boundary at which what came from the wire
// or the disk is checked: behind it the model holds valid values only.
//
// Errors of the From... functions:
//   kInvalidArgument   - a value outside its documented range or form; the message
//                        names the field, what was got and what is wanted, all
//                        problems of a message at once, separated by "; ".
//   kResourceExhausted - a limit of limits.h was passed; the message names it.
//
// A message with problems of both kinds is kInvalidArgument. An unset or unknown
// enum value becomes the strictest one.

#ifndef BRIDGEKEEPER_PROTO_CONVERT_CONVERT_H_
#define BRIDGEKEEPER_PROTO_CONVERT_CONVERT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy.pb.h"
#include "bridgekeeper/v1/types.pb.h"
#include "policy/base/json.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper::convert {

v1::Verdict ToProto(Verdict value);
v1::Risk ToProto(Risk value);
v1::Action ToProto(Action value);
v1::Mode ToProto(Mode value);
v1::AskMode ToProto(AskMode value);
v1::UnreviewedTools ToProto(UnreviewedTools value);
v1::Pinning ToProto(Pinning value);
v1::Passage ToProto(Passage value);
v1::ReasonCode ToProto(ReasonCode value);
v1::NeedsConnection ToProto(NeedsConnection value);

Verdict FromProto(v1::Verdict value);            // unknown: kDeny
Risk FromProto(v1::Risk value);                  // unknown: kDestructive
Mode FromProto(v1::Mode value);                  // unknown: kReadOnly
AskMode FromProto(v1::AskMode value);            // unknown: kApproval
UnreviewedTools FromProto(v1::UnreviewedTools value);  // unknown: kDeny
Pinning FromProto(v1::Pinning value);            // unknown: kEnforce
ReasonCode FromProto(v1::ReasonCode value);      // unknown: kUnspecified
NeedsConnection FromProto(v1::NeedsConnection value);  // unset: kUnknown; unknown: kYes
std::optional<Action> FromProto(v1::Action value);     // unknown: nullopt
std::optional<Passage> FromProto(v1::Passage value);   // unset: nullopt; unknown: kDeny

v1::Policy ToProto(const McpPolicy& policy);
v1::CatalogEntry ToProto(const CatalogEntry& entry);
v1::CatalogKey ToProto(const CatalogKey& key);
v1::Connection ToProto(const ConnectionRecord& record);
v1::Limits ToProto(const Limits& limits);
v1::Judgement ToProto(const Judgement& judgement);

absl::StatusOr<McpPolicy> FromProto(const v1::Policy& policy);
absl::StatusOr<CatalogEntry> FromProto(const v1::CatalogEntry& entry);
absl::StatusOr<CatalogKey> FromProto(const v1::CatalogKey& key);
absl::StatusOr<ConnectionRecord> FromProto(const v1::Connection& record);
Limits FromProto(const v1::Limits& limits);  // out of range: the nearest stricter value

// A call with what it needs to stay alive. Neither copyable nor movable: the call
// holds views into the message, which must outlive it.
class CheckedCall {
 public:
  // Checks `call` and parses its JSON.
  //
  // Errors: as listed at the top. The caller's own fault in each case: a unary RPC
  // answers the status, a batch item answers DENY INVALID_REQUEST.
  static absl::Status Read(const v1::ToolCall& call, CheckedCall& out);

  CheckedCall() = default;
  CheckedCall(const CheckedCall&) = delete;
  CheckedCall& operator=(const CheckedCall&) = delete;

  std::string_view app() const { return app_; }
  const ToolCall& call() const { return call_; }

 private:
  std::string_view app_;
  std::optional<JsonDocument> arguments_;
  std::optional<JsonDocument> payload_;
  ToolCall call_;
};

// Writes everything of a decision but its id.
void ToProto(const Decision& decision, AskMode ask_mode, std::string reason,
             Revision policy_revision, Revision catalog_revision, v1::Decision& out);

google::protobuf::Duration ToProto(absl::Duration duration);
absl::Duration FromProto(const google::protobuf::Duration& duration);
google::protobuf::Timestamp ToProto(absl::Time time);
absl::Time FromProto(const google::protobuf::Timestamp& time);

// OK where `id` is a valid id; `field` names it in the error.
absl::Status CheckId(std::string_view field, std::string_view id);

}  // namespace bridgekeeper::convert

#endif  // BRIDGEKEEPER_PROTO_CONVERT_CONVERT_H_
