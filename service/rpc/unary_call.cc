// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/unary_call.h"

#include <optional>
#include <string_view>

#include "service/rpc/grpc_status.h"

namespace bridgekeeper::service {
namespace {

// Long enough that a burst is over, short enough that nobody notices.
constexpr char kRetryAfterMs[] = "100";

constexpr std::string_view kBearer = "Bearer ";

// What the caller sent as `authorization: Bearer TOKEN`.
std::optional<std::string_view> TokenOf(const grpc::CallbackServerContext& context) {
  const auto it = context.client_metadata().find("authorization");
  if (it == context.client_metadata().end()) return std::nullopt;
  const std::string_view value(it->second.data(), it->second.size());
  if (value.substr(0, kBearer.size()) != kBearer) return std::nullopt;
  return value.substr(kBearer.size());
}

}  // namespace

void AddRetryHint(grpc::CallbackServerContext& context) {
  context.AddTrailingMetadata("grpc-retry-pushback-ms", kRetryAfterMs);
}

absl::Status CheckAccess(const RpcShared& shared, Rpc rpc,
                         const grpc::CallbackServerContext& context) {
  const Access access = RowOf(rpc).access;
  // Looking for a token costs a search; only writes need one.
  if (access != Access::kWrite) return shared.authorizer.Check(access, std::nullopt);
  return shared.authorizer.Check(access, TokenOf(context));
}

bool UnaryCall::Begin() {
  if (absl::Status status = CheckAccess(*shared_, rpc_, *context_); !status.ok()) {
    Finish(status);
    return false;
  }
  if (absl::Status status = shared_->admission.Enter(); !status.ok()) {
    if (absl::IsResourceExhausted(status)) AddRetryHint(*context_);
    Finish(status);
    return false;
  }
  entered_ = true;
  return true;
}

void UnaryCall::OnWorker(std::function<absl::Status()> handler) {
  UnaryCall call = *this;
  const bool queued = shared_->workers.Submit([call, handler = std::move(handler)]() mutable {
    // Nobody may be waiting any more: the deadline passed or the caller went away.
    call.Finish(call.IsCancelled() ? absl::CancelledError("the caller is gone") : handler());
  });
  if (queued) return;
  shared_->metrics.overload_rejections.Add(static_cast<size_t>(Overload::kQueue));
  AddRetryHint(*context_);
  Finish(absl::ResourceExhaustedError("overloaded: too many requests wait; try again"));
}

void UnaryCall::Finish(const absl::Status& status) {
  if (entered_) shared_->admission.Leave();
  shared_->metrics.CountRpc(rpc_, status.code(), shared_->clock.SinceBoot() - begin_);
  reactor_->Finish(status.ok() ? grpc::Status::OK
                               : ToGrpcStatus(status, rpc_, shared_->log, shared_->ids));
}

}  // namespace bridgekeeper::service
