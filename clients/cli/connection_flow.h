// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the commands about connection records share.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CONNECTION_FLOW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CONNECTION_FLOW_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "clients/cli/context.h"

namespace bridgekeeper::cli {

// Reads the record.
//
// Errors: kNotFound with the nearest id that there is.
absl::StatusOr<v1::ConnectionInfo> ReadConnection(Context& context, const std::string& app,
                                                  const std::string& id);

// For a write that the server aborted: what the record is now. Returns `status` with
// what to do.
absl::Status ShowConnectionNow(Context& context, absl::Status status, const std::string& app,
                               const std::string& id);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CONNECTION_FLOW_H_
