// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/fake_judge.h"
#include "runtime/testing/fake_id_source.h"
#include "tests/vectors/faces/face.h"
#include "tests/vectors/faces/question.h"

namespace bridgekeeper::tests {
namespace {

class CopyFace : public Face {
 public:
  std::string CannotBeAsked(const DecisionVector& vector) const override {
    if (vector.call.digest && vector.call.digest->size() != 64) return "a digest cut short";
    if (vector.call.connection_type) return "a connection type that a bridge was told";
    if (vector.call.call.read_only_bridge) return "a read-only bridge";
    return "";
  }

  // What breaks a limit of the wire is refused in the wire's words.
  bool SpeaksAsTheEngine(const DecisionVector& vector) const override {
    return vector.reason != ReasonCode::kInvalidRequest;
  }

  FaceAnswer Ask(const DecisionVector& vector) const override {
    const WatchedState state(vector);
    FakeIdSource ids;
    FakeJudge judge;
    judge.proven = vector.proven;
    const auto client = clients::MakeCachedDecisionClient(
        state, ids,
        {.max_staleness = vector.world.max_staleness, .judge = vector.judge ? &judge : nullptr});
    const auto answer = client->Decide(QuestionOf(vector));
    if (!answer.ok()) return {.text = answer.status().ToString()};
    return AnswerOf(*answer);
  }
};

}  // namespace

std::unique_ptr<Face> MakeCopyFace() { return std::make_unique<CopyFace>(); }

}  // namespace bridgekeeper::tests
