// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The ways in which a text may be read. Where the connection's record names the
// session's sql_mode there is one; where it does not, or names a mode that is not
// known, the default is assumed and the others that cut the text elsewhere are judged
// too, and the worst counts.
//
// Source: policy/spec.md, clause G30; MySQL Reference Manual, "Server SQL Modes";
// MariaDB's "SQL_MODE".

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_MODES_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_MODES_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/guard/mysql/token.h"

namespace bridgekeeper::mysql {

// The readings of `text`, the likeliest first; what executable comments are is left
// open in each.
//
// Errors:
//   kUnimplemented - ORACLE or MSSQL: with them MariaDB reads another language.
absl::StatusOr<std::vector<Reading>> ReadingsOf(std::string_view text,
                                                const std::optional<std::string>& sql_mode);

// " with ..." of what differs from the default; empty: nothing.
std::string Describe(const Reading& reading);

// The next choice for the executable comments that `read` met, in `versions`; false:
// there is none.
bool NextVersions(const Tokens& read, std::vector<Version>& versions);

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_MODES_H_
