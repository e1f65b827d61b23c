// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_DUCKDB_TARGET_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_DUCKDB_TARGET_H_

#include <memory>

#include "absl/status/statusor.h"
#include "tests/integration/sandbox/engine_target.h"

namespace bridgekeeper::bridge {

absl::StatusOr<std::unique_ptr<EngineTarget>> StartDuckdbTarget();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_DUCKDB_TARGET_H_
