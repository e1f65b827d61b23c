// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/stdio_transport.h"

#include <fcntl.h>
#include <signal.h>

#include <optional>
#include <utility>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "clients/bridge/stdio/pipes.h"
#include "clients/bridge/stdio/server_stderr.h"
#include "clients/bridge/stdio/stdio_bridge.h"
#include "clients/sdk/backoff.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

using boost::system::error_code;

// How often an end is looked after: that the last process of a group has ended is no
// event.
constexpr absl::Duration kStep = absl::Milliseconds(5);

// One run of the command, from its start until nothing of it is left. Destroyed only
// after its own handlers have run: see Transport::Bury().
class Run {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void OnRunFrame(const Frame& frame) = 0;
    virtual void OnRunEnds(std::string how) = 0;  // it is about to end; once
    virtual void OnRunGone() = 0;                 // nothing of it is left; the last call
  };

  Run(boost::asio::io_context& io, const std::string& name, ChildProcess child, Owner& owner,
      const Clock& clock, Logger& log)
      : clock_(clock),
        owner_(owner),
        child_(std::move(child)),
        started_(clock.SinceBoot()),
        from_server_(
            io, std::move(child_.stdout_fd()), [this](const Frame& f) { OnFrame(f); }, [] {},
            [this] { End("it closed its standard output"); }),
        to_server_(
            io, std::move(child_.stdin_fd()), kMaxQueuedBytes / 2, [] {},
            [this] { End("it closed its standard input"); }),
        stderr_(io, std::move(child_.stderr_fd()), name, clock, log),
        exit_(io, fcntl(child_.exit_fd(), F_DUPFD_CLOEXEC, 3)),
        timer_(io) {}

  void Start() {
    from_server_.Start();
    stderr_.Start();
    to_server_.WatchOtherSide();
    exit_.async_wait(boost::asio::posix::stream_descriptor::wait_read, [this](const error_code& e) {
      if (!e) End("it ended");
    });
  }

  void Send(std::string_view message) {
    std::string line(message);
    line += '\n';
    to_server_.Write(line);
  }

  size_t queued_bytes() const { return to_server_.queued_bytes(); }
  bool was_steady() const { return clock_.SinceBoot() - started_ >= kSteadyAfter; }

  // Begins to end it. Where `how` is empty, nobody is told that it ends.
  void End(const char* how) {
    if (ending_) return;
    ending_ = true;
    how_ = how;
    // A server that has ended by itself has left its last words in its pipe.
    drain_until_ = clock_.SinceBoot() + (how_.empty() ? absl::ZeroDuration() : kDrainGrace);
    Step();
  }

 private:
  void OnFrame(const Frame& frame) {
    if (!told_) owner_.OnRunFrame(frame);
  }

  void Step() {
    const absl::Duration now = clock_.SinceBoot();
    if (!told_) {
      const bool has_said_all = from_server_.is_closed() && child_.ExitStatus();
      if (!has_said_all && now < drain_until_) return StepAgain();
      told_ = true;
      const auto exit = child_.ExitStatus();
      if (!how_.empty()) owner_.OnRunEnds(exit ? exit->ToString() : how_);
      to_server_.Close();
      from_server_.Close();
      // A server that is asked to end gets the time to do it by itself.
      term_at_ = now + (how_.empty() ? kCloseGrace : absl::ZeroDuration());
      kill_at_ = term_at_ + kStopGrace;
    }
    if (child_.GroupIsGone()) return Gone();
    if (now >= kill_at_) {
      child_.SignalGroup(SIGKILL);
    } else if (now >= term_at_) {
      child_.SignalGroup(SIGTERM);
      term_at_ = absl::InfiniteDuration();  // once
    }
    StepAgain();
  }

  void StepAgain() {
    timer_.expires_after(absl::ToChronoNanoseconds(kStep));
    timer_.async_wait([this](const error_code& error) {
      if (!error) Step();
    });
  }

  void Gone() {
    error_code ignored;
    exit_.close(ignored);
    stderr_.Close();
    child_.Stop(absl::ZeroDuration(), clock_);  // reaps it
    owner_.OnRunGone();
  }

  const Clock& clock_;
  Owner& owner_;
  ChildProcess child_;
  const absl::Duration started_;
  LineReader from_server_;
  LineWriter to_server_;
  ServerStderr stderr_;
  boost::asio::posix::stream_descriptor exit_;
  boost::asio::steady_timer timer_;
  bool ending_ = false;
  bool told_ = false;
  std::string how_;
  absl::Duration drain_until_ = absl::ZeroDuration();
  absl::Duration term_at_ = absl::InfiniteDuration();
  absl::Duration kill_at_ = absl::InfiniteDuration();
};

class StdioTransport : public Transport, private Run::Owner {
 public:
  StdioTransport(boost::asio::io_context& io, std::string name, ProcessSpec spec,
                 const Clock& clock, IdSource& ids, Logger& log)
      : io_(io),
        name_(std::move(name)),
        spec_(std::move(spec)),
        clock_(clock),
        log_(log),
        backoff_(kMinRestartWait, kMaxRestartWait, ids),
        timer_(io) {}

  void Start(Listener& listener) override {
    listener_ = &listener;
    boost::asio::post(io_, [this] { StartRun(); });
  }

  void Send(std::string_view message) override {
    if (run_ != nullptr) run_->Send(message);
  }

  size_t queued_bytes() const override { return run_ == nullptr ? 0 : run_->queued_bytes(); }

  void Reconnect() override {
    boost::asio::post(io_, [this] {
      if (run_ != nullptr) run_->End("it was told to end");
    });
  }

  void Stop(std::function<void()> done) override {
    listener_ = nullptr;
    done_ = std::move(done);
    timer_.cancel();
    boost::asio::post(io_, [this] {
      if (run_ == nullptr) return done_();
      run_->End("");
    });
  }

 private:
  void StartRun() {
    if (listener_ == nullptr) return;
    auto child = ChildProcess::Spawn(spec_);
    if (!child.ok()) {
      log_.Error("the server does not start",
                 {{"server", name_}, {"why", std::string(child.status().message())}});
      listener_->OnDisconnected("it does not start");
      return StartAgain();
    }
    Owner& owner = *this;  // a private base: only we may say so
    run_ = std::make_unique<Run>(io_, name_, *std::move(child), owner, clock_, log_);
    run_->Start();
    listener_->OnConnected();
  }

  void StartAgain() {
    if (listener_ == nullptr) return;
    timer_.expires_after(absl::ToChronoNanoseconds(backoff_.Next()));
    timer_.async_wait([this](const error_code& error) {
      if (!error) StartRun();
    });
  }

  void OnRunFrame(const Frame& frame) override {
    if (listener_ != nullptr) listener_->OnFrame(frame, "");
  }

  void OnRunEnds(std::string how) override {
    log_.Error("the server ended", {{"server", name_}, {"how", how}});
    if (listener_ != nullptr) listener_->OnDisconnected(how);
  }

  void OnRunGone() override {
    if (run_->was_steady()) backoff_.Reset();
    // Handlers of the run that were cancelled have yet to run, and it is one of them
    // that called us.
    boost::asio::post(io_, [run = std::shared_ptr<Run>(std::move(run_))] {});
    run_ = nullptr;
    if (listener_ != nullptr) return StartAgain();
    if (done_) boost::asio::post(io_, std::exchange(done_, nullptr));
  }

  boost::asio::io_context& io_;
  const std::string name_;
  const ProcessSpec spec_;
  const Clock& clock_;
  Logger& log_;
  Listener* listener_ = nullptr;
  clients::Backoff backoff_;
  std::unique_ptr<Run> run_;
  boost::asio::steady_timer timer_;
  std::function<void()> done_;
};

}  // namespace

std::unique_ptr<Transport> MakeStdioTransport(boost::asio::io_context& io, std::string name,
                                              ProcessSpec spec, const Clock& clock, IdSource& ids,
                                              Logger& log) {
  return std::make_unique<StdioTransport>(io, std::move(name), std::move(spec), clock, ids, log);
}

}  // namespace bridgekeeper::bridge
