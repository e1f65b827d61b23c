// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/http_server.h"

#include <sys/socket.h>

#include <set>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "runtime/peer_uid.h"

namespace bridgekeeper::bridge {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

// Pause after accepting failed, as it does while there are no descriptors left.
constexpr std::chrono::milliseconds kAcceptPause{100};

auto Into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

std::string TooLarge(std::string_view what, size_t limit) {
  return absl::StrFormat("want a %s of at most %d bytes", what, limit);
}

// The client said something that is no HTTP, rather than nothing more.
bool IsMalformed(const error_code& error) {
  return error.category() == error_code(http::error::bad_method).category() &&
         error != http::error::end_of_stream && error != http::error::partial_message;
}

}  // namespace

class HttpServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::io_context& io, HttpServerOptions options, HttpHandler& handler)
      : io_(io), options_(std::move(options)), handler_(handler), acceptor_(io) {}

  absl::Status Listen() {
    const tcp::endpoint endpoint(asio::ip::make_address(options_.address.ip),
                                 options_.address.port);
    error_code error;
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
      return absl::UnavailableError(absl::StrFormat("cannot listen on %s port %d: %s",
                                                    options_.address.ip, options_.address.port,
                                                    error.message()));
    }
    port_ = acceptor_.local_endpoint().port();
    asio::co_spawn(io_, Accept(shared_from_this()), asio::detached);
    return absl::OkStatus();
  }

  uint16_t port() const { return port_; }
  const LoopbackAddress& address() const { return options_.address; }
  HttpServerStats stats() const {
    HttpServerStats stats = stats_;
    stats.connections = connections_.size();
    return stats;
  }

  void Drain() {
    draining_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (Connection* connection : connections_) {
      if (!connection->busy) connection->Close();
    }
  }

  void Close() {
    Drain();
    for (Connection* connection : connections_) connection->Close();
  }

 private:
  struct Connection {
    explicit Connection(tcp::socket socket)
        : stream(std::move(socket)), wake(stream.get_executor()) {}

    void Close() {
      error_code ignored;
      stream.socket().close(ignored);
      wake.cancel();
    }

    beast::tcp_stream stream;
    beast::flat_buffer buffer;
    asio::steady_timer wake;  // the exchange has changed, or the client has left
    bool busy = false;        // a request is being read or answered
    bool watching = false;    // for the client to leave
    bool gone = false;
    size_t counted_bytes = 0;  // of kMaxHttpBodiesBytes
  };
  using ConnectionPtr = std::shared_ptr<Connection>;

  static awaitable<void> Accept(std::shared_ptr<Impl> self) {
    while (self->acceptor_.is_open()) {
      error_code error;
      tcp::socket socket = co_await self->acceptor_.async_accept(Into(error));
      if (!self->acceptor_.is_open()) co_return;
      if (error) {
        asio::steady_timer pause(self->io_, kAcceptPause);
        co_await pause.async_wait(Into(error));
        continue;
      }
      if (self->connections_.size() >= self->options_.max_connections) {
        ++self->stats_.refused;
        continue;  // closes it
      }
      socket.set_option(tcp::no_delay(true), error);
      const auto connection = std::make_shared<Connection>(std::move(socket));
      asio::co_spawn(self->io_, Serve(self, connection), asio::detached);
    }
  }

  static awaitable<void> Serve(std::shared_ptr<Impl> self, ConnectionPtr connection) {
    self->connections_.insert(connection.get());
    while (co_await self->ServeOne(connection)) {
    }
    self->Uncount(*connection);
    self->connections_.erase(connection.get());
    error_code ignored;
    connection->stream.socket().shutdown(tcp::socket::shutdown_both, ignored);
    connection->Close();
  }

  // Serves one request; false: the connection is of no more use.
  awaitable<bool> ServeOne(ConnectionPtr connection) {
    beast::tcp_stream& stream = connection->stream;
    error_code error;
    connection->busy = false;
    if (draining_) co_return false;
    if (connection->buffer.size() == 0) {
      // An idle connection holds no buffer.
      connection->buffer.shrink_to_fit();
      connection->wake.expires_after(absl::ToChronoMilliseconds(options_.idle_timeout));
      connection->wake.async_wait([weak = std::weak_ptr(connection)](const error_code& cancelled) {
        const auto alive = weak.lock();
        if (!cancelled && alive && !alive->busy) alive->Close();
      });
      co_await stream.socket().async_wait(tcp::socket::wait_read, Into(error));
      connection->wake.cancel();
      if (error || draining_) co_return false;
    }
    connection->busy = true;

    http::request_parser<http::string_body> parser;
    parser.header_limit(kMaxHttpHeadBytes);
    parser.body_limit(kMaxHttpBodyBytes);
    stream.expires_after(absl::ToChronoMilliseconds(options_.head_timeout));
    co_await http::async_read_header(stream, connection->buffer, parser, Into(error));
    if (error) {
      if (error == beast::error::timeout) ++stats_.cut;
      const std::string path = Head(parser.get()).path;
      if (error == http::error::body_limit) {
        co_await Refuse(*connection, path, 413, TooLarge("body", kMaxHttpBodyBytes));
      } else if (error == http::error::header_limit) {
        co_await Refuse(*connection, path, 431, TooLarge("head", kMaxHttpHeadBytes));
      } else if (IsMalformed(error)) {
        co_await Refuse(*connection, path, 400, "want a request of HTTP/1.1");
      }
      co_return false;
    }

    HttpRequest request = Head(parser.get());
    std::vector<HttpField> fields;
    fields.reserve(request.fields.size());
    for (const auto& [name, value] : request.fields) fields.push_back({name, value});
    if (const auto refusal = CheckHttpRequest(options_.rules, {request.method, fields})) {
      co_await Refuse(*connection, request.path, refusal->status, refusal->message);
      co_return false;
    }
    if (parser.get().version() != 11) {
      co_await Refuse(*connection, request.path, 505, "want HTTP/1.1");
      co_return false;
    }
    const auto length = parser.content_length();
    const size_t counted = parser.chunked() ? kMaxHttpBodyBytes : length ? *length : 0;
    if (counted > kFreeBodyBytes) {
      if (bodies_bytes_ + counted > kMaxHttpBodiesBytes) {
        co_await Refuse(*connection, request.path, 503, "too much is being read, try again");
        co_return false;
      }
      connection->counted_bytes = counted;
      bodies_bytes_ += counted;
    }
    stream.expires_after(absl::ToChronoMilliseconds(options_.body_timeout));
    if (request.Field("expect") && !parser.is_done()) {
      http::response<http::empty_body> go_on(http::status::continue_, 11);
      co_await http::async_write(stream, go_on, Into(error));
    }
    if (!error && !parser.is_done()) {
      co_await http::async_read(stream, connection->buffer, parser, Into(error));
    }
    if (error) {
      if (error == beast::error::timeout) ++stats_.cut;
      if (error == http::error::body_limit) {
        co_await Refuse(*connection, request.path, 413, TooLarge("body", kMaxHttpBodyBytes));
      } else if (IsMalformed(error)) {
        co_await Refuse(*connection, request.path, 400, "the body cannot be read");
      }
      co_return false;
    }
    request.body = std::move(parser.get().body());
    const bool keep_alive = parser.get().keep_alive();
    const bool is_head = parser.get().method() == http::verb::head;
    ++stats_.requests;

    const auto exchange = std::make_shared<Exchange>();
    exchange->OnChange([weak = std::weak_ptr(connection)] {
      if (const auto alive = weak.lock()) alive->wake.cancel();
    });
    request.peer_uid = [weak = std::weak_ptr(connection)]() -> absl::StatusOr<uid_t> {
      const auto alive = weak.lock();
      if (!alive) return absl::UnavailableError("the client is gone");
      return PeerUid(alive->stream.socket().native_handle());
    };
    handler_.OnRequest(std::move(request), exchange);
    const bool is_written = co_await Write(connection, *exchange, is_head);
    exchange->SetGone();
    Uncount(*connection);
    co_return is_written&& keep_alive && !draining_;
  }

  HttpRequest Head(const http::request<http::string_body>& head) const {
    HttpRequest request;
    request.method = std::string(View(head.method_string()));
    const std::string_view target = View(head.target());
    const size_t question = std::min(target.find('?'), target.size());
    request.path = std::string(target.substr(0, question));
    if (question < target.size()) request.query = std::string(target.substr(question + 1));
    for (const auto& field : head) {
      request.fields.emplace_back(AsciiLower(View(field.name_string())), View(field.value()));
    }
    return request;
  }

  void Uncount(Connection& connection) {
    bodies_bytes_ -= std::exchange(connection.counted_bytes, 0);
  }

  // Tells a client why its request is not read, and closes.
  awaitable<void> Refuse(Connection& connection, std::string_view path, int status,
                         std::string message) {
    ++stats_.refused;
    HttpResponse response = handler_.OnRefused(path, status, std::move(message));
    response.status = status;
    co_await WriteResponse(connection, response, /*keep_alive=*/false, /*is_head=*/false);
    // What the client is still sending would reset the connection before it has read
    // the answer: it is told that we have said all, and what comes is dropped.
    error_code error;
    connection.stream.socket().shutdown(tcp::socket::shutdown_send, error);
    connection.stream.expires_after(std::chrono::seconds(1));
    char dropped[4096];
    while (!error) {
      co_await connection.stream.async_read_some(asio::buffer(dropped), Into(error));
    }
  }

  awaitable<bool> WriteResponse(Connection& connection, HttpResponse& response, bool keep_alive,
                                bool is_head) {
    http::response<http::string_body> message(static_cast<http::status>(response.status), 11);
    message.set(http::field::cache_control, "no-store");
    if (!response.content_type.empty()) {
      message.set(http::field::content_type, response.content_type);
      message.set("X-Content-Type-Options", "nosniff");
    }
    for (const auto& [name, value] : response.fields) message.set(name, value);
    message.body() = std::move(response.body);
    message.keep_alive(keep_alive);
    message.prepare_payload();
    if (is_head) message.body().clear();
    connection.stream.expires_after(absl::ToChronoMilliseconds(options_.write_timeout));
    error_code error;
    http::serializer<false, http::string_body> serializer(message);
    if (is_head) {
      co_await http::async_write_header(connection.stream, serializer, Into(error));
    } else {
      co_await http::async_write(connection.stream, serializer, Into(error));
    }
    if (error == beast::error::timeout) ++stats_.cut;
    co_return !error;
  }

  // Waits for the answer and writes it; false: the connection is of no more use.
  awaitable<bool> Write(ConnectionPtr connection, Exchange& exchange, bool is_head) {
    error_code error;
    while (!exchange.has_response() && !exchange.is_stream()) {
      if (!Watch(connection)) co_return false;
      connection->wake.expires_at(asio::steady_timer::time_point::max());
      co_await connection->wake.async_wait(Into(error));
      if (!connection->stream.socket().is_open()) co_return false;
    }
    if (exchange.has_response()) {
      const bool is_written =
          co_await WriteResponse(*connection, exchange.response(), !draining_, is_head);
      Unwatch(*connection);
      co_return is_written && !connection->gone;
    }
    const bool is_written = co_await WriteEvents(connection, exchange);
    Unwatch(*connection);
    co_return is_written && !connection->gone;
  }

  awaitable<bool> WriteEvents(ConnectionPtr connection, Exchange& exchange) {
    beast::tcp_stream& stream = connection->stream;
    error_code error;
    http::response<http::empty_body> head(http::status::ok, 11);
    head.set(http::field::content_type, "text/event-stream");
    head.set(http::field::cache_control, "no-cache, no-transform");
    head.set("X-Accel-Buffering", "no");
    head.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : exchange.stream_fields()) head.set(name, value);
    head.chunked(true);
    http::response_serializer<http::empty_body> serializer(head);
    stream.expires_after(absl::ToChronoMilliseconds(options_.write_timeout));
    co_await http::async_write_header(stream, serializer, Into(error));
    while (!error) {
      if (!Watch(connection)) co_return false;
      if (exchange.has_too_much()) {
        ++stats_.cut;
        co_return false;
      }
      std::string bytes = exchange.TakeBytes();
      const bool is_last = bytes.empty() && exchange.has_ended();
      if (bytes.empty() && !is_last) {
        connection->wake.expires_after(absl::ToChronoMilliseconds(options_.keep_alive));
        co_await connection->wake.async_wait(Into(error));
        if (!stream.socket().is_open()) co_return false;
        const bool is_quiet = !error;  // the time is up and nothing has changed
        error = {};
        if (!is_quiet) continue;
        bytes = kKeepAliveComment;
      }
      stream.expires_after(absl::ToChronoMilliseconds(options_.write_timeout));
      if (is_last) {
        co_await asio::async_write(stream, http::make_chunk_last(), Into(error));
        co_return !error;
      }
      co_await asio::async_write(stream, http::make_chunk(asio::buffer(bytes)), Into(error));
    }
    if (error == beast::error::timeout) ++stats_.cut;
    co_return false;
  }

  // Sees to it that we are woken when the client leaves; false: it has left.
  bool Watch(const ConnectionPtr& connection) {
    if (connection->gone) return false;
    if (std::exchange(connection->watching, true)) return true;
    connection->stream.socket().async_wait(
        tcp::socket::wait_read, [weak = std::weak_ptr(connection)](const error_code& error) {
          const auto alive = weak.lock();
          if (error || !alive || !alive->watching) return;
          char byte;
          const ssize_t n =
              recv(alive->stream.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
          // Bytes are the next request, sent ahead: it is no longer seen when the client
          // leaves, but by the next write.
          if (n > 0) return;
          alive->gone = true;
          alive->wake.cancel();
        });
    return true;
  }

  void Unwatch(Connection& connection) {
    if (!std::exchange(connection.watching, false)) return;
    error_code ignored;
    connection.stream.socket().cancel(ignored);
  }

  asio::io_context& io_;
  const HttpServerOptions options_;
  HttpHandler& handler_;
  tcp::acceptor acceptor_;
  uint16_t port_ = 0;
  bool draining_ = false;
  std::set<Connection*> connections_;
  size_t bodies_bytes_ = 0;
  HttpServerStats stats_;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Create(asio::io_context& io,
                                                               HttpServerOptions options,
                                                               HttpHandler& handler) {
  auto impl = std::make_shared<Impl>(io, std::move(options), handler);
  if (absl::Status status = impl->Listen(); !status.ok()) return status;
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() { impl_->Close(); }

uint16_t HttpServer::port() const { return impl_->port(); }

std::string HttpServer::address() const {
  const std::string& ip = impl_->address().ip;
  const bool is_v6 = ip.find(':') != std::string::npos;
  return absl::StrFormat(is_v6 ? "[%s]:%d" : "%s:%d", ip, impl_->port());
}

HttpServerStats HttpServer::stats() const { return impl_->stats(); }
void HttpServer::Drain() { impl_->Drain(); }
void HttpServer::Close() { impl_->Close(); }

}  // namespace bridgekeeper::bridge
