// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/all_servers.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/tool_list.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

// Ids of our own towards a server, and their keys, begin so.
constexpr std::string_view kOwnIdKeys = "sbridgekeeper/";
constexpr std::string_view kGatherPrefix = "bridgekeeper/gather/";
constexpr std::string_view kInitializeId = "bridgekeeper/begin";

// Lines about what a client's lists leave out: a burst, then a few a second.
constexpr double kLogBurst = 20;
constexpr double kLogLinesPerSecond = 2;

std::string_view TaskIdOf(JsonValue result) {
  const auto task = result.Find("task");
  if (task) return TextOf(task->Find("taskId"));
  return TextOf(result.Find("taskId"));
}

std::string InitializeResult(std::string_view protocol, std::string_view version) {
  std::string result;
  JsonObject object(result);
  object.String("protocolVersion", protocol).Key("capabilities");
  JsonObject capabilities(result);
  for (const std::string_view family : {"tools", "prompts", "resources"}) {
    capabilities.Key(family);
    JsonObject changes(result);
    changes.Bool("listChanged", true);
    if (family == "resources") changes.Bool("subscribe", true);
    changes.Close();
  }
  for (const std::string_view family : {"logging", "completions"}) {
    capabilities.Key(family);
    JsonObject(result).Close();
  }
  capabilities.Close();
  object.Key("serverInfo");
  JsonObject info(result);
  info.String("name", "bridgekeeper").String("version", version);
  info.Close();
  object.Close();
  return result;
}

}  // namespace

// One server of this client, and the link to it.
class AllServers::Seat : public Front::Listener {
 public:
  Seat(AllServers& owner, size_t server)
      : owner_(owner),
        server_(server),
        link_(owner.io_, owner.servers_[server], *this, {.session = owner.session_}) {}

  void ToClient(std::string_view line, const IdKey& related) override {
    owner_.FromServer(server_, line, related);
  }
  Link& link() { return link_; }

 private:
  AllServers& owner_;
  const size_t server_;
  Link link_;
};

AllServers::AllServers(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
                       const AllServersParts& parts, std::string session, Front::Listener& listener)
    : io_(io),
      servers_(std::move(servers)),
      parts_(parts),
      session_(std::move(session)),
      listener_(listener),
      seats_(servers_.size()),
      log_budget_(kLogBurst, kLogLinesPerSecond) {
  for (size_t i = 0; i < servers_.size(); ++i) order_.push_back(i);
}

AllServers::~AllServers() = default;

Link& AllServers::LinkTo(size_t server) {
  if (seats_[server] != nullptr) return seats_[server]->link();
  seats_[server] = std::make_unique<Seat>(*this, server);
  // A core knows its client from these.
  if (!initialize_params_.empty()) {
    ToServer(server, RequestLine(kInitializeId, "initialize", initialize_params_));
  }
  if (initialized_) ToServer(server, NotificationLine("notifications/initialized"));
  return seats_[server]->link();
}

void AllServers::ToServer(size_t server, std::string_view line) {
  const auto read = ReadMessage(line);
  // INVARIANT: made of what was read before.
  const Message* message = std::get_if<Message>(&read);
  BK_CHECK(message != nullptr);
  LinkTo(server).FromClient(*message, line);
}

void AllServers::Send(size_t server, const Message& message, std::string_view line) {
  asked_[message.id] = {server};
  ToServer(server, line);
}

void AllServers::Say(std::string_view line, const IdKey& related) {
  listener_.ToClient(line, related);
}

void AllServers::End(Outcome outcome, std::string_view line) {
  ++parts_.counts.messages[static_cast<size_t>(Peer::kClient)][static_cast<size_t>(outcome)];
  Say(line);
}

void AllServers::Refuse(const Message& message, int code, std::string_view why) {
  End(Outcome::kRejected, ErrorLine(message.id_token, code, why));
}

bool AllServers::Remember(std::string_view key, size_t server, StringMap<size_t>& owners) {
  // Whoever had it first has it: another server cannot take it over.
  if (owners.contains(key)) return true;
  if (uri_owners_.size() + task_owners_.size() >= kMaxRemembered ||
      remembered_bytes_ + key.size() > kMaxRememberedBytes) {
    return false;
  }
  remembered_bytes_ += key.size();
  owners[std::string(key)] = server;
  return true;
}

void AllServers::Forget(StringMap<size_t>& owners, absl::FunctionRef<bool(size_t)> of) {
  absl::erase_if(owners, [&](const auto& owner) {
    if (!of(owner.second)) return false;
    remembered_bytes_ -= owner.first.size();
    return true;
  });
}

void AllServers::OnPolicyChange() {
  is_policy_change_ = true;
  was_told_of_policy_ = false;
  AgeGatherings();
  for (const auto& seat : seats_) {
    if (seat != nullptr) seat->link().OnPolicyChange();
  }
  is_policy_change_ = false;
}

void AllServers::OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) {
  order_.clear();
  for (const auto& server : servers) {
    auto place = std::find(servers_.begin(), servers_.end(), server);
    if (place == servers_.end()) place = std::find(servers_.begin(), servers_.end(), nullptr);
    if (place == servers_.end()) {
      seats_.emplace_back();
      place = servers_.insert(servers_.end(), nullptr);
    }
    *place = server;
    order_.push_back(static_cast<size_t>(place - servers_.begin()));
  }
  AgeGatherings();
  // What one that is gone has listed may be another's now.
  Forget(uri_owners_, [this](size_t server) { return !IsServed(server); });
  TidyLater();
  if (!initialized_) return;
  for (const char* family : {"tools", "prompts", "resources"}) {
    Say(NotificationLine(absl::StrFormat("notifications/%s/list_changed", family)));
  }
}

bool AllServers::TakeLogToken(size_t server) {
  return log_budget_.Take(servers_[server]->parts.clock.SinceBoot());
}

bool AllServers::IsServed(size_t server) const {
  return std::find(order_.begin(), order_.end(), server) != order_.end();
}

void AllServers::Tidy() {
  for (size_t server = 0; server < servers_.size(); ++server) {
    if (servers_[server] == nullptr || IsServed(server)) continue;
    const bool is_in_use =
        (seats_[server] != nullptr && seats_[server]->link().requests_in_flight() > 0) ||
        std::any_of(gatherings_.begin(), gatherings_.end(), [&](const auto& gathering) {
          const std::vector<size_t>& places = gathering.second.servers;
          return std::find(places.begin(), places.end(), server) != places.end();
        });
    if (is_in_use) continue;
    seats_[server] = nullptr;
    servers_[server] = nullptr;
    Forget(task_owners_, [server](size_t owner) { return owner == server; });
    absl::erase_if(asked_, [&](const auto& asked) { return asked.second.server == server; });
    absl::erase_if(asked_by_server_,
                   [&](const auto& asked) { return asked.second.server == server; });
  }
}

void AllServers::TidyLater() {
  const auto is_gone = [this](size_t server) {
    return servers_[server] != nullptr && !IsServed(server);
  };
  bool any = false;
  for (size_t server = 0; server < servers_.size(); ++server) any = any || is_gone(server);
  if (!any) return;
  // It may be a link of one that is speaking.
  boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_)] {
    if (!alive.expired()) Tidy();
  });
}

std::optional<size_t> AllServers::ServerOf(std::string_view name) const {
  for (const size_t i : order_) {
    if (name.starts_with(servers_[i]->config.prefix)) return i;
  }
  return std::nullopt;
}

std::optional<std::string> AllServers::PrefixOf(std::string_view tool) const {
  const auto server = ServerOf(tool);
  return server ? std::optional(servers_[*server]->config.prefix) : std::nullopt;
}

void AllServers::ListTools(std::string_view prefix, const Message& message, std::string_view) {
  const auto server = ServerOf(prefix);
  if (!server) return Refuse(message, kInvalidParams, "there is no such server any more");
  Gather(message, "tools", {*server});
}

// ---- the client ------------------------------------------------------------------------

void AllServers::FromClient(const Message& message, std::string_view line) {
  switch (message.kind) {
    case Message::Kind::kRequest:
      return OnRequest(message, line);
    case Message::Kind::kNotification:
      return OnNotification(message, line);
    case Message::Kind::kResult:
    case Message::Kind::kError:
      return OnAnswer(message, line);
  }
}

void AllServers::OnRequest(const Message& message, std::string_view line) {
  const std::string_view method = message.method;
  if (std::string_view(message.id).starts_with(kOwnIdKeys)) {
    return Refuse(message, kInvalidRequest, "`id`: got one that begins as those of the bridge do");
  }
  if (method == "initialize") return AnswerInitialize(message, line);
  if (method == "ping") return End(Outcome::kAnswered, ResultLine(message.id_token, "{}"));
  if (method == "tools/list") return Gather(message, "tools", order_);
  if (method == "prompts/list") return Gather(message, "prompts", order_);
  if (method == "resources/list") return Gather(message, "resources", order_);
  if (method == "resources/templates/list") return Gather(message, "resourceTemplates", order_);
  if (method == "logging/setLevel") return Gather(message, "", order_);
  if (method == "tools/call" || method == "prompts/get") return ToNamed(message);
  if (method == "completion/complete") return Complete(message, line);
  if (method.starts_with("resources/")) return ToOwnerOf(message, line, uri_owners_, "uri");
  if (method.starts_with("tasks/")) return ToOwnerOf(message, line, task_owners_, "taskId");
  // Every link refuses it in the same way.
  Send(order_.front(), message, line);
}

void AllServers::AnswerInitialize(const Message& message, std::string_view) {
  const auto params = message.document->root().Find("params");
  initialize_params_ = params ? std::string(params->raw()) : "{}";
  const std::string_view wanted = TextOf(message.Param("protocolVersion"));
  const bool is_known = std::find(std::begin(kSessionVersions), std::end(kSessionVersions),
                                  wanted) != std::end(kSessionVersions);
  End(Outcome::kAnswered,
      ResultLine(message.id_token,
                 InitializeResult(is_known ? wanted : kSessionVersions[0], parts_.version)));
}

void AllServers::Gather(const Message& message, std::string_view member,
                        std::vector<size_t> servers) {
  if (message.Param("cursor")) {
    return Refuse(message, kInvalidParams,
                  "`params.cursor`: got one that was not given by this bridge");
  }
  const auto given = message.document->root().Find("params");
  const std::string params(given ? given->raw() : std::string_view());
  for (auto& [number, open] : gatherings_) {
    // One that sets something does so each time.
    if (member.empty() || open.is_old || open.method != message.method || open.params != params ||
        open.servers != servers) {
      continue;
    }
    open.askers.push_back({.id_token = std::string(message.id_token), .id = message.id});
    return;
  }
  const size_t most = session_.empty() ? kMaxSharedGatherings : kMaxGatherings;
  if (gatherings_.size() >= most) {
    return Refuse(message, kOverloaded,
                  absl::StrFormat("got more than %d requests for a list at a time", most));
  }
  const uint64_t number = ++last_id_;
  Gathering& gathering = gatherings_[number];
  gathering = {.askers = {{.id_token = std::string(message.id_token), .id = message.id}},
               .method = std::string(message.method),
               .params = params,
               .member = member,
               .servers = servers,
               .parts = std::vector<Part>(servers_.size()),
               .missing = servers.size()};
  // A link may answer from within.
  for (const size_t server : servers) AskForPage(number, server);
}

void AllServers::AskForPage(uint64_t number, size_t server) {
  const auto found = gatherings_.find(number);
  if (found == gatherings_.end()) return;  // cancelled meanwhile
  const Gathering& gathering = found->second;
  const std::vector<std::string>& cursors = gathering.parts[server].cursors;
  std::string params = gathering.params;
  if (!cursors.empty()) {
    if (params.empty()) params = "{}";
    const auto document = JsonDocument::Parse(params);
    // INVARIANT: cut out of a message that was read.
    BK_CHECK(document.ok());
    JsonEdits edits(document->root());
    edits.SetMember(document->root(), "cursor", JsonString(cursors.back()));
    params = std::move(edits).Apply();
  }
  ToServer(server, RequestLine(absl::StrFormat("%s%d/%d", kGatherPrefix, number, server),
                               gathering.method, params));
}

void AllServers::ToNamed(const Message& message) {
  const auto name = message.Param("name");
  if (!name || !name->is_string()) {
    return Refuse(message, kInvalidParams, "`params.name`: want a string");
  }
  if (name->string().size() > kMaxToolNameBytes) {
    return Refuse(message, kInvalidParams,
                  absl::StrFormat("`params.name`: got %d bytes, want at most %d",
                                  name->string().size(), kMaxToolNameBytes));
  }
  const auto server = ServerOf(name->string());
  if (!server) {
    return Refuse(
        message, kInvalidParams,
        absl::StrFormat("`params.name`: got `%s`, want a name that begins with a server's prefix",
                        EscapeForPeople(name->string(), 128)));
  }
  JsonEdits edits(message.document->root());
  edits.Replace(*name, JsonString(name->string().substr(servers_[*server]->config.prefix.size())));
  Send(*server, message, std::move(edits).Apply());
}

void AllServers::Complete(const Message& message, std::string_view line) {
  const auto ref = message.Param("ref");
  const auto name = ref ? ref->Find("name") : std::nullopt;
  if (name && name->is_string()) {
    const auto server = ServerOf(name->string());
    if (server) {
      JsonEdits edits(message.document->root());
      edits.Replace(*name,
                    JsonString(name->string().substr(servers_[*server]->config.prefix.size())));
      return Send(*server, message, std::move(edits).Apply());
    }
  }
  const auto uri = ref ? ref->Find("uri") : std::nullopt;
  const auto owner = uri_owners_.find(TextOf(uri));
  if (owner != uri_owners_.end()) return Send(owner->second, message, line);
  Refuse(message, kInvalidParams, "`params.ref`: got one that no server has listed to this client");
}

void AllServers::ToOwnerOf(const Message& message, std::string_view line,
                           const StringMap<size_t>& owners, std::string_view key) {
  const auto owner = owners.find(TextOf(message.Param(key)));
  if (owner != owners.end()) return Send(owner->second, message, line);
  // With one server there is no doubt.
  if (order_.size() == 1) return Send(order_.front(), message, line);
  Refuse(message, kInvalidParams,
         absl::StrFormat("`params.%s`: got one that no server has listed to this client; "
                         "the server's own endpoint takes it",
                         key));
}

void AllServers::OnNotification(const Message& message, std::string_view line) {
  TidyLater();  // it may be the end of a request
  if (message.method == "notifications/initialized") initialized_ = true;
  if (message.method == "notifications/cancelled") {
    const auto token = message.Param("requestId");
    const auto id = token ? KeyOfId(*token) : std::nullopt;
    if (!id) return;
    if (const auto asked = asked_.find(*id); asked != asked_.end()) {
      const size_t server = asked->second.server;
      asked_.erase(asked);
      return ToServer(server, line);
    }
    for (auto it = gatherings_.begin(); it != gatherings_.end(); ++it) {
      if (std::erase_if(it->second.askers, [&](const auto& asker) { return asker.id == *id; }) ==
          0) {
        continue;
      }
      if (it->second.askers.empty()) gatherings_.erase(it);  // what still comes is dropped
      return;
    }
    return;
  }
  // Those that have no link yet are told what counts when they get one.
  for (size_t server = 0; server < servers_.size(); ++server) {
    if (seats_[server] != nullptr) ToServer(server, line);
  }
}

void AllServers::OnAnswer(const Message& message, std::string_view) {
  const auto found = asked_by_server_.find(message.id);
  if (found == asked_by_server_.end()) return;
  const AskedByServer asked = std::move(found->second);
  asked_by_server_.erase(found);
  JsonEdits edits(message.document->root());
  edits.Replace(*message.document->root().Find("id"), asked.id_token);
  ToServer(asked.server, std::move(edits).Apply());
}

// ---- the servers ---------------------------------------------------------------------------

void AllServers::FromServer(size_t server, std::string_view line, const IdKey& related) {
  TidyLater();
  const Outline outline = OutlineOf(line);
  if (!outline.has_method) {
    // The key of a text is `s` and the text.
    const std::string_view id = outline.id;
    if (id.starts_with('s') && id.substr(1) == kInitializeId) return;
    if (id.starts_with('s') && id.substr(1).starts_with(kGatherPrefix)) {
      uint64_t number = 0;
      const std::string_view rest = id.substr(1 + kGatherPrefix.size());
      if (absl::SimpleAtoi(AsAbsl(rest.substr(0, rest.find('/'))), &number)) {
        TakePart(number, server, line);
      }
      return;
    }
    if (const auto asked = asked_.find(outline.id); asked != asked_.end()) asked_.erase(asked);
    const auto read = ReadMessage(line);
    const Message* message = std::get_if<Message>(&read);
    if (message != nullptr && message->kind == Message::Kind::kResult) {
      const std::string_view task = TaskIdOf(*message->body);
      if (!task.empty()) Remember(task, server, task_owners_);
    }
    return Say(line);
  }
  const auto read = ReadMessage(line);
  const Message* message = std::get_if<Message>(&read);
  if (message == nullptr) return;  // what was added made it larger than a message may be
  if (message->kind == Message::Kind::kRequest) return AskClient(server, *message, related);
  if (message->method == "notifications/cancelled") {
    const auto token = message->Param("requestId");
    const auto id = token ? KeyOfId(*token) : std::nullopt;
    for (auto it = asked_by_server_.begin(); it != asked_by_server_.end(); ++it) {
      if (!id || it->second.server != server || it->second.id != *id) continue;
      JsonEdits edits(message->document->root());
      edits.Replace(*token, JsonString(std::string_view(it->first).substr(1)));
      const std::string out = std::move(edits).Apply();
      asked_by_server_.erase(it);
      return Say(out);
    }
    return;
  }
  if (message->method.ends_with("/list_changed")) AgeGatherings();
  if (is_policy_change_ && message->method == "notifications/tools/list_changed" &&
      std::exchange(was_told_of_policy_, true)) {
    return;
  }
  Say(line, related);
}

void AllServers::AgeGatherings() {
  for (auto& [number, gathering] : gatherings_) gathering.is_old = true;
}

void AllServers::AskClient(size_t server, const Message& message, const IdKey& related) {
  const std::string id = absl::StrFormat("bridgekeeper/ask/%d", ++last_id_);
  asked_by_server_["s" + id] = {
      .server = server, .id_token = std::string(message.id_token), .id = message.id};
  JsonEdits edits(message.document->root());
  edits.Replace(*message.document->root().Find("id"), JsonString(id));
  // Of several servers the person who answers should know which one asks.
  const auto text = message.Param("message");
  if (message.method == "elicitation/create" && text && text->is_string()) {
    edits.Replace(*text, JsonString(absl::StrFormat("[%s] %s", servers_[server]->config.name,
                                                    text->string())));
  }
  Say(std::move(edits).Apply(), related);
}

void AllServers::TakePart(uint64_t number, size_t server, std::string_view line) {
  const auto found = gatherings_.find(number);
  if (found == gatherings_.end() || found->second.parts[server].is_whole) return;
  Part& part = found->second.parts[server];
  const auto read = ReadMessage(line);
  const Message* page = std::get_if<Message>(&read);
  // A list is taken whole or not at all.
  if (page == nullptr || page->kind == Message::Kind::kError) part.pages.clear();
  part.pages.emplace_back(line);
  part.bytes += line.size();
  std::string next = page == nullptr ? "" : NextCursor(server, *page, part);
  // A link may answer from within what asks it.
  if (!next.empty() && !found->second.member.empty()) {
    part.bytes += next.size();
    part.cursors.push_back(std::move(next));
    boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_), number, server] {
      if (!alive.expired()) AskForPage(number, server);
    });
    return;
  }
  part.is_whole = true;
  if (--found->second.missing > 0) return;
  boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_), number] {
    if (!alive.expired()) FinishGathering(number);
  });
}

std::string AllServers::NextCursor(size_t server, const Message& page, const Part& part) {
  if (page.kind != Message::Kind::kResult) return "";
  const std::string cursor(TextOf(page.body->Find("nextCursor")));
  if (cursor.empty()) return "";
  const bool is_repeated =
      std::find(part.cursors.begin(), part.cursors.end(), cursor) != part.cursors.end();
  if (!is_repeated && part.pages.size() < static_cast<size_t>(kMaxListPages) &&
      part.bytes + cursor.size() <= kMaxListBytes) {
    return cursor;
  }
  if (!TakeLogToken(server)) return "";
  parts_.log.Warning("a list of the server ends where its cursors do not",
                     {{"server", servers_[server]->config.name},
                      {"pages", part.pages.size()},
                      {"repeats_a_cursor", is_repeated}});
  return "";
}

void AllServers::FinishGathering(uint64_t number) {
  const auto found = gatherings_.find(number);
  if (found == gatherings_.end()) return;
  const Gathering gathering = std::move(found->second);
  gatherings_.erase(found);
  TidyLater();
  std::string list = "[";
  size_t failures = 0;
  size_t left_out = 0;
  std::string first_error;
  for (const size_t server : gathering.servers) {
    for (const std::string& page : gathering.parts[server].pages) {
      const auto read = ReadMessage(page);
      const Message* answer = std::get_if<Message>(&read);
      if (answer == nullptr || answer->kind == Message::Kind::kError) {
        // A server that has no such thing, is away, or says more than can be read does not
        // take the others' along.
        if (failures++ == 0 && answer != nullptr) first_error = answer->body->raw();
        continue;
      }
      // One that has left the configuration meanwhile lists nothing more.
      if (gathering.member.empty() || !IsServed(server)) continue;
      left_out += AppendItems(server, *answer, gathering.member, list);
    }
  }
  list += ']';
  std::string result;
  JsonObject object(result);
  if (!gathering.member.empty()) object.Raw(gathering.member, list);
  if (left_out > 0) {
    parts_.counts.items_left_out += left_out;
    object.Raw("_meta", absl::StrFormat(R"({"bridgekeeper/left_out":%d})", left_out));
  }
  object.Close();
  // What is said may end this.
  const std::weak_ptr<const bool> alive = alive_;
  for (const Gathering::Asker& asker : gathering.askers) {
    if (alive.expired()) return;
    if (failures < gathering.servers.size()) {
      Say(ResultLine(asker.id_token, result));
    } else if (first_error.empty()) {
      Say(ErrorLine(asker.id_token, kInternalError, "no server has answered"));
    } else {
      std::string out;
      JsonObject envelope(out);
      envelope.String("jsonrpc", "2.0").Raw("id", asker.id_token).Raw("error", first_error);
      envelope.Close();
      Say(out);
    }
  }
}

size_t AllServers::AppendItems(size_t server, const Message& answer, std::string_view member,
                               std::string& list) {
  const auto items = answer.body->Find(member);
  if (!items || !items->is_array()) return 0;
  size_t left_out = 0;
  size_t not_remembered = 0;
  const bool has_prefix = member == "tools" || member == "prompts";
  const std::string& prefix = servers_[server]->config.prefix;
  for (const JsonValue item : *items) {
    std::string text(item.raw());
    if (has_prefix) {
      const auto name = item.Find("name");
      if (!name || !name->is_string()) continue;
      if (prefix.size() + name->string().size() > kMaxToolNameBytes) {
        ++left_out;
        if (!TakeLogToken(server)) continue;
        parts_.log.Error("a tool is left out: its name with the prefix is too long",
                         {{"server", servers_[server]->config.name},
                          {"tool", name->string()},
                          {"bytes", prefix.size() + name->string().size()},
                          {"want_at_most", kMaxToolNameBytes}});
        continue;
      }
      JsonEdits edits(item);
      edits.Replace(*name, JsonString(prefix + std::string(name->string())));
      text = std::move(edits).Apply();
    } else {
      const std::string_view uri = TextOf(item.Find(member == "resources" ? "uri" : "uriTemplate"));
      // The first that lists a URI has it: the other's is not shown, as it could not be read.
      const auto owner = uri_owners_.find(uri);
      const bool is_anothers = owner != uri_owners_.end() && owner->second != server;
      if (is_anothers || !Remember(uri, server, uri_owners_)) {
        ++left_out;
        if (!is_anothers) ++not_remembered;
        continue;
      }
    }
    if (list.size() > 1) list += ',';
    list += text;
  }
  if (not_remembered > 0 && TakeLogToken(server)) {
    parts_.log.Error("resources are left out: one client has more than are remembered",
                     {{"server", servers_[server]->config.name},
                      {"left_out", not_remembered},
                      {"want_at_most", kMaxRemembered},
                      {"want_at_most_bytes", kMaxRememberedBytes}});
  }
  return left_out;
}

}  // namespace bridgekeeper::bridge
