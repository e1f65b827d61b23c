// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// How `keeper-bridge query` prints the answer of a database (result_writer.h):
//
//   table  columns side by side, for a terminal: what could move its cursor is escaped, an
//          end of line as \n
//   json   the answer as it came
//   csv    RFC 4180 with LF: a NULL is empty, an empty text is ""
//
// Thread safety: free functions without state.
// Source: RFC 4180.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_QUERY_OUTPUT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_QUERY_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/bridge/options.h"

namespace bridgekeeper::bridge {

struct QueryOutput {
  std::string text;          // for standard output
  std::string truncated_by;  // the limit that cut it; empty: it is whole
};

// Errors:
//   kInternal - `answer` is not of the form of one.
absl::StatusOr<QueryOutput> RenderAnswer(std::string_view answer, OutputFormat format);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_QUERY_OUTPUT_H_
