// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The two macros that pass an absl::Status up the stack.

#ifndef BRIDGEKEEPER_POLICY_BASE_STATUS_MACROS_H_
#define BRIDGEKEEPER_POLICY_BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define BK_MACRO_CONCAT_INNER(a, b) a##b
#define BK_MACRO_CONCAT(a, b) BK_MACRO_CONCAT_INNER(a, b)

// Returns from the calling function where `expression` is a non-OK absl::Status.
#define BK_RETURN_IF_ERROR(expression)                         \
  do {                                                         \
    if (absl::Status bk_status = (expression); !bk_status.ok()) \
      return bk_status;                                        \
  } while (false)

// Puts the value of a StatusOr into `target` (a declaration or an lvalue), or
// returns its status from the calling function.
#define BK_ASSIGN_OR_RETURN(target, expression) \
  BK_ASSIGN_OR_RETURN_IMPL(BK_MACRO_CONCAT(bk_statusor_, __LINE__), target, expression)

#define BK_ASSIGN_OR_RETURN_IMPL(holder, target, expression) \
  auto holder = (expression);                                \
  if (!holder.ok()) return std::move(holder).status();       \
  target = *std::move(holder)

#endif  // BRIDGEKEEPER_POLICY_BASE_STATUS_MACROS_H_
