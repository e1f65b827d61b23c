// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed inventory: what each function, module, eponymous table and PRAGMA of
// SQLite 3.40 does, of Debian's library and of its shell, and of later releases
// where they only compute. What is not in it is not known. inventory_test.cc lists
// what the linked library has and this lacks.
//
// Source: policy/spec.md, clauses G5, G22 and G23.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLITE_INVENTORY_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLITE_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::sqlite {

enum class Does : uint8_t {
  kHarmless,
  kAllocates,    // as much as its argument says: harmless up to kMaxBlobBytes
  kFormats,      // as much as its format says: harmless where that is spelled out and small
  kSensitive,    // shows other statements, host paths or raw pages
  kHostFile,     // reads, writes or lists files of the host
  kHostProgram,  // starts a program
  kExtension,    // loads code
  kCodeAddress,  // takes or gives addresses of code
  kDynamic,      // compiles or runs text that it is given
  kIndirect,     // reads a table that is named in a string
  kLog,          // writes a line into the program's log or output
  kResource,     // holds the connection
  kMaintenance,  // rewrites an index, loses nothing
};

struct DoesInfo {
  std::string_view kind;  // Effect::kind; empty for harmless
  Risk risk;
  std::string_view why;
};
const DoesInfo& InfoOf(Does does);

// The largest zeroblob() or randomblob(), and the widest format, that is harmless.
inline constexpr int kMaxBlobBytes = 1 << 20;

// All names are in lower case.

// A function in an expression: scalar, aggregate or window.
std::optional<Does> FindFunction(std::string_view name);
// A table-valued function or eponymous table in FROM, or after IN. Called `pragma_x`:
// as the PRAGMA x is.
std::optional<Does> FindTable(std::string_view name);

// What CREATE VIRTUAL TABLE ... USING `name` makes.
enum class ModuleClass : uint8_t {
  kUnknown,
  kPlain,     // keeps its rows in tables of the same database
  kHostFile,  // shows a file of the host
};
ModuleClass FindModule(std::string_view name);

// What a PRAGMA does without and with a value.
enum class PragmaClass : uint8_t {
  kReads,             // reads, whatever its argument
  kShowsOrSets,       // reads; with a value it changes a setting
  kShowsOrStores,     // reads; with a value it stores a number of the application's
  kShowsPaths,        // reads paths of the host
  kShowsOrSetsPaths,  // the same; with a value it changes the process
  kMaintains,         // acts without a value: ANALYZE, checkpoint, vacuum
  kSets,              // only ever changes a setting
};
std::optional<PragmaClass> FindPragma(std::string_view name);

// Rows of the schema itself, of statistics and of sequences: a name that SQLite
// keeps for itself.
bool IsSystemTable(std::string_view name);

}  // namespace bridgekeeper::sqlite

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLITE_INVENTORY_H_
