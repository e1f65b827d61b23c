// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/http/http_server.h"

#include <pthread.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using tcp = asio::ip::tcp;

constexpr uint32_t kMaxHeaderBytes = 8 << 10;

// Pause after accepting failed, as it does while there are no descriptors left.
constexpr std::chrono::milliseconds kAcceptPause{100};

// What the sessions of one server share; used by its thread alone.
struct Shared {
  HttpServerOptions options;
  HttpHandler handler;
  size_t connections = 0;
};

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

HttpResponse Answer(const Shared& shared, const http::request<http::empty_body>& request) {
  std::vector<HttpField> fields;
  for (const auto& field : request) {
    fields.push_back({View(field.name_string()), View(field.value())});
  }
  if (const auto refusal =
          CheckHttpRequest(shared.options.rules, {View(request.method_string()), fields})) {
    return {.status = refusal->status, .body = refusal->message + "\n"};
  }
  if (request.method() != http::verb::get && request.method() != http::verb::head) {
    return {.status = 405, .body = "only GET and HEAD\n"};
  }
  const std::string_view target = View(request.target());
  const size_t question = target.find('?');
  return shared.handler(target.substr(0, question), question == std::string_view::npos
                                                        ? std::string_view()
                                                        : target.substr(question + 1));
}

// One connection: reads a request, answers it, and goes on while it is kept alive.
// Owned by the operation that is under way.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket)), shared_(std::move(shared)) {
    ++shared_->connections;
  }
  ~Session() { --shared_->connections; }

  void Read() {
    parser_.emplace();
    parser_->header_limit(kMaxHeaderBytes);
    parser_->body_limit(0);
    stream_.expires_after(absl::ToChronoNanoseconds(shared_->options.timeout));
    http::async_read(
        stream_, buffer_, *parser_,
        [self = shared_from_this()](beast::error_code error, size_t) { self->OnRead(error); });
  }

 private:
  void OnRead(beast::error_code error) {
    if (!error) return Write(Answer(*shared_, parser_->get()), parser_->get().keep_alive());
    // Nothing was read, the peer is gone, or it was too slow: there is nobody to tell.
    if (error == http::error::end_of_stream || error == beast::error::timeout ||
        error.category() != http::make_error_code(http::error::bad_method).category()) {
      return;
    }
    Write({.status = error == http::error::header_limit ? 431 : 400,
           .body = "the request cannot be read\n"},
          false);
  }

  void Write(HttpResponse answer, bool keep_alive) {
    response_ = {};
    response_.version(11);
    response_.result(static_cast<unsigned>(answer.status));
    response_.set(http::field::content_type, answer.content_type);
    response_.set(http::field::cache_control, "no-store");
    response_.set("X-Content-Type-Options", "nosniff");
    if (answer.status == 405) response_.set(http::field::allow, "GET, HEAD");
    response_.body() = std::move(answer.body);
    response_.keep_alive(keep_alive);
    response_.prepare_payload();
    // HEAD: the same head, no body.
    if (parser_->get().method() == http::verb::head) response_.body().clear();
    stream_.expires_after(absl::ToChronoNanoseconds(shared_->options.timeout));
    http::async_write(
        stream_, response_,
        [self = shared_from_this()](beast::error_code error, size_t) { self->OnWritten(error); });
  }

  void OnWritten(beast::error_code error) {
    if (!error && response_.keep_alive()) return Read();
    stream_.socket().shutdown(tcp::socket::shutdown_send, error);
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Shared> shared_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

}  // namespace

struct HttpServer::Impl {
  Impl() : acceptor(io), pause(io) {}

  void Accept() {
    acceptor.async_accept([this](beast::error_code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;
      if (error) {
        pause.expires_after(kAcceptPause);
        pause.async_wait([this](beast::error_code stopped) {
          if (!stopped) Accept();
        });
        return;
      }
      // One too many is closed at once.
      if (shared->connections < shared->options.max_connections) {
        std::make_shared<Session>(std::move(socket), shared)->Read();
      }
      Accept();
    });
  }

  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  std::shared_ptr<Shared> shared = std::make_shared<Shared>();
  std::jthread thread;
};

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options,
                                                              HttpHandler handler) {
  auto impl = std::make_unique<Impl>();
  impl->shared->options = options;
  impl->shared->handler = std::move(handler);
  beast::error_code error;
  const auto failed = [&](const char* what) {
    return absl::UnavailableError(absl::StrFormat("cannot listen on `%s:%d`: %s: %s", options.host,
                                                  options.port, what, error.message()));
  };
  const asio::ip::address address = asio::ip::make_address(options.host, error);
  if (error) return failed("address");
  const tcp::endpoint endpoint(address, options.port);
  impl->acceptor.open(endpoint.protocol(), error);
  if (error) return failed("open");
  // So that a restart need not wait for connections of the last run to be forgotten;
  // it does not let two servers share the address.
  impl->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (error) return failed("option");
  impl->acceptor.bind(endpoint, error);
  if (error) return failed("bind");
  impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return failed("listen");
  impl->Accept();
  impl->thread = std::jthread([raw = impl.get()] { raw->io.run(); });
  pthread_setname_np(impl->thread.native_handle(), "http");
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() { impl_->io.stop(); }

int HttpServer::port() const {
  beast::error_code error;
  return impl_->acceptor.local_endpoint(error).port();
}

}  // namespace bridgekeeper::service
