// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The program as a process, following a fake keeperd.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_TEST_UTIL_H_

#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clients/sdk/testing/fake_pdp.h"
#include "clients/sdk/testing/watch_messages.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/mutex.h"
#include "policy/testing/status_matchers.h"
#include "runtime/process.h"
#include "runtime/signals.h"

namespace bridgekeeper::bridge {

inline constexpr int kDeadlineMs = 30'000;

inline std::string Binary(const std::string& name) {
  const char* folder = getenv("BK_BIN_DIR");
  return std::string(folder == nullptr ? "build/release/bin" : folder) + "/" + name;
}

// A running keeper-bridge and its client.
class Program {
 public:
  // `launcher` starts it: its command line stands behind.
  Program(const std::string& keeper, std::vector<std::string> flags,
          std::vector<std::string> server, std::vector<std::string> launcher = {}) {
    std::vector<std::string> command = {"stdio", "--app", "app"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.push_back("--");
    command.insert(command.end(), server.begin(), server.end());
    Start(keeper, std::move(command), std::move(launcher));
  }
  Program(const std::string& keeper, std::vector<std::string> arguments) {
    Start(keeper, std::move(arguments));
  }

  void Send(const std::string& line) {
    const std::string bytes = line + "\n";
    ASSERT_EQ(write(child_->stdin_fd().get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  std::string Read() { return ReadLine(child_->stdout_fd().get(), out_); }
  std::string Ask(const std::string& line) {
    Send(line);
    return Read();
  }
  // The next line of its log that holds `text`.
  std::string ReadLog(std::string_view text) {
    while (true) {
      std::string line = ReadLine(child_->stderr_fd().get(), log_);
      if (line.find(text) != std::string::npos || line == "<end>" || line == "<late>") return line;
    }
  }

  void CloseInput() { child_->stdin_fd().Reset(); }
  void CloseLog() { child_->stderr_fd().Reset(); }
  void Signal(int signal) { kill(child_->pid(), signal); }

  std::string End() {
    pollfd ended = {.fd = child_->exit_fd(), .events = POLLIN, .revents = 0};
    if (poll(&ended, 1, kDeadlineMs) != 1) return "it runs on";
    return child_->ExitStatus()->ToString();
  }
  pid_t pid() const { return child_->pid(); }

 private:
  void Start(const std::string& keeper, std::vector<std::string> command,
             std::vector<std::string> launcher = {}) {
    command.insert(command.begin(), Binary("keeper-bridge"));
    command.insert(command.begin(), launcher.begin(), launcher.end());
    auto child = ChildProcess::Spawn(
        {.command = std::move(command),
         .environment = {"PATH=/usr/bin:/bin", "KEEPER_ADDRESS=" + keeper,
                         "KEEPER_TOKEN=secret-token", "KEEPER_ANYTHING=x", "OTHER=kept"}});
    EXPECT_THAT(child, IsOk());
    if (child.ok()) child_ = std::make_unique<ChildProcess>(*std::move(child));
  }

  static std::string ReadLine(int fd, std::string& buffer) {
    while (buffer.find('\n') == std::string::npos) {
      pollfd ready = {.fd = fd, .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, kDeadlineMs) != 1) return "<late>";
      char bytes[65536];
      const ssize_t n = read(fd, bytes, sizeof bytes);
      if (n <= 0) return "<end>";
      buffer.append(bytes, static_cast<size_t>(n));
    }
    const size_t end = buffer.find('\n');
    std::string line = buffer.substr(0, end);
    buffer.erase(0, end + 1);
    return line;
  }

  std::unique_ptr<ChildProcess> child_;
  std::string out_;
  std::string log_;
};

class ProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    IgnoreSigpipe();
    pdp_.OnReportDecisions(
        [this](const v1::ReportDecisionsRequest& request, v1::ReportDecisionsResponse& response) {
          MutexLock lock(mu_);
          for (const v1::DecisionRecord& record : request.records()) records_.push_back(record);
          response.set_acknowledged(request.records(request.records_size() - 1).sequence());
          return absl::OkStatus();
        });
    pdp_.OnReportTools([this](const v1::ReportToolsRequest& request, v1::ReportToolsResponse&) {
      MutexLock lock(mu_);
      tools_.push_back(request);
      return absl::OkStatus();
    });
    pdp_.OnHeartbeat([](const v1::HeartbeatRequest&, v1::HeartbeatResponse& response) {
      response.mutable_interval()->set_seconds(1);
      return absl::OkStatus();
    });
  }

  // Gives the bridge that connects next a policy in which `do` is SAFE.
  std::shared_ptr<clients::FakePdp::Watch> GivePolicy(Mode mode = Mode::kFullAccess) {
    auto watch = pdp_.NextWatch(absl::Seconds(30));
    EXPECT_NE(watch, nullptr);
    if (watch == nullptr) return nullptr;
    watch->Send(clients::Snapshot(2, {clients::PolicyChange(1, "app", mode),
                                      clients::EntryChange(2, "app", "stdio", "do", Risk::kSafe)}));
    return watch;
  }

  std::vector<v1::DecisionRecord> records() {
    MutexLock lock(mu_);
    return records_;
  }
  std::vector<v1::ReportToolsRequest> tools() {
    MutexLock lock(mu_);
    return tools_;
  }

  clients::FakePdp pdp_;
  const std::string server_ = Binary("tests/fake_mcp_server");

 private:
  Mutex mu_;
  std::vector<v1::DecisionRecord> records_ ABSL_GUARDED_BY(mu_);
  std::vector<v1::ReportToolsRequest> tools_ ABSL_GUARDED_BY(mu_);
};

// At once, as an editor or a deployment should: nobody reads a half of it.
inline std::string WriteConfig(const std::string& text, mode_t mode = 0600) {
  const std::string file = ::testing::TempDir() + "/bridge-" + std::to_string(getpid()) + ".yaml";
  std::ofstream(file + ".next") << text;
  EXPECT_EQ(chmod((file + ".next").c_str(), mode), 0);
  EXPECT_EQ(std::rename((file + ".next").c_str(), file.c_str()), 0);
  return file;
}

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_PROGRAM_TEST_UTIL_H_
