// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/link.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "clients/bridge/mcp/origin.h"

#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/sandbox/tools.h"

namespace bridgekeeper::bridge {
namespace {

CoreOptions OptionsOf(const Server& server, LinkOptions options) {
  const ServerConfig& config = server.config;
  return {.app = config.app,
          .server = ServerId(config.name),
          .connection = config.connection,
          .connection_argument = config.connection_argument,
          .builtin_catalog = config.builtin_catalog,
          .read_only = options.read_only,
          .session = std::move(options.session),
          .max_risk = options.max_risk,
          .judges_elsewhere = true,
          .origin = server.origin};
}

CoreParts PartsOf(Server& server) {
  CoreParts parts = server.parts;
  parts.shelf = &server.shelf;
  return parts;
}

// Calls `use` with each line of `text`.
template <typename Use>
void EachLine(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string OriginOf(const ServerConfig& config) {
  if (!config.connections.empty()) return R"({"command":"keeper-bridge"})";
  if (!config.url.empty()) return OriginOfUrl(config.url);
  std::vector<std::string> names;
  for (const EnvironmentVariable& variable : config.environment) names.push_back(variable.name);
  return OriginOfCommand(config.command, std::move(names), config.working_directory);
}

void Add(const CoreStats& from, CoreStats& to) {
  for (size_t peer = 0; peer < to.messages.size(); ++peer) {
    for (size_t outcome = 0; outcome < to.messages[peer].size(); ++outcome) {
      to.messages[peer][outcome] += from.messages[peer][outcome];
    }
  }
  to.methods_refused += from.methods_refused;
  to.timeouts += from.timeouts;
  to.results_too_large += from.results_too_large;
  for (size_t fault = 0; fault < to.database_faults.size(); ++fault) {
    to.database_faults[fault] += from.database_faults[fault];
  }
  to.list_changes_sent += from.list_changes_sent;
  to.lists_read += from.lists_read;
  to.list_failures += from.list_failures;
  to.items_left_out += from.items_left_out;
  to.questions_asked += from.questions_asked;
  to.questions_accepted += from.questions_accepted;
  to.questions_declined += from.questions_declined;
  to.questions_expired += from.questions_expired;
  to.answers_invalid += from.answers_invalid;
}

CoreStats Server::Stats() const {
  CoreStats sum = ended_links;
  for (const Link* link : links) Add(link->stats(), sum);
  return sum;
}

size_t Server::requests_in_flight() const {
  size_t sum = 0;
  for (const Link* link : links) sum += link->requests_in_flight();
  return sum;
}

Link::Link(boost::asio::io_context& io, std::shared_ptr<Server> server, Front::Listener& listener,
           LinkOptions options)
    : server_(std::move(server)),
      listener_(listener),
      is_shared_(options.session.empty()),
      // All that a session has at once. Clients without one cannot be told apart.
      name_at_desk_(options.session.empty() ? "/" + server_->config.name : options.session),
      core_(OptionsOf(*server_, std::move(options)), PartsOf(*server_)),
      timer_(io),
      client_(server_->upstream.Attach(*this, is_shared_)) {
  server_->links.insert(this);
}

Link::~Link() {
  server_->upstream.Detach(client_);
  Add(core_.stats(), server_->ended_links);
  server_->links.erase(this);
}

void Link::FromClient(const Message& message, std::string_view line) {
  // The tools of our own databases may be called without their prefix; what is judged
  // is the name that they have.
  const auto name = message.method == "tools/call" ? message.Param("name") : std::nullopt;
  const ToolRow* tool = server_->config.connections.empty() ? nullptr : FindTool(TextOf(name));
  if (tool != nullptr && TextOf(name) != tool->name) {
    JsonEdits edits(message.document->root());
    edits.Replace(*name, JsonString(tool->name));
    core_.OnClientFrame({Frame::Kind::kLine, std::move(edits).Apply()}, out_);
  } else {
    core_.OnClientFrame({Frame::Kind::kLine, line}, out_);
  }
  Flush({});
}

void Link::OnPolicyChange() {
  core_.OnPolicyChange(out_);
  Flush({});
}

void Link::OnServerFrame(const Frame& frame, const IdKey& related) {
  core_.OnServerFrame(frame, out_);
  Flush(related);
}

void Link::Flush(const IdKey& related) {
  // Saying something may make us say more.
  const Output out = std::exchange(out_, {});
  EachLine(out.to_server, [&](std::string_view line) { server_->upstream.Send(client_, line); });
  for (const uint64_t ticket : out.to_judge) Judge(ticket);
  ArmTimer();
  EachLine(out.to_client, [&](std::string_view line) {
    // A question of the core's own belongs to the call that it is about.
    const IdKey* call = core_.has_questions() ? core_.CallOfQuestion(OutlineOf(line).id) : nullptr;
    listener_.ToClient(line, call == nullptr ? related : IdKey(*call));
  });
}

void Link::Judge(uint64_t ticket) {
  const std::weak_ptr<const bool> alive = alive_;
  server_->desk->Judge(
      name_at_desk_,
      [this, alive, ticket]() -> std::optional<PayloadToJudge> {
        if (alive.expired()) return std::nullopt;
        return core_.PayloadOf(ticket);
      },
      [this, alive, ticket](std::optional<Judgement> judgement) {
        if (alive.expired()) return;
        core_.OnJudged(ticket, std::move(judgement), out_);
        Flush({});
      });
}

void Link::ArmTimer() {
  const absl::Duration deadline = core_.next_deadline();
  if (deadline == armed_) return;
  armed_ = deadline;
  timer_.cancel();
  if (deadline == absl::InfiniteDuration()) return;
  timer_.expires_after(absl::ToChronoNanoseconds(deadline - server_->parts.clock.SinceBoot()));
  timer_.async_wait(
      [this, alive = std::weak_ptr<const bool>(alive_)](const boost::system::error_code& error) {
        if (error || alive.expired()) return;
        armed_ = absl::InfiniteDuration();
        core_.OnTime(out_);
        Flush({});
      });
}

}  // namespace bridgekeeper::bridge
