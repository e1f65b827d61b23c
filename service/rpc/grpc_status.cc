// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/grpc_status.h"

#include <string>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::service {
namespace {

// Longest text of a status. Source: it travels in an HTTP/2 trailer, and a client
// takes 8 KiB of metadata by default (grpc.max_metadata_size).
constexpr size_t kMaxMessageBytes = 4096;

// Codes that say that something of ours is broken: their text may name files or parts
// of the program.
bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal || code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status, Rpc rpc, Logger& log, IdSource& ids) {
  if (status.ok()) return grpc::Status::OK;
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string_view message = AsStd(status.message());
  if (!IsOurFault(status.code())) {
    return {code, std::string(message.substr(0, kMaxMessageBytes))};
  }
  const std::string mark = ids.NewId();
  log.Error("a request failed by a fault of ours",
            {{"method", RowOf(rpc).method},
             {"code", absl::StatusCodeToString(status.code())},
             {"error", message},
             {"mark", mark}});
  const std::string_view kind =
      status.code() == absl::StatusCode::kDataLoss ? "stored data is damaged" : "an internal error";
  return {code, absl::StrFormat("%s; the server's log has it under mark %s", kind, mark)};
}

}  // namespace bridgekeeper::service
