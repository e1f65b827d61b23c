// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the MySQL judge is held against: a schema, and statements made from a seed.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_MYSQL_STATEMENTS_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_MYSQL_STATEMENTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper {

// Makes the tables that the vectors and the statements made here name, in databases
// app and other.
extern const std::string_view kMysqlSchema[];
extern const size_t kMysqlSchemaSize;

// Makes queries from the grammar, with calls in every position.
class MysqlStatements {
 public:
  explicit MysqlStatements(uint32_t seed) : random_(seed) {}

  // A query that only reads.
  std::string Read();
  // The same with something at a random place that is not harmless.
  std::string Harmful();
  // `text` with a few of its tokens dropped, doubled, swapped, or with pieces put in
  // that end quotes and comments, or do harm.
  std::string Mutated(std::string_view text);

 private:
  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  std::string Pick(const std::vector<std::string_view>& from) {
    return std::string(from[Below(from.size())]);
  }

  std::string Query(int depth);
  std::string Tables(int depth);
  std::string Table(int depth);
  std::string Expression(int depth);
  std::string Call(int depth);
  std::string Harm();
  // White space or a comment.
  std::string Gap();
  std::string Case(std::string_view word);

  std::mt19937 random_;
  // How many more places pass before one is made harmful; below 0: never.
  int harmful_in_ = -1;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_MYSQL_STATEMENTS_H_
