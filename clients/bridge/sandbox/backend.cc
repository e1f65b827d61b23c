// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/backend.h"

#include <utility>

namespace bridgekeeper::bridge {

Examination Backend::Examine(const RunLimits& limits, const StopSignal& stop) {
  Examination examination;
  const auto statement = StatementFor(SandboxTool::kListTables, {});
  if (!statement) return examination;
  RunResult result = Run(*statement, limits, stop);
  if (auto* error = std::get_if<RunError>(&result)) examination.refusal = std::move(*error);
  return examination;
}

}  // namespace bridgekeeper::bridge
