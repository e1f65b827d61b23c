// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A face is a way to ask the product for a decision. Each is asked the vectors of
// tests/vectors/decision, from the state as it is written and sent to the answer as it
// is read.

#ifndef BRIDGEKEEPER_TESTS_VECTORS_FACES_FACE_H_
#define BRIDGEKEEPER_TESTS_VECTORS_FACES_FACE_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/model/enums.h"
#include "policy/model/policy.h"
#include "policy/testing/decision_vectors.h"

namespace bridgekeeper::tests {

// What a face answered.
struct FaceAnswer {
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
  Risk effective_risk = Risk::kDestructive;
  bool judged = false;
  std::optional<Limits> obligations;
  std::string text;
  // What the listing said of the tool: hidden, or its risk. Unset: there is none.
  bool has_listing = false;
  std::optional<Risk> listed;
};

class Face {
 public:
  virtual ~Face() = default;

  // Why the vector cannot be asked here, in a few words; empty: it can. The reasons are
  // those of the design, listed in faces_test.cc.
  virtual std::string CannotBeAsked(const DecisionVector& vector) const = 0;

  // What must be answered, where this face enforces more than the engine decides.
  virtual ReasonCode WantedReason(const DecisionVector& vector) const { return vector.reason; }

  // Whether the reason is told in the engine's own words.
  virtual bool SpeaksAsTheEngine(const DecisionVector&) const { return true; }

  // REQUIRES: the vector can be asked.
  virtual FaceAnswer Ask(const DecisionVector& vector) const = 0;
};

struct NamedFace {
  const char* name;
  std::unique_ptr<Face> face;
};

// The faces that the program at hand tests.
const std::vector<NamedFace>& Faces();

// The SDK's decision client on a copy that was sent as WatchPolicies sends it.
std::unique_ptr<Face> MakeCopyFace();

// tools/call and tools/list through the bridge's core on such a copy.
std::unique_ptr<Face> MakeBridgeFace();

// The SDK's remote client over a channel to a keeperd with that state.
std::unique_ptr<Face> MakeGrpcFace();

// For faces: the catalogue entry that covers the vector's tool, or null; whether what
// the tool is given is judged.
const CatalogEntry* EntryOf(const DecisionVector& vector);
bool HasPayloadRule(const DecisionVector& vector);

}  // namespace bridgekeeper::tests

#endif  // BRIDGEKEEPER_TESTS_VECTORS_FACES_FACE_H_
