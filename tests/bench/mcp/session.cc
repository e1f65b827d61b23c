// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/mcp/session.h"

#include <poll.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kDeadlineMs = 30'000;

constexpr std::string_view kEcho = R"({"name":"echo","arguments":{"text":"hello"}})";

int64_t IdOf(std::string_view line) {
  const auto document = JsonDocument::Parse(line);
  if (!document.ok()) return -1;
  const std::optional<JsonValue> id = document->root().Find("id");
  return id.has_value() && id->is_number() ? id->integer().value_or(-1) : -1;
}

}  // namespace

absl::StatusOr<std::unique_ptr<LineProgram>> LineProgram::Start(std::vector<std::string> command) {
  ProcessSpec spec;
  spec.command = std::move(command);
  spec.environment = EnvironmentWithout({});
  BK_ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Spawn(spec));
  return std::unique_ptr<LineProgram>(new LineProgram(std::move(child)));
}

absl::Status LineProgram::Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(child_.stdin_fd().get(), text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<size_t>(written));
    } else {
      BK_RETURN_IF_ERROR(Wait(child_.stdin_fd().get(), POLLOUT));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> LineProgram::ReadLine() {
  while (true) {
    if (const size_t newline = input_.find('\n', scanned_); newline != std::string::npos) {
      std::string line = input_.substr(begin_, newline - begin_);
      begin_ = scanned_ = newline + 1;
      if (begin_ == input_.size()) {
        input_.clear();
        begin_ = scanned_ = 0;
      }
      return line;
    }
    scanned_ = input_.size();
    char buffer[65536];
    const ssize_t got = read(child_.stdout_fd().get(), buffer, sizeof(buffer));
    if (got > 0) {
      input_.append(buffer, static_cast<size_t>(got));
    } else if (got == 0) {
      return absl::UnavailableError("the server ended: " + errors_);
    } else {
      BK_RETURN_IF_ERROR(Wait(child_.stdout_fd().get(), POLLIN));
    }
  }
}

// Waits for a descriptor of the child, and takes what it says on standard error.
absl::Status LineProgram::Wait(int fd, short events) {
  pollfd waited[2] = {{fd, events, 0}, {child_.stderr_fd().get(), POLLIN, 0}};
  if (poll(waited, errors_open_ ? 2 : 1, kDeadlineMs) == 0) {
    return absl::DeadlineExceededError("the server does not answer: " + errors_);
  }
  if (errors_open_ && waited[1].revents != 0) {
    char buffer[4096];
    const ssize_t got = read(child_.stderr_fd().get(), buffer, sizeof(buffer));
    if (got > 0) errors_.assign(buffer, static_cast<size_t>(got));  // the last words are enough
    if (got == 0) errors_open_ = false;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<McpSession>> McpSession::Start(std::vector<std::string> command) {
  BK_ASSIGN_OR_RETURN(std::unique_ptr<LineProgram> program, LineProgram::Start(std::move(command)));
  auto session = std::unique_ptr<McpSession>(new McpSession(std::move(program)));
  BK_RETURN_IF_ERROR(session
                         ->Ask("initialize", R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                                             R"("clientInfo":{"name":"bench","version":"1"}})")
                         .status());
  BK_RETURN_IF_ERROR(
      session->program_->Write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
  BK_RETURN_IF_ERROR(session->Ask("tools/list", "{}").status());
  return session;
}

absl::StatusOr<std::string> McpSession::Ask(std::string_view method, std::string_view params) {
  const int64_t id = next_id_++;
  BK_RETURN_IF_ERROR(program_->Write(absl::StrFormat(
      "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n", id, method, params)));
  while (true) {
    BK_ASSIGN_OR_RETURN(const std::string line, Next());
    if (IdOf(line) == id) return line;
  }
}

absl::StatusOr<std::string> McpSession::Next() {
  BK_ASSIGN_OR_RETURN(std::string line, program_->ReadLine());
  if (line.find(R"("notifications/tools/list_changed")") != std::string::npos) ++list_changes_;
  return line;
}

absl::Status McpSession::WaitForListChange() {
  while (list_changes_ == 0) BK_RETURN_IF_ERROR(Next().status());
  list_changes_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<bool> McpSession::CallOnce() {
  BK_ASSIGN_OR_RETURN(const std::string answer, Ask("tools/call", kEcho));
  return answer.find(R"("text":"hello")") != std::string::npos;
}

absl::StatusOr<Measurement> McpSession::Call(int in_flight, std::chrono::duration<double> length) {
  BK_ASSIGN_OR_RETURN(const std::string answer, Ask("tools/call", kEcho));
  if (answer.find(R"("text":"hello")") == std::string::npos) {
    return absl::FailedPreconditionError("the call measured was not answered: " + answer);
  }
  Begun begun;
  std::vector<double> latencies_us;
  const double cpu_before = CpuMicros(program_->pid());
  const auto begin = SteadyClock::now();
  const auto end = begin + std::chrono::duration_cast<SteadyClock::duration>(length);
  for (int i = 0; i < in_flight; ++i) BK_RETURN_IF_ERROR(Send(begun));
  while (!begun.empty()) {
    BK_ASSIGN_OR_RETURN(const std::string line, Next());
    const auto call = begun.find(IdOf(line));
    if (call == begun.end()) continue;  // a notification
    const auto now = SteadyClock::now();
    latencies_us.push_back(std::chrono::duration<double, std::micro>(now - call->second).count());
    begun.erase(call);
    if (now < end) BK_RETURN_IF_ERROR(Send(begun));
  }
  return MeasurementOf(std::move(latencies_us), SteadyClock::now() - begin,
                       CpuMicros(program_->pid()) - cpu_before);
}

absl::Status McpSession::Send(Begun& begun) {
  const int64_t id = next_id_++;
  begun.emplace(id, SteadyClock::now());
  return program_->Write(absl::StrFormat(
      "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\",\"params\":%s}\n", id, kEcho));
}

}  // namespace bridgekeeper::bench
