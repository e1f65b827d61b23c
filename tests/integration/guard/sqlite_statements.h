// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the SQLite judge is held against: a schema, and statements made from a seed.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_SQLITE_STATEMENTS_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_SQLITE_STATEMENTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper {

// The tables that the vectors and the statements made here name.
extern const char kSqliteSchema[];

// Makes queries from SQLite's grammar, with calls in every position.
class SqliteStatements {
 public:
  explicit SqliteStatements(uint32_t seed) : random_(seed) {}

  // A query that only reads.
  std::string Read();
  // The same with a call or a table in it, at a random place, that is not harmless.
  std::string Harmful();
  // `text` with a few of its tokens dropped, doubled, swapped or replaced.
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
  std::string Arguments(int depth, size_t count);
  // White space or a comment.
  std::string Gap();
  std::string Quoted(std::string_view name, bool as_table);

  std::mt19937 random_;
  // How many more calls and tables pass before one is made harmful; below 0: never.
  int harmful_in_ = -1;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_SQLITE_STATEMENTS_H_
