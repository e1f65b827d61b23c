// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/core.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

// Lines about bad messages: a burst, then a few a second.
constexpr double kLogBurst = 20;
constexpr double kLogLinesPerSecond = 2;
// How much of a line that is no message is logged.
constexpr size_t kMaxLoggedLineBytes = 256;

JsonDocument EmptyObject() {
  auto document = JsonDocument::Parse("{}");
  BK_CHECK(document.ok());
  return *std::move(document);
}

}  // namespace

std::string_view Name(Peer peer) { return peer == Peer::kClient ? "client" : "server"; }

std::string_view Name(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"forwarded", "answered", "rejected"};
  return kNames[static_cast<size_t>(outcome)];
}

std::string_view Name(DatabaseFault fault) {
  constexpr std::array<std::string_view, std::size(kAllDatabaseFaults)> kNames = {
      "died", "out_of_memory", "late", "unavailable", "overloaded"};
  return kNames[static_cast<size_t>(fault)];
}

BridgeCore::BridgeCore(CoreOptions options, CoreParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      own_id_prefix_("bridgekeeper/" + parts_.ids.NewId() + "/"),
      no_arguments_(EmptyObject()),
      log_budget_(kLogBurst, kLogLinesPerSecond),
      request_states_(parts_.ids, parts_.clock),
      shelf_(parts_.shelf == nullptr ? own_shelf_ : *parts_.shelf) {}

BridgeCore::~BridgeCore() {
  for (const auto& [id, pending] : pending_) {
    if (pending.decided != nullptr) Tell(*pending.decided);
  }
}

void BridgeCore::Count(Peer sender, Outcome outcome) {
  ++stats_.messages[static_cast<size_t>(sender)][static_cast<size_t>(outcome)];
}

std::string BridgeCore::NextOwnId() {
  return own_id_prefix_ + std::to_string(++own_requests_made_);
}

bool BridgeCore::IsOwn(std::string_view id) const {
  return id.starts_with('s') && id.substr(1).starts_with(own_id_prefix_);
}

std::string BridgeCore::OwnParams(std::string_view key, std::string_view value) const {
  if (value.empty() && stateless_meta_.empty()) return {};
  std::string out;
  JsonObject params(out);
  if (!value.empty()) params.String(key, value);
  if (!stateless_meta_.empty()) params.Raw("_meta", stateless_meta_);
  params.Close();
  return out;
}

std::optional<std::string_view> BridgeCore::FixedConnection() const {
  if (!options_.connection) return std::nullopt;
  return options_.connection->value();
}

// ---- frames ------------------------------------------------------------------

void BridgeCore::OnClientFrame(const Frame& frame, Output& out) {
  const auto refuse = [&](std::string why) {
    Outline outline = OutlineOf(frame.text);
    RejectClientFrame({kInvalidRequest, std::move(why), std::string(outline.id_token),
                       std::move(outline.id), outline.has_method},
                      out);
  };
  switch (frame.kind) {
    case Frame::Kind::kLine: {
      auto read = ReadMessage(frame.text);
      if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
        RejectClientFrame(*refusal, out);
      } else {
        OnClientMessage(std::get<Message>(read), frame.text, Waited::kForNothing, out);
      }
      return;
    }
    case Frame::Kind::kBareCarriageReturn:
      return refuse("got a raw carriage return inside a line");
    case Frame::Kind::kTooLong:
      return refuse(absl::StrFormat("got a line of more than %d bytes", kMaxLineBytes));
    case Frame::Kind::kEndOfTooLong:
      return;  // it was answered when it passed the limit
  }
}

void BridgeCore::OnServerFrame(const Frame& frame, Output& out) {
  const auto refuse = [&](std::string why) {
    Outline outline = OutlineOf(frame.text);
    const bool says_what_it_is = outline.has_method || !outline.id.empty();
    RejectServerFrame({kInvalidRequest, std::move(why), std::string(outline.id_token),
                       std::move(outline.id), outline.has_method},
                      frame.text, out);
    return says_what_it_is;
  };
  const auto too_long = [] {
    return absl::StrFormat("got a line of more than %d bytes", kMaxLineBytes);
  };
  switch (frame.kind) {
    case Frame::Kind::kLine: {
      auto read = ReadMessage(frame.text);
      if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
        return RejectServerFrame(*refusal, frame.text, out);
      }
      const Message& message = std::get<Message>(read);
      switch (message.kind) {
        case Message::Kind::kRequest:
          return OnServerRequest(message, frame.text, out);
        case Message::Kind::kNotification:
          return OnServerNotification(message, frame.text, out);
        case Message::Kind::kResult:
        case Message::Kind::kError:
          return OnServerAnswer(message, frame.text, out);
      }
      return;
    }
    case Frame::Kind::kBareCarriageReturn:
      refuse("got a raw carriage return inside a line");
      return;
    case Frame::Kind::kTooLong:
      long_line_was_answered_ = refuse(too_long());
      return;
    case Frame::Kind::kEndOfTooLong: {
      // Not a message of its own, but many servers write the id last.
      const std::string_view token = IdAtEnd(frame.text);
      const auto id = KeyOfIdToken(token);
      if (!long_line_was_answered_ && id) EndRefusedAnswer(*id, too_long(), out);
      return;
    }
  }
}

void BridgeCore::RejectClientFrame(const Refusal& refusal, Output& out) {
  Count(Peer::kClient, Outcome::kRejected);
  if (TakeLogToken()) {
    parts_.log.Warning("message of the client refused", {{"why", refusal.message}});
  }
  // An answer that cannot be read still ends the question, ours or the server's.
  if (!refusal.has_method && TakeQuestionAnswer(refusal.id, /*accepted=*/false, out)) return;
  const auto asked = refusal.has_method ? server_pending_.end() : server_pending_.find(refusal.id);
  if (asked != server_pending_.end()) {
    AppendLine(ErrorLine(asked->second, kInternalError, "the client's answer was refused"),
               out.to_server);
    server_pending_.erase(asked);
    return;
  }
  AppendLine(ErrorLine(refusal.id_token, refusal.code, refusal.message), out.to_client);
}

void BridgeCore::RejectServerFrame(const Refusal& refusal, std::string_view text, Output& out) {
  Count(Peer::kServer, Outcome::kRejected);
  if (TakeLogToken()) {
    parts_.log.Warning("message of the server refused",
                       {{"why", refusal.message}, {"text", text.substr(0, kMaxLoggedLineBytes)}});
  }
  if (refusal.id.empty()) return;
  if (refusal.has_method) {
    AppendLine(ErrorLine(refusal.id_token, refusal.code, refusal.message), out.to_server);
  } else {
    EndRefusedAnswer(refusal.id, refusal.message, out);
  }
}

void BridgeCore::EndRefusedAnswer(const IdKey& id, std::string_view why, Output& out) {
  if (IsOwn(id)) {
    if (reading_ && reading_->request == id) FailReading("", out);
    return;
  }
  const auto asked = pending_.find(id);
  if (asked == pending_.end() || asked->second.use == Pending::Use::kWaiting) return;
  AppendLine(ErrorLine(asked->second.id_token, kInternalError,
                       absl::StrFormat("the server's answer was refused: %s", why)),
             out.to_client);
  EndPending(asked);
}

// ---- time and ends -----------------------------------------------------------

void BridgeCore::EndPending(absl::flat_hash_map<IdKey, Pending>::iterator it) {
  if (it->second.decided != nullptr) Tell(*it->second.decided);
  deadlines_.erase({it->second.deadline, it->first});
  pending_.erase(it);
}

size_t BridgeCore::answers_due() const {
  return static_cast<size_t>(std::count_if(
      pending_.begin(), pending_.end(),
      [](const auto& request) { return request.second.use != Pending::Use::kListen; }));
}

absl::Duration BridgeCore::next_deadline() const {
  absl::Duration next = policy_deadline_;
  if (reading_) next = std::min(next, reading_->deadline);
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first);
  if (!task_deadlines_.empty()) next = std::min(next, task_deadlines_.begin()->first);
  if (!question_deadlines_.empty()) next = std::min(next, question_deadlines_.begin()->first);
  return next;
}

void BridgeCore::OnTime(Output& out) {
  const absl::Duration now = parts_.clock.SinceBoot();
  if (policy_deadline_ <= now) {
    policy_deadline_ = absl::InfiniteDuration();
    policy_wait_is_over_ = true;
    Resume(std::exchange(waiting_for_policy_, {}), Waited::kForPolicy, out);
  }
  if (reading_ && reading_->deadline <= now) {
    parts_.log.Warning("the server does not answer tools/list", {{"after", kListTimeout}});
    FailReading("", out);
  }
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    TimeOut(IdKey(deadlines_.begin()->second), out);
  }
  while (!task_deadlines_.empty() && task_deadlines_.begin()->first <= now) {
    CancelTask(std::string(task_deadlines_.begin()->second), out);
  }
  ExpireQuestions(out);
}

void BridgeCore::TimeOut(const IdKey& id, Output& out) {
  const auto found = pending_.find(id);
  BK_CHECK(found != pending_.end());
  const Pending pending = found->second;
  EndPending(found);
  // The call that made a task is counted where the task is cancelled.
  if (pending.use != Pending::Use::kTask) ++stats_.timeouts;

  constexpr std::string_view kWhy = "limits.timeout";
  std::string params;
  JsonObject cancelled(params);
  cancelled.Raw("requestId", pending.id_token).String("reason", kWhy);
  cancelled.Close();
  AppendLine(NotificationLine("notifications/cancelled", params), out.to_server);

  const std::string text = absl::StrFormat(
      "The server did not answer within `limits.timeout` of this app's policy, %s. The call was "
      "cancelled; it may have run in part.",
      absl::FormatDuration(*pending.timeout));
  if (pending.use != Pending::Use::kCall) {
    return AppendLine(ErrorLine(pending.id_token, kInternalError, text), out.to_client);
  }
  std::string data;
  JsonObject object(data);
  object.String("limit", "timeout")
      .Integer("timeout_ms", absl::ToInt64Milliseconds(*pending.timeout))
      .String("decision_id", pending.decision_id);
  object.Close();
  AppendLine(ToolErrorLine(pending.id_token, text, "bridgekeeper/limit", data,
                           {.stateless = pending.stateless}),
             out.to_client);
}

void BridgeCore::OnServerEnd(std::string_view how, Output& out) {
  server_end_ = absl::StrFormat("the MCP server behind the bridge has ended: %s", how);
  reading_.reset();
  policy_deadline_ = absl::InfiniteDuration();
  while (!questions_.empty()) WithdrawQuestion(questions_.begin(), *server_end_, out);
  // In the order of their ids, so that two runs answer alike.
  std::set<IdKey> ids;
  for (const auto& [id, pending] : pending_) ids.insert(id);
  for (const IdKey& id : ids) {
    const auto found = pending_.find(id);
    if (found->second.use == Pending::Use::kWaiting) Count(Peer::kClient, Outcome::kAnswered);
    AppendLine(ErrorLine(found->second.id_token, kInternalError, *server_end_), out.to_client);
    EndPending(found);
  }
  waiting_for_policy_.clear();
  waiting_for_list_.clear();
  judging_.clear();
  list_waiters_.clear();
  held_bytes_ = 0;
  server_pending_.clear();
  tasks_.clear();
  task_order_.clear();
  task_deadlines_.clear();
}

}  // namespace bridgekeeper::bridge
