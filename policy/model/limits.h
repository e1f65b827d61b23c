// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The largest values that a policy, a catalogue entry or a connection record may
// hold. Documents (policy/text) and the wire (proto/convert) refuse what is above;
// comments, code, error texts and tests share these names.

#ifndef BRIDGEKEEPER_POLICY_MODEL_LIMITS_H_
#define BRIDGEKEEPER_POLICY_MODEL_LIMITS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace bridgekeeper {

// McpPolicy.
inline constexpr size_t kMaxPolicyConnections = 10'000;  // ids, and overrides
inline constexpr size_t kMaxReasonBytes = 512;
inline constexpr size_t kMaxMaskPointers = 64;
inline constexpr size_t kMaxMaskPointerBytes = 256;
inline constexpr size_t kMaxRequires = 64;

// Limits: each starts at 1.
inline constexpr int64_t kMaxRowsLimit = 1'000'000'000;
inline constexpr int64_t kMaxBytesLimit = int64_t{1} << 30;
inline constexpr absl::Duration kMinTimeoutLimit = absl::Milliseconds(1);
inline constexpr absl::Duration kMaxTimeoutLimit = absl::Hours(24);

// CatalogEntry.
inline constexpr size_t kMaxArgumentNameBytes = 128;
inline constexpr size_t kMaxPayloadTemplateBytes = 1024;
inline constexpr size_t kMaxHarmlessArguments = 64;
inline constexpr size_t kPinBytes = 64;

// ConnectionRecord.
inline constexpr size_t kMaxConnectionNameBytes = 256;
inline constexpr size_t kMaxTypeBytes = 64;
inline constexpr size_t kMaxSqlModeBytes = 1024;
inline constexpr size_t kMaxSafeFunctions = 10'000;
inline constexpr size_t kMaxSafeFunctionBytes = 512;
inline constexpr size_t kMaxSafeFunctionsBytes = 1 << 20;  // of all together
inline constexpr size_t kMaxDatabases = 1000;
inline constexpr size_t kMaxDatabaseBytes = 128;

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_LIMITS_H_
