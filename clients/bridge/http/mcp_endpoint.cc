// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/mcp_endpoint.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/post.hpp>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/compact_json.h"
#include "clients/bridge/upstream/upstream.h"

namespace bridgekeeper::bridge {
namespace {

constexpr absl::Duration kSweepInterval = absl::Seconds(30);
// Sessions that are told of a change of the policy before other work goes on.
constexpr size_t kTellAtOnce = 32;

bool IsSessionVersion(std::string_view version) {
  return std::find(std::begin(kSessionVersions), std::end(kSessionVersions), version) !=
         std::end(kSessionVersions);
}

}  // namespace

McpEndpoint::McpEndpoint(boost::asio::io_context& io, const Clock& clock, IdSource& ids,
                         std::string version, Limits limits)
    : io_(io),
      clock_(clock),
      ids_(ids),
      version_(std::move(version)),
      limits_(limits),
      patience_(io, clock, limits.json_patience),
      sweep_timer_(io) {
  ArmSweep();
}

McpEndpoint::~McpEndpoint() = default;

EndpointStats McpEndpoint::stats() const {
  EndpointStats stats = stats_;
  stats.sessions = sessions_.size();
  return stats;
}

void McpEndpoint::AddPath(std::string path, Session::MakeFront make_front) {
  paths_[std::move(path)] = {.make_front = std::move(make_front), .stateless = nullptr};
}

void McpEndpoint::RemovePath(std::string_view path) {
  const auto found = paths_.find(path);
  if (found == paths_.end()) return;
  if (found->second.stateless != nullptr) retired_.push_back(std::move(found->second.stateless));
  // The path stays for what its sessions still say about what is in flight.
  found->second.make_front = nullptr;
  for (const auto& [id, session] : sessions_) {
    if (session->path() == path) session->is_retired = true;
  }
}

size_t McpEndpoint::EndRetired(bool all) {
  size_t left = 0;
  std::vector<std::string> ended;
  for (const auto& [id, session] : sessions_) {
    if (!session->is_retired) continue;
    if (all || !session->has_requests()) {
      ended.push_back(id);
    } else {
      ++left;
    }
  }
  for (const std::string& id : ended) sessions_.erase(id);
  std::erase_if(retired_, [&](const auto& stateless) { return all || !stateless->has_requests(); });
  if (left > 0) return left + retired_.size();
  absl::erase_if(paths_, [](const auto& path) { return path.second.make_front == nullptr; });
  return retired_.size();
}

void McpEndpoint::OnServersChange(std::string_view path,
                                  const std::vector<std::shared_ptr<Server>>& servers) {
  const auto found = paths_.find(path);
  if (found != paths_.end() && found->second.stateless != nullptr) {
    found->second.stateless->OnServersChange(servers);
  }
  // At once: none of them may go on with what was before.
  for (const auto& [id, session] : sessions_) {
    if (session->path() == path) session->OnServersChange(servers);
  }
}

void McpEndpoint::EndAll() {
  sessions_.clear();
  retired_.clear();
  for (auto& [name, path] : paths_) path.stateless.reset();
}

void McpEndpoint::OnRequest(const HttpRequest& request, const ExchangePtr& exchange) {
  if (request.method == "POST") return Post(request, paths_.find(request.path)->second, exchange);
  // The era without sessions has neither a stream of its own nor anything to end.
  const bool has_sessions = request.Field("mcp-protocol-version") != kStatelessVersion;
  if (has_sessions && request.method == "GET") return Get(request, exchange);
  if (has_sessions && request.method == "DELETE") return Delete(request, exchange);
  const std::string allowed = has_sessions ? "GET, POST, DELETE" : "POST";
  HttpResponse response = JsonRpcError(405, "", kInvalidRequest, "want " + allowed);
  response.fields = {{"Allow", allowed}};
  exchange->Respond(std::move(response));
}

void McpEndpoint::Post(const HttpRequest& request, Path& path, const ExchangePtr& exchange) {
  const Accepts accepts = AcceptsOf(request);
  if (!accepts.json && !accepts.events) {
    return exchange->Respond(JsonRpcError(406, "", kInvalidRequest,
                                          "Accept: want application/json and text/event-stream"));
  }
  std::string_view line = request.body;
  auto read = ReadMessage(line);
  const auto compact = std::holds_alternative<Message>(read) ? CompactJson(line) : std::nullopt;
  if (compact) {
    line = *compact;
    read = ReadMessage(line);
  }
  if (const Refusal* refusal = std::get_if<Refusal>(&read)) {
    ++stats_.rejected;
    return exchange->Respond(JsonRpcError(400, refusal->id_token, refusal->code, refusal->message));
  }
  ++stats_.messages;
  const Message& message = std::get<Message>(read);
  const bool begins = message.kind == Message::Kind::kRequest && message.method == "initialize";
  const bool is_stateless = IsStateless(request, message);
  if (path.make_front == nullptr && (begins || is_stateless)) {
    return exchange->Respond(
        JsonRpcError(404, message.id_token, kInvalidRequest, "there is no such server any more"));
  }
  if (is_stateless) {
    if (path.stateless == nullptr) {
      path.stateless = std::make_unique<Stateless>(io_, clock_, version_, limits_.json_patience,
                                                   path.make_front);
    }
    return path.stateless->Post(request, message, accepts, exchange);
  }
  Session* session = begins ? BeginSession(request, path.make_front, message.id_token, exchange)
                            : FindSession(request, message.id_token,
                                          message.kind != Message::Kind::kRequest, exchange);
  if (session == nullptr) return;
  session->last_used = clock_.SinceBoot();
  const uint64_t stream = session->Post(message, line, accepts, exchange);
  if (stream == 0) return;
  patience_.Await([this, id = session->id(), stream] {
    const auto found = sessions_.find(id);
    if (found != sessions_.end()) found->second->BeginEvents(stream);
  });
}

Session* McpEndpoint::BeginSession(const HttpRequest& request, const Session::MakeFront& make_front,
                                   std::string_view id_token, const ExchangePtr& exchange) {
  if (sessions_.size() >= limits_.max_sessions) MakeRoom();
  if (sessions_.size() >= limits_.max_sessions) {
    ++stats_.sessions_refused;
    HttpResponse response =
        JsonRpcError(503, id_token, kOverloaded,
                     absl::StrFormat("got more than %d sessions", limits_.max_sessions));
    response.fields = {{"Retry-After", "30"}};
    exchange->Respond(std::move(response));
    return nullptr;
  }
  std::string id = ids_.NewId();
  ++stats_.sessions_begun;
  auto session = std::make_unique<Session>(id, request.path, budget_, make_front);
  return (sessions_[std::move(id)] = std::move(session)).get();
}

Session* McpEndpoint::FindSession(const HttpRequest& request, std::string_view id_token,
                                  bool begins_nothing, const ExchangePtr& exchange) {
  const auto id = request.Field("mcp-session-id");
  if (!id || request.Count("mcp-session-id") != 1) {
    exchange->Respond(JsonRpcError(400, id_token, kInvalidRequest,
                                   "Mcp-Session-Id: want the one that `initialize` was answered "
                                   "with"));
    return nullptr;
  }
  const auto found = sessions_.find(*id);
  if (found == sessions_.end() || found->second->path() != request.path ||
      found->second->has_failed() || (found->second->is_retired && !begins_nothing)) {
    exchange->Respond(JsonRpcError(404, id_token, kInvalidRequest,
                                   "Mcp-Session-Id: there is no such session; begin a new one "
                                   "with `initialize`"));
    return nullptr;
  }
  const auto version = request.Field("mcp-protocol-version");
  if (version && !version->empty() &&
      (!IsSessionVersion(*version) || request.Count("mcp-protocol-version") != 1)) {
    exchange->Respond(JsonRpcError(400, id_token, kUnsupportedVersion,
                                   absl::StrFormat("MCP-Protocol-Version: got `%s`, want one that "
                                                   "is supported",
                                                   EscapeForPeople(*version, 64)),
                                   SupportedVersions(EscapeForPeople(*version, 64))));
    return nullptr;
  }
  return found->second.get();
}

void McpEndpoint::Get(const HttpRequest& request, const ExchangePtr& exchange) {
  if (!AcceptsOf(request).events) {
    return exchange->Respond(
        JsonRpcError(406, "", kInvalidRequest, "Accept: want text/event-stream"));
  }
  Session* session = FindSession(request, "", /*begins_nothing=*/false, exchange);
  if (session == nullptr) return;
  session->last_used = clock_.SinceBoot();
  session->Get(request.Field("last-event-id"), exchange);
}

void McpEndpoint::Delete(const HttpRequest& request, const ExchangePtr& exchange) {
  const Session* session = FindSession(request, "", /*begins_nothing=*/true, exchange);
  if (session == nullptr) return;
  sessions_.erase(session->id());
  exchange->Respond({.status = 204, .content_type = "", .body = "", .fields = {}});
}

// ---- time ------------------------------------------------------------------------------

void McpEndpoint::MakeRoom() {
  const absl::Duration now = clock_.SinceBoot();
  const Session* oldest = nullptr;
  for (const auto& [id, session] : sessions_) {
    if (session->is_in_use() || now - session->last_used < limits_.spare_after) continue;
    if (oldest == nullptr || session->last_used < oldest->last_used) oldest = session.get();
  }
  if (oldest == nullptr) return;
  sessions_.erase(oldest->id());
  ++stats_.sessions_expired;
}

void McpEndpoint::ArmSweep() {
  sweep_timer_.expires_after(
      absl::ToChronoNanoseconds(std::min(kSweepInterval, limits_.idle_timeout)));
  sweep_timer_.async_wait(
      [this, alive = std::weak_ptr<const bool>(alive_)](const boost::system::error_code& error) {
        if (error || alive.expired()) return;
        Sweep();
        ArmSweep();
      });
}

void McpEndpoint::Sweep() {
  const absl::Duration now = clock_.SinceBoot();
  std::vector<std::string> expired;
  for (const auto& [id, session] : sessions_) {
    if (session->is_in_use()) {
      session->last_used = now;
    } else if (session->has_failed() || now - session->last_used >= limits_.idle_timeout) {
      expired.push_back(id);
    }
  }
  for (const std::string& id : expired) sessions_.erase(id);
  stats_.sessions_expired += expired.size();
}

void McpEndpoint::OnPolicyChange() {
  for (const auto& [name, path] : paths_) {
    if (path.stateless != nullptr) path.stateless->OnPolicyChange();
  }
  std::deque<std::string> ids;
  for (const auto& [id, session] : sessions_) ids.push_back(id);
  TellPolicyChange(std::move(ids));
}

void McpEndpoint::TellPolicyChange(std::deque<std::string> sessions) {
  for (size_t i = 0; i < kTellAtOnce && !sessions.empty(); ++i) {
    const auto found = sessions_.find(sessions.front());
    sessions.pop_front();
    if (found != sessions_.end()) found->second->OnPolicyChange();
  }
  if (sessions.empty()) return;
  boost::asio::post(io_, [this, alive = std::weak_ptr<const bool>(alive_),
                          sessions = std::move(sessions)]() mutable {
    if (!alive.expired()) TellPolicyChange(std::move(sessions));
  });
}

}  // namespace bridgekeeper::bridge
