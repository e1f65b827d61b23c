// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What stands before an engine: the decision of a call on one of the bridge's own
// databases, made of the parts that BridgeCore makes it of.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_GUARDED_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_GUARDED_H_

#include <string>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::bridge {

// Why a call of `tool` (without prefix) on a connection of type `engine`, which only
// reads, is refused in `mode`; ALLOWED where it is not. What would be asked is not refused.
std::string ReasonOf(std::string_view engine, std::string_view tool, const std::string& arguments,
                     Mode mode);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_GUARDED_H_
