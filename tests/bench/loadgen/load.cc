// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/loadgen/load.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <latch>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/mutex.h"

namespace bridgekeeper::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

grpc::ByteBuffer ToBuffer(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return {};
  std::string bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// What one slot of a load has seen.
struct Tally {
  std::vector<uint32_t> latencies_ns;
  int64_t errors = 0;
  std::string first_error;

  void Take(const grpc::Status& status, SteadyClock::time_point begin) {
    if (status.ok()) {
      const auto took = SteadyClock::now() - begin;
      latencies_ns.push_back(static_cast<uint32_t>(
          std::min<int64_t>(std::chrono::nanoseconds(took).count(), UINT32_MAX)));
    } else if (errors++ == 0) {
      first_error =
          absl::StrFormat("%d: %s", static_cast<int>(status.error_code()), status.error_message());
    }
  }
};

Measurement Sum(std::vector<Tally> tallies, SteadyClock::duration took, double cpu_us) {
  Measurement sum;
  std::vector<uint32_t> all;
  for (Tally& tally : tallies) {
    all.insert(all.end(), tally.latencies_ns.begin(), tally.latencies_ns.end());
    sum.errors += tally.errors;
    if (sum.first_error.empty()) sum.first_error = std::move(tally.first_error);
  }
  sum.calls = static_cast<int64_t>(all.size());
  sum.seconds = std::chrono::duration<double>(took).count();
  sum.rate = static_cast<double>(sum.calls) / sum.seconds;
  const auto percentile = [&all](double part) {
    if (all.empty()) return 0.0;
    const auto nth =
        all.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(all.size() - 1));
    std::nth_element(all.begin(), nth, all.end());
    return *nth / 1000.0;
  };
  sum.p50_us = percentile(0.50);
  sum.p99_us = percentile(0.99);
  if (sum.calls > 0) sum.server_cpu_us = cpu_us / static_cast<double>(sum.calls);
  return sum;
}

// One place in flight: a call, and in its callback the next.
class Slot {
 public:
  Slot(grpc::GenericStub& stub, const std::string& method, const RequestMaker& make, uint64_t seed,
       SteadyClock::time_point end, std::latch& done)
      : stub_(stub), method_(method), make_(make), random_(seed), end_(end), done_(done) {
    tally_.latencies_ns.reserve(1 << 16);
  }

  void Next() {
    begin_ = SteadyClock::now();
    if (begin_ >= end_) {
      done_.count_down();
      return;
    }
    context_.emplace();
    request_ = ToBuffer(make_(random_));
    stub_.UnaryCall(&*context_, method_, grpc::StubOptions(), &request_, &response_,
                    [this](const grpc::Status& status) {
                      tally_.Take(status, begin_);
                      Next();
                    });
  }

  Tally&& tally() { return std::move(tally_); }

 private:
  grpc::GenericStub& stub_;
  const std::string& method_;
  const RequestMaker& make_;
  std::mt19937_64 random_;
  const SteadyClock::time_point end_;
  std::latch& done_;

  std::optional<grpc::ClientContext> context_;
  grpc::ByteBuffer request_;
  grpc::ByteBuffer response_;
  SteadyClock::time_point begin_;
  Tally tally_;
};

// One stream. Answers come in the order of the requests.
class StreamReactor : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  StreamReactor(const RequestMaker& make, int in_flight, uint64_t seed, SteadyClock::time_point end)
      : make_(make), room_(in_flight), random_(seed), end_(end) {}

  void Begin(grpc::GenericStub& stub, const std::string& method) {
    stub.PrepareBidiStreamingCall(&context_, method, grpc::StubOptions(), this);
    AddHold();  // writes may also come out of OnReadDone
    StartRead(&response_);
    {
      MutexLock lock(mu_);
      WriteIfRoom();
    }
    StartCall();
  }

  // The tally, once the stream is over.
  Tally Wait() {
    over_.wait();
    return std::move(tally_);
  }

  void OnWriteDone(bool ok) override {
    MutexLock lock(mu_);
    writing_ = false;
    if (ok) WriteIfRoom();
  }

  void OnReadDone(bool ok) override {
    {
      MutexLock lock(mu_);
      if (!ok) {
        if (!std::exchange(ended_, true)) RemoveHold();
        return;
      }
      tally_.Take(grpc::Status::OK, sent_.front());
      sent_.pop_front();
      WriteIfRoom();
    }
    StartRead(&response_);
  }

  void OnDone(const grpc::Status& status) override {
    if (!status.ok()) tally_.Take(status, {});
    over_.count_down();
  }

 private:
  void WriteIfRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (writing_ || ended_ || static_cast<int>(sent_.size()) >= room_) return;
    const SteadyClock::time_point now = SteadyClock::now();
    if (now >= end_) {
      ended_ = true;
      StartWritesDone();
      RemoveHold();
      return;
    }
    writing_ = true;
    sent_.push_back(now);
    request_ = ToBuffer(make_(random_));
    StartWrite(&request_);
  }

  const RequestMaker& make_;
  const int room_;
  grpc::ClientContext context_;
  grpc::ByteBuffer response_;
  std::latch over_{1};

  Mutex mu_;
  std::mt19937_64 random_ ABSL_GUARDED_BY(mu_);
  const SteadyClock::time_point end_;
  grpc::ByteBuffer request_ ABSL_GUARDED_BY(mu_);
  bool writing_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  std::deque<SteadyClock::time_point> sent_ ABSL_GUARDED_BY(mu_);
  Tally tally_;  // of the reading side
};

}  // namespace

Measurement MeasurementOf(std::vector<double> latencies_us, std::chrono::duration<double> took,
                          double server_cpu_us) {
  Measurement result;
  result.calls = static_cast<int64_t>(latencies_us.size());
  result.seconds = took.count();
  result.rate = static_cast<double>(result.calls) / result.seconds;
  result.server_cpu_us = server_cpu_us / static_cast<double>(result.calls);
  std::sort(latencies_us.begin(), latencies_us.end());
  result.p50_us = latencies_us[latencies_us.size() / 2];
  result.p99_us = latencies_us[latencies_us.size() * 99 / 100];
  return result;
}

double CpuMicros(int pid) {
  if (pid == 0) return 0;
  std::ifstream file(absl::StrFormat("/proc/%d/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return 0;
  // Fields 14 and 15, utime and stime in clock ticks: the 12th and 13th behind the
  // name (proc(5)).
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int i = 0; i < 11; ++i) fields >> skipped;
  double user = 0;
  double system = 0;
  fields >> user >> system;
  return (user + system) * 1e6 / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Server::Rep {
  std::string method;
  int pid = 0;
  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<grpc::GenericStub> stub;
};

Server::Server(const std::string& address, std::string method, int pid)
    : rep_(std::make_unique<Rep>()) {
  rep_->pid = pid;
  rep_->method = std::move(method);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // one connection a server
  rep_->channel = grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
  rep_->stub = std::make_unique<grpc::GenericStub>(rep_->channel);
}

Server::~Server() = default;

absl::StatusOr<std::string> Server::Ask(const std::string& request) {
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
  const grpc::ByteBuffer question = ToBuffer(request);
  grpc::ByteBuffer answer;
  grpc::Status status;
  std::latch done(1);
  rep_->stub->UnaryCall(&context, rep_->method, grpc::StubOptions(), &question, &answer,
                        [&](const grpc::Status& result) {
                          status = result;
                          done.count_down();
                        });
  done.wait();
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
  }
  return ToString(answer);
}

Measurement Server::Call(const RequestMaker& make, int in_flight, absl::Duration length,
                         uint64_t seed) {
  const double cpu_before = CpuMicros(rep_->pid);
  const SteadyClock::time_point begin = SteadyClock::now();
  std::latch done(in_flight);
  std::deque<Slot> slots;
  for (int i = 0; i < in_flight; ++i) {
    slots.emplace_back(*rep_->stub, rep_->method, make, seed + static_cast<uint64_t>(i),
                       begin + absl::ToChronoNanoseconds(length), done);
  }
  for (Slot& slot : slots) slot.Next();
  done.wait();
  const SteadyClock::duration took = SteadyClock::now() - begin;
  std::vector<Tally> tallies;
  for (Slot& slot : slots) tallies.push_back(slot.tally());
  return Sum(std::move(tallies), took, CpuMicros(rep_->pid) - cpu_before);
}

Measurement Server::Stream(const RequestMaker& make, int in_flight, absl::Duration length,
                           uint64_t seed) {
  const double cpu_before = CpuMicros(rep_->pid);
  const SteadyClock::time_point begin = SteadyClock::now();
  StreamReactor stream(make, in_flight, seed, begin + absl::ToChronoNanoseconds(length));
  stream.Begin(*rep_->stub, rep_->method);
  std::vector<Tally> tallies;
  tallies.push_back(stream.Wait());
  const SteadyClock::duration took = SteadyClock::now() - begin;
  return Sum(std::move(tallies), took, CpuMicros(rep_->pid) - cpu_before);
}

}  // namespace bridgekeeper::bench
