// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The statements that answer the tools on PostgreSQL. Every name in them is qualified,
// and what the caller says goes in as a parameter.
//
// Thread safety: free functions without state.
// Source: PostgreSQL 15, chapters 53 (system catalogues) and 9.26 (their functions).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_QUESTIONS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_QUESTIONS_H_

#include <optional>

#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/tools.h"

namespace bridgekeeper::bridge {

// See Backend::StatementFor().
std::optional<Statement> PostgresStatementFor(SandboxTool tool, const ToolArguments& arguments);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_POSTGRES_QUESTIONS_H_
