// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// A client that speaks HTTP over a real socket, as well or as badly as a test wants.
// Every wait has a deadline.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_CLIENT_TEST_UTIL_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_CLIENT_TEST_UTIL_H_

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/base/strings.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {

inline constexpr int kHttpDeadlineMs = 30'000;

struct Reply {
  int status = 0;
  std::map<std::string, std::string> fields;  // names in lower case
  std::string body;                           // empty for a stream

  std::string Field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
};

// One connection to the bridge.
class HttpClient {
 public:
  explicit HttpClient(uint16_t port) : port_(port) { Connect(); }

  using Fields = std::vector<std::pair<std::string, std::string>>;

  // Sends a request. `fields` are added to, or take the place of, those that every client
  // sends; an empty value leaves one out.
  void Send(std::string_view method, std::string_view path, std::string_view body = "",
            const Fields& fields = {}) {
    Fields all = {{"Host", absl::StrFormat("127.0.0.1:%d", port_)},
                  {"Accept", "application/json, text/event-stream"}};
    if (method == "POST") {
      all.emplace_back("Content-Type", "application/json");
      all.emplace_back("Content-Length", std::to_string(body.size()));
    }
    std::string head = absl::StrFormat("%s %s HTTP/1.1\r\n", method, path);
    for (const auto& [name, value] : fields) {
      std::erase_if(all, [&, given = name](const auto& known) { return known.first == given; });
    }
    for (const Fields* list : {&std::as_const(all), &fields}) {
      for (const auto& [name, value] : *list) {
        if (!value.empty()) head += name + ": " + value + "\r\n";
      }
    }
    SendBytes(head + "\r\n" + std::string(body));
  }

  void SendBytes(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready = {.fd = fd_.get(), .events = POLLOUT, .revents = 0};
      ASSERT_EQ(poll(&ready, 1, kHttpDeadlineMs), 1) << "the bridge does not read";
      const ssize_t n = send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n <= 0) return;  // it has closed: what it said before is what counts
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }

  // Reads the head of a reply, and its body unless it is a stream.
  Reply Read() {
    Reply reply;
    size_t end;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
      if (!Fill()) return reply;
    }
    std::string head = buffer_.substr(0, end + 2);
    buffer_.erase(0, end + 4);
    reply.status = atoi(head.substr(9, 3).c_str());
    head.erase(0, head.find("\r\n") + 2);
    while (!head.empty()) {
      const size_t line_end = head.find("\r\n");
      const std::string line = head.substr(0, line_end);
      head.erase(0, line_end + 2);
      const size_t colon = line.find(": ");
      if (colon == std::string::npos) continue;
      reply.fields[AsciiLower(line.substr(0, colon))] = line.substr(colon + 2);
    }
    if (reply.Field("transfer-encoding") == "chunked") {
      events_.clear();
      return reply;
    }
    const size_t size = strtoul(reply.Field("content-length").c_str(), nullptr, 10);
    while (buffer_.size() < size) {
      if (!Fill()) return reply;
    }
    reply.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return reply;
  }

  Reply Ask(std::string_view method, std::string_view path, std::string_view body = "",
            const Fields& fields = {}) {
    Send(method, path, body, fields);
    return Read();
  }

  struct Event {
    std::string id;
    std::string data;
  };

  // The next event of a stream that has data, comments left out; nullopt: it has ended.
  std::optional<Event> NextEvent() {
    while (true) {
      const auto block = NextBlock();
      if (!block) return std::nullopt;
      Event event;
      for (size_t at = 0; at < block->size();) {
        const size_t end = block->find('\n', at);
        const std::string line = block->substr(at, end - at);
        at = end + 1;
        if (line.starts_with("id: ")) event.id = line.substr(4);
        if (line.starts_with("data: ")) event.data = line.substr(6);
      }
      if (!event.id.empty()) last_event_id = event.id;
      if (!event.data.empty()) return event;
    }
  }

  // The next block of a stream: the lines up to an empty one; nullopt: it has ended.
  std::optional<std::string> NextBlock() {
    while (events_.find("\n\n") == std::string::npos) {
      if (!ReadChunk()) return std::nullopt;
    }
    const size_t end = events_.find("\n\n");
    std::string block = events_.substr(0, end + 1);
    events_.erase(0, end + 2);
    return block;
  }

  // True where the bridge has closed the connection, or does so in time.
  bool IsClosed() {
    while (Fill()) {
    }
    return at_end_;
  }

  void Close() { fd_ = UniqueFd(); }

  std::string last_event_id;

 private:
  void Connect() {
    fd_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  bool Fill() {
    pollfd ready = {.fd = fd_.get(), .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, kHttpDeadlineMs) != 1) {
      ADD_FAILURE() << "nothing came in time; so far: " << buffer_;
      return false;
    }
    char bytes[65536];
    const ssize_t n = recv(fd_.get(), bytes, sizeof bytes, 0);
    if (n <= 0) {
      at_end_ = true;
      return false;
    }
    buffer_.append(bytes, static_cast<size_t>(n));
    return true;
  }

  bool ReadChunk() {
    size_t end;
    while ((end = buffer_.find("\r\n")) == std::string::npos) {
      if (!Fill()) return false;
    }
    const size_t size = strtoul(buffer_.c_str(), nullptr, 16);
    while (buffer_.size() < end + 2 + size + 2) {
      if (!Fill()) return false;
    }
    events_ += buffer_.substr(end + 2, size);
    buffer_.erase(0, end + 2 + size + 2);
    return size > 0;
  }

  const uint16_t port_;
  UniqueFd fd_;
  std::string buffer_;
  std::string events_;
  bool at_end_ = false;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_HTTP_CLIENT_TEST_UTIL_H_
