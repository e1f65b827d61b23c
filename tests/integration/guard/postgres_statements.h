// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Statements for the soundness test: a schema, calls of every function of a server,
// and a generator of statements over kinds, positions and functions.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_STATEMENTS_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_STATEMENTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/support/postgres_session.h"

namespace bridgekeeper {

// Makes every extension of the machine, and tables that the vectors speak of.
void MakeSchema(support::PostgresSession& session);

// A function of the server.
struct ServerFunction {
  std::string schema;
  std::string name;
  std::string extension;  // empty: none
  int fewest = 0;
  int most = 0;                    // -1: any number
  char kind = 'f';                 // of pg_proc.prokind
  std::vector<std::string> types;  // of its arguments
};
std::vector<ServerFunction> ListFunctions(support::PostgresSession& session);

// `f(arguments)` with a plausible constant for each argument.
std::string CallOf(const ServerFunction& function);

struct Generated {
  std::string sql;
  // Whether the statement would only read if its function were harmless.
  bool reads = false;
  const ServerFunction* function = nullptr;
};

// Makes statements: a call in one of many positions, in a statement that may be
// wrapped in others.
class StatementGenerator {
 public:
  StatementGenerator(uint32_t seed, const std::vector<ServerFunction>& functions)
      : random_(seed), functions_(functions) {}

  Generated Next();

 private:
  size_t Pick(size_t count) { return std::uniform_int_distribution<size_t>(0, count - 1)(random_); }

  std::mt19937 random_;
  const std::vector<ServerFunction>& functions_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_POSTGRES_STATEMENTS_H_
