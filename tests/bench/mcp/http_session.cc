// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/mcp/http_session.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kDeadlineMs = 30'000;

// Whether `input` holds one whole answer, which may end by its length or in chunks.
bool IsWhole(std::string_view input) {
  const size_t head_end = input.find("\r\n\r\n");
  if (head_end == std::string_view::npos) return false;
  const std::string head = AsciiLower(input.substr(0, head_end + 2));
  std::string_view body = input.substr(head_end + 4);
  constexpr std::string_view kLength = "\r\ncontent-length: ";
  if (const size_t length = head.find(kLength); length != std::string::npos) {
    return body.size() >= strtoul(head.c_str() + length + kLength.size(), nullptr, 10);
  }
  if (head.find("\r\ntransfer-encoding: chunked") == std::string::npos) return true;
  while (true) {
    const size_t line = body.find("\r\n");
    if (line == std::string_view::npos) return false;
    const size_t size = strtoul(std::string(body.substr(0, line)).c_str(), nullptr, 16);
    if (body.size() < line + 2 + size + 2) return false;
    if (size == 0) return true;
    body.remove_prefix(line + 2 + size + 2);
  }
}

}  // namespace

absl::StatusOr<HttpTarget> HttpTarget::Parse(std::string_view text) {
  constexpr std::string_view kBegin = "http://127.0.0.1:";
  const size_t slash = text.find('/', kBegin.size());
  const size_t hash = text.find('#');
  HttpTarget target;
  uint32_t port = 0;
  if (!text.starts_with(kBegin) || slash == std::string_view::npos ||
      hash == std::string_view::npos || hash < slash ||
      !absl::SimpleAtoi(AsAbsl(text.substr(kBegin.size(), slash - kBegin.size())), &port) ||
      port > 65535 || !absl::SimpleAtoi(AsAbsl(text.substr(hash + 1)), &target.pid)) {
    return absl::InvalidArgumentError(
        absl::StrFormat("got `%s`, want http://127.0.0.1:PORT/PATH#PID", text));
  }
  target.port = static_cast<uint16_t>(port);
  target.path = std::string(text.substr(slash, hash - slash));
  return target;
}

absl::StatusOr<std::unique_ptr<HttpSession>> HttpSession::Start(HttpTarget target) {
  auto session = std::unique_ptr<HttpSession>(new HttpSession(std::move(target)));
  BK_ASSIGN_OR_RETURN(Line line, session->Connect());
  BK_ASSIGN_OR_RETURN(
      const std::string begun,
      session->Ask(line, R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":)"
                         R"({"protocolVersion":"2025-06-18","capabilities":{},)"
                         R"("clientInfo":{"name":"bench","version":"1"}}})"));
  constexpr std::string_view kId = "\r\nmcp-session-id: ";
  const size_t id = AsciiLower(begun).find(kId);
  if (id != std::string::npos) {
    const size_t begin = id + kId.size();
    session->session_ = "Mcp-Session-Id: " + begun.substr(begin, begun.find('\r', begin) - begin) +
                        "\r\nMCP-Protocol-Version: 2025-06-18\r\n";
  }
  BK_RETURN_IF_ERROR(
      session->Ask(line, R"({"jsonrpc":"2.0","method":"notifications/initialized"})").status());
  BK_ASSIGN_OR_RETURN(const std::string list,
                      session->Ask(line, R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"));
  const size_t end = list.find("echo\"");
  if (end == std::string::npos) {
    return absl::FailedPreconditionError("no tool ends in `echo`: " + list);
  }
  const size_t begin = list.rfind('"', end) + 1;
  session->tool_ = list.substr(begin, end + 4 - begin);
  return session;
}

absl::StatusOr<HttpSession::Line> HttpSession::Connect() const {
  Line line{
      .fd = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), .input = "", .begun = {}};
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(target_.port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(line.fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return absl::UnavailableError(absl::StrFormat("nobody listens on port %d", target_.port));
  }
  const int on = 1;
  setsockopt(line.fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return line;
}

std::string HttpSession::Post(std::string_view body) const {
  return absl::StrFormat(
      "POST %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: application/json\r\n"
      "Accept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
      target_.path, target_.port, session_, body.size(), body);
}

std::string HttpSession::NextCall() {
  return Post(absl::StrFormat(R"({"jsonrpc":"2.0","id":%d,"method":"tools/call","params":)"
                              R"({"name":"%s","arguments":{"text":"hello"}}})",
                              ++next_id_, tool_));
}

absl::Status HttpSession::Write(Line& line, std::string_view bytes) {
  line.input.clear();
  while (!bytes.empty()) {
    const ssize_t n = send(line.fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return absl::UnavailableError("the server has closed a connection");
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return absl::OkStatus();
}

absl::StatusOr<bool> HttpSession::Read(Line& line) {
  char bytes[65536];
  const ssize_t n = recv(line.fd.get(), bytes, sizeof bytes, 0);
  if (n <= 0) return absl::UnavailableError("the server has closed a connection: " + line.input);
  line.input.append(bytes, static_cast<size_t>(n));
  return IsWhole(line.input);
}

absl::StatusOr<std::string> HttpSession::Ask(Line& line, std::string_view body) {
  BK_RETURN_IF_ERROR(Write(line, Post(body)));
  bool is_whole = false;
  while (!is_whole) {
    pollfd ready = {.fd = line.fd.get(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kDeadlineMs) != 1) {
      return absl::DeadlineExceededError("the server does not answer: " + line.input);
    }
    BK_ASSIGN_OR_RETURN(is_whole, Read(line));
  }
  return line.input;
}

absl::StatusOr<Measurement> HttpSession::Call(int in_flight, std::chrono::duration<double> length) {
  while (lines_.size() < static_cast<size_t>(in_flight)) {
    BK_ASSIGN_OR_RETURN(Line line, Connect());
    lines_.push_back(std::move(line));
  }
  std::vector<pollfd> ready;
  std::vector<double> latencies_us;
  const double cpu_before = CpuMicros(target_.pid);
  const auto begin = SteadyClock::now();
  const auto end = begin + std::chrono::duration_cast<SteadyClock::duration>(length);
  for (int i = 0; i < in_flight; ++i) {
    Line& line = lines_[static_cast<size_t>(i)];
    line.begun = SteadyClock::now();
    BK_RETURN_IF_ERROR(Write(line, NextCall()));
    ready.push_back({.fd = line.fd.get(), .events = POLLIN, .revents = 0});
  }
  int waiting = in_flight;
  while (waiting > 0) {
    if (poll(ready.data(), ready.size(), kDeadlineMs) <= 0) {
      return absl::DeadlineExceededError("the server does not answer");
    }
    for (size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].fd < 0 || ready[i].revents == 0) continue;
      Line& line = lines_[i];
      BK_ASSIGN_OR_RETURN(const bool is_whole, Read(line));
      if (!is_whole) continue;
      const auto now = SteadyClock::now();
      latencies_us.push_back(std::chrono::duration<double, std::micro>(now - line.begun).count());
      if (line.input.find(R"("text":"hello")") == std::string::npos) {
        return absl::FailedPreconditionError("the call measured was not answered: " + line.input);
      }
      if (now < end) {
        line.begun = now;
        BK_RETURN_IF_ERROR(Write(line, NextCall()));
      } else {
        ready[i].fd = -1;
        --waiting;
      }
    }
  }
  return MeasurementOf(std::move(latencies_us), SteadyClock::now() - begin,
                       CpuMicros(target_.pid) - cpu_before);
}

}  // namespace bridgekeeper::bench
