// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/peer_uid.h"

#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_format.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper {
namespace {

constexpr uint8_t kEstablished = 1;  // TCP_ESTABLISHED of the kernel

absl::Status Unavailable(const char* what) {
  return absl::UnavailableError(absl::StrFormat("%s: %s", what, strerror(errno)));
}

// Writes the address and port of `from` for a query.
bool Put(const sockaddr_storage& from, __be32 address[4], __be16& port) {
  if (from.ss_family == AF_INET) {
    sockaddr_in v4;
    memcpy(&v4, &from, sizeof v4);
    address[0] = v4.sin_addr.s_addr;
    port = v4.sin_port;
    return true;
  }
  if (from.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    memcpy(&v6, &from, sizeof v6);
    memcpy(address, &v6.sin6_addr, sizeof v6.sin6_addr);
    port = v6.sin6_port;
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<uid_t> PeerUid(int socket_fd) {
  sockaddr_storage ours = {};
  sockaddr_storage theirs = {};
  socklen_t size = sizeof ours;
  if (getsockname(socket_fd, reinterpret_cast<sockaddr*>(&ours), &size) != 0) {
    return absl::NotFoundError("the connection is closed");
  }
  size = sizeof theirs;
  if (getpeername(socket_fd, reinterpret_cast<sockaddr*>(&theirs), &size) != 0) {
    return absl::NotFoundError("the connection is closed");
  }

  struct {
    nlmsghdr header;
    inet_diag_req_v2 request;
  } query = {};
  query.header.nlmsg_len = sizeof query;
  query.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  query.header.nlmsg_flags = NLM_F_REQUEST;
  query.request.sdiag_family = static_cast<uint8_t>(theirs.ss_family);
  query.request.sdiag_protocol = IPPROTO_TCP;
  query.request.idiag_states = 1u << kEstablished;
  query.request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  query.request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  // Their socket: where it is bound is where ours is connected to.
  if (!Put(theirs, query.request.id.idiag_src, query.request.id.idiag_sport) ||
      !Put(ours, query.request.id.idiag_dst, query.request.id.idiag_dport)) {
    return absl::NotFoundError("the connection is not one of TCP");
  }

  const UniqueFd netlink(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!netlink) return Unavailable("socket");
  if (send(netlink.get(), &query, sizeof query, 0) != sizeof query) return Unavailable("send");
  alignas(nlmsghdr) char answer[4096];
  const ssize_t n = recv(netlink.get(), answer, sizeof answer, 0);
  if (n < static_cast<ssize_t>(sizeof(nlmsghdr))) return Unavailable("recv");
  nlmsghdr header;
  memcpy(&header, answer, sizeof header);
  if (header.nlmsg_type == NLMSG_ERROR) {
    return absl::NotFoundError("no process of this machine holds the other end");
  }
  if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
      n < static_cast<ssize_t>(NLMSG_HDRLEN + sizeof(inet_diag_msg))) {
    return absl::UnavailableError("the kernel's answer is of another kind");
  }
  inet_diag_msg found;
  memcpy(&found, answer + NLMSG_HDRLEN, sizeof found);
  // The kernel matches a listening socket of that port too.
  if (found.idiag_state != kEstablished || found.id.idiag_sport != query.request.id.idiag_sport ||
      found.id.idiag_dport != query.request.id.idiag_dport) {
    return absl::NotFoundError("no process of this machine holds the other end");
  }
  return found.idiag_uid;
}

}  // namespace bridgekeeper
