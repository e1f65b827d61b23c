// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// OwnedCall is a ToolCall that owns what its views look at.

#ifndef BRIDGEKEEPER_POLICY_TESTING_OWNED_CALL_H_
#define BRIDGEKEEPER_POLICY_TESTING_OWNED_CALL_H_

#include <optional>
#include <string>

#include "policy/base/json.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

struct OwnedCall {
  std::string tool;
  std::optional<std::string> server;
  std::optional<std::string> connection;
  std::optional<std::string> connection_type;
  std::optional<std::string> digest;
  std::optional<std::string> arguments_json;
  std::optional<std::string> payload_json;

  // Its views are bound by Bind(); the fields that are no views are set here.
  ToolCall call;

  OwnedCall() = default;
  OwnedCall(const OwnedCall&) = delete;
  OwnedCall& operator=(const OwnedCall&) = delete;

  // Points the views of `call` at the texts above. False where one of the JSON texts
  // cannot be read.
  bool Bind();

  // For people: what was asked.
  std::string Text() const;

 private:
  std::optional<JsonDocument> arguments_;
  std::optional<JsonDocument> payload_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_OWNED_CALL_H_
