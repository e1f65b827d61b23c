// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a caller's statement reaches that its text does not show, as the server itself
// resolves it. The statement is prepared, not planned, in the transaction that it will run in; the
// relations that parse analysis has locked then are where the search begins:
//
//   views, at any depth   their definitions are judged as if they were the statement
//   row security          so are the policies of each table that is reached
//   domains               so are the checks of those that the text may coerce to
//   foreign tables        are never known: they reach another server or the host
//   partitions, children  count as the table that is named
//   rules                 of a table that is changed are never known
//
// A function counts as ELEVATED, as one in the text does (clause G18): more than a read may
// be, and not more than a change. So a change is not refused for the triggers of its tables.
//
// A function that is no extension's, behind a view, a policy, a check, an operator or a
// cast, is not known, unless the connection's `safe_functions` lists it; nor is one in the
// text itself whose name the guard takes for the engine's or an extension's, or that
// `row.name` may call. Names in the text are looked for as plain text, so a column or a
// string of the same name counts too: rather a refusal too many. So does an operator whose
// token or word the text has, unless both of its types are ones that no value of it can have.
//
// What is reached stays as it is until the statement ends: the locks are the transaction's,
// and what was prepared keeps the functions that it was resolved to.
//
// Not seen: the bodies of functions; operators of extensions, and the functions of types
// and operator classes, which only a superuser can make.
//
// Thread safety: free functions without state.
// Source: PostgreSQL 15, chapters 10 (resolution), 53 (pg_depend, pg_rewrite, pg_policy,
// pg_cast), 54.12 (pg_locks).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_LIVE_CATALOGUE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_LIVE_CATALOGUE_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/guard/judge.h"
#include "policy/model/enums.h"

namespace bridgekeeper::bridge {

// One row, for UnknownBehind(). Its parameter is the text of the statement, which was
// prepared in the same transaction.
extern const char kReachedQuery[];

struct Reached {
  std::string what;  // for people
  Risk risk = Risk::kDestructive;
};
// What is reached and more harmful than `accepted`, or not known not to be; nullopt:
// nothing.
std::optional<Reached> UnknownBehind(const std::vector<std::optional<std::string>>& row,
                                     Risk accepted, const std::set<std::string>& safe_functions,
                                     const PayloadJudge& judge);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_LIVE_CATALOGUE_H_
