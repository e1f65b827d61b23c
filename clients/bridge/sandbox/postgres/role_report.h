// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a role and its database offer besides what role_risks.h refuses, and the SQL that
// makes a role that only reads. For the operator (`keeper-bridge check`); it decides
// nothing.
//
// Thread safety: free functions without state.
// Source: PostgreSQL 15, chapters 5.7 (privileges), 20.4 (temp_file_limit), 22 (roles), 42
// (languages), appendix F (extensions).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_REPORT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "clients/bridge/sandbox/backend.h"

namespace bridgekeeper::bridge {

// One row, which the two functions below read.
extern const char kRoleReportQuery[];

// "reader on shop, PostgreSQL 15.6".
std::string RoleAndDatabase(const std::vector<std::optional<std::string>>& row);

// What is worth a look.
std::vector<Finding> NotesOnRole(const std::vector<std::optional<std::string>>& row);

// A script for psql. It reads what the role of the report may read now, of the schemas
// that are not the server's own.
std::string ReadOnlyRoleSql(const std::vector<std::optional<std::string>>& row);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_REPORT_H_
