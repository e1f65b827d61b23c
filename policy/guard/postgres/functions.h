// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed inventory: what each function of PostgreSQL 15 and of Debian's
// extensions does (functions.tsv). A function that is not in it is not known.
//
// Source: policy/spec.md, clause G5.

#ifndef BRIDGEKEEPER_POLICY_GUARD_POSTGRES_FUNCTIONS_H_
#define BRIDGEKEEPER_POLICY_GUARD_POSTGRES_FUNCTIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::postgres {

// What a function does.
enum class FunctionEffect : uint8_t {
  kHarmless,
  kSensitive,    // other sessions' texts, settings, statistics with values, WAL
  kSecret,       // credentials, server files' contents
  kShowSetting,  // current_setting: goes by the setting's name
  kHostFile,     // reads, writes or lists files of the server's host
  kSetting,
  kDynamic,   // runs text that it is given
  kExternal,  // reaches another server
  kSession,   // this session's state
  kOtherSession,
  kLock,
  kSequence,
  kNotify,
  kResource,  // holds a connection, fills the cache
  kTransaction,
  kMaintenance,
  kLoWrite,
  kLoDelete,
  kSystemWrite,
  kDamage,    // removes or breaks data
  kIndirect,  // reads a relation that is named in a string
  kServer,
  kStoredCode,
  kInternal,  // called by the server, not by statements
};

struct FunctionEffectInfo {
  std::string_view name;  // as in functions.tsv
  std::string_view kind;  // Effect::kind; empty for harmless
  Risk risk;
  std::string_view why;
};
const FunctionEffectInfo& InfoOf(FunctionEffect effect);

// Any number of arguments.
inline constexpr uint8_t kAnyNumber = 255;

struct FunctionRow {
  std::string_view name;
  // The schema that a qualified call names; empty: an extension's, so any.
  std::string_view schema;
  // Only a call that names the schema is this function.
  bool elsewhere;
  uint8_t fewest;
  uint8_t most;
  FunctionEffect effect;
};

// All rows, ordered by name.
std::span<const FunctionRow> FunctionInventory();

// The worst effect among the functions that a call may mean; nullopt where none is
// known. `schema` is empty for an unqualified call; `arguments` is nullopt where
// their number is not known (VARIADIC).
std::optional<FunctionEffect> LookUpCall(std::string_view schema, std::string_view name,
                                         std::optional<size_t> arguments);

// The effect of `value.name` where that may call a function that is not harmless;
// nullopt where it can only be a column, or a harmless call.
std::optional<FunctionEffect> LookUpAttribute(std::string_view name);

}  // namespace bridgekeeper::postgres

#endif  // BRIDGEKEEPER_POLICY_GUARD_POSTGRES_FUNCTIONS_H_
