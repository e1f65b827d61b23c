// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of BridgeCore that reads the server's list of tools, shows it to the
// client and decides calls.

#include <algorithm>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "proto/convert/limits.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kDenialKey = "bridgekeeper/denial";

// How often a payload of one call is given out to be judged.
constexpr int kMaxJudgings = 3;

// A tool that the server does not list has no definition that a pin could match.
constexpr std::string_view kNoDigest = "";

ToolToList ToListed(const UpstreamTool& tool) {
  return {
      .tool = tool.name, .definition_digest = tool.digest, .read_only_hint = tool.read_only_hint};
}

}  // namespace

void BridgeCore::Deny(ReasonCode reason, Decision& decision) {
  decision.verdict = Verdict::kDeny;
  decision.reason = reason;
  decision.obligations = nullptr;
}

// ---- waiting -----------------------------------------------------------------

bool BridgeCore::WantsPolicy(const clients::PolicySnapshot& snapshot, Waited waited) const {
  return snapshot.state == PolicyView::State::kNotReceived && !policy_wait_is_over_ &&
         waited == Waited::kForNothing;
}

bool BridgeCore::WaitsForPolicy(const Message& message, std::string_view line,
                                const clients::PolicySnapshot& snapshot, Waited waited,
                                Output& out) {
  if (!WantsPolicy(snapshot, waited)) return false;
  if (HoldForPolicy(message, line)) return true;
  AnswerRequest(message, Outcome::kRejected,
                ErrorLine(message.id_token, kOverloaded, "too many requests are in flight"), out);
  return true;
}

bool BridgeCore::HoldForPolicy(const Message& message, std::string_view line) {
  if (!HasRoomFor(line)) return false;
  waiting_for_policy_.push_back(HeldOf(message, line));
  if (policy_deadline_ == absl::InfiniteDuration()) {
    policy_deadline_ = parts_.clock.SinceBoot() + options_.policy_wait;
  }
  return true;
}

bool BridgeCore::HoldForList(const Message& message, std::string_view line,
                             const std::optional<Answer>& answer, Output& out) {
  if (!HasRoomFor(line)) return false;
  waiting_for_list_.push_back(HeldOf(message, line, answer));
  if (!reading_) StartReading(out);
  return true;
}

bool BridgeCore::HasRoomFor(std::string_view line) const {
  return pending_.size() < kMaxRequestsInFlight && held_bytes_ + line.size() <= kMaxHeldBytes;
}

BridgeCore::Held BridgeCore::HeldOf(const Message& message, std::string_view line,
                                    std::optional<Answer> answer) {
  held_bytes_ += line.size();
  return {.waiter = AddWaiter(message), .line = std::string(line), .answer = std::move(answer)};
}

BridgeCore::Waiter BridgeCore::AddWaiter(const Message& message) {
  const uint64_t ticket = ++tickets_;
  pending_[message.id] = {
      .use = Pending::Use::kWaiting, .id_token = std::string(message.id_token), .ticket = ticket};
  return {message.id, ticket};
}

absl::flat_hash_map<IdKey, BridgeCore::Pending>::iterator BridgeCore::FindWaiting(
    const Waiter& waiter) {
  const auto found = pending_.find(waiter.id);
  const bool is_there = found != pending_.end() && found->second.ticket == waiter.ticket;
  return is_there ? found : pending_.end();
}

void BridgeCore::Resume(std::vector<Held> held, Waited waited, Output& out) {
  for (const Held& request : held) {
    held_bytes_ -= request.line.size();
    const auto found = FindWaiting(request.waiter);
    if (found == pending_.end()) continue;  // cancelled meanwhile
    EndPending(found);
    auto read = ReadMessage(request.line);
    const Message* message = std::get_if<Message>(&read);
    // INVARIANT: it was read when it came.
    BK_CHECK(message != nullptr);
    if (request.answer) {
      CallTool(*message, request.line, waited, request.answer, out);
    } else {
      OnClientMessage(*message, request.line, waited, out);
    }
  }
}

void BridgeCore::OnPolicyChange(Output& out) {
  if (server_end_) return;
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  if (snapshot.state != PolicyView::State::kNotReceived) {
    policy_deadline_ = absl::InfiniteDuration();
    Resume(std::exchange(waiting_for_policy_, {}), Waited::kForPolicy, out);
  }
  NotifyIfListChanged(out);
}

// ---- tools/list --------------------------------------------------------------

void BridgeCore::ListForClient(const Message& message, std::string_view line, Waited waited,
                               Output& out) {
  // All pages are answered as one: whoever sends a cursor has it from elsewhere.
  if (message.Param("cursor")) {
    return AnswerRequest(message, Outcome::kRejected,
                         ErrorLine(message.id_token, kInvalidParams,
                                   "`params.cursor`: got one that was not given by this bridge"),
                         out);
  }
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  if (WaitsForPolicy(message, line, snapshot, waited, out)) return;
  list_waiters_.push_back(AddWaiter(message));
  if (!reading_) StartReading(out);
}

void BridgeCore::StartReading(Output& out) {
  reading_.emplace(ListReading{.request = {}, .list = UpstreamToolList(options_.origin)});
  reading_->deadline = parts_.clock.SinceBoot() + kListTimeout;
  AskForPage(out);
}

void BridgeCore::AskForPage(Output& out) {
  const std::string id = NextOwnId();
  reading_->request = "s" + id;
  AppendLine(RequestLine(id, "tools/list", OwnParams("cursor", reading_->list.cursor())),
             out.to_server);
}

void BridgeCore::OnListPage(const Message& answer, Output& out) {
  if (answer.kind == Message::Kind::kError) return FailReading(answer.body->raw(), out);
  // What another session has read is not read again.
  reading_->pages = ListShelf::NamePages(reading_->pages, answer.body->raw());
  if (auto known = shelf_.FindList(reading_->pages)) return TakeList(std::move(known), out);
  switch (reading_->list.AddPage(*answer.body)) {
    case UpstreamToolList::Page::kMore:
      return AskForPage(out);
    case UpstreamToolList::Page::kLast:
      return FinishReading(out);
    case UpstreamToolList::Page::kRepeatedCursor:
      parts_.log.Warning("the server gives a cursor of tools/list twice; its list ends there",
                         {{"cursor", reading_->list.cursor()}});
      return FinishReading(out);
    case UpstreamToolList::Page::kTooLarge:
      parts_.log.Warning("the server's list of tools is too large; its end is left out",
                         {{"tools", reading_->list.tools().size()}});
      return FinishReading(out);
    case UpstreamToolList::Page::kMalformed:
      parts_.log.Warning("the server's answer to tools/list has no array `tools`");
      return FailReading("", out);
  }
}

void BridgeCore::FailReading(std::string_view error, Output& out) {
  ++stats_.list_failures;
  // An answer that still comes is one to a request of ours, and says nothing.
  reading_.reset();
  for (const Waiter& waiter : std::exchange(list_waiters_, {})) {
    const auto found = FindWaiting(waiter);
    if (found == pending_.end()) continue;  // cancelled meanwhile
    Count(Peer::kClient, Outcome::kAnswered);
    if (error.empty()) {
      AppendLine(ErrorLine(found->second.id_token, kInternalError,
                           "the server's list of tools could not be read"),
                 out.to_client);
    } else {
      // As the server put it.
      std::string line;
      JsonObject envelope(line);
      envelope.String("jsonrpc", "2.0").Raw("id", found->second.id_token).Raw("error", error);
      envelope.Close();
      AppendLine(line, out.to_client);
    }
    EndPending(found);
  }
  Resume(std::exchange(waiting_for_list_, {}), Waited::kForList, out);
}

void BridgeCore::FinishReading(Output& out) {
  for (const DroppedTool& tool : reading_->list.dropped()) {
    if (!TakeLogToken()) break;
    parts_.log.Warning("a tool of the server is not listed",
                       {{"tool", tool.name}, {"why", tool.why}});
  }
  TakeList(shelf_.KeepList(std::move(reading_->pages), std::move(reading_->list)), out);
}

void BridgeCore::TakeList(std::shared_ptr<const UpstreamToolList> list, Output& out) {
  ++stats_.lists_read;
  list_ = std::move(list);
  const bool changed_meanwhile = reading_->changed_meanwhile;
  reading_.reset();
  list_is_valid_ = true;
  list_read_at_ = parts_.clock.SinceBoot();
  for (BridgeObserver* observer : parts_.observers) observer->OnToolsListed(*list_);
  AnswerListWaiters(out);
  // These have waited for this reading: they are decided on it, even where the
  // server said meanwhile that there is a newer list.
  Resume(std::exchange(waiting_for_list_, {}), Waited::kForList, out);
  if (changed_meanwhile) list_is_valid_ = false;
}

ListContext BridgeCore::ListContextNow() const {
  return {.server = options_.server.value(),
          .builtin_catalog = options_.builtin_catalog,
          .fixed_connection = FixedConnection(),
          .read_only = options_.read_only,
          .listed_by_server = true};
}

ToolListing BridgeCore::ListingNow(const PolicyView& view) const {
  std::vector<ToolToList> tools;
  tools.reserve(list_->tools().size());
  for (const UpstreamTool& tool : list_->tools()) tools.push_back(ToListed(tool));
  return ListTools(view, ListContextNow(), tools);
}

void BridgeCore::AnswerListWaiters(Output& out) {
  // A client that cancelled is told nothing, and what it was told stays as it was.
  std::erase_if(list_waiters_,
                [&](const Waiter& waiter) { return FindWaiting(waiter) == pending_.end(); });
  if (list_waiters_.empty()) return;
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  const ToolListing listing = ListingNow(ViewOf(snapshot));
  const ShownList& shown = shelf_.Show(list_, listing);
  LogList(listing);
  told_ = shown.told;
  told_fingerprint_ = told_->fingerprint;
  for (const Waiter& waiter : std::exchange(list_waiters_, {})) {
    const auto found = FindWaiting(waiter);
    Count(Peer::kClient, Outcome::kAnswered);
    AppendLine(ResultLine(found->second.id_token, shown.result), out.to_client);
    EndPending(found);
  }
}

void BridgeCore::LogList(const ToolListing& listing) {
  if (!listing.shown.empty() || listing.hidden.empty() || !TakeLogToken()) return;
  parts_.log.Warning("no tool is shown", {{"server", options_.server.value()},
                                          {"hidden", listing.hidden.size()},
                                          {"reason_code", Name(listing.hidden[0].reason)}});
}

void BridgeCore::NotifyIfListChanged(Output& out) {
  if (told_fingerprint_.empty() || list_ == nullptr) return;
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  const std::string& fingerprint =
      shelf_.Show(list_, ListingNow(ViewOf(snapshot))).told->fingerprint;
  if (std::exchange(told_fingerprint_, fingerprint) == fingerprint) return;
  constexpr std::string_view kMethod = "notifications/tools/list_changed";
  if (initialized_) {
    ++stats_.list_changes_sent;
    AppendLine(NotificationLine(kMethod), out.to_client);
  }
  for (const auto& [id, pending] : pending_) {
    if (pending.use != Pending::Use::kListen || !pending.wants_tool_changes) continue;
    std::string params;
    JsonObject object(params);
    object.Key("_meta");
    JsonObject meta(params);
    meta.Raw("io.modelcontextprotocol/subscriptionId", pending.id_token);
    meta.Close();
    object.Close();
    ++stats_.list_changes_sent;
    AppendLine(NotificationLine(kMethod, params), out.to_client);
  }
}

// ---- tools/call --------------------------------------------------------------

std::optional<std::string_view> BridgeCore::ConnectionOf(JsonValue arguments) const {
  if (options_.connection) return options_.connection->value();
  if (options_.connection_argument.empty()) return std::nullopt;
  const auto named = arguments.Find(options_.connection_argument);
  if (!named || named->is_null()) return std::nullopt;
  // What is no text is no id either, and the engine says so.
  return named->is_string() ? named->string() : named->raw();
}

ToolCall BridgeCore::CallOf(const Message& message, std::string_view name) const {
  const auto arguments = message.Param("arguments");
  const UpstreamTool* tool = list_is_valid_ ? list_->Find(name) : nullptr;
  ToolCall call;
  call.tool = name;
  call.server = options_.server.value();
  call.builtin_catalog = options_.builtin_catalog;
  if (!options_.connection_type.empty()) call.connection_type = options_.connection_type;
  // Arguments are always carried: none at all is an empty object.
  call.arguments = arguments && !arguments->is_null() ? *arguments : no_arguments_.root();
  call.connection = ConnectionOf(*call.arguments);
  if (parts_.own_databases != nullptr && call.connection) {
    call.connection_type = parts_.own_databases->TypeOf(*call.connection);
  }
  call.definition_digest = tool == nullptr ? kNoDigest : std::string_view(tool->digest);
  call.read_only_hint = tool != nullptr && tool->read_only_hint;
  call.listed_by_server = tool != nullptr;
  call.read_only_bridge = options_.read_only;
  return call;
}

Decision BridgeCore::DecideCall(const PolicyView& view, const ToolCall& call, const Judged* judged,
                                std::optional<Judgement>& judgement,
                                std::optional<PayloadToJudge>& missing) const {
  // The bound of a decision asked of keeperd holds for one made here; what is above
  // it is not judged either.
  if (call.arguments->raw().size() > convert::kMaxArgumentsBytes) {
    Decision decision = Decide(view, call, nullptr);
    Deny(ReasonCode::kInvalidRequest, decision);
    return decision;
  }
  if (parts_.judge == nullptr) return Decide(view, call, nullptr, &judgement);
  static const std::set<std::string> kNone;
  const std::set<std::string>& safe_functions =
      parts_.own_databases != nullptr && call.connection
          ? parts_.own_databases->SafeFunctionsOf(*call.connection)
          : kNone;
  if (!options_.judges_elsewhere) {
    const WithSafeFunctions judge(*parts_.judge, safe_functions);
    return Decide(view, call, &judge, &judgement);
  }
  const bool is_known = judged != nullptr && judged->judgement.has_value();
  const KnownJudgement judge(*parts_.judge, is_known ? &judged->judging.payload : nullptr,
                             is_known ? &*judged->judgement : nullptr);
  const WithSafeFunctions asked(judge, safe_functions);
  Decision decision = Decide(view, call, &asked, &judgement);
  missing = judge.missing();
  return decision;
}

bool BridgeCore::HoldForJudge(const Message& message, std::string_view line, Judging call,
                              const Judged* judged, Output& out) {
  // What could not be judged in time is not tried again, and a policy that asks for another
  // judgement each time does not keep the call for ever.
  if (judged != nullptr) {
    if (!judged->judgement || judged->judging.times >= kMaxJudgings) return false;
    call.times = judged->judging.times + 1;
  }
  if (!HasRoomFor(line)) return false;
  call.call = HeldOf(message, line, call.call.answer);
  const uint64_t ticket = call.call.waiter.ticket;
  out.to_judge.push_back(ticket);
  judging_.emplace(ticket, std::move(call));
  return true;
}

std::optional<PayloadToJudge> BridgeCore::PayloadOf(uint64_t ticket) {
  const auto found = judging_.find(ticket);
  if (found == judging_.end()) return std::nullopt;
  const Held& call = found->second.call;
  if (FindWaiting(call.waiter) != pending_.end()) return found->second.payload;
  held_bytes_ -= call.line.size();
  judging_.erase(found);
  return std::nullopt;
}

void BridgeCore::OnJudged(uint64_t ticket, std::optional<Judgement> judgement, Output& out) {
  const auto found = judging_.find(ticket);
  if (found == judging_.end()) return;  // the server has ended meanwhile
  const Judging judging = std::move(found->second);
  judging_.erase(found);
  held_bytes_ -= judging.call.line.size();
  const auto pending = FindWaiting(judging.call.waiter);
  if (pending == pending_.end()) return;  // cancelled meanwhile
  EndPending(pending);
  const auto read = ReadMessage(judging.call.line);
  const Message* message = std::get_if<Message>(&read);
  // INVARIANT: it was read when it came.
  BK_CHECK(message != nullptr);
  const Judged judged{judging, judgement};
  CallTool(*message, judging.call.line, judging.waited, judging.call.answer, out, &judged);
}

void BridgeCore::CallTool(const Message& message, std::string_view line, Waited waited,
                          const std::optional<Answer>& answer, Output& out, const Judged* judged) {
  const auto name = message.Param("name");
  if (!name || !name->is_string()) {
    return AnswerRequest(
        message, Outcome::kRejected,
        ErrorLine(message.id_token, kInvalidParams, "`params.name`: want a string"), out);
  }
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  const bool wants_policy = WantsPolicy(snapshot, waited);
  if (wants_policy && HoldForPolicy(message, line)) return;
  const bool wants_list = snapshot.state == PolicyView::State::kPresent && !list_is_valid_ &&
                          waited != Waited::kForList;
  if (wants_list && HoldForList(message, line, answer, out)) return;
  if (list_is_valid_ && !reading_ && parts_.clock.SinceBoot() - list_read_at_ >= kListRefresh) {
    StartReading(out);
  }

  const absl::Duration begin = judged == nullptr ? parts_.clock.SinceBoot() : judged->judging.begin;
  const bool is_stateless = message.Meta(kMetaVersion).has_value();
  const PolicyView view = ViewOf(snapshot);
  const ToolCall call = CallOf(message, name->string());
  std::optional<Judgement> judgement;
  std::optional<PayloadToJudge> missing;
  Decision decision = DecideCall(view, call, judged, judgement, missing);
  if (missing) {
    Judging judging{.call = {.answer = answer},
                    .waited = waited,
                    .begin = begin,
                    .payload = *std::move(missing)};
    if (HoldForJudge(message, line, std::move(judging), judged, out)) return;
    Deny(ReasonCode::kOverloaded, decision);
  }
  // It cannot wait for what it should be decided on.
  if (wants_policy || wants_list) Deny(ReasonCode::kOverloaded, decision);
  EnforceOnDecision(snapshot, call, judgement ? &*judgement : nullptr, decision);
  const bool must_ask = MustAsk(snapshot, call, message, decision);
  std::string restored;  // the call without the answer that it carries
  if (must_ask || answer || (is_stateless && RequestStates::IsAnswer(message))) {
    if (AskOrTakeAnswer(snapshot, call, message, line, answer, decision, restored, out)) return;
  }
  const std::string decision_id = parts_.ids.NewId();
  const std::string reason_text =
      ReasonText(view, call, decision, judgement ? &*judgement : nullptr);
  DecidedCall decided =
      ReportOf(snapshot, call, decision, must_ask, decision_id, reason_text, begin);

  if (decision.verdict == Verdict::kDeny) {
    Tell(decided);
    return AnswerRequest(message, Outcome::kAnswered,
                         ToolErrorLine(message.id_token, reason_text, kDenialKey,
                                       DenialOf(snapshot, call.tool, decision, decision_id),
                                       {.stateless = is_stateless,
                                        .structured_content = MayHaveStructuredError(call.tool)}),
                         out);
  }
  Pending pending{
      .use = Pending::Use::kCall, .tool = std::string(call.tool), .decision_id = decision_id};
  if (decision.obligations != nullptr) {
    pending.max_bytes = decision.obligations->max_bytes;
    pending.timeout = decision.obligations->timeout;
  }
  if (parts_.own_databases != nullptr) {
    pending.decided = std::make_shared<const DecidedCall>(std::move(decided));
  } else {
    Tell(decided);
  }
  ForwardRequest(message, restored.empty() ? line : restored, std::move(pending), out);
}

bool BridgeCore::MayHaveStructuredError(std::string_view name) const {
  // Clients check structured content against the schema, on errors too.
  const UpstreamTool* tool = list_is_valid_ ? list_->Find(name) : nullptr;
  return list_is_valid_ && (tool == nullptr || !tool->has_output_schema);
}

void BridgeCore::DenyByCatalogue(const Pending& pending, const Judgement& found, Output& out) {
  const clients::PolicySnapshot snapshot = parts_.policies.View(options_.app.value());
  DecidedCall decided = *pending.decided;
  ToolCall call;
  call.tool = decided.tool;
  call.server = options_.server.value();
  call.builtin_catalog = options_.builtin_catalog;
  // The databases refuse what is more than the tool may carry, which is check 5.
  Decision decision;
  decision.connection = decided.connection;
  decision.effective_risk = found.risk;
  decision.judged = true;
  Deny(ReasonCode::kStatementExceedsTool, decision);
  decided.verdict = decision.verdict;
  decided.reason = decision.reason;
  decided.effective_risk = decision.effective_risk;
  decided.obligations.reset();
  decided.reason_text = ReasonText(ViewOf(snapshot), call, decision, &found);
  Tell(decided);
  Count(Peer::kServer, Outcome::kAnswered);
  AppendLine(ToolErrorLine(pending.id_token, decided.reason_text, kDenialKey,
                           DenialOf(snapshot, call.tool, decision, decided.decision_id),
                           {.stateless = pending.stateless,
                            .structured_content = MayHaveStructuredError(call.tool)}),
             out.to_client);
}

void BridgeCore::EnforceOnDecision(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                                   const Judgement* judgement, Decision& decision) const {
  if (decision.reason == ReasonCode::kPolicyMissing) {
    // Nothing has arrived: whether it cannot or has not yet is worth knowing.
    const clients::PolicySourceStats stats = parts_.policies.Stats();
    if (!stats.connected && stats.connects == 0 && stats.failures > 0) {
      Deny(ReasonCode::kPdpUnreachable, decision);
    }
  }
  if (decision.verdict == Verdict::kDeny) return;
  if (MoreHarmful(decision.effective_risk, options_.max_risk)) {
    return Deny(ReasonCode::kReadOnlyBridge, decision);
  }
  if (pending_.size() >= kMaxRequestsInFlight) return Deny(ReasonCode::kOverloaded, decision);
  if (parts_.own_databases != nullptr) {
    const ReasonCode refusal =
        parts_.own_databases->Refusal(*snapshot.policy, call.tool, decision, judgement);
    if (refusal != ReasonCode::kUnspecified) return Deny(refusal, decision);
  } else if (decision.obligations != nullptr &&
             (decision.obligations->max_rows || decision.obligations->read_only_session)) {
    return Deny(ReasonCode::kObligationUnsupported, decision);
  }
}

bool BridgeCore::ClientWasToldDestructive(const PolicyView& view, const ToolCall& call,
                                          bool is_stateless) const {
  if (!is_stateless) return told_ && told_->destructive.contains(std::string(call.tool));
  // Without a session the listing in force is what a client may know.
  const UpstreamTool* tool = list_is_valid_ ? list_->Find(call.tool) : nullptr;
  if (tool == nullptr) return false;
  const ToolToList tools[] = {ToListed(*tool)};
  const ToolListing listing = ListTools(view, ListContextNow(), tools);
  return !listing.shown.empty() && listing.shown[0].annotations.destructive_hint;
}

DecidedCall BridgeCore::ReportOf(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                                 const Decision& decision, bool was_asked,
                                 std::string_view decision_id, std::string_view reason_text,
                                 absl::Duration begin) const {
  DecidedCall report{
      .time = parts_.clock.Now(),
      .duration = parts_.clock.SinceBoot() - begin,
      .decision_id = std::string(decision_id),
      .tool = std::string(call.tool.substr(0, kMaxIdBytes)),
      .connection = std::string(decision.connection.substr(0, kMaxIdBytes)),
      .verdict = decision.verdict,
      .reason = decision.reason,
      .effective_risk = decision.effective_risk,
      .judged = decision.judged,
      .reason_text = std::string(reason_text),
      .session = options_.session,
      .client_name = client_name_,
      .client_version = client_version_,
  };
  if (call.arguments->is_object() && !parts_.observers.empty()) {
    report.arguments_digest = Sha256Hex(CanonicalJson(*call.arguments));
  }
  if (decision.obligations != nullptr) report.obligations = *decision.obligations;
  if (snapshot.policy != nullptr) {
    // The path that let a call through, which need not be the policy's own.
    report.ask_mode = was_asked && decision.verdict == Verdict::kAsk
                          ? AskMode::kElicit
                          : snapshot.policy->policy().ask_mode;
    report.policy_revision = snapshot.policy->policy_revision().value;
    report.catalog_revision = snapshot.policy->catalog_revision().value;
  }
  return report;
}

void BridgeCore::Tell(const DecidedCall& decided) const {
  for (BridgeObserver* observer : parts_.observers) observer->OnDecision(decided);
}

std::string BridgeCore::DenialOf(const clients::PolicySnapshot& snapshot, std::string_view tool,
                                 const Decision& decision, std::string_view decision_id) const {
  const CompiledPolicy* policy = snapshot.policy.get();
  return DenialJson({
      .reason = decision.reason,
      .effective_risk = decision.effective_risk,
      .app = options_.app.value(),
      .server = options_.server.value(),
      .tool = tool.substr(0, kMaxIdBytes),
      .connection = decision.connection.substr(0, kMaxIdBytes),
      .policy_revision = policy == nullptr ? 0 : policy->policy_revision().value,
      .catalog_revision = policy == nullptr ? 0 : policy->catalog_revision().value,
      .decision_id = decision_id,
  });
}

}  // namespace bridgekeeper::bridge
