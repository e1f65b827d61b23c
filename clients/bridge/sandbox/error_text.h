// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What an engine says of a failure, made fit for the caller: an error can carry data
// past every limit, as in `SELECT string_agg(name, ',')::int FROM customer`.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ERROR_TEXT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ERROR_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace bridgekeeper::bridge {

// Bytes of an engine's message that a caller gets.
inline constexpr size_t kMaxErrorBytes = 300;

// The primary message of an engine: what stands in quotes is `***` unless the
// statement holds it too, then the first kMaxErrorBytes of it, control characters
// escaped. Between the first quote and the last everything is a value: engines do not
// escape the quotes inside one.
std::string ErrorForCaller(std::string_view message, std::string_view statement);

// `message` with numbers that the statement does not hold as `***`, for an engine that
// says of which values it failed. A digit of a name, as in INT32, is no number.
std::string WithoutNumbers(std::string_view message, std::string_view statement);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ERROR_TEXT_H_
