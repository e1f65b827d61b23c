// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The vectors of tests/vectors/decision/*.json: policy/spec.md clause by clause, as
// questions with their answers. Every face of the product can be asked them.
//
// A file is an object: `setup` holds what its cases share, `cases` the cases; what a
// case says replaces what the setup says. Members of a case:
//
//   name         PascalCase, unique in its file; reads like a claim
//   clause       of policy/spec.md, "D16"; several: "D16 P1"
//   report       the fault that it answers, in words; may be absent
//   state        NOT_RECEIVED, UNKNOWN_APP or NOT_AUTHORIZED; absent: there is a policy
//   age, bound   of the copy, as a duration; absent: zero, none
//   policy       a policy document; its app is "app"
//   catalog      catalogue documents: an absent app or server is every one
//   connections  connection documents of that app
//   call         {tool, server, builtin_catalog, connection, connection_type,
//                 arguments, payload, declared_risk, definition_digest,
//                 read_only_hint, listed_by_server, read_only_bridge}
//   judge        true: FakeJudge judges; absent or false: no judge is at hand
//   proven       true: its judgements are proven
//   verdict, reason_code
//   effective_risk, judged, definition_changed, obligations (documents of limits)
//                where given, they must hold too
//   listed       the risk that the tool's annotations tell, or "HIDDEN": what a
//                listing on the call's connection says
//   text_has     fragments of the reason text

#ifndef BRIDGEKEEPER_POLICY_TESTING_DECISION_VECTORS_H_
#define BRIDGEKEEPER_POLICY_TESTING_DECISION_VECTORS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "policy/testing/owned_call.h"
#include "policy/testing/reference_engine.h"

namespace bridgekeeper {

struct DecisionVector {
  std::string file;  // "payload", without folder and ending
  std::string name;
  std::vector<std::string> clauses;

  ReferenceWorld world;
  OwnedCall call;
  bool judge = false;
  bool proven = false;

  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
  std::optional<Risk> effective_risk;
  std::optional<bool> judged;
  std::optional<bool> definition_changed;
  std::optional<Limits> obligations;

  // Whether the vector says anything about the listing, and what: nullopt is hidden.
  bool says_listed = false;
  std::optional<Risk> listed;

  std::vector<std::string> text_has;
};

// All vectors, by file and in the order of the file. Ends the process where a file
// cannot be read or holds a member that is not listed above.
const std::vector<std::unique_ptr<DecisionVector>>& DecisionVectors();

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_DECISION_VECTORS_H_
