// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/unary_call.h"

#include <memory>
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

HeldReactor* HeldReactor::Make(RpcShared& shared, grpc::CallbackServerContext* context) {
  // Its constructor is private.
  const std::shared_ptr<HeldReactor> reactor(new HeldReactor(shared, context));
  shared.stalls.Add(reactor);  // its owner until OnDone()
  return reactor.get();
}

void HeldReactor::NoteFinish(absl::Duration now) {
  MutexLock lock(mu_);
  finished_at_ = now;
}

bool HeldReactor::CutIfStalled(absl::Duration before) {
  MutexLock lock(mu_);
  if (context_ == nullptr || !finished_at_ || *finished_at_ >= before) return false;
  finished_at_.reset();  // once is enough
  context_->TryCancel();
  return true;
}

void HeldReactor::OnDone() {
  {
    MutexLock lock(mu_);
    context_ = nullptr;
  }
  if (entered_) shared_.admission.Leave();
  shared_.stalls.Remove(this);
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
  if (held_ != nullptr) held_->NoteEntered();
  return true;
}

void UnaryCall::OnWorker(std::function<absl::Status()> handler) {
  UnaryCall call = *this;
  const bool queued = shared_->workers.Submit([call, handler = std::move(handler)]() mutable {
    // Nobody may be waiting any more: the deadline passed or the caller went away.
    call.Finish(call.IsCancelled() ? absl::CancelledError("the caller is gone") : handler());
  });
  if (queued) return;
  shared_->admission.CountRefusal(Overload::kQueue);
  AddRetryHint(*context_);
  Finish(absl::ResourceExhaustedError("overloaded: too many requests wait; try again"));
}

void UnaryCall::Finish(const absl::Status& status) {
  const absl::Duration now = shared_->clock.SinceBoot();
  shared_->metrics.CountRpc(rpc_, status.code(), now - begin_);
  if (held_ != nullptr) {
    held_->NoteFinish(now);
  } else if (entered_) {
    shared_->admission.Leave();
  }
  reactor_->Finish(status.ok() ? grpc::Status::OK
                               : ToGrpcStatus(status, rpc_, shared_->log, shared_->ids));
}

}  // namespace bridgekeeper::service
