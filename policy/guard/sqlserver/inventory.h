// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed inventory: what the functions, system views, system procedures,
// methods and hints of SQL Server 2022 and Azure SQL do. What is not in it is not
// known. inventory.py makes the tables from inventory.tsv.
//
// All names are asked in the form of FoldName(), so `*` in one stands for any letters.
//
// Source: policy/spec.md, clauses G4 and G5; the Transact-SQL reference.

#ifndef BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_INVENTORY_H_
#define BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_INVENTORY_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::sqlserver {

enum class Does : uint8_t {
  kHarmless,
  kSensitive,  // shows other sessions, settings, statistics with values, the log
  kSecret,     // shows credentials, keys or password hashes
  kHostFile,   // reads, lists or names files of the server's host
  kExternal,   // reaches another server
  kAllocates,  // as much as its arguments say
  kSequence,   // moves a sequence or a counter on
  kResource,   // holds or uses up what others need
  kDescribes,  // looks up all that a text names, in other servers too: as bad as the text
};

struct DoesInfo {
  std::string_view kind;  // Effect::kind; empty for harmless
  Risk risk;
  std::string_view why;
};
const DoesInfo& InfoOf(Does does);

// A function of the server that is called by one name, or as `sys.name`.
std::optional<Does> FindFunction(std::string_view name);
// A table-valued function of the server, called by one name or as `sys.name`.
std::optional<Does> FindTableFunction(std::string_view name);
// `@@name`.
std::optional<Does> FindGlobal(std::string_view name);
// A view or table of the schema sys. The server has more than are listed: those not
// found count as kSensitive.
std::optional<Does> FindSystemView(std::string_view name);
// A view of the old system catalogue, which needs no schema (`sysobjects`).
std::optional<Does> FindOldView(std::string_view name);
// A table of msdb: jobs, their steps, mail, backups.
std::optional<Does> FindJobTable(std::string_view name);
// A system procedure that only reads, whatever its arguments.
std::optional<Does> FindProcedure(std::string_view name);
// A method of the server's own types, xml among them, on a value: `.ToString()`.
std::optional<Does> FindMethod(std::string_view name);
// A setting of SERVERPROPERTY and its like that is harmless.
bool IsHarmlessProperty(std::string_view name);

enum class HintClass : uint8_t {
  kUnknown,
  kPlain,
  kLocks,  // keeps rows or a table locked beyond reading them
};
// A table hint: NOLOCK, UPDLOCK, ... `name` in lower case.
HintClass FindHint(std::string_view name);

// The largest number of repetitions that REPLICATE may make of a value that is not a
// constant.
inline constexpr int kMaxRepetitions = 1 << 16;

}  // namespace bridgekeeper::sqlserver

#endif  // BRIDGEKEEPER_POLICY_GUARD_SQLSERVER_INVENTORY_H_
