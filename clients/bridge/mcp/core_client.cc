// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of BridgeCore that takes what the client sends.

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/methods.h"

namespace bridgekeeper::bridge {
namespace {

// Largest name and version of a client that are kept.
constexpr size_t kMaxClientTextBytes = 64;

// True for members of a subscription that ask for no news of a resource. Tasks are
// looked at one by one.
bool TellsOfListsOnly(std::string_view member) {
  return member == "toolsListChanged" || member == "promptsListChanged" ||
         member == "resourcesListChanged" || member == "taskIds";
}

}  // namespace

void BridgeCore::OnClientMessage(const Message& message, std::string_view line, Waited waited,
                                 Output& out) {
  switch (message.kind) {
    case Message::Kind::kRequest:
      return OnClientRequest(message, line, waited, out);
    case Message::Kind::kNotification:
      return OnClientNotification(message, line, out);
    case Message::Kind::kResult:
    case Message::Kind::kError:
      return OnClientAnswer(message, line, out);
  }
}

void BridgeCore::OnClientRequest(const Message& message, std::string_view line, Waited waited,
                                 Output& out) {
  if (server_end_) {
    return AnswerRequest(message, Outcome::kAnswered,
                         ErrorLine(message.id_token, kInternalError, *server_end_), out);
  }
  if (pending_.contains(message.id)) {
    return AnswerRequest(
        message, Outcome::kRejected,
        ErrorLine(message.id_token, kInvalidRequest, "`id`: got one that is in use"), out);
  }
  if (message.Meta(kMetaVersion)) RememberMeta(message);

  const Treatment treatment = ClientRequest(message.method);
  // A call above the bound is a decision and so a denial; anything else is an error.
  if (pending_.size() >= kMaxRequestsInFlight && treatment != Treatment::kToolsCall) {
    return AnswerRequest(
        message, Outcome::kRejected,
        ErrorLine(message.id_token, kOverloaded,
                  absl::StrFormat("got more than %d requests in flight", kMaxRequestsInFlight)),
        out);
  }
  switch (treatment) {
    case Treatment::kRefused:
      return RefuseMethod(message, out);
    case Treatment::kPassed:
      return ForwardRequest(message, line, {.use = Pending::Use::kPlain}, out);
    case Treatment::kInitialize:
      if (const auto info = message.Param("clientInfo")) {
        client_name_ = TextOf(info->Find("name")).substr(0, kMaxClientTextBytes);
        client_version_ = TextOf(info->Find("version")).substr(0, kMaxClientTextBytes);
      }
      takes_forms_ = TakesForms(message.Param("capabilities"));
      return ForwardRequest(message, line, {.use = Pending::Use::kInitialize}, out);
    case Treatment::kToolsList:
      return ListForClient(message, line, waited, out);
    case Treatment::kToolsCall:
      return CallTool(message, line, waited, std::nullopt, out);
    case Treatment::kResources:
      return PassIfFamilyPasses(message, line, MethodFamily::kResources, {}, waited, out);
    case Treatment::kPrompts:
      return PassIfFamilyPasses(message, line, MethodFamily::kPrompts, {}, waited, out);
    case Treatment::kCompletion: {
      const std::string_view type = TextOf(Member(message.Param("ref"), "type"));
      if (type != "ref/resource" && type != "ref/prompt") return RefuseMethod(message, out);
      const MethodFamily family =
          type == "ref/resource" ? MethodFamily::kResources : MethodFamily::kPrompts;
      return PassIfFamilyPasses(message, line, family, {}, waited, out);
    }
    case Treatment::kSubscription:
      return Subscribe(message, line, waited, out);
    case Treatment::kTask:
      return UseTask(message, line, out);
  }
}

void BridgeCore::RememberMeta(const Message& request) {
  std::string meta;
  JsonObject object(meta);
  const auto theirs = request.Param("_meta");
  for (const JsonValue member : *theirs) {
    if (member.key().starts_with(kMetaPrefix)) object.Raw(member.key(), member.raw());
  }
  object.Close();
  // A server that misses it answers our own request with an error, and says so.
  stateless_meta_ = meta.size() <= kMaxMetaBytes ? std::move(meta) : "";
  if (const auto info = request.Meta(kMetaClientInfo)) {
    client_name_ = TextOf(info->Find("name")).substr(0, kMaxClientTextBytes);
    client_version_ = TextOf(info->Find("version")).substr(0, kMaxClientTextBytes);
  }
}

void BridgeCore::ForwardRequest(const Message& message, std::string_view line, Pending pending,
                                Output& out) {
  Count(Peer::kClient, Outcome::kForwarded);
  pending.id_token = message.id_token;
  pending.stateless = message.Meta(kMetaVersion).has_value();
  // What is asked of a task has what is left of the task's own time.
  if (pending.timeout && pending.use != Pending::Use::kTask) {
    pending.deadline = parts_.clock.SinceBoot() + *pending.timeout;
  }
  if (pending.deadline != absl::InfiniteDuration()) {
    deadlines_.emplace(pending.deadline, message.id);
  }
  pending_[message.id] = std::move(pending);
  AppendLine(line, out.to_server);
}

void BridgeCore::AnswerRequest(const Message& message, Outcome outcome, std::string line,
                               Output& out) {
  if (outcome == Outcome::kRejected && TakeLogToken()) {
    parts_.log.Warning("request of the client refused", {{"method", message.method}});
  }
  Count(Peer::kClient, outcome);
  AppendLine(line, out.to_client);
}

void BridgeCore::RefuseMethod(const Message& message, Output& out) {
  ++stats_.methods_refused;
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  ToolCall call;
  call.tool = message.method;
  const Decision denial{.reason = ReasonCode::kMethodNotAllowed};
  AnswerRequest(
      message, Outcome::kRejected,
      ErrorLine(message.id_token, kMethodNotFound, ReasonText(ViewOf(snapshot), call, denial),
                DenialOf(snapshot, "", denial, parts_.ids.NewId())),
      out);
}

void BridgeCore::PassIfFamilyPasses(const Message& message, std::string_view line,
                                    MethodFamily family, Pending pending, Waited waited,
                                    Output& out) {
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  if (WaitsForPolicy(message, line, snapshot, waited, out)) return;
  const PolicyView view = ViewOf(snapshot);
  ToolCall call;
  call.tool = message.method;
  call.connection = FixedConnection();
  Decision decision = DecidePassage(view, family, FixedConnection());
  EnforceOnDecision(snapshot, call, /*judgement=*/nullptr, decision);
  if (decision.verdict != Verdict::kAllow) {
    return AnswerRequest(
        message, Outcome::kAnswered,
        ErrorLine(message.id_token, kMethodNotFound, ReasonText(view, call, decision),
                  DenialOf(snapshot, "", decision, parts_.ids.NewId())),
        out);
  }
  // A subscription is answered when it ends, which may be never.
  if (decision.obligations != nullptr && pending.use != Pending::Use::kListen) {
    pending.max_bytes = decision.obligations->max_bytes;
    pending.timeout = decision.obligations->timeout;
  }
  ForwardRequest(message, line, std::move(pending), out);
}

void BridgeCore::Subscribe(const Message& message, std::string_view line, Waited waited,
                           Output& out) {
  // What is asked for decides: that a list has changed tells nothing of what is in
  // it, that one resource has changed does. A member that is not known here, as one
  // that a reader takes for `resourceSubscriptions`, counts as the latter.
  const auto wanted = message.Param("notifications");
  if (!wanted || !wanted->is_object()) {
    return AnswerRequest(
        message, Outcome::kRejected,
        ErrorLine(message.id_token, kInvalidParams, "`params.notifications`: want an object"), out);
  }
  if (const auto tasks = wanted->Find("taskIds")) {
    if (!tasks->is_array()) return RefuseMethod(message, out);
    for (const JsonValue id : *tasks) {
      if (!tasks_.contains(std::string(TextOf(id)))) return RefuseMethod(message, out);
    }
  }
  bool asks_more_than_lists = false;
  for (const JsonValue member : *wanted) {
    const bool is_empty = member.is_array() && member.size() == 0;
    if (!TellsOfListsOnly(member.key()) && !is_empty) asks_more_than_lists = true;
  }
  Pending pending{.use = Pending::Use::kListen,
                  .wants_tool_changes = IsTrue(wanted->Find("toolsListChanged"))};
  if (asks_more_than_lists) {
    return PassIfFamilyPasses(message, line, MethodFamily::kResources, std::move(pending), waited,
                              out);
  }
  ForwardRequest(message, line, std::move(pending), out);
}

void BridgeCore::OnClientNotification(const Message& message, std::string_view line, Output& out) {
  if (Notification(message.method) == Treatment::kRefused) {
    // A request without an id is one that a careless server might still run.
    ++stats_.methods_refused;
    Count(Peer::kClient, Outcome::kRejected);
    if (TakeLogToken()) {
      parts_.log.Warning("notification of the client refused", {{"method", message.method}});
    }
    return;
  }
  if (message.method == "notifications/initialized") initialized_ = true;
  if (message.method == "notifications/cancelled") {
    const auto token = message.Param("requestId");
    const auto id = token ? KeyOfId(*token) : std::nullopt;
    const auto found = id ? pending_.find(*id) : pending_.end();
    if (found != pending_.end()) {
      const bool was_waiting = found->second.use == Pending::Use::kWaiting;
      EndPending(found);
      if (was_waiting) {
        WithdrawQuestionOf(*id, out);
        // The server never saw the request. What it waits in skips it when it comes.
        // Both end here: the request and what cancels it.
        Count(Peer::kClient, Outcome::kAnswered);
        Count(Peer::kClient, Outcome::kAnswered);
        return;
      }
    }
  }
  Count(Peer::kClient, Outcome::kForwarded);
  AppendLine(line, out.to_server);
}

void BridgeCore::OnClientAnswer(const Message& message, std::string_view line, Output& out) {
  if (questions_.contains(message.id)) {
    Count(Peer::kClient, Outcome::kAnswered);
    TakeQuestionAnswer(message.id,
                       message.kind == Message::Kind::kResult && IsAccepted(message.body), out);
    return;
  }
  const auto asked = server_pending_.find(message.id);
  if (asked == server_pending_.end()) {
    // Also one that comes late or twice.
    Count(Peer::kClient, Outcome::kRejected);
    if (TakeLogToken()) parts_.log.Warning("answer of the client to no request");
    return;
  }
  server_pending_.erase(asked);
  if (message.kind == Message::Kind::kResult) RememberClientTask(message);
  Count(Peer::kClient, Outcome::kForwarded);
  AppendLine(line, out.to_server);
}

}  // namespace bridgekeeper::bridge
