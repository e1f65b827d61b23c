// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// KeeperdProcess is the real program, started by a test.

#ifndef BRIDGEKEEPER_TESTS_E2E_KEEPERD_KEEPERD_PROCESS_H_
#define BRIDGEKEEPER_TESTS_E2E_KEEPERD_KEEPERD_PROCESS_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/clock.h"
#include "runtime/process.h"

namespace bridgekeeper::tests {

struct KeeperdSpec {
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  // A program, with its arguments, that starts keeperd: the command line follows as
  // one word more. Empty: none.
  std::vector<std::string> launcher;
  // What the command line of a launcher ends with, as a shell reads it.
  std::string redirection;
};

// Arguments that let it listen on ports of the system's choice.
std::vector<std::string> AnyPorts(std::vector<std::string> more = {});

class KeeperdProcess {
 public:
  explicit KeeperdProcess(const KeeperdSpec& spec);

  // Reads standard error (or, under a launcher, standard output) until the line that
  // says that it serves. False where it ends, or says nothing in time.
  bool WaitUntilServing();

  // Where it listens, after WaitUntilServing().
  const std::string& grpc_address() const { return grpc_address_; }
  const std::string& http_address() const { return http_address_; }
  const std::string& metrics_address() const { return metrics_address_; }

  void Signal(int signal) { process_->SignalGroup(signal); }

  // Waits until it has ended, reading all that it still writes.
  ProcessExit WaitForEnd();

  // What it wrote so far.
  const std::string& output() const { return output_; }  // standard output
  const std::string& errors() const { return errors_; }  // standard error
  pid_t pid() const { return process_->pid(); }

 private:
  // Reads what is there, waiting for something. False at the deadline.
  bool ReadSome();

  RealClock clock_;
  std::optional<ChildProcess> process_;
  std::string output_;
  std::string errors_;
  std::string grpc_address_;
  std::string http_address_;
  std::string metrics_address_;
};

// Asks `GET path` and returns the whole answer; empty where nobody listens.
std::string HttpGet(const std::string& address, std::string_view path);

}  // namespace bridgekeeper::tests

#endif  // BRIDGEKEEPER_TESTS_E2E_KEEPERD_KEEPERD_PROCESS_H_
