// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/watch_policy_source.h"

#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "clients/sdk/backoff.h"
#include "clients/sdk/channel_grpc.h"
#include "clients/sdk/listeners.h"
#include "clients/sdk/watch_copy.h"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::clients {
namespace {

constexpr size_t kMaxBridgeNameBytes = 128;

// What keeperd may ask for as its heartbeat; outside of that it is taken as the
// nearest of these.
constexpr absl::Duration kMinHeartbeat = absl::Milliseconds(100);
constexpr absl::Duration kMaxHeartbeat = absl::Minutes(1);

gpr_timespec In(absl::Duration timeout) {
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                      gpr_time_from_nanos(absl::ToInt64Nanoseconds(timeout), GPR_TIMESPAN));
}

absl::Status CheckRange(std::string_view name, absl::Duration value) {
  if (value >= absl::Milliseconds(1) && value <= absl::Hours(1)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("watch `%s`: got %s, want 1ms to 1h", name, absl::FormatDuration(value)));
}

absl::Status Check(const WatchOptions& options) {
  if (options.apps.empty() || options.apps.size() > convert::kMaxWatchApps) {
    return absl::InvalidArgumentError(absl::StrFormat("watch `apps`: got %d, want 1 to %d",
                                                      options.apps.size(), convert::kMaxWatchApps));
  }
  for (const AppId& app : options.apps) BK_RETURN_IF_ERROR(convert::CheckId("app", app.value()));
  if (options.bridge.size() > kMaxBridgeNameBytes) {
    return absl::InvalidArgumentError(
        absl::StrFormat("watch `bridge`: got %d bytes, want at most %d", options.bridge.size(),
                        kMaxBridgeNameBytes));
  }
  BK_RETURN_IF_ERROR(CheckRange("first_message_timeout", options.first_message_timeout));
  BK_RETURN_IF_ERROR(CheckRange("min_backoff", options.min_backoff));
  BK_RETURN_IF_ERROR(CheckRange("max_backoff", options.max_backoff));
  if (options.min_backoff > options.max_backoff) {
    return absl::InvalidArgumentError("watch `min_backoff`: want at most `max_backoff`");
  }
  return absl::OkStatus();
}

}  // namespace

class WatchPolicySource::Watch {
 public:
  Watch(std::shared_ptr<Channel> channel, const WatchOptions& options, const Clock& clock,
        IdSource& ids)
      : channel_(std::move(channel)),
        options_(options),
        clock_(clock),
        ids_(ids),
        stub_(v1::DecisionService::NewStub(GrpcChannel(*channel_))),
        copy_(options_.apps),
        thread_([this] { Run(); }) {}

  ~Watch() {
    {
      MutexLock lock(mu_);
      stopping_ = true;
      if (context_ != nullptr) context_->TryCancel();
      changed_.NotifyAll();
    }
    thread_.join();
  }

  PolicySnapshot View(std::string_view app) const { return copy_.View(app, clock_.SinceBoot()); }

  bool WaitForFirst(absl::Duration timeout) const {
    MutexLock lock(mu_);
    return changed_.WaitFor(mu_, absl::ToChronoNanoseconds(timeout),
                            [this] { return copy_.known(); });
  }

  std::unique_ptr<Subscription> Subscribe(ChangeListener listener) {
    return listeners_.Subscribe(std::move(listener));
  }

  PolicySourceStats Stats() const {
    MutexLock lock(mu_);
    PolicySourceStats stats = stats_;
    stats.token = copy_.token();
    stats.age = copy_.Age(clock_.SinceBoot());
    return stats;
  }

 private:
  // How a watch ended.
  struct End {
    absl::Status status;
    bool delivered = false;  // at least one message was applied
    bool timed_out = false;
    bool refused = false;  // we ended it because of what it said
  };

  void Run() {
    Backoff backoff(options_.min_backoff, options_.max_backoff, ids_);
    while (true) {
      const absl::Duration begin = clock_.SinceBoot();
      const End end = RunWatch();
      // A server that greets us and hangs up does not get us back at once each time.
      if (end.delivered && clock_.SinceBoot() - begin >= options_.max_backoff) backoff.Reset();
      const bool unwanted =
          absl::IsUnauthenticated(end.status) || absl::IsPermissionDenied(end.status);
      if (unwanted) Notify(copy_.Drop());
      // A server that says what we cannot follow is asked to say it from the start.
      ask_for_snapshot_ = end.refused || (ask_for_snapshot_ && !end.delivered);
      MutexLock lock(mu_);
      stats_.connected = false;
      ++stats_.failures;
      if (end.timed_out) ++stats_.missed_heartbeats;
      stats_.last_error = std::string(AsStd(end.status.message()));
      changed_.NotifyAll();
      if (!Pause(backoff.Next())) return;
    }
  }

  // Waits; returns false where the source is being destroyed.
  bool Pause(absl::Duration length) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    return !changed_.WaitFor(mu_, absl::ToChronoNanoseconds(length), [this] {
      mu_.AssertHeld();
      return stopping_;
    });
  }

  End RunWatch() {
    // A token file that cannot be read now leaves the old token: the server says
    // whether that is still good.
    channel_->ReloadToken().IgnoreError();
    copy_.BeginWatch();

    grpc::ClientContext context;
    if (absl::Status proven = PrepareContext(*channel_, absl::InfiniteDuration(), context);
        !proven.ok()) {
      return {std::move(proven)};
    }
    {
      MutexLock lock(mu_);
      if (stopping_) return {absl::CancelledError("stopping")};
      context_ = &context;
    }
    const End end = Follow(context);
    MutexLock lock(mu_);
    context_ = nullptr;
    return end;
  }

  End Follow(grpc::ClientContext& context) {
    v1::WatchPoliciesRequest request;
    for (const AppId& app : options_.apps) request.add_apps(app.value());
    request.set_bridge(options_.bridge);
    if (const RevisionToken token = copy_.token();
        !token.incarnation.empty() && !ask_for_snapshot_) {
      request.mutable_resume_after()->set_incarnation(token.incarnation);
      request.mutable_resume_after()->set_revision(token.revision.value);
    }

    End end;
    grpc::CompletionQueue queue;
    // Waits for the one operation that is under way. Where it takes longer than
    // `timeout`, the call is cancelled, which completes it.
    const auto wait = [&](absl::Duration timeout) {
      void* tag = nullptr;
      bool ok = false;
      if (queue.AsyncNext(&tag, &ok, In(timeout)) == grpc::CompletionQueue::TIMEOUT) {
        end.timed_out = true;
        context.TryCancel();
        queue.Next(&tag, &ok);
      }
      return ok;
    };
    void* const tag = this;  // one operation at a time: no need to tell them apart
    absl::Duration timeout = options_.first_message_timeout;
    absl::Duration waited_since = clock_.SinceBoot();
    const auto reader = stub_->PrepareAsyncWatchPolicies(&context, request, &queue);
    reader->StartCall(tag);
    bool ok = wait(timeout);
    v1::WatchPoliciesResponse message;
    while (ok) {
      waited_since = clock_.SinceBoot();
      reader->Read(&message, tag);
      ok = wait(timeout);
      if (!ok) break;
      if (message.has_heartbeat_interval()) {
        timeout = 2 * std::clamp(convert::FromProto(message.heartbeat_interval()), kMinHeartbeat,
                                 kMaxHeartbeat);
      }
      end.status = Take(message, waited_since, !end.delivered);
      if (!end.status.ok()) {
        end.refused = true;
        context.TryCancel();
        break;
      }
      end.delivered = true;
    }

    grpc::Status status;
    reader->Finish(&status, tag);
    wait(options_.first_message_timeout);
    queue.Shutdown();
    void* ignored_tag = nullptr;
    bool ignored_ok = false;
    while (queue.Next(&ignored_tag, &ignored_ok)) {
    }
    if (end.refused) return end;
    if (end.timed_out) {
      end.status = absl::DeadlineExceededError(
          absl::StrFormat("keeperd at `%s` sent nothing for %s", channel_->address(),
                          absl::FormatDuration(timeout)));
    } else if (status.ok()) {
      end.status = absl::UnavailableError(
          absl::StrFormat("keeperd at `%s` ended the watch", channel_->address()));
    } else {
      end.status = FromGrpc(status, *channel_);
    }
    return end;
  }

  absl::Status Take(const v1::WatchPoliciesResponse& message, absl::Duration waited_since,
                    bool first) {
    absl::StatusOr<WatchCopy::Applied> applied = copy_.Apply(message, waited_since);
    {
      MutexLock lock(mu_);
      if (!applied.ok()) {
        ++(absl::IsOutOfRange(applied.status()) ? stats_.refused_revisions
                                                : stats_.refused_messages);
        return std::move(applied).status();
      }
      stats_.connected = true;
      if (first) ++stats_.connects;
      if (applied->snapshot) ++stats_.snapshots;
      stats_.changes += applied->changes;
      stats_.refused_records += applied->refused_records;
      if (!message.snapshot() && message.changes().empty()) ++stats_.heartbeats;
      changed_.NotifyAll();
    }
    Notify(applied->changed);
    return absl::OkStatus();
  }

  void Notify(const std::vector<AppId>& changed) {
    if (!changed.empty()) listeners_.Notify(changed);
  }

  // Constant after construction.
  const std::shared_ptr<Channel> channel_;
  const WatchOptions options_;
  const Clock& clock_;
  IdSource& ids_;
  const std::unique_ptr<v1::DecisionService::Stub> stub_;

  WatchCopy copy_;
  Listeners listeners_;
  bool ask_for_snapshot_ = false;  // of the watch's thread alone

  mutable Mutex mu_;
  mutable CondVar changed_;  // the copy, or stopping_
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mu_) = nullptr;  // of the open watch
  PolicySourceStats stats_ ABSL_GUARDED_BY(mu_);

  std::thread thread_;  // last: it uses all of the above
};

absl::StatusOr<std::unique_ptr<WatchPolicySource>> WatchPolicySource::Create(
    std::shared_ptr<Channel> channel, const WatchOptions& options, const Clock& clock,
    IdSource& ids) {
  BK_RETURN_IF_ERROR(Check(options));
  return std::unique_ptr<WatchPolicySource>(
      new WatchPolicySource(std::make_unique<Watch>(std::move(channel), options, clock, ids)));
}

WatchPolicySource::WatchPolicySource(std::unique_ptr<Watch> watch) : watch_(std::move(watch)) {}
WatchPolicySource::~WatchPolicySource() = default;

PolicySnapshot WatchPolicySource::View(std::string_view app) const { return watch_->View(app); }

bool WatchPolicySource::WaitForFirst(absl::Duration timeout) const {
  return watch_->WaitForFirst(timeout);
}

std::unique_ptr<PolicySource::Subscription> WatchPolicySource::Subscribe(ChangeListener listener) {
  return watch_->Subscribe(std::move(listener));
}

PolicySourceStats WatchPolicySource::Stats() const { return watch_->Stats(); }

}  // namespace bridgekeeper::clients
