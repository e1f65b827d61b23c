// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The vectors of the guard: tests/vectors/guard/<dialect>.json, a list of
//
//   name      reads like a claim; the name of the test
//   source    why the case is there; may be absent
//   sql       the text, or `object` where the payload is a JSON object
//   options   safe_functions, databases, allow_sensitive_reads,
//             standard_conforming_strings, sql_mode; may be absent
//   risk      SAFE, ELEVATED, DESTRUCTIVE
//   error     EMPTY, MULTIPLE, UNREADABLE; absent: none
//   effects   "KIND" or "KIND object", each of which must be found; may be absent
//   message   what the error's message must hold; may be absent
//   too_large_to_run   true where its result is for the engine to bound; may be absent

#ifndef BRIDGEKEEPER_TESTS_VECTORS_GUARD_GUARD_VECTORS_H_
#define BRIDGEKEEPER_TESTS_VECTORS_GUARD_GUARD_VECTORS_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

struct GuardVector {
  std::string dialect;
  std::string name;
  std::string source;
  std::string sql;
  std::string object;  // the JSON text; empty where the payload is `sql`
  JudgeOptions options;
  Risk risk = Risk::kDestructive;
  Judgement::Error error = Judgement::Error::kNone;
  std::vector<std::string> effects;
  std::string message;
  bool too_large_to_run = false;

  // How a failing test shows it.
  friend void PrintTo(const GuardVector& vector, std::ostream* out) {
    *out << vector.dialect << ": " << (vector.object.empty() ? vector.sql : vector.object);
  }
};

// The vectors of a dialect. Ends the process where the file is not as described.
std::vector<GuardVector> LoadGuardVectors(std::string_view dialect);

// "" where `judgement` is what `vector` wants, else what differs.
std::string Mismatch(const GuardVector& vector, const Judgement& judgement);

std::string_view Name(Judgement::Error error);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_VECTORS_GUARD_GUARD_VECTORS_H_
