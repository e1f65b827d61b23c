// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a role could do besides reading, and the one question that finds it out. A role
// with a risk that its connection does not name in `role_risks` is refused: READ ONLY
// and ROLLBACK undo none of this.
//
// Source: PostgreSQL 15, chapters 22.2 (role attributes) and 22.5 (predefined roles).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_RISKS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_RISKS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::bridge {

struct RoleRisk {
  std::string_view name;
  std::string_view meaning;  // "it is, or may become, ..."
};

// All of them. Each counts for the role and for every role that it may SET ROLE to.
std::span<const RoleRisk> AllRoleRisks();

// One row: transaction_read_only, standard_conforming_strings, client_encoding, and the
// risks of the session's role by name with commas between, or NULL. Reads data, so it
// fixes the transaction's mode: what comes after it cannot make it READ WRITE.
extern const char kScopeAndRoleQuery[];

// The risks of `found` (as the query answers it), each as what it means for this role.
std::vector<const RoleRisk*> RisksFound(std::string_view found);

// Those of `found` (as the query answers it) that `accepted` does not name. One that is
// accepted as a superuser is accepted with all that a superuser may do.
std::vector<std::string> RisksNotAccepted(std::string_view found,
                                          std::span<const std::string> accepted);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_ROLE_RISKS_H_
