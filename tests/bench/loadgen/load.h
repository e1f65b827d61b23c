// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The load: calls of one method, so many in flight, for so long. Requests and
// answers are bytes here, so that every server is driven by one and the same client
// with the same (small) cost a call, whatever its messages are.

#ifndef BRIDGEKEEPER_TESTS_BENCH_LOADGEN_LOAD_H_
#define BRIDGEKEEPER_TESTS_BENCH_LOADGEN_LOAD_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace bridgekeeper::bench {

// Makes the next request as it goes over the wire.
using RequestMaker = std::function<std::string(std::mt19937_64& random)>;

struct Measurement {
  int64_t calls = 0;   // answered OK
  int64_t errors = 0;  // answered otherwise
  std::string first_error;
  double seconds = 0;
  double rate = 0;    // calls a second
  double p50_us = 0;  // of the calls answered OK
  double p99_us = 0;
  double server_cpu_us = 0;  // of the server's process, for each call; 0: not known
};

// What calls took, all of them answered OK. REQUIRES: !latencies_us.empty()
Measurement MeasurementOf(std::vector<double> latencies_us, std::chrono::duration<double> took,
                          double server_cpu_us);

// Processor time of a process so far, all threads; 0 where there is none.
double CpuMicros(int pid);

// One server: a connection of its own and the method to call.
class Server {
 public:
  // `address` is HOST:PORT, plaintext. `pid` is the server's process on this
  // machine; 0: not known.
  Server(const std::string& address, std::string method, int pid);
  ~Server();

  // One call, within ten seconds.
  absl::StatusOr<std::string> Ask(const std::string& request);

  // Unary calls: `in_flight` at a time, each followed by the next.
  Measurement Call(const RequestMaker& make, int in_flight, absl::Duration length, uint64_t seed);

  // One stream with at most `in_flight` requests that are not answered yet.
  Measurement Stream(const RequestMaker& make, int in_flight, absl::Duration length, uint64_t seed);

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace bridgekeeper::bench

#endif  // BRIDGEKEEPER_TESTS_BENCH_LOADGEN_LOAD_H_
