// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The side of Channel that knows gRPC: for the few files that make calls.
//
//   const auto stub = v1::PolicyService::NewStub(GrpcChannel(channel));
//   grpc::ClientContext context;
//   BK_RETURN_IF_ERROR(PrepareContext(channel, absl::Seconds(10), context));
//   const grpc::Status status = stub->GetPolicy(&context, request, &response);
//   if (!status.ok()) return FromGrpc(status, channel);

#ifndef BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_GRPC_H_
#define BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_GRPC_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/status.h>

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clients/sdk/channel.h"

namespace bridgekeeper::clients {

std::shared_ptr<grpc::Channel> GrpcChannel(const Channel& channel);

// Adds the token, and a deadline `timeout` from now (infinite: none). Behind a Unix
// socket the server is proven first; where that fails, no call may be made.
//
// Errors: those of UnixPeer::Check().
absl::Status PrepareContext(const Channel& channel, absl::Duration timeout,
                            grpc::ClientContext& context);

// Says what came back in our own words: which server, what it said (escaped, at
// most 1 KiB of it), and for the faults that people meet what to do about them.
absl::Status FromGrpc(const grpc::Status& status, const Channel& channel);

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_GRPC_H_
