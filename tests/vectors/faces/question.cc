// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/vectors/faces/question.h"

#include <utility>

#include "clients/sdk/testing/watch_messages.h"
#include "policy/base/check.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::tests {
namespace {

// One revision for all: a copy does not ask how it came about.
constexpr int64_t kRevision = 1;

v1::Change NewChange() {
  v1::Change change;
  change.set_revision(kRevision);
  return change;
}

std::vector<v1::Change> ChangesOf(const DecisionVector& vector) {
  const AppData& data = vector.world.data;
  std::vector<v1::Change> changes;
  if (vector.world.state == PolicyView::State::kUnreadable) {
    return {clients::UnreadablePolicy(kRevision, data.policy.app.value())};
  }
  if (vector.world.state != PolicyView::State::kPresent) return changes;
  *changes.emplace_back(NewChange()).mutable_policy() = convert::ToProto(data.policy);
  for (const CatalogEntry& entry : data.catalog) {
    *changes.emplace_back(NewChange()).mutable_catalog_entry() = convert::ToProto(entry);
  }
  for (const ConnectionRecord& record : data.connections) {
    *changes.emplace_back(NewChange()).mutable_connection() = convert::ToProto(record);
  }
  return changes;
}

}  // namespace

const CatalogEntry* EntryOf(const DecisionVector& vector) {
  const ToolCall& call = vector.call.call;
  return ReferenceFind(vector.world, call.tool, call.server, call.builtin_catalog);
}

bool HasPayloadRule(const DecisionVector& vector) {
  const CatalogEntry* entry = EntryOf(vector);
  return entry != nullptr && entry->payload_rule;
}

clients::Question QuestionOf(const DecisionVector& vector) {
  const OwnedCall& call = vector.call;
  return {.app = vector.world.data.policy.app.value(),
          .tool = call.tool,
          .server = call.server,
          .connection = call.connection,
          .arguments_json = call.arguments_json,
          .payload_json = call.payload_json,
          .declared_risk = call.call.declared_risk,
          .definition_digest = call.digest,
          .read_only_hint = call.call.read_only_hint,
          .listed_by_server = call.call.listed_by_server,
          .builtin_catalog = call.call.builtin_catalog};
}

FaceAnswer AnswerOf(const clients::Answer& answer) {
  return {.verdict = answer.verdict,
          .reason = answer.reason_code,
          .effective_risk = answer.effective_risk,
          .judged = answer.judged,
          .obligations = answer.obligations,
          .text = answer.reason};
}

WatchedState::WatchedState(const DecisionVector& vector)
    : age_(vector.world.age), copy_(std::vector<AppId>{vector.world.data.policy.app}) {
  using State = PolicyView::State;
  if (vector.world.state == State::kNotReceived) return;
  if (vector.world.state == State::kNotAuthorized) {
    copy_.Drop();
    return;
  }
  const auto applied =
      copy_.Apply(clients::Snapshot(kRevision, ChangesOf(vector)), absl::ZeroDuration());
  BK_CHECK(applied.ok());
}

clients::PolicySnapshot WatchedState::View(std::string_view app) const {
  return copy_.View(app, age_);
}

}  // namespace bridgekeeper::tests
