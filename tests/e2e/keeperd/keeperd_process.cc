// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/e2e/keeperd/keeperd_process.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "service/config/validate.h"

namespace bridgekeeper::tests {
namespace {

constexpr int kDeadlineMs = 60'000;

std::string BinDir() {
  const char* dir = std::getenv("BK_BIN_DIR");
  if (dir == nullptr) {
    std::fprintf(stderr, "BK_BIN_DIR is not set: run this through ctest\n");
    std::abort();
  }
  return dir;
}

// Appends what can be read now. False at the end of the stream.
bool Drain(int fd, std::string& out) {
  char buffer[4096];
  while (true) {
    const ssize_t n = read(fd, buffer, sizeof buffer);
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    out.append(buffer, static_cast<size_t>(n));
  }
}

// The line that says that it serves, as a document.
std::optional<std::string> ServingLine(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;  // not whole yet
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.find("\"message\":\"serving\"") != std::string_view::npos) return std::string(line);
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> AnyPorts(std::vector<std::string> more) {
  std::vector<std::string> out = {"--grpc-address=127.0.0.1:0", "--http-address=127.0.0.1:0",
                                  "--metrics-address=127.0.0.1:0"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

KeeperdProcess::KeeperdProcess(const KeeperdSpec& spec) {
  ProcessSpec process;
  const std::string program = BinDir() + "/keeperd";
  if (spec.launcher.empty()) {
    process.command = {program};
    process.command.insert(process.command.end(), spec.arguments.begin(), spec.arguments.end());
  } else {
    process.command = spec.launcher;
    std::string line = "exec " + program;
    for (const std::string& argument : spec.arguments) line += " '" + argument + "'";
    process.command.push_back(line + spec.redirection);
  }
  process.environment = {"PATH=/usr/bin:/bin"};
  for (const auto& [name, value] : spec.environment) {
    process.environment.push_back(name + "=" + value);
  }
  auto spawned = ChildProcess::Spawn(process);
  if (!spawned.ok()) {
    std::fprintf(stderr, "cannot start keeperd: %s\n", spawned.status().ToString().c_str());
    std::abort();
  }
  process_.emplace(*std::move(spawned));
}

bool KeeperdProcess::ReadSome() {
  pollfd waiting[3] = {{process_->stdout_fd().get(), POLLIN, 0},
                       {process_->stderr_fd().get(), POLLIN, 0},
                       {process_->exit_fd(), POLLIN, 0}};
  if (poll(waiting, 3, kDeadlineMs) <= 0) return false;
  if (process_->stdout_fd() && !Drain(process_->stdout_fd().get(), output_)) {
    process_->stdout_fd().Reset();
  }
  if (process_->stderr_fd() && !Drain(process_->stderr_fd().get(), errors_)) {
    process_->stderr_fd().Reset();
  }
  return true;
}

bool KeeperdProcess::WaitUntilServing() {
  std::optional<std::string> line;
  while (true) {
    line = ServingLine(errors_);
    if (!line) line = ServingLine(output_);
    if (line) break;
    if (process_->ExitStatus() || !ReadSome()) return false;
  }
  const auto document = JsonDocument::Parse(*line);
  if (!document.ok()) return false;
  const auto field = [&](const char* name) {
    return std::string(document->root().Find(name)->string());
  };
  grpc_address_ = field("grpc_address");
  http_address_ = field("http_address");
  metrics_address_ = field("metrics_address");
  return true;
}

ProcessExit KeeperdProcess::WaitForEnd() {
  while (!process_->ExitStatus()) {
    if (!ReadSome()) break;
  }
  const std::optional<ProcessExit> exit = process_->ExitStatus();
  if (process_->stdout_fd()) (void)Drain(process_->stdout_fd().get(), output_);
  if (process_->stderr_fd()) (void)Drain(process_->stderr_fd().get(), errors_);
  return exit.value_or(ProcessExit{.code = -1});
}

std::string HttpGet(const std::string& address, std::string_view path) {
  const auto parsed = service::ParseAddress(address);
  if (!parsed) return "";
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = htons(parsed->port);
  inet_pton(AF_INET, parsed->host.c_str(), &to.sin_addr);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return "";
  const std::string request =
      absl::StrFormat("GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", path, address);
  if (send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return "";
  std::string out;
  while (true) {
    pollfd waiting = {fd.get(), POLLIN, 0};
    if (poll(&waiting, 1, kDeadlineMs) != 1) return out;
    char buffer[4096];
    const ssize_t n = recv(fd.get(), buffer, sizeof buffer, 0);
    if (n <= 0) return out;
    out.append(buffer, static_cast<size_t>(n));
  }
}

}  // namespace bridgekeeper::tests
