// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Generated DuckDB statements over the tables of kDuckdbSchema.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_STATEMENTS_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_STATEMENTS_H_

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace bridgekeeper {

inline constexpr char kDuckdbSchema[] =
    "CREATE TABLE t (a INTEGER, b INTEGER, name VARCHAR, d DATE, l INTEGER[],"
    "  s STRUCT(x INTEGER, y VARCHAR), j JSON, k DOUBLE);"
    "INSERT INTO t VALUES (1, 2, 'one', DATE '2020-01-01', [1, 2], {'x': 1, 'y': 'z'}, '{\"a\": "
    "1}', 0.5),"
    "  (2, NULL, 'two', NULL, [], NULL, '[]', 1.5), (3, 4, 'x,y', DATE '2021-05-06', NULL, {'x': "
    "2, 'y': ''}, '1', -1);"
    "CREATE TABLE u (a INTEGER, b INTEGER, c VARCHAR);"
    "INSERT INTO u VALUES (1, 1, 'c'), (3, 9, 'd');"
    "CREATE VIEW v AS SELECT a, upper(name) AS n FROM t;"
    "CREATE SEQUENCE seq;";

class DuckdbStatements {
 public:
  explicit DuckdbStatements(uint32_t seed) : random_(seed) {}

  // A query that only reads.
  std::string Read();
  // A statement that does not only read: a read with something harmful in it, or another
  // kind of statement.
  std::string Harmful();

 private:
  std::string Query(int depth);
  std::string From(int depth);
  std::string Number(int depth);
  std::string Text(int depth);
  std::string Condition(int depth);
  std::string_view Pick(std::initializer_list<std::string_view> of);
  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

  std::mt19937 random_;
  // What Number() returns next instead; empty: nothing.
  std::string planted_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_GUARD_DUCKDB_STATEMENTS_H_
