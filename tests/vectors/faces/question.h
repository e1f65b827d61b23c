// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A vector's call and its answer in the SDK's words; a vector's state as a watched copy.

#ifndef BRIDGEKEEPER_TESTS_VECTORS_FACES_QUESTION_H_
#define BRIDGEKEEPER_TESTS_VECTORS_FACES_QUESTION_H_

#include <memory>
#include <string_view>
#include <vector>

#include "clients/sdk/decision_client.h"
#include "clients/sdk/policy_source.h"
#include "clients/sdk/watch_copy.h"
#include "policy/testing/decision_vectors.h"
#include "tests/vectors/faces/face.h"

namespace bridgekeeper::tests {

clients::Question QuestionOf(const DecisionVector& vector);
FaceAnswer AnswerOf(const clients::Answer& answer);

// The vector's state after it went over the watch.
class WatchedState : public clients::PolicySource {
 public:
  explicit WatchedState(const DecisionVector& vector);

  clients::PolicySnapshot View(std::string_view app) const override;
  bool WaitForFirst(absl::Duration) const override { return true; }
  // Nothing changes.
  std::unique_ptr<Subscription> Subscribe(ChangeListener) override { return nullptr; }
  clients::PolicySourceStats Stats() const override { return {.connected = true, .connects = 1}; }

 private:
  const absl::Duration age_;
  clients::WatchCopy copy_;
};

}  // namespace bridgekeeper::tests

#endif  // BRIDGEKEEPER_TESTS_VECTORS_FACES_QUESTION_H_
