// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/role_risks.h"

#include <algorithm>

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kSuperuser = "superuser";

constexpr RoleRisk kRisks[] = {
    {kSuperuser, "a superuser: no right of the server stops it"},
    {"replication", "a role with REPLICATION: it reads everything, and slots outlast a rollback"},
    {"bypassrls", "a role with BYPASSRLS: row security does not hold for it"},
    {"createrole", "a role with CREATEROLE: it can give itself rights"},
    {"predefined_role", "a member of a predefined role other than pg_read_all_data"},
    {"owner", "the owner of tables: it may change or drop them, and row security passes it by"},
    {"function_rights", "a role that may run functions of the server that PUBLIC may not"},
};

}  // namespace

// Every name is qualified: the search path is the session's.
const char kScopeAndRoleQuery[] = R"sql(
WITH mine AS MATERIALIZED (
  SELECT r.* FROM pg_catalog.pg_roles r WHERE pg_catalog.pg_has_role(r.oid, 'MEMBER')),
risks(risk) AS (
  SELECT 'superuser' WHERE EXISTS (SELECT FROM mine WHERE rolsuper)
  UNION ALL SELECT 'replication' WHERE EXISTS (SELECT FROM mine WHERE rolreplication)
  UNION ALL SELECT 'bypassrls' WHERE EXISTS (SELECT FROM mine WHERE rolbypassrls)
  UNION ALL SELECT 'createrole' WHERE EXISTS (SELECT FROM mine WHERE rolcreaterole)
  UNION ALL SELECT 'predefined_role' WHERE EXISTS (
    SELECT FROM mine WHERE rolname ~ '^pg_' AND rolname NOT IN ('pg_read_all_data', 'pg_database_owner'))
  UNION ALL SELECT 'owner' WHERE EXISTS (
    SELECT FROM pg_catalog.pg_class c
    WHERE c.relowner = ANY (SELECT oid FROM mine) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
      AND c.relnamespace NOT IN (SELECT n.oid FROM pg_catalog.pg_namespace n
                                 WHERE n.nspname ~ '^pg_' OR n.nspname = 'information_schema'))
  UNION ALL SELECT 'function_rights' WHERE EXISTS (
    SELECT FROM pg_catalog.pg_proc p
    WHERE p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND p.proacl IS NOT NULL
      AND NOT EXISTS (SELECT FROM pg_catalog.aclexplode(p.proacl) a
                      WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')
      AND EXISTS (SELECT FROM mine WHERE pg_catalog.has_function_privilege(mine.oid, p.oid, 'EXECUTE'))))
SELECT pg_catalog.current_setting('transaction_read_only'),
       pg_catalog.current_setting('standard_conforming_strings'),
       pg_catalog.current_setting('client_encoding'),
       (SELECT pg_catalog.string_agg(risk, ',') FROM risks)
)sql";

std::span<const RoleRisk> AllRoleRisks() { return kRisks; }

std::vector<const RoleRisk*> RisksFound(std::string_view found) {
  std::vector<const RoleRisk*> risks;
  while (!found.empty()) {
    const size_t end = std::min(found.find(','), found.size());
    for (const RoleRisk& risk : kRisks) {
      if (risk.name == found.substr(0, end)) risks.push_back(&risk);
    }
    found.remove_prefix(std::min(end + 1, found.size()));
  }
  return risks;
}

std::vector<std::string> RisksNotAccepted(std::string_view found,
                                          std::span<const std::string> accepted) {
  const auto accepts = [&](std::string_view risk) {
    return std::find(accepted.begin(), accepted.end(), risk) != accepted.end();
  };
  std::vector<std::string> left;
  bool is_superuser = false;
  while (!found.empty()) {
    const size_t end = std::min(found.find(','), found.size());
    const std::string_view risk = found.substr(0, end);
    is_superuser = is_superuser || risk == kSuperuser;
    if (!accepts(risk)) left.emplace_back(risk);
    found.remove_prefix(std::min(end + 1, found.size()));
  }
  if (is_superuser && accepts(kSuperuser)) left.clear();
  return left;
}

}  // namespace bridgekeeper::bridge
