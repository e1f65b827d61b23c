// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <utility>
#include <vector>

#include "clients/sdk/decision_messages.h"
#include "policy/base/check.h"
#include "proto/convert/convert.h"
#include "tests/integration/service/running_server.h"
#include "tests/vectors/faces/face.h"
#include "tests/vectors/faces/question.h"

namespace bridgekeeper::tests {
namespace {

class GrpcFace : public Face {
 public:
  std::string CannotBeAsked(const DecisionVector& vector) const override {
    using State = PolicyView::State;
    if (vector.world.state != State::kPresent && vector.world.state != State::kUnknownApp) {
      return "the state of a copy";
    }
    if (vector.world.age != absl::ZeroDuration() || vector.world.max_staleness) {
      return "the age of a copy";
    }
    if (vector.call.digest && vector.call.digest->size() != 64) return "a digest cut short";
    if (vector.call.connection_type) return "a connection type that a bridge was told";
    if (vector.call.call.read_only_bridge) return "a read-only bridge";
    const bool says_payload = vector.call.payload_json || vector.call.arguments_json;
    if (HasPayloadRule(vector) && says_payload) {
      if (!vector.judge) return "a server has a judge";
      if (vector.proven) return "a judge that resolves names";
      if (TakesAFakeDialect(vector)) return "a dialect that only the fake judge knows";
    }
    return "";
  }

  // What breaks a limit of the wire is refused in the wire's words.
  bool SpeaksAsTheEngine(const DecisionVector& vector) const override {
    return vector.reason != ReasonCode::kInvalidRequest;
  }

  FaceAnswer Ask(const DecisionVector& vector) const override {
    RunningServer server;
    if (vector.world.state == PolicyView::State::kPresent) {
      std::vector<store::Mutation> mutations;
      mutations.push_back(store::Put(vector.world.data.policy));
      for (const CatalogEntry& entry : vector.world.data.catalog) {
        mutations.push_back(store::Put(entry));
      }
      for (const ConnectionRecord& record : vector.world.data.connections) {
        mutations.push_back(store::Put(record));
      }
      const auto committed = server.store().Commit(std::move(mutations), store::By());
      BK_CHECK(committed.ok());
    }
    v1::DecideBatchRequest request;
    *request.add_calls() = clients::ToProto(QuestionOf(vector));
    v1::DecideBatchResponse response;
    const absl::Status status = Call(*server.decisions, &v1::DecisionService::Stub::DecideBatch,
                                     request, &response, std::nullopt);
    FaceAnswer answer;
    if (!status.ok() || response.decisions_size() != 1) {
      answer.text = status.ToString();
      return answer;  // names no reason, which no vector wants
    }
    return AnswerOf(clients::FromProto(response.decisions(0)));
  }

 private:
  static bool TakesAFakeDialect(const DecisionVector& vector) {
    if (EntryOf(vector)->payload_rule->dialect == "fake") return true;
    for (const ConnectionRecord& record : vector.world.data.connections) {
      if (record.type == "fake") return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Face> MakeGrpcFace() { return std::make_unique<GrpcFace>(); }

}  // namespace bridgekeeper::tests
