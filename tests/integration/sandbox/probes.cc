// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/probes.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "absl/strings/str_format.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

void Check(bool ok, const char* what) {
  if (ok) return;
  std::perror(what);
  std::abort();
}

sockaddr_in Loopback(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

}  // namespace

Listener::Listener()
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), stop_(eventfd(0, EFD_CLOEXEC)) {
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  Check(bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size) == 0 &&
            listen(socket_.get(), 64) == 0 &&
            getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0,
        "a listener");
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { Serve(); });
}

Listener::~Listener() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
}

void Listener::Serve() {
  while (true) {
    std::array<pollfd, 2> ready = {pollfd{socket_.get(), POLLIN, 0},
                                   pollfd{stop_.get(), POLLIN, 0}};
    poll(ready.data(), ready.size(), -1);
    if (ready[1].revents != 0) return;
    const UniqueFd peer(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (peer) ++accepted_;
  }
}

int Listener::Count() {
  const UniqueFd mark(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port_);
  Check(connect(mark.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
        "a connection of our own");
  pollfd ended = {mark.get(), POLLIN, 0};
  Check(poll(&ended, 1, static_cast<int>(absl::ToInt64Milliseconds(support::kDeadline))) == 1,
        "the end of it");
  ++own_;
  return accepted_ - own_;
}

std::string DigestOf(const std::string& path) {
  namespace fs = std::filesystem;
  std::map<std::string, std::string> files;
  const auto add = [&](const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    files[file] = absl::StrFormat("%d %x", bytes.size(), std::hash<std::string>()(bytes));
  };
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
      if (entry.is_regular_file(error)) {
        add(entry.path());
      } else {
        files[entry.path()] = "no file";
      }
    }
  } else {
    add(path);
  }
  std::string out;
  for (const auto& [name, digest] : files) out += name + " " + digest + "\n";
  return out;
}

int64_t PeakMemory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return atoll(line.c_str() + 6) * 1024;
  }
  return 0;
}

}  // namespace bridgekeeper::bridge
