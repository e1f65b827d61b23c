// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "runtime/unique_fd.h"
#include "service/http/health_pages.h"
#include "service/http/http_server.h"

namespace bridgekeeper::service {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kDeadlineMs = 30'000;

// A connection whose bytes a test writes itself.
class Peer {
 public:
  explicit Peer(int port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  }

  void Send(std::string_view bytes) {
    EXPECT_EQ(send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }

  // Everything until the server closes.
  std::string ReadAll() {
    std::string out;
    char buffer[4096];
    while (true) {
      pollfd waiting = {fd_.get(), POLLIN, 0};
      if (poll(&waiting, 1, kDeadlineMs) != 1) {
        ADD_FAILURE() << "the server did not close within the deadline; got: " << out;
        return out;
      }
      const ssize_t n = recv(fd_.get(), buffer, sizeof buffer, 0);
      if (n <= 0) return out;
      out.append(buffer, static_cast<size_t>(n));
    }
  }

 private:
  UniqueFd fd_;
};

class HttpServerTest : public ::testing::Test {
 protected:
  void StartServer(HttpServerOptions options = {}) {
    auto server = HttpServer::Start(options, [](std::string_view path, std::string_view query) {
      return HttpResponse{.body = absl::StrFormat("path=%s query=%s\n", path, query)};
    });
    ASSERT_THAT(server, IsOk());
    server_ = *std::move(server);
  }

  std::string Ask(std::string_view bytes) {
    Peer peer(server_->port());
    peer.Send(bytes);
    return peer.ReadAll();
  }
  std::string Get(std::string_view target, std::string_view more = "") {
    return Ask(absl::StrFormat("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n",
                               target, more));
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, HandsPathAndQueryOn) {
  StartServer();
  const std::string answer = Get("/readyz?verbose=1&x");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(answer, HasSubstr("X-Content-Type-Options: nosniff\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\npath=/readyz query=verbose=1&x\n"));
}

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOtherOnOneConnection) {
  StartServer();
  Peer peer(server_->port());
  peer.Send(
      "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nGET /b HTTP/1.1\r\nHost: localhost\r\n"
      "Connection: close\r\n\r\n");
  const std::string answer = peer.ReadAll();
  EXPECT_THAT(answer, HasSubstr("path=/a"));
  EXPECT_THAT(answer, HasSubstr("path=/b"));
}

TEST_F(HttpServerTest, HeadHasTheHeadAlone) {
  StartServer();
  const std::string answer =
      Ask("HEAD /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Length: 15\r\n"));
  EXPECT_THAT(answer, EndsWith("\r\n\r\n"));
}

struct Refused {
  const char* name;
  const char* request;
  const char* status;
};

class RefusedTest : public HttpServerTest, public ::testing::WithParamInterface<Refused> {};

TEST_P(RefusedTest, IsRefused) {
  StartServer();
  EXPECT_THAT(Ask(GetParam().request), StartsWith(GetParam().status)) << GetParam().request;
}

INSTANTIATE_TEST_SUITE_P(
    Table, RefusedTest,
    ::testing::Values(
        Refused{"ForeignHost", "GET / HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 403"},
        Refused{"ForeignOrigin",
                "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                "Connection: close\r\n\r\n",
                "HTTP/1.1 403"},
        Refused{"NoHost", "GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "HTTP/1.1 400"},
        Refused{"TwoHosts",
                "GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 400"},
        Refused{"OtherMethod", "DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                "HTTP/1.1 405"},
        Refused{"NotHttp", "\x16\x03\x01 hello\r\n\r\n", "HTTP/1.1 400"},
        Refused{"TwoLengths",
                "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n"
                "\r\n",
                "HTTP/1.1 400"}),
    [](const auto& row) { return row.param.name; });

TEST_F(HttpServerTest, HeadersThatAreTooLongAreRefused) {
  StartServer();
  EXPECT_THAT(Get("/", "X-Long: " + std::string(9000, 'x') + "\r\n"), StartsWith("HTTP/1.1 431"));
}

TEST_F(HttpServerTest, BodyIsNotRead) {
  StartServer();
  const std::string answer =
      Ask("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(answer, Not(HasSubstr("path=")));
}

TEST_F(HttpServerTest, ConnectionThatSaysNothingIsClosed) {
  HttpServerOptions options;
  options.timeout = absl::Milliseconds(50);
  StartServer(options);
  Peer peer(server_->port());
  EXPECT_EQ(peer.ReadAll(), "");
}

TEST_F(HttpServerTest, OneConnectionTooManyIsClosedAndOthersGoOn) {
  HttpServerOptions options;
  options.max_connections = 1;
  StartServer(options);
  {
    Peer first(server_->port());
    first.Send("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    Peer second(server_->port());
    EXPECT_EQ(second.ReadAll(), "");
    first.Send("GET /b HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    EXPECT_THAT(first.ReadAll(), HasSubstr("path=/b"));
  }
}

TEST_F(HttpServerTest, AddressThatIsTakenIsSaidSo) {
  StartServer();
  HttpServerOptions same;
  same.port = static_cast<uint16_t>(server_->port());
  EXPECT_THAT(HttpServer::Start(same, [](auto, auto) { return HttpResponse(); }),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr(absl::StrFormat("127.0.0.1:%d", server_->port()))));
}

TEST_F(HttpServerTest, EndsWhileConnectionsAreOpen) {
  StartServer();
  Peer peer(server_->port());
  peer.Send("GET /");
  server_.reset();
  EXPECT_EQ(peer.ReadAll(), "");
}

TEST(HealthPageTest, LiveIsWhoAnswers) {
  EXPECT_EQ(HealthPage({}, "/livez", "").status, 200);
  EXPECT_EQ(HealthPage({}, "/livez", "").body, "ok\n");
  EXPECT_EQ(HealthPage({}, "/other", "").status, 404);
}

TEST(HealthPageTest, ReadyIsWhereEveryRequiredCheckPasses) {
  absl::Status serving;
  absl::Status writes;
  const std::vector<HealthCheck> checks = {
      {.name = "serving", .check = [&] { return serving; }},
      {.name = "store_writes", .check = [&] { return writes; }, .required = false}};
  EXPECT_EQ(HealthPage(checks, "/readyz", "").status, 200);
  EXPECT_EQ(HealthPage(checks, "/readyz", "").body, "ok\n");
  EXPECT_EQ(HealthPage(checks, "/readyz", "verbose").body,
            "[+] serving ok\n[+] store_writes ok\nok\n");
  writes = absl::ResourceExhaustedError("no space");
  EXPECT_EQ(HealthPage(checks, "/readyz", "").status, 200) << "decisions go on";
  EXPECT_EQ(HealthPage(checks, "/readyz", "verbose").body,
            "[+] serving ok\n[!] store_writes failed, not required: no space\nok\n");
  serving = absl::UnavailableError("draining\n");
  EXPECT_EQ(HealthPage(checks, "/readyz", "").status, 503);
  EXPECT_THAT(HealthPage(checks, "/readyz", "").body,
              StartsWith("[-] serving failed: draining\\u{000a}\n"));
}

}  // namespace
}  // namespace bridgekeeper::service
