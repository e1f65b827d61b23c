// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/metrics/metrics_server.h"

#include <optional>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "runtime/http_listener_rules.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::asio::ip::tcp;
using boost::system::error_code;

constexpr size_t kMaxHeaderBytes = 8 << 10;

absl::StatusOr<tcp::endpoint> ParseAddress(const std::string& text) {
  const auto address = ParseLoopbackAddress(text, "a loopback address: the page has no password");
  if (!address.ok()) {
    return absl::InvalidArgumentError(
        absl::StrFormat("metrics address: %s", address.status().message()));
  }
  return tcp::endpoint(boost::asio::ip::make_address(address->ip), address->port);
}

std::string Format(const tcp::endpoint& endpoint) {
  const std::string ip = endpoint.address().to_string();
  return endpoint.address().is_v6() ? absl::StrFormat("[%s]:%d", ip, endpoint.port())
                                    : absl::StrFormat("%s:%d", ip, endpoint.port());
}

}  // namespace

// Outlives the server as long as a connection is open.
class MetricsServer::Acceptor : public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(boost::asio::io_context& io, std::function<std::string()> page)
      : acceptor_(io), page_(std::move(page)) {}

  absl::Status Listen(const tcp::endpoint& endpoint) {
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) {
      return absl::UnavailableError(
          absl::StrFormat("metrics address `%s`: %s", Format(endpoint), error.message()));
    }
    address_ = Format(acceptor_.local_endpoint());
    Accept();
    return absl::OkStatus();
  }

  void Close() {
    error_code ignored;
    acceptor_.close(ignored);
    page_ = nullptr;
  }

  const std::string& address() const { return address_; }

 private:
  // One request and its answer.
  struct Connection {
    explicit Connection(tcp::socket socket) : stream(std::move(socket)) {
      parser.header_limit(kMaxHeaderBytes);
      parser.body_limit(0);
    }
    beast::tcp_stream stream;
    beast::flat_buffer buffer;
    http::request_parser<http::empty_body> parser;
    http::response<http::string_body> answer;
  };

  void Accept() {
    acceptor_.async_accept(
        [self = shared_from_this()](const error_code& error, tcp::socket socket) {
          if (!self->acceptor_.is_open()) return;
          if (!error) self->Serve(std::make_shared<Connection>(std::move(socket)));
          if (self->open_ < kMaxMetricsConnections) self->Accept();
        });
  }

  void Serve(const std::shared_ptr<Connection>& connection) {
    ++open_;
    connection->stream.expires_after(absl::ToChronoMilliseconds(kMetricsTimeout));
    http::async_read(connection->stream, connection->buffer, connection->parser,
                     [self = shared_from_this(), connection](const error_code& error, size_t) {
                       // An answer to what is no request of HTTP is no use to anyone.
                       if (error && error != http::error::body_limit) return self->Done(connection);
                       self->Answer(connection);
                     });
  }

  void Answer(const std::shared_ptr<Connection>& connection) {
    const auto& request = connection->parser.get();
    std::vector<HttpField> fields;
    for (const auto& field : request) {
      fields.push_back({{field.name_string().data(), field.name_string().size()},
                        {field.value().data(), field.value().size()}});
    }
    const std::string_view method(request.method_string().data(), request.method_string().size());
    auto& answer = connection->answer;
    answer.version(11);
    answer.set(http::field::content_type, "text/plain; charset=utf-8");
    if (const auto refusal = CheckHttpRequest({}, {method, fields})) {
      answer.result(static_cast<unsigned>(refusal->status));
      answer.body() = refusal->message + "\n";
    } else if (method != "GET") {
      answer.result(http::status::method_not_allowed);
      answer.set(http::field::allow, "GET");
      answer.body() = "want GET\n";
    } else if (request.target() != "/metrics") {
      answer.result(http::status::not_found);
      answer.body() = "want /metrics\n";
    } else if (page_) {
      answer.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
      answer.body() = page_();
    }
    answer.keep_alive(false);
    answer.prepare_payload();
    http::async_write(connection->stream, answer,
                      [self = shared_from_this(), connection](const error_code&, size_t) {
                        self->Done(connection);
                      });
  }

  void Done(const std::shared_ptr<Connection>& connection) {
    error_code ignored;
    connection->stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
    if (open_-- == kMaxMetricsConnections && acceptor_.is_open()) Accept();
  }

  tcp::acceptor acceptor_;
  std::function<std::string()> page_;
  std::string address_;
  size_t open_ = 0;
};

absl::StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Create(
    boost::asio::io_context& io, const std::string& address, std::function<std::string()> page) {
  BK_ASSIGN_OR_RETURN(const tcp::endpoint endpoint, ParseAddress(address));
  auto acceptor = std::make_shared<Acceptor>(io, std::move(page));
  BK_RETURN_IF_ERROR(acceptor->Listen(endpoint));
  return std::unique_ptr<MetricsServer>(new MetricsServer(std::move(acceptor)));
}

MetricsServer::MetricsServer(std::shared_ptr<Acceptor> acceptor) : acceptor_(std::move(acceptor)) {}

MetricsServer::~MetricsServer() { acceptor_->Close(); }

const std::string& MetricsServer::address() const { return acceptor_->address(); }

absl::Status CheckMetricsAddress(const std::string& address) {
  return ParseAddress(address).status();
}

}  // namespace bridgekeeper::bridge
