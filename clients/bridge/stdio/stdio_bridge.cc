// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/stdio/stdio_bridge.h"

#include <fcntl.h>
#include <signal.h>

#include <atomic>
#include <optional>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/metrics/metrics_server.h"
#include "clients/bridge/stdio/pipes.h"
#include "clients/bridge/stdio/server_stderr.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::bridge {
namespace {

using boost::system::error_code;

// How often an end is looked after: that the last process of a group has ended is no
// event.
constexpr absl::Duration kStep = absl::Milliseconds(5);

// How long SIGKILL may take: longer only where the kernel itself holds the process.
constexpr absl::Duration kKillGrace = absl::Seconds(5);

// The status flags of a descriptor as they were: others may share what it is open on
// (a terminal), and would find it non-blocking.
class FlagsKeeper {
 public:
  explicit FlagsKeeper(int fd) : fd_(fcntl(fd, F_DUPFD_CLOEXEC, 3)), flags_(fcntl(fd, F_GETFL)) {}
  ~FlagsKeeper() {
    if (fd_ && flags_ >= 0) fcntl(fd_.get(), F_SETFL, flags_);
  }
  FlagsKeeper(const FlagsKeeper&) = delete;
  FlagsKeeper& operator=(const FlagsKeeper&) = delete;

 private:
  const UniqueFd fd_;
  const int flags_;
};

}  // namespace

class StdioBridge::Loop {
 public:
  Loop(StdioOptions options, CoreParts parts, ChildProcess server)
      : clock_(parts.clock),
        log_(parts.log),
        policies_(parts.policies),
        app_(options.core.app.value()),
        server_name_(options.core.server.value()),
        in_flags_(options.client_in.get()),
        out_flags_(options.client_out.get()),
        core_(std::move(options.core), std::move(parts)),
        server_(std::move(server)),
        from_client_(
            io_, std::move(options.client_in), [this](const Frame& f) { OnClientFrame(f); },
            [this] { Flush(); }, [this] { OnClientEnd(); }),
        from_server_(
            io_, std::move(server_.stdout_fd()), [this](const Frame& f) { OnServerFrame(f); },
            [this] { Flush(); }, [this] { OnServerEnds("it closed its standard output"); }),
        to_client_(
            io_, std::move(options.client_out), kMaxQueuedBytes / 2, [this] { OnDrained(); },
            [this] { OnClientGone(); }),
        to_server_(
            io_, std::move(server_.stdin_fd()), kMaxQueuedBytes / 2, [this] { OnDrained(); },
            [this] { OnServerEnds("it closed its standard input"); }),
        server_stderr_(io_, std::move(server_.stderr_fd()), server_name_, clock_, log_),
        server_exit_(io_, fcntl(server_.exit_fd(), F_DUPFD_CLOEXEC, 3)),
        core_timer_(io_),
        step_timer_(io_),
        signals_(io_) {
    if (options.handle_signals) {
      signals_.add(SIGTERM);
      signals_.add(SIGINT);
      signals_.add(SIGHUP);
    }
  }

  absl::Status ServeMetrics(
      const std::string& address,
      const std::function<std::string(const CoreStats& stats, size_t requests_in_flight)>& page) {
    BK_ASSIGN_OR_RETURN(metrics_, MetricsServer::Create(io_, address, [this, page] {
                          return page(core_.stats(), core_.requests_in_flight());
                        }));
    return absl::OkStatus();
  }

  BridgeEnd Run() {
    subscription_ = policies_.Subscribe([this](std::span<const AppId>) {
      // On a thread of the source. Several changes at once are one.
      if (policy_changed_.exchange(true)) return;
      boost::asio::post(io_, [this] {
        policy_changed_ = false;
        core_.OnPolicyChange(out_);
        Flush();
      });
    });
    from_client_.Start();
    from_server_.Start();
    server_stderr_.Start();
    to_client_.WatchOtherSide();
    server_exit_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                            [this](const error_code& error) {
                              if (!error) OnServerEnds("it ended");
                            });
    WaitForSignal();
    io_.run();
    subscription_.reset();
    // The group is gone but for what may have come since: killed and reaped.
    server_.Stop(absl::ZeroDuration(), clock_);
    return end_;
  }

  void Stop() {
    boost::asio::post(io_, [this] { OnSignal(); });
  }

  std::string metrics_address() const { return metrics_ ? metrics_->address() : ""; }
  pid_t server_pid() const { return server_.pid(); }

 private:
  enum class Phase {
    kServing,
    kAnswering,  // the client has closed our input; its last answers are waited for
    kEnding,     // the server is ending; its last output is waited for
    kStopping,   // the server is being stopped
    kDraining,   // the server is gone; what it left in its pipe is read
    kFlushing,   // the last answers are being written
    kDone,
  };

  // ---- messages ----------------------------------------------------------------

  void OnClientFrame(const Frame& frame) {
    core_.OnClientFrame(frame, out_);
    FlushIfMuch();
  }

  void OnServerFrame(const Frame& frame) {
    core_.OnServerFrame(frame, out_);
    FlushIfMuch();
  }

  // What one read brought is sent with one write, unless it is much.
  void FlushIfMuch() {
    if (out_.to_client.size() + out_.to_server.size() > kReadBytes) Flush();
  }

  // Sends what the core said, and sees to what follows from it.
  void Flush() {
    to_client_.Write(out_.to_client);
    to_server_.Write(out_.to_server);
    if (to_client_.queued_bytes() > kMaxQueuedBytes) from_server_.Pause();
    if (IsFull()) from_client_.Pause();
    ArmCoreTimer();
  }

  bool IsFull() const {
    return to_client_.queued_bytes() > kMaxQueuedBytes ||
           to_server_.queued_bytes() > kMaxQueuedBytes;
  }

  void OnDrained() {
    if (to_client_.queued_bytes() <= kMaxQueuedBytes) from_server_.Resume();
    if (!IsFull()) from_client_.Resume();
  }

  void ArmCoreTimer() {
    const absl::Duration deadline = core_.next_deadline();
    if (deadline == armed_deadline_) return;
    armed_deadline_ = deadline;
    if (deadline == absl::InfiniteDuration()) {
      core_timer_.cancel();
      return;
    }
    core_timer_.expires_after(absl::ToChronoNanoseconds(deadline - clock_.SinceBoot()));
    core_timer_.async_wait([this](const error_code& error) {
      if (error) return;
      armed_deadline_ = absl::InfiniteDuration();
      core_.OnTime(out_);
      Flush();
    });
  }

  // ---- ends --------------------------------------------------------------------

  void OnClientEnd() {
    if (phase_ != Phase::kServing) return;
    end_ = BridgeEnd::kClient;
    core_.OnClientInputEnd(out_);
    Flush();
    // Flush() may have found that the client is gone.
    if (phase_ == Phase::kServing) Enter(Phase::kAnswering, kAnswerGrace);
  }

  void OnClientGone() {
    if (phase_ != Phase::kServing && phase_ != Phase::kAnswering) return;
    end_ = BridgeEnd::kClient;
    StopServer(absl::ZeroDuration());
  }

  void OnSignal() {
    if (phase_ == Phase::kStopping) {
      kill_at_ = absl::ZeroDuration();  // asked twice
      return;
    }
    if (phase_ >= Phase::kStopping) return;
    end_ = BridgeEnd::kSignal;
    core_.OnServerEnd("the bridge was told to stop", out_);
    Flush();
    StopServer(absl::ZeroDuration());
  }

  void OnServerEnds(const char* how) {
    if (phase_ != Phase::kServing && phase_ != Phase::kAnswering) return;
    if (phase_ == Phase::kServing) end_ = BridgeEnd::kServer;
    server_end_ = how;
    Enter(Phase::kEnding, kDrainGrace);
  }

  void WaitForSignal() {
    signals_.async_wait([this](const error_code& error, int signal) {
      if (error) return;
      log_.Info("stopping", {{"signal", signal}});
      OnSignal();
      WaitForSignal();
    });
  }

  // Closes the server's input, and sends SIGTERM after `grace`.
  void StopServer(absl::Duration grace) {
    from_client_.Close();
    if (grace == absl::ZeroDuration()) {
      to_server_.Close();
    } else {
      to_server_.CloseWhenDrained();
    }
    term_at_ = clock_.SinceBoot() + grace;
    kill_at_ = term_at_ + kStopGrace;
    Enter(Phase::kStopping, grace + kStopGrace + kKillGrace);
  }

  void Enter(Phase phase, absl::Duration at_most) {
    phase_ = phase;
    phase_ends_ = clock_.SinceBoot() + at_most;
    Step();
  }

  // Sees whether the phase is over; comes back while it is not.
  void Step() {
    const absl::Duration now = clock_.SinceBoot();
    const bool is_late = now >= phase_ends_;
    switch (phase_) {
      case Phase::kServing:
      case Phase::kDone:
        return;
      case Phase::kAnswering:
        if (core_.answers_due() == 0 || is_late) return StopServer(kCloseGrace);
        break;
      case Phase::kEnding:
        if ((server_.ExitStatus() && from_server_.is_closed()) || is_late) return EndServer();
        break;
      case Phase::kStopping:
        if (server_.GroupIsGone() || is_late) return Enter(Phase::kDraining, kDrainGrace);
        if (now >= kill_at_) {
          server_.SignalGroup(SIGKILL);
        } else if (now >= term_at_) {
          server_.SignalGroup(SIGTERM);
          term_at_ = absl::InfiniteDuration();  // once
        }
        break;
      case Phase::kDraining:
        if (from_server_.is_closed() || is_late) {
          from_server_.Close();
          core_.OnServerEnd(HowServerEnded(), out_);
          Flush();
          return Enter(Phase::kFlushing, kDrainGrace);
        }
        break;
      case Phase::kFlushing:
        if (to_client_.is_closed() || to_client_.queued_bytes() == 0 || is_late) {
          phase_ = Phase::kDone;
          io_.stop();
          return;
        }
        break;
    }
    step_timer_.expires_after(absl::ToChronoNanoseconds(kStep));
    step_timer_.async_wait([this](const error_code& error) {
      if (!error) Step();
    });
  }

  // The server has ended by itself: everything is answered now, then what is left of
  // its group is stopped.
  void EndServer() {
    const std::string how = HowServerEnded();
    if (end_ == BridgeEnd::kServer) {
      log_.Error("the server ended", {{"how", how}, {"requests", core_.requests_in_flight()}});
    }
    core_.OnServerEnd(how, out_);
    Flush();
    StopServer(absl::ZeroDuration());
  }

  std::string HowServerEnded() const {
    const auto exit = server_.ExitStatus();
    return exit ? exit->ToString() : server_end_;
  }

  const Clock& clock_;
  Logger& log_;
  clients::PolicySource& policies_;
  const std::string app_;
  const std::string server_name_;
  boost::asio::io_context io_{1};
  const FlagsKeeper in_flags_;
  const FlagsKeeper out_flags_;

  BridgeCore core_;
  ChildProcess server_;
  LineReader from_client_;
  LineReader from_server_;
  LineWriter to_client_;
  LineWriter to_server_;
  ServerStderr server_stderr_;
  boost::asio::posix::stream_descriptor server_exit_;
  boost::asio::steady_timer core_timer_;
  boost::asio::steady_timer step_timer_;
  boost::asio::signal_set signals_;
  std::unique_ptr<MetricsServer> metrics_;

  Output out_;
  absl::Duration armed_deadline_ = absl::InfiniteDuration();
  std::atomic<bool> policy_changed_ = false;

  Phase phase_ = Phase::kServing;
  absl::Duration phase_ends_ = absl::InfiniteDuration();
  absl::Duration term_at_;
  absl::Duration kill_at_;
  BridgeEnd end_ = BridgeEnd::kClient;
  std::string server_end_ = "it was stopped";

  std::unique_ptr<clients::PolicySource::Subscription> subscription_;
};

absl::StatusOr<std::unique_ptr<StdioBridge>> StdioBridge::Create(StdioOptions options,
                                                                 CoreParts parts) {
  const std::string metrics_address = options.metrics_address;
  const auto metrics_page = options.metrics_page;
  BK_ASSIGN_OR_RETURN(ChildProcess server, ChildProcess::Spawn(options.server));
  auto loop = std::make_unique<Loop>(std::move(options), std::move(parts), std::move(server));
  if (!metrics_address.empty()) {
    BK_RETURN_IF_ERROR(loop->ServeMetrics(metrics_address, metrics_page));
  }
  return std::unique_ptr<StdioBridge>(new StdioBridge(std::move(loop)));
}

StdioBridge::StdioBridge(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}

StdioBridge::~StdioBridge() = default;

BridgeEnd StdioBridge::Run() { return loop_->Run(); }

void StdioBridge::Stop() { loop_->Stop(); }

std::string StdioBridge::metrics_address() const { return loop_->metrics_address(); }

pid_t StdioBridge::server_pid() const { return loop_->server_pid(); }

}  // namespace bridgekeeper::bridge
