// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The cases of the suite, one file an engine.
//
// attacks/<engine>.json, a list of
//   name        reads like a claim
//   does        what it tries: write, file, read_file, socket, session, server, leak,
//               stall, bloat, crash
//   sql         the statement, or `arguments`, an object, of
//   tool        without prefix; absent: execute_query
//   reason      why it is refused; absent: STATEMENT_EXCEEDS_TOOL. ALLOWED: the guard does
//               not refuse it, and what comes behind it must hold
//   hidden      true: the text does not show it, and the guard lets it pass; `reason` is the
//               code of what refuses it behind
//   control     what shows the hit where nothing stands before the engine; absent: `sql`
//   no_control  why nothing can show it
//   covered_by  with that: the case whose control shows that the same probe sees a hit; absent
//               where no case of the kind has one
//
// attacks/<engine>_guard_only.json, a list of what the engine does not refuse
//   name        of a case
//   leaves      parts of the state that it changes, or `answer`; mostly none
//   why         what that means
//
// reads/<engine>.json, a list of objects with
//   name, sql   and `rows`: how many come at least; absent: 1
//
// In texts, {word} stands for what EngineTarget::Fill() knows.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CASES_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CASES_H_

#include <cstdint>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::bridge {

struct AttackCase {
  std::string engine;
  std::string name;
  std::string does;
  std::string tool = "execute_query";
  std::string arguments;  // JSON; of `sql` where the case has that
  std::string sql;
  std::string reason = "STATEMENT_EXCEEDS_TOOL";
  bool hidden = false;
  std::string control;
  std::string no_control;
  std::string covered_by;

  // It does not want to change something but to use up the engine.
  bool exhausts() const { return does == "stall" || does == "bloat" || does == "crash"; }
  friend void PrintTo(const AttackCase& one, std::ostream* out) {
    *out << one.engine << ": " << one.tool << " " << one.arguments;
  }
};

struct GuardOnlyCase {
  std::set<std::string> leaves;
  std::string why;
};

struct ReadCase {
  std::string engine;
  std::string name;
  std::string sql;
  int64_t rows = 1;

  friend void PrintTo(const ReadCase& one, std::ostream* out) {
    *out << one.engine << ": " << one.sql;
  }
};

// Each ends the process where its file is not as described.
std::vector<AttackCase> LoadAttacks(std::string_view engine);
std::map<std::string, GuardOnlyCase> LoadGuardOnly(std::string_view engine);
std::vector<ReadCase> LoadReads(std::string_view engine);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_CASES_H_
