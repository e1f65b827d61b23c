// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed inventory, functions.tsv: what each function, table function, PRAGMA
// and built-in view of the linked DuckDB does. What is not in it is not known.
//
// Source: policy/spec.md, clauses G4, G5 and G25 to G29.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_INVENTORY_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::duckdb {

enum class Kind : uint8_t { kFunction, kPragma, kTable, kView };

enum class Does : uint8_t {
  kHarmless,
  kNamesTable,    // shows the definition of the table that a string names
  kNamesSetting,  // shows the setting that a string names
  kSensitive,     // shows settings, other statements, paths of the host, statistics
  kCredentials,   // shows secrets, or settings that hold them
  kHostFile,      // opens or lists files of the host, or fetches URLs
  kIndirect,      // reads the table or file that a string names
  kDynamic,       // runs text that it is given
  kSetting,       // changes a setting, or what is logged
  kMaintenance,   // writes what is in memory to disk
  kEndsOthers,    // the same, and ends other transactions
  kSequence,      // moves or reads a sequence
  kSession,       // changes the session
  kLog,           // writes the caller's text into a log
  kResource,      // holds the connection, or can end the process
  kEngine,        // for the engine's own plans
  kAddress,       // takes an address in the process
};

struct DoesInfo {
  std::string_view kind;  // Effect::kind; empty for harmless
  Risk risk;
  std::string_view why;
};
const DoesInfo& InfoOf(Does does);

// `name` in lower case.
std::optional<Does> Find(Kind kind, std::string_view name);

// A setting that current_setting() may show, in lower case.
bool IsHarmlessSetting(std::string_view name);

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_INVENTORY_H_
