// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/http_client.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <deque>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "runtime/loopback_address.h"

namespace bridgekeeper::bridge {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

// Bytes that were read and not parsed yet: a head, or the line before a chunk.
constexpr size_t kMaxBufferedBytes = kMaxAnswerHeadBytes + (64 << 10);
constexpr size_t kReadBytes = 32 << 10;
// A server that is gone without a word is noticed after about a minute.
constexpr int kKeepAliveIdleSeconds = 30;
constexpr int kKeepAliveIntervalSeconds = 10;
constexpr int kKeepAliveProbes = 3;

auto Into(error_code& error) { return asio::redirect_error(asio::use_awaitable, error); }

std::string_view View(beast::string_view text) { return {text.data(), text.size()}; }

// ---- one connection ----------------------------------------------------------------------

struct Connection {
  explicit Connection(asio::io_context& io) : tcp(io) {}

  // Neither an end is there nor bytes that nobody asked for. A TLS server may send tickets
  // before the first request.
  bool IsUsable() {
    char byte;
    const ssize_t n = recv(tcp.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EWOULDBLOCK;
    return n > 0 && tls != nullptr && !had_request;
  }

  void Close() {
    error_code ignored;
    tcp.socket().close(ignored);
  }

  beast::tcp_stream tcp;
  std::unique_ptr<asio::ssl::stream<beast::tcp_stream&>> tls;  // null: in the clear
  beast::flat_buffer buffer{kMaxBufferedBytes};
  bool had_request = false;
  absl::Duration idle_until = absl::ZeroDuration();
};

void KeepAlive(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&](int option, int value) {
    // Without it a dead server is noticed later.
    (void)setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  };
  set(TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  set(TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  set(TCP_KEEPCNT, kKeepAliveProbes);
}

// Asks for a certificate of `host`: see RFC 6125.
bool WantHost(SSL* ssl, const std::string& host) {
  X509_VERIFY_PARAM* want = SSL_get0_param(ssl);
  if (IsIpAddress(host)) return X509_VERIFY_PARAM_set1_ip_asc(want, host.c_str()) == 1;
  X509_VERIFY_PARAM_set_hostflags(want, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  return X509_VERIFY_PARAM_set1_host(want, host.c_str(), host.size()) == 1 &&
         SSL_set_tlsext_host_name(ssl, host.c_str()) == 1;
}

// An answer says exactly once how it is cut, and is not compressed.
absl::Status CheckFraming(const HttpAnswerHead& head) {
  size_t lengths = 0;
  for (const auto& [name, value] : head.fields) {
    if (name == "content-length") ++lengths;
    if (name == "transfer-encoding" && AsciiLower(value) != "chunked") {
      return absl::DataLossError(
          absl::StrFormat("its answer has the transfer encoding `%s`", EscapeForPeople(value, 64)));
    }
    if (name == "content-encoding" && AsciiLower(value) != "identity") {
      return absl::DataLossError(absl::StrFormat(
          "its answer is encoded as `%s`, which was not asked for", EscapeForPeople(value, 64)));
    }
  }
  if (lengths > 1) return absl::DataLossError("its answer has several lengths");
  return absl::OkStatus();
}

// How long the server keeps a connection, where it says so.
absl::Duration KeptFor(const HttpAnswerHead& head) {
  const std::string text = AsciiLower(head.Field("keep-alive"));
  const size_t begin = text.find("timeout=");
  if (begin == std::string::npos) return kMaxIdle;
  int64_t seconds = 0;
  const size_t digits = begin + 8;
  const size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
  if (!absl::SimpleAtoi(AsAbsl(std::string_view(text).substr(digits, end - digits)), &seconds)) {
    return kMaxIdle;
  }
  return std::clamp(absl::Seconds(seconds - 1), absl::ZeroDuration(), kMaxIdle);
}

// What is not encrypted stays on this host, whatever a name is said to be.
bool AreLoopback(const tcp::resolver::results_type& endpoints) {
  return std::all_of(endpoints.begin(), endpoints.end(),
                     [](const auto& entry) { return entry.endpoint().address().is_loopback(); });
}

}  // namespace

// ---- heads ---------------------------------------------------------------------------------

std::string_view HttpAnswerHead::Field(std::string_view lower_name) const {
  std::string_view found;
  size_t count = 0;
  for (const auto& [name, value] : fields) {
    if (name != lower_name) continue;
    found = value;
    ++count;
  }
  return count == 1 ? found : std::string_view();
}

std::string HttpAnswerHead::MediaType() const {
  std::string_view type = Field("content-type");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return AsciiLower(type);
}

// ---- the client ------------------------------------------------------------------------------

class UpstreamHttpImpl : public UpstreamHttp,
                         public std::enable_shared_from_this<UpstreamHttpImpl> {
 public:
  UpstreamHttpImpl(asio::io_context& io, ServerUrl url, const Clock& clock)
      : io_(io), url_(std::move(url)), clock_(clock), tls_(asio::ssl::context::tls_client) {
    const bool is_v6 = url_.host.find(':') != std::string::npos;
    host_ = is_v6 ? "[" + url_.host + "]" : url_.host;
    if (url_.port != (url_.tls ? 443 : 80)) host_ += absl::StrFormat(":%d", url_.port);
  }

  absl::Status InitTls(const std::string& ca_file) {
    error_code error;
    if (ca_file.empty()) {
      tls_.set_default_verify_paths(error);
    } else {
      tls_.load_verify_file(ca_file, error);
    }
    if (error) {
      return absl::InvalidArgumentError(absl::StrFormat("`%s`: %s", EscapeForPeople(ca_file, 256),
                                                        EscapeForPeople(error.message(), 256)));
    }
    tls_.set_verify_mode(asio::ssl::verify_peer, error);
    SSL_CTX* context = tls_.native_handle();
    if (error || SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1) {
      return absl::InternalError("TLS cannot be set up");
    }
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    constexpr std::array<unsigned char, 9> kAlpn = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    if (SSL_CTX_set_alpn_protos(context, kAlpn.data(), kAlpn.size()) != 0) {
      return absl::InternalError("TLS cannot be set up");
    }
    return absl::OkStatus();
  }

  awaitable<absl::Status> Connect() override {
    const auto self = shared_from_this();
    auto connection = co_await Open(nullptr);
    if (!connection.ok()) co_return connection.status();
    Keep(*std::move(connection), kMaxIdle);
    co_return absl::OkStatus();
  }

  awaitable<absl::StatusOr<std::shared_ptr<HttpExchange>>> Begin(
      const Request& request, std::shared_ptr<Cancel> cancel) override;

  void CloseIdle() override { idle_.clear(); }

  // Keeps a connection whose answer was read whole.
  void Keep(std::unique_ptr<Connection> connection, absl::Duration how_long) {
    if (how_long <= absl::ZeroDuration() || idle_.size() >= kMaxIdleConnections) return;
    connection->idle_until = clock_.SinceBoot() + how_long;
    idle_.push_back(std::move(connection));
  }

  const Clock& clock() const { return clock_; }

 private:
  class Exchange;

  std::unique_ptr<Connection> TakeIdle(bool fresh) {
    const absl::Duration now = clock_.SinceBoot();
    while (!idle_.empty() && (idle_.front()->idle_until <= now || !idle_.front()->IsUsable())) {
      idle_.pop_front();
    }
    for (auto it = idle_.rbegin(); it != idle_.rend(); ++it) {
      const bool is_of_use =
          (*it)->idle_until > now && !(fresh && (*it)->had_request) && (*it)->IsUsable();
      if (!is_of_use) continue;
      std::unique_ptr<Connection> connection = std::move(*it);
      idle_.erase(std::next(it).base());
      return connection;
    }
    return nullptr;
  }

  awaitable<absl::StatusOr<std::unique_ptr<Connection>>> Open(Exchange* owner);
  awaitable<absl::StatusOr<tcp::resolver::results_type>> LookUp(absl::Duration until);

  asio::io_context& io_;
  const ServerUrl url_;
  const Clock& clock_;
  asio::ssl::context tls_;
  std::string host_;  // as the field Host has it
  std::deque<std::unique_ptr<Connection>> idle_;
};

class UpstreamHttpImpl::Exchange : public HttpExchange {
 public:
  explicit Exchange(std::shared_ptr<UpstreamHttpImpl> client) : client_(std::move(client)) {
    // Bounded by who reads.
    parser_.emplace();
    parser_->body_limit(boost::none);
  }

  void Own(std::unique_ptr<Connection> connection) {
    connection_ = std::move(connection);
    connection_->had_request = true;
  }
  // The connection that is being made.
  void Watch(Connection* connection) { opening_ = connection; }
  bool is_closed() const { return closed_; }

  void Close() override {
    closed_ = true;
    if (opening_ != nullptr) opening_->Close();
    if (connection_ != nullptr) connection_->Close();
  }

  awaitable<absl::Status> Send(http::request<http::string_body>& message) {
    connection_->tcp.expires_after(absl::ToChronoNanoseconds(kRequestWriteTimeout));
    error_code error;
    if (connection_->tls != nullptr) {
      co_await http::async_write(*connection_->tls, message, Into(error));
    } else {
      co_await http::async_write(connection_->tcp, message, Into(error));
    }
    // A server may answer, and close, before it has read all: its answer says why.
    if (error && error != asio::error::broken_pipe && error != asio::error::connection_reset) {
      co_return Broken(error, "while the request was sent");
    }
    co_return absl::OkStatus();
  }

  awaitable<absl::Status> ReadHead(absl::Duration timeout) {
    for (int interim = 0;; ++interim) {
      parser_->header_limit(kMaxAnswerHeadBytes);
      SetTimeout(timeout);
      error_code error;
      if (connection_->tls != nullptr) {
        co_await http::async_read_header(*connection_->tls, connection_->buffer, *parser_,
                                         Into(error));
      } else {
        co_await http::async_read_header(connection_->tcp, connection_->buffer, *parser_,
                                         Into(error));
      }
      if (error) co_return Broken(error, "before an answer");
      const int status = static_cast<int>(parser_->get().result_int());
      if (status / 100 != 1) break;
      if (status == 101 || interim >= kMaxInterimAnswers) {
        co_return absl::DataLossError(absl::StrFormat("it answers %d without end", status));
      }
      parser_.emplace();
      parser_->body_limit(boost::none);
    }
    head_.status = static_cast<int>(parser_->get().result_int());
    for (const auto& field : parser_->get()) {
      head_.fields.emplace_back(AsciiLower(View(field.name_string())), View(field.value()));
    }
    if (absl::Status status = CheckFraming(head_); !status.ok()) co_return status;
    if (parser_->is_done()) Finish();
    co_return absl::OkStatus();
  }

  awaitable<absl::StatusOr<std::string>> ReadSome() override {
    if (connection_ == nullptr) co_return std::string();
    std::string bytes(kReadBytes, '\0');
    while (true) {
      parser_->get().body().data = bytes.data();
      parser_->get().body().size = bytes.size();
      SetTimeout(absl::InfiniteDuration());
      error_code error;
      if (connection_->tls != nullptr) {
        co_await http::async_read_some(*connection_->tls, connection_->buffer, *parser_,
                                       Into(error));
      } else {
        co_await http::async_read_some(connection_->tcp, connection_->buffer, *parser_,
                                       Into(error));
      }
      if (error == http::error::need_buffer) error = {};
      const size_t size = bytes.size() - parser_->get().body().size;
      if (error && size == 0) co_return Broken(error, "in the middle of an answer");
      if (parser_->is_done()) {
        Finish();
        bytes.resize(size);
        co_return bytes;
      }
      if (size == 0) continue;
      bytes.resize(size);
      co_return bytes;
    }
  }

 private:
  void SetTimeout(absl::Duration timeout) {
    if (timeout == absl::InfiniteDuration()) {
      connection_->tcp.expires_never();
    } else {
      connection_->tcp.expires_after(absl::ToChronoNanoseconds(timeout));
    }
  }

  // The answer was read whole.
  void Finish() {
    if (closed_ || !parser_->keep_alive() || parser_->need_eof() ||
        connection_->buffer.size() > 0) {
      connection_ = nullptr;
      return;
    }
    client_->Keep(std::move(connection_), KeptFor(head_));
  }

  absl::Status Broken(const error_code& error, std::string_view when) const {
    if (closed_) return absl::AbortedError("it was given up");
    if (error == beast::error::timeout) {
      return absl::DeadlineExceededError(absl::StrFormat("nothing came in time, %s", when));
    }
    const bool has_ended = error == http::error::end_of_stream ||
                           error == http::error::partial_message ||
                           error == asio::ssl::error::stream_truncated ||
                           error.category() == asio::error::get_system_category() ||
                           error.category() == asio::error::get_misc_category();
    if (has_ended) {
      return absl::AbortedError(absl::StrFormat("the connection ended %s", when));
    }
    return absl::DataLossError(absl::StrFormat("its answer is not HTTP that can be read: %s",
                                               EscapeForPeople(error.message(), 128)));
  }

  const std::shared_ptr<UpstreamHttpImpl> client_;
  std::unique_ptr<Connection> connection_;  // null: the answer was read whole
  Connection* opening_ = nullptr;
  bool closed_ = false;
  std::optional<http::response_parser<http::buffer_body>> parser_;
};

void UpstreamHttp::Cancel::operator()() {
  cancelled_ = true;
  if (const auto exchange = exchange_.lock()) exchange->Close();
}

awaitable<absl::StatusOr<tcp::resolver::results_type>> UpstreamHttpImpl::LookUp(
    absl::Duration until) {
  // A lookup that hangs cannot be cancelled: it is waited for no longer than `until`, and
  // what it says later is dropped.
  struct Lookup {
    explicit Lookup(asio::io_context& io) : resolver(io), done(io) {}
    tcp::resolver resolver;
    asio::steady_timer done;
    bool has_ended = false;
    error_code error;
    tcp::resolver::results_type results;
  };
  const auto lookup = std::make_shared<Lookup>(io_);
  lookup->done.expires_after(absl::ToChronoNanoseconds(until - clock_.SinceBoot()));
  lookup->resolver.async_resolve(
      url_.host, std::to_string(url_.port), tcp::resolver::numeric_service,
      [lookup](const error_code& error, tcp::resolver::results_type results) {
        lookup->has_ended = true;
        lookup->error = error;
        lookup->results = std::move(results);
        lookup->done.cancel();
      });
  error_code ignored;
  if (!lookup->has_ended) co_await lookup->done.async_wait(Into(ignored));
  if (!lookup->has_ended) {
    lookup->resolver.cancel();
    co_return absl::UnavailableError("its name is not found in time");
  }
  if (lookup->error) co_return absl::UnavailableError("its name is not found");
  co_return std::move(lookup->results);
}

awaitable<absl::StatusOr<std::unique_ptr<Connection>>> UpstreamHttpImpl::Open(Exchange* owner) {
  const absl::Duration until = clock_.SinceBoot() + kConnectTimeout;
  const auto given_up = [&] { return owner != nullptr && owner->is_closed(); };
  auto connection = std::make_unique<Connection>(io_);
  error_code error;
  tcp::resolver::results_type endpoints;
  if (IsIpAddress(url_.host)) {
    const tcp::endpoint endpoint(asio::ip::make_address(url_.host), url_.port);
    endpoints = tcp::resolver::results_type::create(endpoint, url_.host, "");
  } else {
    auto found = co_await LookUp(until);
    if (!found.ok()) co_return found.status();
    endpoints = *std::move(found);
    if (!url_.tls && !AreLoopback(endpoints)) {
      co_return absl::UnavailableError("its name is not of this host alone, and `http` is");
    }
  }
  if (given_up()) co_return absl::UnavailableError("it was given up");
  if (owner != nullptr) owner->Watch(connection.get());
  connection->tcp.expires_after(absl::ToChronoNanoseconds(until - clock_.SinceBoot()));
  co_await connection->tcp.async_connect(endpoints, Into(error));
  if (!error) KeepAlive(connection->tcp.socket());
  if (!error && url_.tls) {
    connection->tls =
        std::make_unique<asio::ssl::stream<beast::tcp_stream&>>(connection->tcp, tls_);
    SSL* ssl = connection->tls->native_handle();
    if (!WantHost(ssl, url_.host)) {
      if (owner != nullptr) owner->Watch(nullptr);
      co_return absl::UnavailableError("TLS cannot be set up");
    }
    co_await connection->tls->async_handshake(asio::ssl::stream_base::client, Into(error));
    const long verified = SSL_get_verify_result(ssl);
    if (error && error != beast::error::timeout && verified != X509_V_OK) {
      if (owner != nullptr) owner->Watch(nullptr);
      co_return absl::UnavailableError(
          absl::StrFormat("its certificate is refused: %s",
                          EscapeForPeople(X509_verify_cert_error_string(verified), 128)));
    }
  }
  if (owner != nullptr) owner->Watch(nullptr);
  if (given_up()) co_return absl::UnavailableError("it was given up");
  if (error == beast::error::timeout) {
    co_return absl::UnavailableError("it does not accept a connection in time");
  }
  if (error) {
    co_return absl::UnavailableError(
        absl::StrFormat("it cannot be reached: %s", EscapeForPeople(error.message(), 128)));
  }
  co_return absl::StatusOr<std::unique_ptr<Connection>>(std::move(connection));
}

awaitable<absl::StatusOr<std::shared_ptr<HttpExchange>>> UpstreamHttpImpl::Begin(
    const Request& request, std::shared_ptr<Cancel> cancel) {
  const auto self = shared_from_this();
  const auto exchange = std::make_shared<Exchange>(self);
  if (cancel != nullptr) {
    if (cancel->cancelled_) co_return absl::UnavailableError("it was given up");
    cancel->exchange_ = exchange;
  }
  http::request<http::string_body> message;
  message.version(11);
  message.method_string({request.method.data(), request.method.size()});
  message.target({request.target.data(), request.target.size()});
  message.set(http::field::host, host_);
  for (const auto& [name, value] : request.fields) message.set(name, value);
  // Compressed answers are refused: none is asked for.
  message.set(http::field::accept_encoding, "identity");
  message.body() = std::string(request.body);
  if (!request.body.empty()) message.content_length(request.body.size());

  std::unique_ptr<Connection> connection = TakeIdle(request.fresh);
  if (connection == nullptr) {
    auto opened = co_await Open(exchange.get());
    if (!opened.ok()) co_return opened.status();
    connection = *std::move(opened);
  }
  exchange->Own(std::move(connection));
  absl::Status status = co_await exchange->Send(message);
  if (!status.ok()) co_return status;
  status = co_await exchange->ReadHead(request.head_timeout);
  if (!status.ok()) {
    exchange->Close();
    co_return status;
  }
  co_return exchange;
}

absl::StatusOr<std::shared_ptr<UpstreamHttp>> UpstreamHttp::Create(asio::io_context& io,
                                                                   ServerUrl url,
                                                                   const std::string& ca_file,
                                                                   const Clock& clock) {
  auto client = std::make_shared<UpstreamHttpImpl>(io, std::move(url), clock);
  if (absl::Status status = client->InitTls(ca_file); !status.ok()) return status;
  return std::shared_ptr<UpstreamHttp>(std::move(client));
}

}  // namespace bridgekeeper::bridge
