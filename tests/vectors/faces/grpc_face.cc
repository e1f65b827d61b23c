// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "clients/sdk/decision_client.h"
#include "policy/base/check.h"
#include "proto/convert/convert.h"
#include "store/testing/samples.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"
#include "tests/vectors/faces/face.h"
#include "tests/vectors/faces/question.h"

namespace bridgekeeper::tests {
namespace {

using State = PolicyView::State;

class GrpcFace : public Face {
 public:
  std::string CannotBeAsked(const DecisionVector& vector) const override {
    const State state = vector.world.state;
    if (state != State::kPresent && state != State::kUnknownApp) return "the state of a copy";
    if (vector.world.age != absl::ZeroDuration()) return "the age of a copy";
    if (vector.call.connection_type) return "a connection type that a bridge was told";
    if (vector.call.call.read_only_bridge) return "a read-only bridge";
    const bool has_payload =
        vector.call.payload_json || (vector.call.arguments_json && HasPayloadRule(vector));
    if (has_payload && !vector.judge) return "a server has a judge";
    if (vector.proven) return "a judge that resolves names";
    if (HasPayloadRule(vector) && EntryOf(vector)->payload_rule->dialect == "fake") {
      return "a dialect that only the fake judge knows";
    }
    if (vector.call.digest && vector.call.digest->size() != 64) return "a digest cut short";
    return "";
  }

  // What breaks a limit of the wire is refused in the wire's words; what a text does is
  // told in those of its judge.
  bool SpeaksAsTheEngine(const DecisionVector& vector) const override {
    return vector.reason != ReasonCode::kInvalidRequest;
  }

  // A keeperd for each vector: entries for every app would be seen by the next.
  FaceAnswer Ask(const DecisionVector& vector) const override {
    RunningServer server;
    if (vector.world.state == State::kPresent) Fill(server.store(), vector.world.data);
    clients::ChannelOptions options;
    options.address = server.server().grpc_address();
    auto channel = clients::Channel::Create(options);
    BK_CHECK(channel.ok());
    const auto client = clients::MakeRemoteDecisionClient(*std::move(channel), support::kDeadline,
                                                          clients::FailureMode::kDeny);
    BK_CHECK(client.ok());
    const auto answer = (*client)->Decide(QuestionOf(vector));
    if (!answer.ok()) return {.text = answer.status().ToString()};
    FaceAnswer out = AnswerOf(*answer);
    // ListTools lists the catalogue's tools, and is told no definition of theirs.
    const bool can_list = EntryOf(vector) != nullptr && !vector.call.digest;
    if (vector.says_listed && can_list) List(server, vector, out);
    return out;
  }

 private:
  static void Fill(store::PolicyStore& store, const AppData& data) {
    std::vector<store::Mutation> mutations = {store::Put(data.policy)};
    for (const CatalogEntry& entry : data.catalog) mutations.push_back(store::Put(entry));
    for (const ConnectionRecord& record : data.connections) mutations.push_back(store::Put(record));
    const auto filled = store.Commit(std::move(mutations), store::By());
    BK_CHECK(filled.ok());
  }

  static void List(RunningServer& server, const DecisionVector& vector, FaceAnswer& out) {
    v1::ListToolsRequest request;
    request.set_app(vector.world.data.policy.app.value());
    request.set_page_size(1000);
    request.set_builtin_catalog(vector.call.call.builtin_catalog);
    if (vector.call.server) request.set_server(*vector.call.server);
    if (vector.call.connection) request.set_connection_id(*vector.call.connection);
    v1::ListToolsResponse response;
    const absl::Status listed = Call(*server.decisions, &v1::DecisionService::Stub::ListTools,
                                     request, &response, std::nullopt);
    EXPECT_TRUE(listed.ok()) << listed;
    if (!listed.ok()) return;
    out.has_listing = true;
    const auto tool = std::find_if(response.tools().begin(), response.tools().end(),
                                   [&](const v1::Tool& t) { return t.name() == vector.call.tool; });
    if (tool != response.tools().end()) out.listed = convert::FromProto(tool->risk());
  }
};

}  // namespace

std::unique_ptr<Face> MakeGrpcFace() { return std::make_unique<GrpcFace>(); }

}  // namespace bridgekeeper::tests
