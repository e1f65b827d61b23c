// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakePdp is keeperd as a test wants it: a gRPC server in this process, on a port
// of the loopback that the kernel chose or on a Unix socket, which says what the
// test says.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_PDP_H_
#define BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_PDP_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "bridgekeeper/v1/bridge_service.pb.h"
#include "bridgekeeper/v1/decision_service.pb.h"

namespace bridgekeeper::clients {

class FakePdp {
 public:
  // One WatchPolicies call, from its beginning to its end.
  class Watch {
   public:
    virtual ~Watch() = default;
    virtual const v1::WatchPoliciesRequest& request() const = 0;
    virtual std::string authorization() const = 0;  // the header; empty: none
    virtual void Send(const v1::WatchPoliciesResponse& message) = 0;
    // Ends the call, after what was sent.
    virtual void End(const absl::Status& status) = 0;
    // Waits until the call is over, on whoever's account. False: it is not.
    virtual bool WaitForEnd(absl::Duration timeout) = 0;
  };

  // Starts to listen. `address`: "127.0.0.1:0", or "unix:PATH".
  explicit FakePdp(const std::string& address = "127.0.0.1:0");
  // Ends every call.
  ~FakePdp();

  // HOST:PORT, or the socket as it was given.
  std::string address() const;

  // Takes the next watch that begins, in the order of their beginnings; null where
  // none does in time.
  std::shared_ptr<Watch> NextWatch(absl::Duration timeout);

  // What unary calls answer from now on. Until then: UNIMPLEMENTED.
  template <typename Request, typename Response>
  using Handler = std::function<absl::Status(const Request&, Response&)>;
  void OnDecide(Handler<v1::DecideRequest, v1::DecideResponse> handler);
  void OnReportTools(Handler<v1::ReportToolsRequest, v1::ReportToolsResponse> handler);
  void OnReportDecisions(Handler<v1::ReportDecisionsRequest, v1::ReportDecisionsResponse> handler);
  void OnHeartbeat(Handler<v1::HeartbeatRequest, v1::HeartbeatResponse> handler);

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_PDP_H_
