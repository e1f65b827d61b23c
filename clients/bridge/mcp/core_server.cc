// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of BridgeCore that takes what the server sends.

#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/methods.h"

namespace bridgekeeper::bridge {

void BridgeCore::OnServerRequest(const Message& message, std::string_view line, Output& out) {
  const auto refuse = [&](int code, std::string_view why) {
    Count(Peer::kServer, Outcome::kRejected);
    if (TakeLogToken()) {
      parts_.log.Warning("request of the server refused", {{"method", message.method}});
    }
    AppendLine(ErrorLine(message.id_token, code, why), out.to_server);
  };
  const Treatment treatment = ServerRequest(message.method);
  const bool is_of_unknown_task =
      treatment == Treatment::kTask &&
      !client_tasks_.contains(std::string(TextOf(message.Param("taskId"))));
  if (treatment == Treatment::kRefused || is_of_unknown_task) {
    ++stats_.methods_refused;
    return refuse(kMethodNotFound, "this method does not pass the bridge");
  }
  if (server_pending_.contains(message.id) || questions_.contains(message.id)) {
    return refuse(kInvalidRequest, "`id`: got one that is in use");
  }
  if (server_pending_.size() >= kMaxRequestsInFlight) {
    return refuse(kOverloaded,
                  absl::StrFormat("got more than %d requests in flight", kMaxRequestsInFlight));
  }
  server_pending_[message.id] = message.id_token;
  Count(Peer::kServer, Outcome::kForwarded);
  AppendLine(line, out.to_client);
}

void BridgeCore::OnServerNotification(const Message& message, std::string_view line, Output& out) {
  if (Notification(message.method) == Treatment::kRefused) {
    ++stats_.methods_refused;
    Count(Peer::kServer, Outcome::kRejected);
    if (TakeLogToken()) {
      parts_.log.Warning("notification of the server refused", {{"method", message.method}});
    }
    return;
  }
  Count(Peer::kServer, Outcome::kForwarded);
  if (message.method == "notifications/subscriptions/acknowledged") {
    return AppendLine(AcknowledgedWithToolChanges(message, line), out.to_client);
  }
  if (message.method == "notifications/tools/list_changed") {
    // Read again when it is next needed: a server that says so after each reading
    // does not keep us reading.
    // An old list is not kept by sessions that are idle: the client has been told.
    list_is_valid_ = false;
    list_.reset();
    if (reading_) reading_->changed_meanwhile = true;
  }
  if (message.method == "notifications/tasks/status") {
    NoteTaskStatus(TextOf(message.Param("taskId")), TextOf(message.Param("status")));
  }
  if (message.method == "notifications/cancelled") {
    const auto token = message.Param("requestId");
    if (const auto id = token ? KeyOfId(*token) : std::nullopt) {
      server_pending_.erase(*id);
      // In 2026-07-28 a server ends a subscription in this way.
      const auto listen = pending_.find(*id);
      if (listen != pending_.end() && listen->second.use == Pending::Use::kListen) {
        EndPending(listen);
      }
    }
  }
  AppendLine(line, out.to_client);
}

std::string BridgeCore::AcknowledgedWithToolChanges(const Message& message,
                                                    std::string_view line) const {
  // The policy changes the list although the server's own never does.
  const auto token = message.Meta(kMetaSubscription);
  const auto id = token ? KeyOfId(*token) : std::nullopt;
  const auto listen = id ? pending_.find(*id) : pending_.end();
  const auto honoured = message.Param("notifications");
  if (listen == pending_.end() || !listen->second.wants_tool_changes || !honoured ||
      !honoured->is_object() || IsTrue(honoured->Find("toolsListChanged"))) {
    return std::string(line);
  }
  JsonEdits edits(message.document->root());
  edits.SetMember(*honoured, "toolsListChanged", "true");
  return std::move(edits).Apply();
}

void BridgeCore::OnServerAnswer(const Message& message, std::string_view line, Output& out) {
  if (IsOwn(message.id)) {
    Count(Peer::kServer, Outcome::kAnswered);
    if (reading_ && reading_->request == message.id) OnListPage(message, out);
    return;
  }
  const auto asked = pending_.find(message.id);
  if (asked == pending_.end() || asked->second.use == Pending::Use::kWaiting) {
    // Also what comes after a cancellation or a timeout.
    Count(Peer::kServer, Outcome::kRejected);
    if (TakeLogToken()) parts_.log.Warning("answer of the server to no request");
    return;
  }
  const Pending pending = std::move(asked->second);
  // EndPending reads the deadline, which the move left as it was.
  EndPending(asked);
  if (pending.decided != nullptr) {
    if (message.kind == Message::Kind::kResult) {
      const auto found = parts_.own_databases->FoundInCatalogue(*message.body);
      if (found) return DenyByCatalogue(pending, *found, out);
      if (const auto fault = parts_.own_databases->FaultOf(*message.body)) {
        ++stats_.database_faults[static_cast<size_t>(*fault)];
      }
    }
    Tell(*pending.decided);
  }
  if (message.kind == Message::Kind::kResult) {
    if (pending.use == Pending::Use::kTask) NoteTaskAnswer(message, pending);
    if (!KeepsLimits(message, pending, out)) return;
    if (pending.use == Pending::Use::kCall) RememberTask(message, pending);
  }
  Count(Peer::kServer, Outcome::kForwarded);
  if (pending.use == Pending::Use::kInitialize && message.kind == Message::Kind::kResult) {
    return AppendLine(WithToolChanges(message, line), out.to_client);
  }
  AppendLine(line, out.to_client);
}

bool BridgeCore::KeepsLimits(const Message& answer, const Pending& pending, Output& out) {
  const auto size = static_cast<int64_t>(answer.body->raw().size());
  if (!pending.max_bytes || size <= *pending.max_bytes) return true;
  ++stats_.results_too_large;
  Count(Peer::kServer, Outcome::kAnswered);
  const std::string text = absl::StrFormat(
      "The call ran, but its result of %d bytes is larger than `limits.max_bytes` of this app's "
      "policy, %d. Ask for less at once.",
      size, *pending.max_bytes);
  if (pending.use != Pending::Use::kCall) {
    AppendLine(ErrorLine(pending.id_token, kInternalError, text), out.to_client);
    return false;
  }
  std::string data;
  JsonObject object(data);
  object.String("limit", "max_bytes")
      .Integer("max_bytes", *pending.max_bytes)
      .Integer("result_bytes", size)
      .String("decision_id", pending.decision_id);
  object.Close();
  AppendLine(ToolErrorLine(pending.id_token, text, "bridgekeeper/limit", data,
                           {.stateless = pending.stateless}),
             out.to_client);
  return false;
}

std::string BridgeCore::WithToolChanges(const Message& answer, std::string_view line) {
  const auto tools = Member(answer.body->Find("capabilities"), "tools");
  if (!tools || !tools->is_object() || IsTrue(tools->Find("listChanged"))) {
    return std::string(line);
  }
  JsonEdits edits(answer.document->root());
  edits.SetMember(*tools, "listChanged", "true");
  return std::move(edits).Apply();
}

}  // namespace bridgekeeper::bridge
