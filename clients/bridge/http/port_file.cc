// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/port_file.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::bridge {
namespace {

// How long somebody who listens may take to accept. Source: the desktop apps' own check.
constexpr int kConnectTimeoutMs = 200;

absl::Status Failed(std::string_view what, const std::string& path) {
  return absl::InternalError(absl::StrFormat("%s `%s`: %s", what, path, strerror(errno)));
}

std::string Read(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  char bytes[32];
  const ssize_t n = fd ? read(fd.get(), bytes, sizeof bytes) : 0;
  std::string text(bytes, n > 0 ? static_cast<size_t>(n) : 0);
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

bool SomebodyListens(uint16_t port) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return true;
  if (errno != EINPROGRESS) return false;
  pollfd ready = {.fd = fd.get(), .events = POLLOUT, .revents = 0};
  int error = 0;
  socklen_t size = sizeof error;
  return poll(&ready, 1, kConnectTimeoutMs) == 1 &&
         getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

}  // namespace

absl::StatusOr<std::unique_ptr<PortFile>> PortFile::Write(Announce app, uint16_t port) {
  const char* home = getenv("DATA_STUDIO_DATA_DIR");
  if (home == nullptr || *home == '\0') home = getenv("HOME");
  if (home == nullptr || *home == '\0') {
    return absl::FailedPreconditionError("announce: got neither DATA_STUDIO_DATA_DIR nor HOME");
  }
  const std::string folder =
      absl::StrFormat("%s/.local/share/%s", home,
                      app == Announce::kDockit ? "club.geekfun.dockit" : "club.geekfun.sqlkit");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return absl::InternalError(absl::StrFormat("`%s`: %s", folder, error.message()));

  const std::string path = folder + "/mcp-port";
  int other = 0;
  if (absl::SimpleAtoi(Read(path), &other) && other > 0 && other < 65536 && other != port &&
      SomebodyListens(static_cast<uint16_t>(other))) {
    return absl::AlreadyExistsError(
        absl::StrFormat("`%s` names port %d, where somebody listens: the app itself, or another "
                        "bridge",
                        path, other));
  }
  // Whole or not at all, for a reader at any moment.
  const std::string text = std::to_string(port);
  const std::string fresh = absl::StrFormat("%s.%d", path, getpid());
  {
    const UniqueFd fd(
        open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!fd) return Failed("open", fresh);
    if (write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      return Failed("write", fresh);
    }
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) return Failed("rename", fresh);
  return std::unique_ptr<PortFile>(new PortFile(path, text));
}

PortFile::PortFile(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)) {}

PortFile::~PortFile() {
  if (Read(path_) == text_) unlink(path_.c_str());
}

}  // namespace bridgekeeper::bridge
