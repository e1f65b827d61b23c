// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/stateless.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/header_params.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/upstream/upstream.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

// What passes to the front, and the parameter that Mcp-Name repeats.
struct Method {
  std::string_view name;
  std::string_view named_by;  // empty: no Mcp-Name
  bool is_cacheable;
};
constexpr Method kMethods[] = {
    {"tools/list", "", true},        {"tools/call", "name", false},
    {"prompts/list", "", true},      {"prompts/get", "name", false},
    {"resources/list", "", true},    {"resources/templates/list", "", true},
    {"resources/read", "uri", true}, {"completion/complete", "", false},
    {"server/discover", "", true},   {"subscriptions/listen", "", false},
};

const Method* FindMethod(std::string_view name) {
  const auto found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                  [&](const Method& method) { return method.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

// Says how a header differs from what the body has, or nullopt.
std::optional<std::string> Mismatch(const HttpRequest& request, std::string_view lower_name,
                                    std::string_view name, std::string_view want, bool is_encoded) {
  const auto value = request.Field(lower_name);
  if (!value || request.Count(lower_name) != 1) {
    return absl::StrFormat("Header mismatch: %s: got %d, want 1 with the body's value `%s`", name,
                           request.Count(lower_name), EscapeForPeople(want, 128));
  }
  const auto decoded = is_encoded ? DecodeHeaderValue(*value) : std::optional<std::string>(*value);
  if (decoded == want) return std::nullopt;
  return absl::StrFormat("Header mismatch: %s: got `%s`, and the body has `%s`", name,
                         EscapeForPeople(*value, 128), EscapeForPeople(want, 128));
}

constexpr std::string_view kParamPrefix = "mcp-param-";
constexpr std::string_view kToolsIdPrefix = "stateless/tools/";

HttpFields ParamFields(const HttpRequest& request) {
  HttpFields params;
  for (const auto& [name, value] : request.fields) {
    if (name.starts_with(kParamPrefix)) params.emplace_back(name, value);
  }
  return params;
}

// Says how a header differs from the argument that it repeats, or nullopt.
std::optional<std::string> ParamMismatch(const HttpFields& params, const Message& call,
                                         const HeaderTools& tools) {
  const std::vector<HeaderParam>* wanted = tools.Find(TextOf(call.Param("name")));
  if (wanted == nullptr) return std::nullopt;
  for (const HeaderParam& param : *wanted) {
    const std::string lower = AsciiLower(param.header);
    const auto want = HeaderParamValue(call.Param("arguments"), param);
    size_t count = 0;
    std::optional<std::string> got;
    for (const auto& [name, value] : params) {
      if (name != lower) continue;
      ++count;
      got = DecodeHeaderValue(value);
    }
    if (count == (want ? 1 : 0) && (!want || (got && HeaderParamAgrees(*got, *want)))) continue;
    return absl::StrFormat(
        "Header mismatch: %s: got %s, and the body has %s", param.header,
        count != 1 ? std::to_string(count) + " of them"
                   : "`" + EscapeForPeople(got.value_or("what cannot be decoded"), 128) + "`",
        want ? "`" + EscapeForPeople(*want, 128) + "`" : "no such argument");
  }
  return std::nullopt;
}

// Adds what this era has in a result and the one before has not.
void AddMembers(JsonValue result, bool is_cacheable, JsonEdits& edits) {
  if (!result.Find("resultType")) edits.AddMember(result, "resultType", "\"complete\"");
  if (!is_cacheable) return;
  if (!result.Find("ttlMs")) {
    edits.AddMember(result, "ttlMs", std::to_string(absl::ToInt64Milliseconds(kListTtl)));
  }
  // Whatever the server says: what is shown depends on the policy of an app.
  edits.SetMember(result, "cacheScope", "\"private\"");
}

}  // namespace

HttpResponse JsonRpcError(int status, std::string_view id_token, int code, std::string_view message,
                          std::string_view data) {
  return {.status = status,
          .content_type = "application/json",
          .body = ErrorLine(id_token, code, message, data),
          .fields = {}};
}

std::string SupportedVersions(std::string_view requested) {
  std::string list = "[" + JsonString(kStatelessVersion);
  for (const std::string_view version : kSessionVersions) {
    list += ',';
    list += JsonString(version);
  }
  list += ']';
  std::string data;
  JsonObject object(data);
  object.Raw("supported", list).String("requested", requested);
  object.Close();
  return data;
}

bool IsStateless(const HttpRequest& request, const Message& message) {
  return message.Meta(kMetaVersion) || request.Field("mcp-protocol-version") == kStatelessVersion;
}

Stateless::Stateless(boost::asio::io_context& io, const Clock& clock, std::string version,
                     absl::Duration json_patience, const Session::MakeFront& make_front)
    : version_(std::move(version)),
      patience_(io, clock, json_patience),
      front_(make_front(*this, "")) {}

Stateless::~Stateless() {
  front_.reset();
  for (auto& [id, listening] : std::exchange(listening_, {})) listening.exchange->EndEvents();
}

void Stateless::Post(const HttpRequest& request, const Message& message, const Accepts& accepts,
                     const ExchangePtr& exchange) {
  const auto refuse = [&](int status, int code, std::string_view why, std::string_view data = {}) {
    exchange->Respond(JsonRpcError(status, message.id_token, code, why, data));
  };
  if (message.kind == Message::Kind::kNotification) {
    // This revision has none that a client sends over HTTP; one is taken in and is nothing.
    return exchange->Respond({.status = 202, .content_type = "", .body = "", .fields = {}});
  }
  if (message.kind != Message::Kind::kRequest) {
    return refuse(400, kInvalidRequest, "got an answer, want a request or a notification");
  }
  const std::string_view version = TextOf(message.Meta(kMetaVersion));
  if (version.empty() || !message.Meta(kMetaCapabilities)) {
    return refuse(
        400, kInvalidParams,
        absl::StrFormat("`params._meta`: want `%s` and `%s`", kMetaVersion, kMetaCapabilities));
  }
  if (const auto why = Mismatch(request, "mcp-protocol-version", "MCP-Protocol-Version", version,
                                /*is_encoded=*/false)) {
    return refuse(400, kHeaderMismatch, *why);
  }
  if (version != kStatelessVersion) {
    return refuse(400, kUnsupportedVersion, "Unsupported protocol version",
                  SupportedVersions(EscapeForPeople(version, 64)));
  }
  if (const auto why = Mismatch(request, "mcp-method", "Mcp-Method", message.method,
                                /*is_encoded=*/false)) {
    return refuse(400, kHeaderMismatch, *why);
  }
  const Method* method = FindMethod(message.method);
  if (method == nullptr) return refuse(404, kMethodNotFound, "Method not found");
  if (!method->named_by.empty()) {
    const auto named = message.Param(method->named_by);
    if (!named || !named->is_string()) {
      return refuse(400, kInvalidParams,
                    absl::StrFormat("`params.%s`: want a string", method->named_by));
    }
    if (const auto why = Mismatch(request, "mcp-name", "Mcp-Name", named->string(),
                                  /*is_encoded=*/true)) {
      return refuse(400, kHeaderMismatch, *why);
    }
  }
  if (message.method == "server/discover") return Discover(message, exchange);
  if (message.method == "subscriptions/listen") return Listen(message, exchange);
  if (message.method == "tools/call") {
    return CallTool(ParamFields(request), message, accepts, exchange);
  }
  Forward(message, accepts, exchange);
}

void Stateless::Discover(const Message& message, const ExchangePtr& exchange) const {
  std::string result;
  JsonObject object(result);
  object.String("resultType", "complete").Key("supportedVersions");
  result += "[" + JsonString(kStatelessVersion);
  for (const std::string_view version : kSessionVersions) {
    result += ',';
    result += JsonString(version);
  }
  result += ']';
  object.Key("capabilities");
  JsonObject capabilities(result);
  for (const std::string_view family : {"tools", "prompts", "resources"}) {
    capabilities.Key(family);
    JsonObject changes(result);
    changes.Bool("listChanged", true);
    changes.Close();
  }
  capabilities.Key("completions");
  JsonObject(result).Close();
  capabilities.Close();
  object.Integer("ttlMs", absl::ToInt64Milliseconds(kListTtl)).String("cacheScope", "private");
  object.Key("_meta");
  JsonObject meta(result);
  meta.Key(kMetaServerInfo);
  JsonObject info(result);
  info.String("name", "bridgekeeper").String("version", version_);
  info.Close();
  meta.Close();
  object.Close();
  exchange->Respond({.status = 200,
                     .content_type = "application/json",
                     .body = ResultLine(message.id_token, result),
                     .fields = {}});
}

void Stateless::Forward(const Message& message, const Accepts& accepts,
                        const ExchangePtr& exchange) {
  const std::string id = absl::StrFormat("stateless/%d", ++last_id_);
  const IdKey key = "s" + id;
  asked_[key] = {.id_token = std::string(message.id_token),
                 .exchange = exchange,
                 .accepts_events = accepts.events,
                 .is_cacheable = FindMethod(message.method)->is_cacheable};
  const std::weak_ptr<const bool> alive = alive_;
  exchange->OnGone([this, alive, id, key] {
    if (alive.expired() || asked_.erase(key) == 0) return;
    std::string params;
    JsonObject object(params);
    object.String("requestId", id).String("reason", "the client has closed its stream");
    object.Close();
    Say(NotificationLine("notifications/cancelled", params));
  });
  if (!accepts.json) exchange->BeginEvents({});
  JsonEdits edits(message.document->root());
  edits.Replace(*message.document->root().Find("id"), JsonString(id));
  Say(std::move(edits).Apply());
  if (!asked_.contains(key)) return;
  patience_.Await([this, key] {
    const auto found = asked_.find(key);
    if (found != asked_.end() && found->second.accepts_events) {
      found->second.exchange->BeginEvents({});
    }
  });
}

void Stateless::CallTool(HttpFields params, const Message& message, const Accepts& accepts,
                         const ExchangePtr& exchange) {
  const auto prefix = front_->PrefixOf(TextOf(message.Param("name")));
  if (!prefix) return Forward(message, accepts, exchange);  // the front says what is wrong
  Tools& tools = tools_[*prefix];
  if (tools.is_known) return CheckCall(tools, params, message, accepts, exchange);
  const size_t bytes = message.document->root().raw().size();
  if (held_bytes_ + bytes > kMaxHeldBytes) {
    return exchange->Respond(JsonRpcError(503, message.id_token, kOverloaded,
                                          "too many calls wait for a list of tools"));
  }
  held_bytes_ += bytes;
  exchange->OnGone([this, alive = std::weak_ptr<const bool>(alive_), prefix = *prefix] {
    if (!alive.expired()) DropGone(prefix);
  });
  tools.held.push_back({.params = std::move(params),
                        .line = std::string(message.document->root().raw()),
                        .accepts = accepts,
                        .exchange = exchange});
  if (tools.reading != 0) return;
  tools.rereadings = 0;
  BeginReading(*prefix, tools);
}

void Stateless::DropGone(const std::string& prefix) {
  const auto found = tools_.find(prefix);
  if (found == tools_.end()) return;
  std::erase_if(found->second.held, [this](const HeldCall& held) {
    if (held.exchange->is_open()) return false;
    held_bytes_ -= held.line.size();
    return true;
  });
}

void Stateless::CheckCall(const Tools& tools, const HttpFields& params, const Message& message,
                          const Accepts& accepts, const ExchangePtr& exchange) {
  if (const auto why = ParamMismatch(params, message, tools.marked)) {
    return exchange->Respond(JsonRpcError(400, message.id_token, kHeaderMismatch, *why));
  }
  Forward(message, accepts, exchange);
}

void Stateless::BeginReading(const std::string& prefix, Tools& tools) {
  tools.marked = {};
  tools.pages = 0;
  tools.changed_meanwhile = false;
  ReadPage(prefix, tools, "");
}

void Stateless::ReadPage(const std::string& prefix, Tools& tools, std::string_view cursor) {
  std::string params;
  if (!cursor.empty()) {
    JsonObject object(params);
    object.String("cursor", cursor);
    object.Close();
  }
  ++tools.pages;
  tools.reading = ++last_id_;
  const std::string line = RequestLine(
      absl::StrFormat("%s%d/%s", kToolsIdPrefix, tools.reading, prefix), "tools/list", params);
  const auto read = ReadMessage(line);
  // INVARIANT: a prefix is of the characters of names, and a cursor was read before.
  const Message* message = std::get_if<Message>(&read);
  BK_CHECK(message != nullptr);
  front_->ListTools(prefix, *message, line);
}

void Stateless::TakePage(std::string_view id, std::string_view line) {
  const size_t slash = id.find('/');
  const auto found = tools_.find(id.substr(std::min(slash + 1, id.size())));
  if (found == tools_.end() || std::to_string(found->second.reading) != id.substr(0, slash)) return;
  auto& [prefix, tools] = *found;
  const auto read = ReadMessage(line);
  const Message* answer = std::get_if<Message>(&read);
  if (answer == nullptr || answer->kind != Message::Kind::kResult) {
    return FinishReading(tools, /*is_known=*/false);
  }
  // A client of HTTP leaves out what breaks the rules by itself.
  (void)tools.marked.TakePage(*answer, line, [](std::string_view, std::string_view) {});
  const std::string_view next = TextOf(answer->body->Find("nextCursor"));
  if (!next.empty() && tools.pages < kMaxToolPages) return ReadPage(prefix, tools, next);
  if (tools.changed_meanwhile && tools.rereadings < kMaxRereadings) {
    ++tools.rereadings;
    return BeginReading(prefix, tools);
  }
  FinishReading(tools, /*is_known=*/true);
}

void Stateless::FinishReading(Tools& tools, bool is_known) {
  tools.reading = 0;
  tools.is_known = is_known && !tools.changed_meanwhile;
  // Without a list no tool is known, and no header of one means anything.
  const Tools known{.marked = is_known ? tools.marked : HeaderTools()};
  for (const HeldCall& held : std::exchange(tools.held, {})) {
    held_bytes_ -= held.line.size();
    if (!held.exchange->is_open()) continue;
    const auto read = ReadMessage(held.line);
    CheckCall(known, held.params, std::get<Message>(read), held.accepts, held.exchange);
  }
}

void Stateless::ForgetTools() {
  for (auto it = tools_.begin(); it != tools_.end();) {
    Tools& tools = it->second;
    tools.is_known = false;
    tools.changed_meanwhile = true;
    it = tools.reading == 0 ? tools_.erase(it) : std::next(it);
  }
}

void Stateless::Listen(const Message& message, const ExchangePtr& exchange) {
  const auto wanted = message.Param("notifications");
  if (!wanted || !wanted->is_object()) {
    return exchange->Respond(JsonRpcError(400, message.id_token, kInvalidParams,
                                          "`params.notifications`: want an object"));
  }
  const uint64_t number = ++last_id_;
  Listening listening{.id_token = std::string(message.id_token),
                      .exchange = exchange,
                      .tools = IsTrue(wanted->Find("toolsListChanged")),
                      .prompts = IsTrue(wanted->Find("promptsListChanged")),
                      .resources = IsTrue(wanted->Find("resourcesListChanged"))};
  // What is not honoured is left out, as one resource's updates are.
  std::string params;
  JsonObject object(params);
  object.Key("_meta");
  JsonObject meta(params);
  meta.Raw(kMetaSubscription, message.id_token);
  meta.Close();
  object.Key("notifications");
  JsonObject honoured(params);
  if (listening.tools) honoured.Bool("toolsListChanged", true);
  if (listening.prompts) honoured.Bool("promptsListChanged", true);
  if (listening.resources) honoured.Bool("resourcesListChanged", true);
  honoured.Close();
  object.Close();
  exchange->BeginEvents({});
  exchange->SendEvents(
      ServerSentEvent("", NotificationLine("notifications/subscriptions/acknowledged", params)));
  const std::weak_ptr<const bool> alive = alive_;
  exchange->OnGone([this, alive, number] {
    if (!alive.expired()) listening_.erase(number);
  });
  const bool is_first = listening_.empty();
  listening_[number] = std::move(listening);
  if (!is_first) return;
  // A front tells of changes once it knows a client that has begun and has seen a list.
  Say(NotificationLine("notifications/initialized"));
  Say(RequestLine(absl::StrFormat("stateless/%d", ++last_id_), "tools/list", ""));
}

void Stateless::Say(std::string_view line) {
  const auto read = ReadMessage(line);
  // INVARIANT: made of what was read before.
  const Message* message = std::get_if<Message>(&read);
  BK_CHECK(message != nullptr);
  front_->FromClient(*message, line);
}

void Stateless::ToClient(std::string_view line, const IdKey& related) {
  const Outline outline = OutlineOf(line);
  if (!outline.has_method) {
    // The key of a text is `s` and the text.
    const bool is_of_tools = std::string_view(outline.id).substr(0, 1) == "s" &&
                             std::string_view(outline.id).substr(1).starts_with(kToolsIdPrefix);
    return is_of_tools
               ? TakePage(std::string_view(outline.id).substr(1 + kToolsIdPrefix.size()), line)
               : Answer(outline.id, line);
  }
  if (!outline.id_token.empty()) {
    return Say(ErrorLine(outline.id_token, kMethodNotFound,
                         "a client of MCP 2026-07-28 cannot be asked in the middle of a call"));
  }
  const auto asked = asked_.find(related);
  if (asked != asked_.end()) {
    if (!asked->second.accepts_events) return;
    asked->second.exchange->BeginEvents({});
    return asked->second.exchange->SendEvents(ServerSentEvent("", line));
  }
  const auto read = ReadMessage(line);
  const Message* message = std::get_if<Message>(&read);
  if (message == nullptr) return;
  if (message->method == "notifications/tools/list_changed") ForgetTools();
  TellListeners(*message);
}

void Stateless::Answer(const IdKey& id, std::string_view line) {
  const auto found = asked_.find(id);
  if (found == asked_.end()) return;
  const Asked asked = std::move(found->second);
  asked_.erase(found);
  const auto read = ReadMessage(line);
  const Message* answer = std::get_if<Message>(&read);
  if (answer == nullptr) {
    // What was added made it larger than a message may be.
    const std::string error =
        ErrorLine(asked.id_token, kInternalError, "the answer is larger than a message may be");
    if (!asked.exchange->is_stream()) {
      return asked.exchange->Respond(
          {.status = 200, .content_type = "application/json", .body = error, .fields = {}});
    }
    asked.exchange->SendEvents(ServerSentEvent("", error));
    return asked.exchange->EndEvents();
  }
  JsonEdits edits(answer->document->root());
  edits.Replace(*answer->document->root().Find("id"), asked.id_token);
  int status = 200;
  if (answer->kind == Message::Kind::kResult && answer->body->is_object()) {
    AddMembers(*answer->body, asked.is_cacheable, edits);
  } else if (answer->kind == Message::Kind::kError) {
    const auto code = answer->body->Find("code");
    if (code && code->is_number() && code->integer() == kMethodNotFound) status = 404;
  }
  std::string out = std::move(edits).Apply();
  if (asked.exchange->is_stream()) {
    asked.exchange->SendEvents(ServerSentEvent("", out));
    return asked.exchange->EndEvents();
  }
  asked.exchange->Respond(
      {.status = status, .content_type = "application/json", .body = std::move(out), .fields = {}});
}

void Stateless::TellListeners(const Message& message) {
  const std::string_view method = message.method;
  for (const auto& [number, listening] : listening_) {
    const bool wants = (method == "notifications/tools/list_changed" && listening.tools) ||
                       (method == "notifications/prompts/list_changed" && listening.prompts) ||
                       (method == "notifications/resources/list_changed" && listening.resources);
    if (!wants) continue;
    std::string params;
    JsonObject object(params);
    object.Key("_meta");
    JsonObject meta(params);
    meta.Raw(kMetaSubscription, listening.id_token);
    meta.Close();
    object.Close();
    listening.exchange->SendEvents(ServerSentEvent("", NotificationLine(method, params)));
  }
}

}  // namespace bridgekeeper::bridge
