// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the tests of every back end read of an answer.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_TEST_UTIL_H_

#include <string>
#include <variant>

#include "clients/bridge/sandbox/backend.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {

// The answer, which is JSON, or "CODE: message".
inline std::string AnswerText(const RunResult& result) {
  if (const auto* error = std::get_if<RunError>(&result)) {
    return error->code + ": " + error->message;
  }
  const std::string& json = std::get<std::string>(result);
  EXPECT_THAT(JsonDocument::Parse(json), IsOk()) << json;
  return json;
}

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_BACKEND_TEST_UTIL_H_
