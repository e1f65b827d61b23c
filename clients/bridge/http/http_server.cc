// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/http_server.h"

#include <sys/socket.h>

#include <algorithm>
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
#include "clients/bridge/http/http_reader.h"
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
    stats.unread_bytes = unread_bytes_;
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
    size_t unread_bytes = 0;   // of max_unread_bytes
    size_t written_bytes = 0;  // of these, what is being written
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
    bool is_of_use = true;
    // Await in a statement of its own: g++ 12 ends what a condition awaits twice.
    while (is_of_use) is_of_use = co_await self->ServeOne(connection);
    self->Uncount(*connection);
    self->CountUnread(*connection, 0);
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

    HttpRequestParser parser;
    SetLimits(parser);
    stream.expires_after(absl::ToChronoMilliseconds(options_.head_timeout));
    co_await http::async_read_header(stream, connection->buffer, parser, Into(error));
    if (error) co_return co_await RefuseUnread(*connection, HeadOf(parser).path, error);

    HttpRequest request = HeadOf(parser);
    if (const auto refusal = CheckHead(options_.rules, parser, request)) {
      co_return co_await Refuse(*connection, request.path, *refusal);
    }
    const auto length = parser.content_length();
    const size_t counted = parser.chunked() ? kMaxHttpBodyBytes : length ? *length : 0;
    if (counted > kFreeBodyBytes) {
      if (bodies_bytes_ + counted > kMaxHttpBodiesBytes) {
        const HttpRefusal full{503, "too much is being read, try again"};
        co_return co_await Refuse(*connection, request.path, full);
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
    if (error) co_return co_await RefuseUnread(*connection, request.path, error);
    request.body = std::move(parser.get().body());
    const bool keep_alive = parser.get().keep_alive();
    const bool is_head = parser.get().method() == http::verb::head;
    ++stats_.requests;

    const auto exchange = std::make_shared<Exchange>();
    exchange->OnChange([this, weak = std::weak_ptr(connection), changed = exchange.get()] {
      const auto alive = weak.lock();
      if (!alive) return;
      CountUnread(*alive, alive->written_bytes + changed->unread_bytes());
      alive->wake.cancel();
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
    connection->written_bytes = 0;
    CountUnread(*connection, 0);
    co_return is_written&& keep_alive && !draining_;
  }

  void Uncount(Connection& connection) {
    bodies_bytes_ -= std::exchange(connection.counted_bytes, 0);
  }

  // Cuts clients off where all of them together leave too much unread: those that have left
  // most, since who reads has next to nothing.
  void CountUnread(Connection& connection, size_t bytes) {
    if (!connection.stream.socket().is_open()) bytes = 0;
    unread_bytes_ += bytes - std::exchange(connection.unread_bytes, bytes);
    while (unread_bytes_ > options_.max_unread_bytes) {
      Connection& slowest = **std::ranges::max_element(
          connections_, {}, [](const Connection* one) { return one->unread_bytes; });
      unread_bytes_ -= std::exchange(slowest.unread_bytes, 0);
      ++stats_.cut;
      ++stats_.cut_for_room;
      slowest.Close();
    }
  }

  // Tells a client, where there is something to tell, why its request is not read.
  // Returns false: the connection is of no more use.
  awaitable<bool> RefuseUnread(Connection& connection, std::string path, error_code error) {
    if (error == beast::error::timeout) ++stats_.cut;
    const auto refusal = RefusalOf(error);
    if (!refusal) co_return false;
    co_return co_await Refuse(connection, std::move(path), *refusal);
  }

  awaitable<bool> Refuse(Connection& connection, std::string path, HttpRefusal refusal) {
    ++stats_.refused;
    HttpResponse response = handler_.OnRefused(path, refusal.status, std::move(refusal.message));
    response.status = refusal.status;
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
    co_return false;
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
      connection->written_bytes = bytes.size();
      stream.expires_after(absl::ToChronoMilliseconds(options_.write_timeout));
      if (is_last) {
        co_await asio::async_write(stream, http::make_chunk_last(), Into(error));
        co_return !error;
      }
      co_await asio::async_write(stream, http::make_chunk(asio::buffer(bytes)), Into(error));
      connection->written_bytes = 0;
      CountUnread(*connection, exchange.unread_bytes());
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
  size_t unread_bytes_ = 0;  // of all connections
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
  return is_v6 ? absl::StrFormat("[%s]:%d", ip, impl_->port())
               : absl::StrFormat("%s:%d", ip, impl_->port());
}

HttpServerStats HttpServer::stats() const { return impl_->stats(); }
void HttpServer::Drain() { impl_->Drain(); }
void HttpServer::Close() { impl_->Close(); }

}  // namespace bridgekeeper::bridge
