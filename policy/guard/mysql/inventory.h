// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed inventory: what each function of MySQL 5.7 to 9 and of MariaDB 10 to
// 12 does, and of the plugins and user-defined functions that are known to do harm.
// What is not in it is not known.
//
// Source: policy/spec.md, clauses G5 and G31; the functions' chapters of both
// manuals; MariaDB 10.11's information_schema.SQL_FUNCTIONS, which
// mysql_soundness_test.cc holds this list against.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_INVENTORY_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::mysql {

enum class Does : uint8_t {
  kHarmless,
  kSensitive,     // shows replication or plugin data
  kSecret,        // shows or changes keys, or shows other sessions' statements
  kResource,      // holds the connection
  kLock,          // takes or gives up a lock by name
  kSequence,      // moves a sequence on
  kLastInsertId,  // harmless without an argument; with one it changes the session
  kHostFile,      // reads a file of the host
  kHostProgram,   // starts a program
  kExternal,      // reaches another server
  kServer,        // changes replication, the firewall or what the server rewrites
};

struct DoesInfo {
  std::string_view kind;  // Effect::kind; empty for harmless
  Risk risk;
  std::string_view why;
};
const DoesInfo& InfoOf(Does does);

// How a name has to stand before its `(` to be this function; otherwise it is a
// stored function with that name.
enum class Form : uint8_t {
  kAnywhere,  // `name`(x), name (x), name(x)
  kUnquoted,  // a word of the grammar: name (x), name(x)
  kAdjacent,  // name(x); name (x) with IGNORE_SPACE only
};

struct Function {
  Does does;
  Form form;
};

// `name` in lower case. Words of the grammar that `(` may follow (`against`, `datetime`)
// count as harmless functions.
std::optional<Function> FindFunction(std::string_view name);

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_INVENTORY_H_
