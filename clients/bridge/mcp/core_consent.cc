// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of BridgeCore that finds out whether a person agrees to a call.
//
// In a session the call is held, and a request of ours goes to the client; its answer
// has the call decided again, on what is in force then. Without sessions the call is
// answered with the question, and comes back with an answer and our state.

#include <utility>

#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {

// Says whether the bridge itself has to ask; denies where it should and cannot.
bool BridgeCore::MustAsk(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                         const Message& message, Decision& decision) const {
  if (decision.verdict != Verdict::kAsk) return false;
  const bool is_stateless = message.Meta(kMetaVersion).has_value();
  const AskMode mode = snapshot.policy->policy().ask_mode;
  if (mode == AskMode::kClient && ClientWasToldDestructive(ViewOf(snapshot), call, is_stateless)) {
    return false;
  }
  const bool can_ask = mode != AskMode::kApproval &&
                       call.arguments->raw().size() <= kMaxShownBytes &&
                       (is_stateless ? TakesForms(message.Meta(kMetaCapabilities)) : takes_forms_);
  if (!can_ask) Deny(ReasonCode::kNoWayToAsk, decision);
  return can_ask;
}

// Returns true where the client was asked, and the call is done with for now. Else it has
// its answer, or is denied. `restored` becomes the line without an answer that it carries.
bool BridgeCore::AskOrTakeAnswer(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                                 const Message& message, std::string_view line,
                                 const std::optional<Answer>& answer, Decision& decision,
                                 std::string& restored, Output& out) {
  if (decision.verdict == Verdict::kDeny) return false;
  const AskedCall asked{.app = options_.app.value(),
                        .server = options_.server.value(),
                        .call = call,
                        .decision = decision};
  std::string binding = BindingOf(asked, message, snapshot);
  if (!message.Meta(kMetaVersion)) {
    if (!answer) {
      if (Ask(asked, message, line, std::move(binding), out)) return true;
      Deny(ReasonCode::kOverloaded, decision);
    } else if (!answer->accepted) {
      Deny(ReasonCode::kAskDeclined, decision);
    } else if (answer->binding != binding) {
      ++stats_.answers_invalid;
      Deny(ReasonCode::kApprovalInvalid, decision);
    }
    return false;
  }
  if (!RequestStates::IsAnswer(message)) {
    if (AskStateless(asked, message, binding, out)) return true;
    Deny(ReasonCode::kNoWayToAsk, decision);
    return false;
  }
  switch (request_states_.Take(message, binding, restored)) {
    case RequestStates::Answer::kAccepted:
      ++stats_.questions_accepted;
      break;
    case RequestStates::Answer::kDeclined:
      ++stats_.questions_declined;
      Deny(ReasonCode::kAskDeclined, decision);
      break;
    case RequestStates::Answer::kInvalid:
      ++stats_.answers_invalid;
      Deny(ReasonCode::kApprovalInvalid, decision);
      break;
  }
  return false;
}

bool BridgeCore::Ask(const AskedCall& asked, const Message& message, std::string_view line,
                     std::string binding, Output& out) {
  if (!HasRoomFor(line)) return false;
  const std::string id = "bridgekeeper/ask/" + parts_.ids.NewId();
  const absl::Duration deadline = parts_.clock.SinceBoot() + kAnswerTime;
  question_deadlines_.emplace(deadline, "s" + id);
  questions_["s" + id] = {
      .call = HeldOf(message, line), .binding = std::move(binding), .deadline = deadline};
  ++stats_.questions_asked;
  AppendLine(RequestLine(id, "elicitation/create", QuestionParams(asked)), out.to_client);
  return true;
}

bool BridgeCore::AskStateless(const AskedCall& asked, const Message& message,
                              std::string_view binding, Output& out) {
  const auto state = request_states_.Make(message, binding);
  if (!state) return false;
  std::string result;
  JsonObject object(result);
  object.String("resultType", "input_required").Key("inputRequests");
  JsonObject requests(result);
  requests.Key(kQuestionKey);
  JsonObject question(result);
  question.String("method", "elicitation/create").Raw("params", QuestionParams(asked));
  question.Close();
  requests.Close();
  object.String("requestState", *state);
  object.Close();
  ++stats_.questions_asked;
  AnswerRequest(message, Outcome::kAnswered, ResultLine(message.id_token, result), out);
  return true;
}

const IdKey* BridgeCore::CallOfQuestion(const IdKey& id) const {
  const auto found = questions_.find(id);
  return found == questions_.end() ? nullptr : &found->second.call.waiter.id;
}

bool BridgeCore::TakeQuestionAnswer(const IdKey& id, bool accepted, Output& out) {
  const auto found = questions_.find(id);
  if (found == questions_.end()) return false;
  ++(accepted ? stats_.questions_accepted : stats_.questions_declined);
  EndQuestion(found, accepted, out);
  return true;
}

// Has the call of a question decided again, with the answer.
void BridgeCore::EndQuestion(std::map<IdKey, Question>::iterator it, bool accepted, Output& out) {
  Question question = std::move(it->second);
  question_deadlines_.erase({question.deadline, it->first});
  questions_.erase(it);
  question.call.answer = Answer{.accepted = accepted, .binding = std::move(question.binding)};
  std::vector<Held> held;
  held.push_back(std::move(question.call));
  // What is declined needs no newer list.
  Resume(std::move(held), accepted ? Waited::kForPolicy : Waited::kForList, out);
}

// Tells the client that a question has lost its sense.
void BridgeCore::WithdrawQuestion(std::map<IdKey, Question>::iterator it, std::string_view why,
                                  Output& out) {
  std::string params;
  JsonObject object(params);
  object.String("requestId", std::string_view(it->first).substr(1)).String("reason", why);
  object.Close();
  AppendLine(NotificationLine("notifications/cancelled", params), out.to_client);
  held_bytes_ -= it->second.call.line.size();
  question_deadlines_.erase({it->second.deadline, it->first});
  questions_.erase(it);
}

void BridgeCore::WithdrawQuestionOf(const IdKey& call, Output& out) {
  for (auto it = questions_.begin(); it != questions_.end(); ++it) {
    if (it->second.call.waiter.id != call) continue;
    return WithdrawQuestion(it, "the call was cancelled", out);
  }
}

void BridgeCore::OnClientInputEnd(Output& out) {
  while (!questions_.empty()) {
    ++stats_.questions_declined;
    EndQuestion(questions_.begin(), /*accepted=*/false, out);
  }
  takes_forms_ = false;
}

void BridgeCore::ExpireQuestions(Output& out) {
  const absl::Duration now = parts_.clock.SinceBoot();
  while (!question_deadlines_.empty() && question_deadlines_.begin()->first <= now) {
    const auto found = questions_.find(question_deadlines_.begin()->second);
    BK_CHECK(found != questions_.end());
    ++stats_.questions_expired;
    std::string params;
    JsonObject object(params);
    object.String("requestId", std::string_view(found->first).substr(1))
        .String("reason", "nobody answered in time");
    object.Close();
    AppendLine(NotificationLine("notifications/cancelled", params), out.to_client);
    EndQuestion(found, /*accepted=*/false, out);
  }
}

}  // namespace bridgekeeper::bridge
