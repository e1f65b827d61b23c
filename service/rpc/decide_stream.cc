// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/decide_stream.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "service/rpc/grpc_status.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

// Answers that may wait to be written: enough to keep the connection busy.
constexpr size_t kMaxWaiting = 64;

constexpr char kStopping[] = "the server is stopping";

}  // namespace

// At any time at most one read and one write are under way, and a request is decided
// between the read that brought it and the next read, so the order stays.
//
// Every operation is started under the lock, so that none follows Finish(). gRPC runs
// reactions on threads of its own, never inside a Start...().
class DecideStream
    : public grpc::ServerBidiReactor<pb::DecideStreamRequest, pb::DecideStreamResponse>,
      public StallGuard::Stallable {
 public:
  DecideStream(RpcShared& shared, DecisionApi& api, DecideStreams& streams,
               grpc::CallbackServerContext* context)
      : shared_(shared),
        api_(api),
        streams_(streams),
        context_(context),
        begin_(shared.clock.SinceBoot()) {}

  void Begin() {
    absl::Status status = CheckAccess(shared_, Rpc::kDecideStream, *context_);
    if (!status.ok()) return End(std::move(status));
    MutexLock lock(mu_);
    if (!ended_) StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(absl::OkStatus());
    {
      MutexLock lock(mu_);
      if (ended_) return;
      if (!in_flight_) {
        if (absl::Status status = shared_.admission.Enter(); !status.ok()) {
          if (absl::IsResourceExhausted(status)) AddRetryHint(*context_);
          EndLocked(std::move(status));
          return WriteOrFinish();
        }
        in_flight_ = true;
      }
      deciding_ = true;
    }
    pb::DecideStreamResponse response;
    std::optional<absl::Status> done = api_.TryDecideItem(request_, response);
    if (done) return Decided(*std::move(done), std::move(response));
    const bool queued = shared_.workers.Submit([this] {
      pb::DecideStreamResponse late;
      absl::Status status = api_.DecideItem(request_, late);
      Decided(std::move(status), std::move(late));
    });
    if (queued) return;
    shared_.admission.CountRefusal(Overload::kQueue);
    AddRetryHint(*context_);  // nothing finishes the RPC while `deciding_`
    Decided(absl::ResourceExhaustedError("overloaded: too many requests wait; try again"), {});
  }

  void OnWriteDone(bool ok) override {
    MutexLock lock(mu_);
    writing_ = false;
    waiting_.pop_front();
    if (!ok) {
      waiting_.clear();
      EndLocked(absl::CancelledError("the caller is gone"));
    }
    LeaveIfIdle();
    ReadOn();
    WriteOrFinish();
  }

  void OnCancel() override { End(absl::CancelledError("the caller is gone")); }

  bool CutIfStalled(absl::Duration before) override {
    MutexLock lock(mu_);
    if (!writing_ || done_ || write_begin_ >= before) return false;
    write_begin_ = absl::InfiniteDuration();  // counted once
    context_->TryCancel();
    return true;
  }

  void OnDone() override {
    {
      MutexLock lock(mu_);
      done_ = true;
      if (std::exchange(in_flight_, false)) shared_.admission.Leave();
    }
    shared_.stalls.Remove(this);
    streams_.Forget(this);
  }

  // No more is read: what was decided is written, then the RPC ends. May come late, when
  // the RPC is over.
  void End(absl::Status status) {
    MutexLock lock(mu_);
    EndLocked(std::move(status));
    WriteOrFinish();
  }

 private:
  void Decided(absl::Status status, pb::DecideStreamResponse response) {
    MutexLock lock(mu_);
    deciding_ = false;
    if (status.ok()) {
      waiting_.push_back(std::move(response));
      read_paused_ = true;
      ReadOn();
    } else {
      EndLocked(std::move(status));
      LeaveIfIdle();
    }
    WriteOrFinish();
  }

  // Gives the place in flight back where nothing is decided and nothing waits to be
  // written: a stream that only stays open must not keep others out.
  void LeaveIfIdle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!in_flight_ || deciding_ || !waiting_.empty()) return;
    in_flight_ = false;
    shared_.admission.Leave();
  }

  void EndLocked(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (std::exchange(ended_, true)) return;
    end_status_ = std::move(status);
  }

  void ReadOn() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (!read_paused_ || ended_ || waiting_.size() >= kMaxWaiting) return;
    read_paused_ = false;
    StartRead(&request_);
  }

  void WriteOrFinish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (writing_ || finished_) return;
    if (!waiting_.empty()) {
      writing_ = true;
      write_begin_ = shared_.clock.SinceBoot();
      StartWrite(&waiting_.front());  // stays where it is until OnWriteDone
    } else if (ended_ && !deciding_) {
      finished_ = true;
      shared_.metrics.CountRpc(Rpc::kDecideStream, end_status_.code(),
                               shared_.clock.SinceBoot() - begin_);
      Finish(ToGrpcStatus(end_status_, Rpc::kDecideStream, shared_.log, shared_.ids));
    }
  }

  RpcShared& shared_;
  DecisionApi& api_;
  DecideStreams& streams_;
  grpc::CallbackServerContext* const context_;
  const absl::Duration begin_;

  // Of the read that is under way, or of the request that is being decided.
  pb::DecideStreamRequest request_;

  Mutex mu_;
  std::deque<pb::DecideStreamResponse> waiting_ ABSL_GUARDED_BY(mu_);
  bool in_flight_ ABSL_GUARDED_BY(mu_) = false;  // has a place there
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool deciding_ ABSL_GUARDED_BY(mu_) = false;
  bool read_paused_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  bool finished_ ABSL_GUARDED_BY(mu_) = false;
  bool done_ ABSL_GUARDED_BY(mu_) = false;  // the context is gone
  absl::Duration write_begin_ ABSL_GUARDED_BY(mu_);
  absl::Status end_status_ ABSL_GUARDED_BY(mu_);
};

grpc::ServerBidiReactor<pb::DecideStreamRequest, pb::DecideStreamResponse>* DecideStreams::Start(
    RpcShared& shared, DecisionApi& api, grpc::CallbackServerContext* context) {
  const auto stream = std::make_shared<DecideStream>(shared, api, *this, context);
  absl::Status status;
  {
    MutexLock lock(mu_);
    if (draining_) {
      status = absl::UnavailableError(kStopping);
    } else if (open_.size() >= kMaxDecideStreams) {
      status = absl::ResourceExhaustedError(absl::StrFormat(
          "got %d decide streams, want at most %d", open_.size() + 1, kMaxDecideStreams));
    }
    open_.emplace(stream.get(), stream);
  }
  shared.stalls.Add(stream);
  if (status.ok()) {
    stream->Begin();
    return stream.get();
  }
  if (absl::IsResourceExhausted(status)) {
    shared.admission.CountRefusal(Overload::kInFlight);
    AddRetryHint(*context);
  }
  stream->End(std::move(status));
  return stream.get();
}

void DecideStreams::Forget(DecideStream* stream) {
  std::shared_ptr<DecideStream> gone;  // destroyed after the lock is released
  MutexLock lock(mu_);
  const auto it = open_.find(stream);
  gone = std::move(it->second);
  open_.erase(it);
}

void DecideStreams::Drain() {
  std::vector<std::shared_ptr<DecideStream>> streams;
  {
    MutexLock lock(mu_);
    draining_ = true;
    for (const auto& [key, stream] : open_) streams.push_back(stream);
  }
  for (const auto& stream : streams) stream->End(absl::UnavailableError(kStopping));
}

}  // namespace bridgekeeper::service
