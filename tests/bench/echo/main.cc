// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_echo is what keeperd is measured against: the same callback API and settings,
// the same request parsed, and an answer prepared beforehand that has the size of
// keeperd's own. Nothing is decided, counted or checked.
//
//   bk_echo ANSWER_FILE      prints its address; ends when its standard input does

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/server_callback.h>
#include <grpcpp/support/time.h>

#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <utility>

#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "proto/convert/limits.h"

namespace {

namespace v1 = bridgekeeper::v1;

class EchoService final : public v1::DecisionService::CallbackService {
 public:
  explicit EchoService(v1::DecideResponse answer) : answer_(std::move(answer)) {}

  grpc::ServerUnaryReactor* Decide(grpc::CallbackServerContext* context, const v1::DecideRequest*,
                                   v1::DecideResponse* response) override {
    *response = answer_;
    grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  const v1::DecideResponse answer_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: bk_echo ANSWER_FILE\n";
    return 2;
  }
  v1::DecideResponse answer;
  std::ifstream file(argv[1], std::ios::binary);
  if (!file || !answer.ParseFromIstream(&file)) {
    std::cerr << "bk_echo: `" << argv[1] << "`: want a DecideResponse\n";
    return 2;
  }
  EchoService service(std::move(answer));
  int port = 0;
  grpc::ServerBuilder builder;
  // As service/rpc/rpc_server.cc has them.
  builder.SetMaxReceiveMessageSize(static_cast<int>(bridgekeeper::convert::kMaxMessageBytes));
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 60'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 30'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::cerr << "bk_echo: cannot listen on the loopback\n";
    return 1;
  }
  std::cout << "127.0.0.1:" << port << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  server->Shutdown(gpr_inf_past(GPR_CLOCK_MONOTONIC));
  return 0;
}
