// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Tables and variables of MySQL and MariaDB that are not plain data.
//
// Source: policy/spec.md, clauses G4, G6 and G32; MySQL 5.7 to 9 and MariaDB 10 to 12
// manuals.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_CATALOGUE_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_CATALOGUE_H_

#include <cstdint>
#include <string_view>

namespace bridgekeeper::mysql {

// What reading it shows or does.
enum class Shows : uint8_t {
  kPlain,
  kSensitive,  // other sessions, settings, privileges, statistics with values, replication
  kSecret,     // credentials
  kFiles,      // names of the host's files
  kResets,     // reading it sets counters back
};

// All names are in lower case.

// Schemas that every server has: mysql, information_schema, performance_schema, sys.
bool IsSystemSchema(std::string_view schema);

// What reading `table` shows. REQUIRES: IsSystemSchema(schema)
Shows ReadingShows(std::string_view schema, std::string_view table);

// What the value of a system variable shows.
Shows VariableShows(std::string_view name);

// The same for SHOW VARIABLES LIKE `pattern`.
Shows VariablesShow(std::string_view pattern);

// Storage engines that keep a table's rows in files or memory of the server itself
// and nowhere else.
bool IsPlainEngine(std::string_view name);

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_CATALOGUE_H_
