// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/core.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/methods.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// Lines about bad messages: a burst, then a few a second.
constexpr double kLogBurst = 20;
constexpr double kLogLinesPerSecond = 2;
// How much of a line that is no message is logged.
constexpr size_t kMaxLoggedLineBytes = 256;

constexpr std::string_view kMetaPrefix = "io.modelcontextprotocol/";
constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

// Largest name and version of a client that are kept.
constexpr size_t kMaxClientTextBytes = 64;

void AppendLine(std::string_view line, std::string& out) {
  out += line;
  out += '\n';
}

bool IsTrue(const std::optional<JsonValue>& value) {
  return value && value->kind() == JsonKind::kBool && value->boolean();
}

std::string_view TextOf(const std::optional<JsonValue>& value) {
  return value && value->is_string() ? value->string() : std::string_view();
}

// The member `name` of an object that may not be there.
std::optional<JsonValue> Member(const std::optional<JsonValue>& object, std::string_view name) {
  return object ? object->Find(name) : std::nullopt;
}

JsonDocument EmptyObject() {
  auto document = JsonDocument::Parse("{}");
  BK_CHECK(document.ok());
  return *std::move(document);
}

// Forgets the oldest of `order`, and what `forget` knows of it, until `order` fits.
template <typename Forget>
void BoundTasks(std::deque<std::string>& order, Forget forget) {
  while (order.size() > kMaxTasks) {
    forget(order.front());
    order.pop_front();
  }
}

// True for members of a subscription that ask for no news of a resource. Tasks are
// looked at one by one.
bool TellsOfListsOnly(std::string_view member) {
  return member == "toolsListChanged" || member == "promptsListChanged" ||
         member == "resourcesListChanged" || member == "taskIds";
}

// The id of the task that a result names: {"resultType":"task","taskId":...} in
// 2026-07-28, {"task":{"taskId":...}} in 2025-11-25. Empty: none, or one too long to
// be remembered, which then is nobody's task.
std::string_view TaskIdOf(JsonValue result) {
  std::string_view id = TextOf(Member(result.Find("task"), "taskId"));
  if (id.empty() && TextOf(result.Find("resultType")) == "task") id = TextOf(result.Find("taskId"));
  return id.size() <= kMaxTaskIdBytes ? id : std::string_view();
}

}  // namespace

std::string_view Name(Peer peer) { return peer == Peer::kClient ? "client" : "server"; }

std::string_view Name(Outcome outcome) {
  constexpr std::array<std::string_view, 3> kNames = {"forwarded", "answered", "rejected"};
  return kNames[static_cast<size_t>(outcome)];
}

BridgeCore::BridgeCore(CoreOptions options, CoreParts parts)
    : options_(std::move(options)),
      parts_(std::move(parts)),
      own_id_prefix_("bridgekeeper/" + parts_.ids.NewId() + "/"),
      no_arguments_(EmptyObject()),
      log_budget_(kLogBurst, kLogLinesPerSecond) {}

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
    const bool has_id = !outline.id.empty();
    RejectServerFrame({kInvalidRequest, std::move(why), std::string(outline.id_token),
                       std::move(outline.id), outline.has_method},
                      frame.text, out);
    return has_id;
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
  // An answer that cannot be read still ends the server's request.
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

// ---- messages of the client --------------------------------------------------

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
      return ForwardRequest(message, line, {.use = Pending::Use::kInitialize}, out);
    case Treatment::kToolsList:
      return ListForClient(message, line, waited, out);
    case Treatment::kToolsCall:
      return CallTool(message, line, waited, out);
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
  if (pending.timeout) {
    pending.deadline = parts_.clock.SinceBoot() + *pending.timeout;
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
  EnforceOnDecision(snapshot, call, /*is_stateless=*/false, decision);
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

void BridgeCore::UseTask(const Message& message, std::string_view line, Output& out) {
  const auto task = tasks_.find(std::string(TextOf(message.Param("taskId"))));
  if (task == tasks_.end()) return RefuseMethod(message, out);
  ForwardRequest(message, line,
                 {.use = Pending::Use::kTask,
                  .tool = task->second.tool,
                  .decision_id = task->second.decision_id,
                  .max_bytes = task->second.max_bytes},
                 out);
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
  const auto asked = server_pending_.find(message.id);
  if (asked == server_pending_.end()) {
    Count(Peer::kClient, Outcome::kRejected);
    if (TakeLogToken()) parts_.log.Warning("answer of the client to no request");
    return;
  }
  server_pending_.erase(asked);
  if (message.kind == Message::Kind::kResult) {
    const std::string_view task = TaskIdOf(*message.body);
    if (!task.empty() && client_tasks_.insert(std::string(task)).second) {
      client_task_order_.emplace_back(task);
      BoundTasks(client_task_order_, [&](const std::string& id) { client_tasks_.erase(id); });
    }
  }
  Count(Peer::kClient, Outcome::kForwarded);
  AppendLine(line, out.to_server);
}

// ---- messages of the server --------------------------------------------------

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
  if (server_pending_.contains(message.id)) {
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
    list_is_valid_ = false;
    if (reading_) reading_->changed_meanwhile = true;
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
  if (message.kind == Message::Kind::kResult) {
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

void BridgeCore::RememberTask(const Message& answer, const Pending& call) {
  const std::string id(TaskIdOf(*answer.body));
  if (id.empty() || !tasks_
                         .emplace(id, Task{.tool = call.tool,
                                           .decision_id = call.decision_id,
                                           .max_bytes = call.max_bytes,
                                           .deadline = call.deadline})
                         .second) {
    return;
  }
  if (call.deadline != absl::InfiniteDuration()) task_deadlines_.emplace(call.deadline, id);
  task_order_.push_back(id);
  BoundTasks(task_order_, [&](const std::string& oldest) {
    const auto found = tasks_.find(oldest);
    if (found == tasks_.end()) return;
    task_deadlines_.erase({found->second.deadline, oldest});
    tasks_.erase(found);
  });
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

// ---- time and ends -----------------------------------------------------------

void BridgeCore::EndPending(absl::flat_hash_map<IdKey, Pending>::iterator it) {
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
}

void BridgeCore::TimeOut(const IdKey& id, Output& out) {
  const auto found = pending_.find(id);
  BK_CHECK(found != pending_.end());
  const Pending pending = found->second;
  EndPending(found);
  ++stats_.timeouts;

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

void BridgeCore::CancelTask(const std::string& id, Output& out) {
  const auto found = tasks_.find(id);
  BK_CHECK(found != tasks_.end());
  task_deadlines_.erase({found->second.deadline, id});
  tasks_.erase(found);
  ++stats_.timeouts;
  // The client is told METHOD_NOT_ALLOWED when it asks for the task again.
  AppendLine(RequestLine(NextOwnId(), "tasks/cancel", OwnParams("taskId", id)), out.to_server);
}

void BridgeCore::OnServerEnd(std::string_view how, Output& out) {
  server_end_ = absl::StrFormat("the MCP server behind the bridge has ended: %s", how);
  reading_.reset();
  policy_deadline_ = absl::InfiniteDuration();
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
  list_waiters_.clear();
  held_bytes_ = 0;
  server_pending_.clear();
  tasks_.clear();
  task_order_.clear();
  task_deadlines_.clear();
}

}  // namespace bridgekeeper::bridge
