// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// GoogleTest matchers for absl::Status and absl::StatusOr (this Abseil ships none).
//
//   EXPECT_THAT(store.Get(key), IsOk());
//   EXPECT_THAT(store.Get(key), IsOkAndHolds(Field(&Record::revision, 3)));
//   EXPECT_THAT(store.Get(key), StatusIs(absl::StatusCode::kNotFound, HasSubstr("dockit")));

#ifndef BRIDGEKEEPER_POLICY_TESTING_STATUS_MATCHERS_H_
#define BRIDGEKEEPER_POLICY_TESTING_STATUS_MATCHERS_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper {
namespace internal {

inline const absl::Status& StatusOf(const absl::Status& status) { return status; }
template <typename T>
const absl::Status& StatusOf(const absl::StatusOr<T>& value) {
  return value.status();
}

}  // namespace internal

MATCHER(IsOk, "is OK") {
  *result_listener << internal::StatusOf(arg).ToString();
  return internal::StatusOf(arg).ok();
}

MATCHER_P(StatusIs, code, "has status " + absl::StatusCodeToString(code)) {
  *result_listener << internal::StatusOf(arg).ToString();
  return internal::StatusOf(arg).code() == code;
}

MATCHER_P2(StatusIs, code, message, "has status " + absl::StatusCodeToString(code)) {
  const absl::Status& status = internal::StatusOf(arg);
  *result_listener << status.ToString();
  return status.code() == code &&
         ::testing::ExplainMatchResult(message, std::string(status.message()), result_listener);
}

MATCHER_P(IsOkAndHolds, inner, "is OK and its value matches") {
  if (!arg.ok()) {
    *result_listener << arg.status().ToString();
    return false;
  }
  return ::testing::ExplainMatchResult(inner, *arg, result_listener);
}

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_STATUS_MATCHERS_H_
