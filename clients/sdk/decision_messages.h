// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the decision clients share: questions and answers as messages, and answers
// made of failures.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_DECISION_MESSAGES_H_
#define BRIDGEKEEPER_CLIENTS_SDK_DECISION_MESSAGES_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/sdk/decision_client.h"

namespace bridgekeeper::clients {

v1::ToolCall ToProto(const Question& question);

v1::Decision ToProto(const Answer& answer);

// What is not known here reads as its strictest value.
Answer FromProto(const v1::Decision& decision);

// What `mode` makes of the fact that no decision could be had for `reason`.
absl::StatusOr<Answer> Failed(FailureMode mode, ReasonCode reason, absl::Status status);

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_DECISION_MESSAGES_H_
