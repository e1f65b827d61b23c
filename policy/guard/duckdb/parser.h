// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SqlParser is what the judge asks of DuckDB: only ever to parse, never to prepare,
// since preparing binds and so opens files.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_PARSER_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_PARSER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace bridgekeeper::duckdb {

class SqlParser {
 public:
  virtual ~SqlParser() = default;

  // What json_serialize_sql says of `text`: JSON, whether the text was read or not.
  //
  // Errors:
  //   kUnavailable - the engine did not answer.
  virtual absl::StatusOr<std::string> Serialize(std::string_view text) = 0;

  // How many statements `text` has.
  //
  // Errors:
  //   kInvalidArgument - it does not parse; the message is DuckDB's.
  //
  // REQUIRES: no statement of `text` is a PRAGMA, which acts when it is extracted.
  virtual absl::StatusOr<int> CountStatements(std::string_view text) = 0;
};

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_PARSER_H_
