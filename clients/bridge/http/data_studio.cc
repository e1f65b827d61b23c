// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/data_studio.h"

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/compact_json.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"
#include "policy/engine/compiled.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kConnectionId = "connection_id";
// Deepest nesting of a request: as deep as a message of MCP.
constexpr JsonLimits kBodyLimits = {.max_depth = kMaxMessageDepth, .max_values = kMaxMessageValues};

// The risk that our own annotations tell.
std::string_view RiskLevel(JsonValue tool) {
  const auto annotations = tool.Find("annotations");
  if (annotations && IsTrue(annotations->Find("readOnlyHint"))) return "safe";
  if (annotations && !IsTrue(annotations->Find("destructiveHint"))) return "elevated";
  return "destructive";
}

std::string_view PermissionOf(std::string_view risk) {
  if (risk == "safe") return "ReadOnly";
  return risk == "elevated" ? "DataReadWrite" : "FullAccess";
}

// A connection as text, whatever it was written as; nullopt: it is none.
std::optional<std::string> ConnectionText(JsonValue value) {
  if (value.is_string()) return std::string(value.string());
  if (value.is_number()) return std::string(value.raw());
  return std::nullopt;
}

HttpResponse Json(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body), .fields = {}};
}

std::string TextOfContent(JsonValue result) {
  std::string text;
  if (const auto content = result.Find("content"); content && content->is_array()) {
    for (const JsonValue block : *content) text += TextOf(block.Find("text"));
  }
  return text;
}

// What the tool said, as JSON: its structured content, else its text where that is JSON,
// else the text as {"result": text}. That of our own databases is, and may be large.
std::string DataOf(JsonValue result, bool is_own_database) {
  if (const auto structured = result.Find("structuredContent")) {
    return std::string(structured->raw());
  }
  std::string text = TextOfContent(result);
  if (is_own_database || JsonDocument::Parse(text, kBodyLimits).ok()) return text;
  std::string out;
  JsonObject object(out);
  object.String("result", text);
  object.Close();
  return out;
}

// The status of the body that tells of a tool's result or error.
HttpResponse AnswerOf(const Message& answer, bool is_own_database) {
  if (answer.kind == Message::Kind::kError) {
    return DataStudio::Answer(400, TextOf(answer.body->Find("message")));
  }
  const JsonValue result = *answer.body;
  if (!IsTrue(result.Find("isError"))) {
    const std::string data = DataOf(result, is_own_database);
    std::string body;
    body.reserve(data.size() + 64);
    JsonObject object(body);
    object.Integer("status", 200).Raw("data", data);
    object.Close();
    return Json(std::move(body));
  }
  const auto meta = result.Find("_meta");
  const auto denial = meta ? meta->Find("bridgekeeper/denial") : std::nullopt;
  const std::string_view reason = denial ? TextOf(denial->Find("reason_code")) : "";
  const int status = !denial ? 400 : reason == Name(ReasonCode::kUnknownTool) ? 404 : 403;
  return DataStudio::Answer(status, TextOfContent(result));
}

}  // namespace

HttpResponse DataStudio::Answer(int status, std::string_view message) {
  std::string body;
  JsonObject object(body);
  object.Integer("status", status).String("message", message);
  object.Close();
  return Json(std::move(body));
}

class DataStudio::Impl {
 public:
  Impl(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
       DataStudioConfig config, Announce announce)
      : io_(io), servers_(std::move(servers)), config_(std::move(config)), announce_(announce) {
    for (size_t i = 0; i < servers_.size(); ++i) {
      // A list that is told here makes no call of /invoke one that was told: two links.
      list_seats_.push_back(std::make_unique<Seat>(*this, i));
      call_seats_.push_back(std::make_unique<Seat>(*this, i));
    }
  }

  void OnPolicyChange() {
    for (const auto& seat : list_seats_) seat->link->OnPolicyChange();
    for (const auto& seat : call_seats_) seat->link->OnPolicyChange();
  }

  bool has_requests() const {
    const auto waits = [](const auto& seat) { return !seat->waiting.empty(); };
    return gatherings_ > 0 || std::any_of(list_seats_.begin(), list_seats_.end(), waits) ||
           std::any_of(call_seats_.begin(), call_seats_.end(), waits);
  }

  void Tools(const HttpRequest& request, const ExchangePtr& exchange) {
    if (const auto refusal = RefusalOf(request)) return exchange->Respond(*refusal);
    const bool read_only = request.query == "readonly=true";
    Gather([this, read_only, exchange](const Lists& lists) {
      exchange->Respond(Json(ToolsBody(lists, read_only)));
    });
  }

  void Invoke(const HttpRequest& request, const ExchangePtr& exchange) {
    if (const auto refusal = RefusalOf(request)) return exchange->Respond(*refusal);
    auto document = JsonDocument::Parse(request.body, kBodyLimits);
    std::string body = request.body;
    if (document.ok()) {
      if (auto compact = CompactJson(body)) body = *std::move(compact);
      document = JsonDocument::Parse(body, kBodyLimits);
    }
    if (!document.ok() || !document->root().is_object()) {
      return exchange->Respond(Answer(
          400, document.ok() ? "the body: want a JSON object"
                             : absl::StrFormat("the body: %s", document.status().message())));
    }
    const JsonValue root = document->root();
    const auto name = root.Find("name");
    const auto args = root.Find("args");
    if (!name || !name->is_string()) return exchange->Respond(Answer(400, "`name`: want a string"));
    if (!args || !args->is_object())
      return exchange->Respond(Answer(400, "`args`: want an object"));
    auto arguments = ArgumentsOf(root, *args);
    if (!arguments) {
      return exchange->Respond(
          Answer(400, "`connection_id`: want a string or a number, once or twice the same"));
    }
    // Which server has the tool, its list says.
    Gather([this, exchange, called = std::string(name->string()),
            arguments = *std::move(arguments)](const Lists& lists) {
      if (!exchange->is_open()) return;  // nobody waits for what it would do
      const auto found = FindTool(lists, called);
      if (!found) {
        return exchange->Respond(
            Answer(404, absl::StrFormat("there is no tool `%s`", EscapeForPeople(called, 128))));
      }
      Call(found->first, found->second, arguments, exchange);
    });
  }

 private:
  // The answers to tools/list by server; empty: there was none.
  using Lists = std::vector<std::string>;
  using OnLists = std::function<void(const Lists& lists)>;
  using OnAnswer = std::function<void(std::string_view line)>;

  struct Seat : public Front::Listener {
    Seat(Impl& owner, size_t server)
        : link(
              std::make_unique<Link>(owner.io_, owner.servers_[server], *this,
                                     LinkOptions{.read_only = owner.config_.max_risk == Risk::kSafe,
                                                 .max_risk = owner.config_.max_risk})) {}
    // The link says its last words to us.
    ~Seat() override { link.reset(); }

    void ToClient(std::string_view line, const IdKey&) override {
      const Outline outline = OutlineOf(line);
      if (outline.has_method) {
        // Nobody is there who could be asked.
        if (!outline.id_token.empty()) {
          Say(ErrorLine(outline.id_token, kMethodNotFound, "there is nobody who could be asked"));
        }
        return;
      }
      const auto found = waiting.find(outline.id);
      if (found == waiting.end()) return;
      const OnAnswer on_answer = std::move(found->second);
      waiting.erase(found);
      on_answer(line);
    }

    void Say(std::string_view line) {
      const auto read = ReadMessage(line);
      const Message* message = std::get_if<Message>(&read);
      // What a caller put into it may still be refused.
      if (message != nullptr) return link->FromClient(*message, line);
      const Refusal& refusal = std::get<Refusal>(read);
      ToClient(ErrorLine(OutlineOf(line).id_token, refusal.code, refusal.message), {});
    }

    std::map<IdKey, OnAnswer> waiting;
    std::unique_ptr<Link> link;
  };

  std::optional<HttpResponse> RefusalOf(const HttpRequest& request) const {
    if (request.method != "POST") return Answer(405, "want POST");
    const auto uid = request.peer_uid();
    const bool may =
        uid.ok() && (*uid == geteuid() || std::find(config_.uids.begin(), config_.uids.end(),
                                                    *uid) != config_.uids.end());
    if (may) return std::nullopt;
    return Answer(403, uid.ok() ? absl::StrFormat("user %d may not call this bridge", *uid)
                                : "it cannot be told whose process is calling");
  }

  // The arguments with the connection in them; nullopt: it is ill-formed, or two differ.
  static std::optional<std::string> ArgumentsOf(JsonValue root, JsonValue args) {
    const auto outside = root.Find(kConnectionId);
    if (!outside || outside->is_null()) return std::string(args.raw());
    const auto text = ConnectionText(*outside);
    if (!text) return std::nullopt;
    JsonEdits edits(args);
    if (const auto inside = args.Find(kConnectionId)) {
      return ConnectionText(*inside) == text ? std::optional(std::string(args.raw()))
                                             : std::nullopt;
    }
    edits.AddMember(args, kConnectionId, outside->raw());
    return std::move(edits).Apply();
  }

  void Gather(OnLists on_lists) {
    ++gatherings_;
    struct Gathering {
      Lists lists;
      size_t missing;
      OnLists on_lists;
      boost::asio::steady_timer timer;
    };
    auto gathering =
        std::make_shared<Gathering>(Gathering{Lists(servers_.size()), servers_.size(),
                                              std::move(on_lists), boost::asio::steady_timer(io_)});
    const auto finish = [this, alive = std::weak_ptr<const bool>(alive_), gathering] {
      // Once, and not from within a link.
      boost::asio::post(io_, [this, alive, gathering] {
        const OnLists done = std::exchange(gathering->on_lists, nullptr);
        gathering->timer.cancel();
        if (!done || alive.expired()) return;
        --gatherings_;
        done(gathering->lists);
      });
    };
    gathering->timer.expires_after(absl::ToChronoMilliseconds(kToolsTimeout));
    gathering->timer.async_wait([finish](const boost::system::error_code& error) {
      if (!error) finish();
    });
    for (size_t i = 0; i < servers_.size(); ++i) {
      const std::string id = std::to_string(++last_id_);
      list_seats_[i]->waiting["s" + id] = [gathering, i, finish](std::string_view line) {
        gathering->lists[i] = std::string(line);
        if (--gathering->missing == 0) finish();
      };
      list_seats_[i]->Say(RequestLine(id, "tools/list", ""));
    }
    if (servers_.empty()) finish();
  }

  // Calls `use` with each tool of the lists: its server and definition.
  template <typename Use>
  static void EachTool(const Lists& lists, Use use) {
    for (size_t i = 0; i < lists.size(); ++i) {
      const auto read = ReadMessage(lists[i]);
      const Message* message = std::get_if<Message>(&read);
      if (message == nullptr || message->kind != Message::Kind::kResult) continue;
      const auto tools = message->body->Find("tools");
      if (!tools || !tools->is_array()) continue;
      for (const JsonValue tool : *tools) {
        if (!TextOf(tool.Find("name")).empty()) use(i, tool);
      }
    }
  }

  std::string ToolsBody(const Lists& lists, bool read_only) const {
    std::map<std::string, int, std::less<>> servers_with;
    EachTool(lists, [&](size_t, JsonValue tool) {
      ++servers_with[std::string(TextOf(tool.Find("name")))];
    });
    std::string tools = "[";
    EachTool(lists, [&](size_t server, JsonValue tool) {
      const std::string own(TextOf(tool.Find("name")));
      const std::string_view risk = RiskLevel(tool);
      if (read_only && risk != "safe") return;
      if (risk == "destructive" && config_.max_risk != Risk::kDestructive) return;
      if (tools.size() > 1) tools += ',';
      std::string metadata;
      JsonObject meta(metadata);
      meta.String("riskLevel", risk).String("requiredPermission", PermissionOf(risk));
      meta.Close();
      const auto schema = tool.Find("inputSchema");
      JsonObject object(tools);
      const bool is_anothers = servers_with[own] > 1 || OwnerOf(own).value_or(server) != server;
      object.String("name", is_anothers ? servers_[server]->config.prefix + own : own)
          .String("description", TextOf(tool.Find("description")))
          .Raw("inputSchema", schema ? schema->raw() : "{}")
          .Raw("metadata", metadata);
      object.Close();
    });
    tools += ']';
    std::string body;
    JsonObject object(body);
    object.Raw("tools", tools).Raw("connections", Connections());
    object.Close();
    return body;
  }

  // The connections that a call may name: their records, never a credential.
  std::string Connections() const {
    std::map<std::string, std::string> by_id;
    for (const auto& server : servers_) {
      const auto snapshot = server->parts.policies.View(server->config.app.value());
      if (snapshot.policy == nullptr) continue;
      const CompiledPolicy::Rep& rep = snapshot.policy->rep();
      const auto add = [&](const auto& connection) {  // a record, or a database of ours
        const std::string& id = connection.id.value();
        const internal::KnownConnection* known = rep.FindKnown(id);
        if (rep.has_allowlist && (known == nullptr || !known->in_allowlist)) return;
        std::string text;
        JsonObject object(text);
        object.String("id", id)
            .String("name", connection.name.empty() ? id : connection.name)
            .String("type", connection.type);
        object.Close();
        by_id.emplace(id, std::move(text));
      };
      for (const ConnectionConfig& connection : server->config.connections) add(connection);
      for (const ConnectionRecord& record : rep.records) add(record);
    }
    std::string list = "[";
    for (const auto& [id, text] : by_id) list += (list.size() > 1 ? "," : "") + text;
    return list + "]";
  }

  // The server whose prefix `name` begins with: the longest one.
  std::optional<size_t> OwnerOf(std::string_view name) const {
    std::optional<size_t> owner;
    for (size_t i = 0; i < servers_.size(); ++i) {
      const std::string& prefix = servers_[i]->config.prefix;
      if (prefix.empty() || !name.starts_with(prefix)) continue;
      if (!owner || prefix.size() > servers_[*owner]->config.prefix.size()) owner = i;
    }
    return owner;
  }

  // The server and the own name of a tool as it was called.
  std::optional<std::pair<size_t, std::string>> FindTool(const Lists& lists,
                                                         const std::string& called) const {
    std::vector<std::string> names = {called};
    const bool has_databases = std::any_of(
        servers_.begin(), servers_.end(),
        [](const std::shared_ptr<Server>& server) { return !server->config.connections.empty(); });
    if (announce_ == Announce::kSqlkit || has_databases) names.push_back("sqlkit__" + called);
    if (announce_ == Announce::kDockit) names.push_back("dockit__" + called);
    for (const std::string& name : names) {
      // A server's prefix is its own, whether it lists the tool or hides it: what another
      // server calls so is not meant.
      if (const auto owner = OwnerOf(name)) {
        const std::string own = name.substr(servers_[*owner]->config.prefix.size());
        bool has_whole_name = false;
        EachTool(lists, [&](size_t server, JsonValue tool) {
          has_whole_name =
              has_whole_name || (server == *owner && TextOf(tool.Find("name")) == name);
        });
        return std::pair(*owner, has_whole_name ? name : own);
      }
      std::optional<std::pair<size_t, std::string>> found;
      int servers = 0;
      EachTool(lists, [&](size_t server, JsonValue tool) {
        const std::string own(TextOf(tool.Find("name")));
        if (own == name && ++servers == 1) found.emplace(server, own);
      });
      if (servers == 1) return found;
    }
    if (servers_.size() == 1) return std::pair(size_t{0}, called);
    return std::nullopt;
  }

  void Call(size_t server, const std::string& tool, const std::string& arguments,
            const ExchangePtr& exchange) {
    Seat& seat = *call_seats_[server];
    const std::string id = std::to_string(++last_id_);
    const IdKey key = "s" + id;
    const auto timer = std::make_shared<boost::asio::steady_timer>(io_);
    const bool is_own_database = !servers_[server]->config.connections.empty();
    seat.waiting[key] = [exchange, timer, is_own_database](std::string_view line) {
      timer->cancel();
      const auto read = ReadMessage(line);
      const Message* answer = std::get_if<Message>(&read);
      exchange->Respond(answer == nullptr ? Answer(400, "the answer is too large")
                                          : AnswerOf(*answer, is_own_database));
    };
    const auto cancel = [this, alive = std::weak_ptr<const bool>(alive_), server, id, key] {
      if (alive.expired() || call_seats_[server]->waiting.erase(key) == 0) return;
      std::string params;
      JsonObject object(params);
      object.String("requestId", id);
      object.Close();
      call_seats_[server]->Say(NotificationLine("notifications/cancelled", params));
    };
    exchange->OnGone([cancel, timer] {
      timer->cancel();
      cancel();
    });
    timer->expires_after(absl::ToChronoMilliseconds(kInvokeTimeout));
    timer->async_wait([cancel, exchange](const boost::system::error_code& error) {
      if (error) return;
      cancel();
      exchange->Respond(Answer(504, absl::StrFormat("the tool did not answer within %s",
                                                    absl::FormatDuration(kInvokeTimeout))));
    });
    std::string params;
    JsonObject object(params);
    object.String("name", tool).Raw("arguments", arguments);
    object.Close();
    seat.Say(RequestLine(id, "tools/call", params));
  }

  boost::asio::io_context& io_;
  const std::vector<std::shared_ptr<Server>> servers_;
  const DataStudioConfig config_;
  const Announce announce_;
  uint64_t last_id_ = 0;
  size_t gatherings_ = 0;  // that have not ended
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::vector<std::unique_ptr<Seat>> list_seats_;
  std::vector<std::unique_ptr<Seat>> call_seats_;
};

DataStudio::DataStudio(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
                       DataStudioConfig config, Announce announce)
    : impl_(std::make_unique<Impl>(io, std::move(servers), std::move(config), announce)) {}
DataStudio::~DataStudio() = default;

void DataStudio::Tools(const HttpRequest& request, const ExchangePtr& exchange) {
  impl_->Tools(request, exchange);
}
void DataStudio::Invoke(const HttpRequest& request, const ExchangePtr& exchange) {
  impl_->Invoke(request, exchange);
}
void DataStudio::OnPolicyChange() { impl_->OnPolicyChange(); }
bool DataStudio::has_requests() const { return impl_->has_requests(); }

}  // namespace bridgekeeper::bridge
