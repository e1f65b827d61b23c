// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/loadgen/workload.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/channel_grpc.h"
#include "policy/base/status_macros.h"
#include "policy/model/policy.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::bench {
namespace {

v1::ToolCall CallOf(const DecisionOptions& options) {
  v1::ToolCall call;
  call.set_app(options.app);
  call.set_tool(options.tool);
  if (!options.connection.empty()) call.set_connection_id(options.connection);
  if (!options.arguments.empty()) call.set_arguments_json(options.arguments);
  return call;
}

template <typename Message>
absl::StatusOr<Message> Parse(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) {
    return absl::DataLossError(absl::StrFormat("got %d bytes that are no answer", bytes.size()));
  }
  return message;
}

// A read of one line, as agents write them, that was not asked before.
std::string StatementArguments(uint64_t number) {
  return absl::StrFormat(
      R"({"sql":"SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer_id )"
      R"(WHERE o.id = %d AND o.status = 'open' ORDER BY o.created_at DESC LIMIT 20"})",
      number);
}

std::string Describe(const v1::Decision& decision) {
  return absl::StrFormat("%s %s", Name(convert::FromProto(decision.verdict())),
                         Name(convert::FromProto(decision.reason_code())));
}

}  // namespace

std::string AppName(int64_t index) { return absl::StrFormat("app-%07d", index); }

std::string MethodOf(Form form) {
  switch (form) {
    case Form::kUnary:
      return "/bridgekeeper.v1.DecisionService/Decide";
    case Form::kBatch:
      return "/bridgekeeper.v1.DecisionService/DecideBatch";
    case Form::kStream:
      return "/bridgekeeper.v1.DecisionService/DecideStream";
  }
  return {};
}

RequestMaker MakeDecisions(Form form, const DecisionOptions& options) {
  const v1::ToolCall call = CallOf(options);
  if (form == Form::kBatch) {
    v1::DecideBatchRequest request;
    for (int i = 0; i < options.items; ++i) *request.add_calls() = call;
    return [bytes = request.SerializeAsString()](std::mt19937_64&) { return bytes; };
  }
  // DecideRequest and DecideStreamRequest have the same form on the wire.
  v1::DecideRequest request;
  *request.mutable_call() = call;
  if (options.statements) {
    return [request, next = std::make_shared<std::atomic<uint64_t>>(0)](std::mt19937_64& random) {
      // Two runs against one server must not meet either.
      const uint64_t number = ((random() >> 40) << 32) + (*next)++;
      v1::DecideRequest asked = request;
      asked.mutable_call()->set_arguments_json(StatementArguments(number));
      return asked.SerializeAsString();
    };
  }
  if (options.apps == 0) {
    return [bytes = request.SerializeAsString()](std::mt19937_64&) { return bytes; };
  }
  return [request, apps = static_cast<uint64_t>(options.apps)](std::mt19937_64& random) {
    v1::DecideRequest next = request;
    next.mutable_call()->set_app(AppName(static_cast<int64_t>(random() % apps)));
    return next.SerializeAsString();
  };
}

absl::StatusOr<std::string> Verdict(Form form, const std::string& response) {
  if (form == Form::kBatch) {
    BK_ASSIGN_OR_RETURN(const auto answer, Parse<v1::DecideBatchResponse>(response));
    if (answer.decisions_size() == 0) return absl::DataLossError("got no decision");
    return Describe(answer.decisions(0));
  }
  BK_ASSIGN_OR_RETURN(const auto answer, Parse<v1::DecideResponse>(response));
  return Describe(answer.decision());
}

absl::Status PutPolicies(int64_t apps, int64_t batch) {
  BK_ASSIGN_OR_RETURN(const auto channel,
                      clients::Channel::Create(
                          clients::ChannelOptionsFromEnvironment(clients::ProcessEnvironment)));
  const auto stub = v1::PolicyService::NewStub(clients::GrpcChannel(*channel));
  for (int64_t first = 0; first < apps; first += batch) {
    v1::BatchPutPoliciesRequest request;
    for (int64_t i = first; i < std::min(first + batch, apps); ++i) {
      McpPolicy policy;
      policy.app = AppId(AppName(i));
      policy.mode = Mode::kFullAccess;
      v1::PutPolicyRequest& put = *request.add_requests();
      *put.mutable_policy() = convert::ToProto(policy);
      put.mutable_options()->set_expected_revision(0);
    }
    v1::BatchPutPoliciesResponse response;
    grpc::ClientContext context;
    BK_RETURN_IF_ERROR(clients::PrepareContext(*channel, absl::Minutes(2), context));
    BK_RETURN_IF_ERROR(
        clients::FromGrpc(stub->BatchPutPolicies(&context, request, &response), *channel));
  }
  return absl::OkStatus();
}

}  // namespace bridgekeeper::bench
