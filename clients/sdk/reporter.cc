// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/reporter.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/bridge_service.grpc.pb.h"
#include "clients/sdk/backoff.h"
#include "clients/sdk/channel_grpc.h"
#include "clients/sdk/decision_messages.h"
#include "policy/base/mutex.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::clients {
namespace {

// What one ReportTools may carry in definitions, below convert::kMaxMessageBytes.
constexpr size_t kMaxDefinitionsBytes = 3 << 20;

// Lists of tools that wait to be sent; one an app and server.
constexpr size_t kMaxToolLists = 1000;

constexpr absl::Duration kMinHeartbeat = absl::Milliseconds(100);
constexpr absl::Duration kMaxHeartbeat = absl::Minutes(5);

absl::Status CheckCount(std::string_view name, size_t value, size_t min, size_t max) {
  if (value >= min && value <= max) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("reporter `%s`: got %d, want %d to %d", name, value, min, max));
}

absl::Status CheckTime(std::string_view name, absl::Duration value) {
  if (value >= absl::Milliseconds(1) && value <= absl::Hours(1)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("reporter `%s`: got %s, want 1ms to 1h", name, absl::FormatDuration(value)));
}

absl::Status Check(const ReporterOptions& options) {
  BK_RETURN_IF_ERROR(CheckCount("bridge (bytes)", options.bridge.size(), 1, kMaxIdBytes));
  BK_RETURN_IF_ERROR(CheckCount("max_batch", options.max_batch, 1, convert::kMaxBatchItems));
  BK_RETURN_IF_ERROR(CheckCount("max_queued", options.max_queued, 1, 1'000'000));
  BK_RETURN_IF_ERROR(CheckTime("batch_delay", options.batch_delay));
  BK_RETURN_IF_ERROR(CheckTime("rpc_timeout", options.rpc_timeout));
  BK_RETURN_IF_ERROR(CheckTime("heartbeat_interval", options.heartbeat_interval));
  BK_RETURN_IF_ERROR(CheckTime("min_backoff", options.min_backoff));
  BK_RETURN_IF_ERROR(CheckTime("max_backoff", options.max_backoff));
  if (options.min_backoff > options.max_backoff) {
    return absl::InvalidArgumentError("reporter `min_backoff`: want at most `max_backoff`");
  }
  return absl::OkStatus();
}

// A string field must be valid UTF-8, or the receiver refuses the whole message.
void SetText(std::string_view text, size_t max_bytes, std::string* field) {
  *field = EscapeForPeople(text, max_bytes);
}

// Into `record`, which is empty and may have room of one before.
void ToProto(const DecisionReport& report, int64_t sequence, v1::DecisionRecord& record) {
  record.set_sequence(sequence);
  *record.mutable_time() = convert::ToProto(report.time);
  SetText(report.app, kMaxIdBytes, record.mutable_app());
  SetText(report.server, kMaxIdBytes, record.mutable_server());
  SetText(report.tool, kMaxIdBytes, record.mutable_tool());
  SetText(report.connection, kMaxIdBytes, record.mutable_connection_id());
  *record.mutable_decision() = ToProto(report.decision);
  SetText(report.decision.reason, convert::kMaxReasonBytes,
          record.mutable_decision()->mutable_reason());
  constexpr size_t kMax = convert::kMaxSubjectFieldBytes;
  v1::Subject& subject = *record.mutable_subject();
  SetText(report.subject.client_name, kMax, subject.mutable_client_name());
  SetText(report.subject.client_version, convert::kMaxClientVersionBytes,
          subject.mutable_client_version());
  SetText(report.subject.session, kMax, subject.mutable_session());
  SetText(report.subject.user, kMax, subject.mutable_user());
  SetText(report.subject.host, kMax, subject.mutable_host());
  record.set_arguments_digest(report.arguments_digest);
  *record.mutable_duration() = convert::ToProto(report.duration);
}

}  // namespace

class Reporter::Worker {
 public:
  Worker(std::shared_ptr<Channel> channel, const ReporterOptions& options,
         const PolicySource& source, const Clock& clock, IdSource& ids)
      : channel_(std::move(channel)),
        options_(options),
        source_(source),
        clock_(clock),
        run_(ids.NewId()),
        stub_(v1::BridgeService::NewStub(GrpcChannel(*channel_))),
        backoff_(options.min_backoff, options.max_backoff, ids),
        heartbeat_interval_(options.heartbeat_interval),
        thread_([this] { Run(); }) {}

  ~Worker() {
    {
      MutexLock lock(mu_);
      stopping_ = true;
      if (context_ != nullptr) context_->TryCancel();
      wake_.NotifyAll();
    }
    thread_.join();
  }

  // What it costs is the caller's time, on a path where calls wait: the report is put
  // into its message by the thread that sends it.
  void ReportDecision(DecisionReport report) {
    MutexLock lock(mu_);
    ++stats_.decisions;
    if (report.decision.verdict == Verdict::kDeny) ++stats_.denials;
    const int64_t sequence = stats_.decisions;  // what is dropped leaves a gap
    if (queue_.size() + in_batch_ >= options_.max_queued) {
      ++stats_.dropped;
      return;
    }
    if (queue_.empty()) oldest_queued_ = clock_.SinceBoot();
    queue_.push_back({sequence, std::move(report)});
    // Nobody waits for a wake-up while a batch is on its way.
    if (!sending_ && (queue_.size() == 1 || queue_.size() == options_.max_batch)) wake_.NotifyAll();
  }

  void ReportTools(const std::string& app, const std::string& server, ToolListReport list) {
    MutexLock lock(mu_);
    if (tools_.size() >= kMaxToolLists && !tools_.contains({app, server})) return;
    tools_[{app, server}] = std::move(list);
    wake_.NotifyAll();
  }

  bool Flush(absl::Duration timeout) {
    MutexLock lock(mu_);
    ++flushing_;
    wake_.NotifyAll();
    const bool sent = sent_.WaitFor(mu_, absl::ToChronoNanoseconds(timeout), [this] {
      mu_.AssertHeld();
      return queue_.empty() && in_batch_ == 0 && tools_.empty() && !sending_;
    });
    --flushing_;
    return sent;
  }

  ReporterStats Stats() const {
    MutexLock lock(mu_);
    ReporterStats stats = stats_;
    stats.queued = static_cast<int64_t>(queue_.size() + in_batch_);
    return stats;
  }

 private:
  struct Queued {
    int64_t sequence;
    DecisionReport report;
  };

  enum class Work { kStop, kTools, kDecisions, kHeartbeat };

  void Run() {
    while (true) {
      absl::Status status;
      switch (Next()) {
        case Work::kStop:
          return;
        case Work::kTools:
          status = SendTools();
          break;
        case Work::kDecisions:
          status = SendDecisions();
          break;
        case Work::kHeartbeat:
          status = SendHeartbeat();
          break;
      }
      MutexLock lock(mu_);
      sending_ = false;
      if (status.ok()) {
        backoff_.Reset();
      } else {
        ++stats_.failures;
        stats_.last_error = std::string(AsStd(status.message()));
        not_before_ = clock_.SinceBoot() + backoff_.Next();
        if (absl::IsUnauthenticated(status)) reload_token_ = true;
      }
      sent_.NotifyAll();
    }
  }

  // Waits for something to do. Tools first: a review may wait for them.
  Work Next() {
    MutexLock lock(mu_);
    while (!stopping_) {
      const absl::Duration now = clock_.SinceBoot();
      absl::Duration wake_at = std::max(next_heartbeat_, not_before_);
      if (now >= not_before_) {
        sending_ = true;
        if (!tools_.empty()) return Work::kTools;
        // Before the decisions: a bridge that always has some lives too.
        if (now >= next_heartbeat_) return Work::kHeartbeat;
        const absl::Duration due = oldest_queued_ + options_.batch_delay;
        // What was not taken in waits no longer than the back-off.
        if (in_batch_ > 0 ||
            (!queue_.empty() &&
             (flushing_ > 0 || queue_.size() >= options_.max_batch || now >= due))) {
          return Work::kDecisions;
        }
        sending_ = false;
        if (!queue_.empty()) wake_at = std::min(wake_at, due);
      } else if (!tools_.empty() || !queue_.empty() || in_batch_ > 0) {
        wake_at = not_before_;
      }
      wake_.WaitFor(mu_, absl::ToChronoNanoseconds(wake_at - now));
    }
    return Work::kStop;
  }

  // Makes one call that Worker's destructor can cancel.
  template <typename Method, typename Request, typename Response>
  absl::Status Call(Method method, const Request& request, Response& response) {
    grpc::ClientContext context;
    bool reload_token = false;
    {
      MutexLock lock(mu_);
      if (stopping_) return absl::CancelledError("stopping");
      reload_token = std::exchange(reload_token_, false);
      context_ = &context;
    }
    // Outside the lock: it reads a file. One that cannot be read leaves the old token:
    // the server says if it is good.
    if (reload_token) channel_->ReloadToken().IgnoreError();
    absl::Status status = PrepareContext(*channel_, options_.rpc_timeout, context);
    if (status.ok()) {
      status = FromGrpc((stub_.get()->*method)(&context, request, &response), *channel_);
    }
    MutexLock lock(mu_);
    context_ = nullptr;
    return status;
  }

  absl::Status SendTools() {
    v1::ReportToolsRequest request;
    ToolListReport list;
    std::pair<std::string, std::string> key;
    {
      MutexLock lock(mu_);
      const auto first = tools_.begin();
      key = first->first;
      list = std::move(first->second);
      tools_.erase(first);
    }
    request.set_bridge(options_.bridge);
    request.set_app(key.first);
    request.set_server(key.second);
    request.set_builtin_catalog(list.builtin_catalog);
    size_t definitions_bytes = 0;
    for (const ToolReport& tool : list.tools) {
      if (request.tools_size() == static_cast<int>(convert::kMaxReportedTools)) break;
      v1::ReportedTool& to = *request.add_tools();
      to.set_app(key.first);
      to.set_server(key.second);
      SetText(tool.tool, kMaxIdBytes, to.mutable_tool());
      to.set_digest(tool.digest);
      const size_t bytes = tool.definition_json.size();
      if (bytes > convert::kMaxDefinitionBytes ||
          definitions_bytes + bytes > kMaxDefinitionsBytes) {
        to.set_definition_cut(true);
      } else {
        to.set_definition_json(tool.definition_json);
        definitions_bytes += bytes;
      }
    }
    v1::ReportToolsResponse response;
    const absl::Status status = Call(&v1::BridgeService::Stub::ReportTools, request, response);
    if (!status.ok() && !absl::IsInvalidArgument(status)) {
      MutexLock lock(mu_);
      tools_.emplace(std::move(key), std::move(list));  // unless a newer list came in
    }
    return status;
  }

  absl::Status SendDecisions() {
    {
      MutexLock lock(mu_);
      while (batch_.size() < options_.max_batch && !queue_.empty()) {
        batch_.push_back(std::move(queue_.front()));
        queue_.pop_front();
      }
      oldest_queued_ = clock_.SinceBoot();
      in_batch_ = batch_.size();
      // Cleared, not made anew: what a record needs room for is there already.
      request_.Clear();
      request_.set_dropped(stats_.dropped);
    }
    request_.set_bridge(options_.bridge);
    request_.set_run(run_);
    for (const Queued& queued : batch_) {
      ToProto(queued.report, queued.sequence, *request_.add_records());
    }
    const int64_t first = batch_.front().sequence;
    const int64_t last = batch_.back().sequence;
    v1::ReportDecisionsResponse response;
    absl::Status status = Call(&v1::BridgeService::Stub::ReportDecisions, request_, response);

    int64_t refused = 0;
    int64_t acknowledged = 0;
    if (absl::IsInvalidArgument(status)) {
      // It would be refused each time: what follows must not wait behind it.
      refused = PopUpTo(last);
    } else if (status.ok() && response.acknowledged() < first) {
      status = absl::UnavailableError("keeperd took none of the reported decisions in");
    } else if (status.ok()) {
      acknowledged = PopUpTo(std::min(response.acknowledged(), last));
    }
    MutexLock lock(mu_);
    stats_.dropped += refused;
    stats_.acknowledged += acknowledged;
    in_batch_ = batch_.size();
    return status;
  }

  // Takes what is reported out of the batch; returns how many there were.
  int64_t PopUpTo(int64_t sequence) {
    const auto end = std::find_if(batch_.begin(), batch_.end(),
                                  [&](const Queued& queued) { return queued.sequence > sequence; });
    const int64_t count = end - batch_.begin();
    batch_.erase(batch_.begin(), end);
    return count;
  }

  absl::Status SendHeartbeat() {
    const PolicySourceStats source = source_.Stats();
    v1::HeartbeatRequest request;
    v1::Bridge& bridge = *request.mutable_bridge();
    bridge.set_name(options_.bridge);
    for (const std::string& app : options_.apps) bridge.add_apps(app);
    bridge.set_version(options_.version);
    bridge.mutable_token()->set_incarnation(source.token.incarnation);
    bridge.mutable_token()->set_revision(source.token.revision.value);
    // Without a copy there is no age to tell.
    if (source.age != absl::InfiniteDuration()) {
      *bridge.mutable_policy_age() = convert::ToProto(source.age);
    }
    {
      MutexLock lock(mu_);
      bridge.set_decisions(stats_.decisions);
      bridge.set_denials(stats_.denials);
      bridge.set_dropped_reports(stats_.dropped);
    }
    v1::HeartbeatResponse response;
    const absl::Status status = Call(&v1::BridgeService::Stub::Heartbeat, request, response);
    if (status.ok() && source.connected && source.failures != watches_lost_) {
      watches_lost_ = source.failures;
      if (options_.on_watch_renewed) options_.on_watch_renewed();
    }
    MutexLock lock(mu_);
    if (status.ok() && response.has_interval()) {
      heartbeat_interval_ =
          std::clamp(convert::FromProto(response.interval()), kMinHeartbeat, kMaxHeartbeat);
    }
    next_heartbeat_ = clock_.SinceBoot() + heartbeat_interval_;
    return status;
  }

  // Constant after construction.
  const std::shared_ptr<Channel> channel_;
  const ReporterOptions options_;
  const PolicySource& source_;
  const Clock& clock_;
  const std::string run_;
  const std::unique_ptr<v1::BridgeService::Stub> stub_;

  // Of the thread alone.
  std::vector<Queued> batch_;  // what is on its way, in order of sequence
  v1::ReportDecisionsRequest request_;
  int64_t watches_lost_ = 0;  // of those that on_watch_renewed was called after

  mutable Mutex mu_;
  CondVar wake_;  // the thread: there may be something to do
  CondVar sent_;  // Flush(): something was sent
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  bool sending_ ABSL_GUARDED_BY(mu_) = false;
  bool reload_token_ ABSL_GUARDED_BY(mu_) = false;
  int flushing_ ABSL_GUARDED_BY(mu_) = 0;
  grpc::ClientContext* context_ ABSL_GUARDED_BY(mu_) = nullptr;  // of the open call
  std::map<std::pair<std::string, std::string>, ToolListReport> tools_
      ABSL_GUARDED_BY(mu_);                        // by app and server
  std::deque<Queued> queue_ ABSL_GUARDED_BY(mu_);  // behind batch_, in order
  size_t in_batch_ ABSL_GUARDED_BY(mu_) = 0;       // batch_.size()
  ReporterStats stats_ ABSL_GUARDED_BY(mu_);
  Backoff backoff_ ABSL_GUARDED_BY(mu_);
  // Times since boot.
  absl::Duration oldest_queued_ ABSL_GUARDED_BY(mu_);
  absl::Duration not_before_ ABSL_GUARDED_BY(mu_);
  absl::Duration next_heartbeat_ ABSL_GUARDED_BY(mu_);
  absl::Duration heartbeat_interval_ ABSL_GUARDED_BY(mu_);

  std::thread thread_;  // last: it uses all of the above
};

absl::StatusOr<std::unique_ptr<Reporter>> Reporter::Create(std::shared_ptr<Channel> channel,
                                                           const ReporterOptions& options,
                                                           const PolicySource& source,
                                                           const Clock& clock, IdSource& ids) {
  BK_RETURN_IF_ERROR(Check(options));
  return std::unique_ptr<Reporter>(
      new Reporter(std::make_unique<Worker>(std::move(channel), options, source, clock, ids)));
}

Reporter::Reporter(std::unique_ptr<Worker> worker) : worker_(std::move(worker)) {}
Reporter::~Reporter() = default;

void Reporter::ReportDecision(DecisionReport report) { worker_->ReportDecision(std::move(report)); }

void Reporter::ReportTools(const std::string& app, const std::string& server, ToolListReport list) {
  worker_->ReportTools(app, server, std::move(list));
}

bool Reporter::Flush(absl::Duration timeout) { return worker_->Flush(timeout); }

ReporterStats Reporter::Stats() const { return worker_->Stats(); }

}  // namespace bridgekeeper::clients
