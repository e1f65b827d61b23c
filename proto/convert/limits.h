// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Every limit that requests are held to, published by GetServerInfo. Code, comments
// in the .proto files, error texts and tests share these names.

#ifndef BRIDGEKEEPER_PROTO_CONVERT_LIMITS_H_
#define BRIDGEKEEPER_PROTO_CONVERT_LIMITS_H_

#include <cstddef>

#include "policy/model/ids.h"
#include "policy/model/limits.h"

namespace bridgekeeper::convert {

inline constexpr size_t kMaxArgumentsBytes = 1 << 20;
inline constexpr size_t kMaxPayloadBytes = 1 << 20;
inline constexpr int kMaxJsonDepth = 128;
inline constexpr size_t kMaxBatchItems = 1000;
inline constexpr size_t kMaxPolicyBatchItems = 10'000;
inline constexpr size_t kMaxCatalogBatchItems = 1000;
inline constexpr size_t kMaxWatchApps = 1000;
// gRPC's default of 4 MiB, stated: a message above it is RESOURCE_EXHAUSTED.
inline constexpr size_t kMaxMessageBytes = 4 << 20;
inline constexpr size_t kMaxPageSize = 1000;
inline constexpr size_t kMaxAuthorBytes = 256;
inline constexpr size_t kMaxRequestIdBytes = 128;
inline constexpr size_t kMaxReportedTools = 1000;
inline constexpr size_t kMaxDefinitionBytes = 16 << 10;
inline constexpr size_t kMaxSubjectFieldBytes = 256;
inline constexpr size_t kMaxClientVersionBytes = 64;

// Of the values themselves.
using bridgekeeper::kMaxConnectionNameBytes;
using bridgekeeper::kMaxDatabases;
using bridgekeeper::kMaxHarmlessArguments;
using bridgekeeper::kMaxMaskPointerBytes;
using bridgekeeper::kMaxMaskPointers;
using bridgekeeper::kMaxPayloadTemplateBytes;
using bridgekeeper::kMaxPolicyConnections;
using bridgekeeper::kMaxReasonBytes;
using bridgekeeper::kMaxRequires;
using bridgekeeper::kMaxSafeFunctionBytes;
using bridgekeeper::kMaxSafeFunctions;
using bridgekeeper::kMaxSafeFunctionsBytes;
using bridgekeeper::kMaxSqlModeBytes;
using bridgekeeper::kMaxTypeBytes;

}  // namespace bridgekeeper::convert

#endif  // BRIDGEKEEPER_PROTO_CONVERT_LIMITS_H_
