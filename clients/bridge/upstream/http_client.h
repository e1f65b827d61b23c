// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// UpstreamHttp speaks HTTP/1.1 to one origin, with or without TLS. Each request has a
// connection for itself as long as its answer lasts; one whose answer was read whole is
// kept for the next request, for a short time. Host names are looked up for each new
// connection.
//
// What an operator needs to know after a failure is kept apart: a request of which
// nothing was sent (kUnavailable) may be made again, one that may have been read
// (kAborted) is never repeated here.
//
// TLS: 1.2 or newer, the certificate must be of the host's name and come from the
// system's authorities or from the file that is given. Answers that are compressed, or
// that two readers could cut at different places, are refused.
//
// Thread safety: used by the thread that runs the io_context.
// Source: RFC 9110, RFC 9112, RFC 6125.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_CLIENT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_CLIENT_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/bridge/config/server_url.h"
#include "policy/base/clock.h"

namespace bridgekeeper::bridge {

// Largest head of an answer, and interim answers (100 to 199) before it.
inline constexpr size_t kMaxAnswerHeadBytes = 32 << 10;
inline constexpr int kMaxInterimAnswers = 8;
// How long looking up a name, connecting and greeting may take together.
inline constexpr absl::Duration kConnectTimeout = absl::Seconds(10);
// How long a server may take to read a request.
inline constexpr absl::Duration kRequestWriteTimeout = absl::Seconds(30);
// How long a connection is kept without a request. Source: Node's servers close after
// 5 s, and a request that meets their closing can not be told from one that was read.
inline constexpr absl::Duration kMaxIdle = absl::Seconds(4);
inline constexpr size_t kMaxIdleConnections = 16;

using HttpFieldList = std::vector<std::pair<std::string, std::string>>;

struct HttpAnswerHead {
  int status = 0;
  HttpFieldList fields;  // names in lower case

  // The value of a field that is there once; empty: it is not.
  std::string_view Field(std::string_view lower_name) const;
  // The media type of the body, lower case, without parameters.
  std::string MediaType() const;
};

// One request and its answer. To be destroyed, or closed, before its client.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  // The next bytes of the body; empty: it has ended.
  //
  // Errors:
  //   kAborted - the connection ended in the middle of the body.
  virtual boost::asio::awaitable<absl::StatusOr<std::string>> ReadSome() = 0;

  // Ends it at once. What waits in Begin() or ReadSome() ends with an error.
  virtual void Close() = 0;

  const HttpAnswerHead& head() const { return head_; }

 protected:
  HttpAnswerHead head_;
};

class UpstreamHttp {
 public:
  struct Request {
    std::string_view method;
    std::string_view target;
    HttpFieldList fields;  // besides Host and Content-Length
    std::string_view body;
    // Only a connection that had no request yet.
    bool fresh = false;
    // For an answer's head; infinite: as long as it takes.
    absl::Duration head_timeout = absl::InfiniteDuration();
  };
  // Ends a Begin() that waits; kept by who may want to.
  class Cancel {
   public:
    Cancel() = default;
    Cancel(const Cancel&) = delete;
    Cancel& operator=(const Cancel&) = delete;
    void operator()();

   private:
    friend class UpstreamHttpImpl;
    bool cancelled_ = false;
    std::weak_ptr<HttpExchange> exchange_;
  };

  // `ca_file` empty: the authorities of the system. `clock` must outlive it.
  //
  // Errors:
  //   kInvalidArgument - the file holds no certificate.
  static absl::StatusOr<std::shared_ptr<UpstreamHttp>> Create(boost::asio::io_context& io,
                                                              ServerUrl url,
                                                              const std::string& ca_file,
                                                              const Clock& clock);
  virtual ~UpstreamHttp() = default;

  // Connects, so that the next request finds a connection.
  //
  // Errors:
  //   kUnavailable - it cannot be reached, or is not the host that it should be.
  virtual boost::asio::awaitable<absl::Status> Connect() = 0;

  // Sends a request and reads the head of its answer. What `request` names must stay
  // until it returns.
  //
  // Errors:
  //   kUnavailable      - nothing was sent.
  //   kAborted          - the connection ended after something was sent.
  //   kDeadlineExceeded - no head came in time.
  //   kDataLoss         - the answer cannot be read, is compressed, or its head is too
  //                       large.
  virtual boost::asio::awaitable<absl::StatusOr<std::shared_ptr<HttpExchange>>> Begin(
      const Request& request, std::shared_ptr<Cancel> cancel) = 0;

  // Closes the connections that wait for a request.
  virtual void CloseIdle() = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_HTTP_CLIENT_H_
