// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/http/link.h"

#include <algorithm>
#include <utility>

namespace bridgekeeper::bridge {
namespace {

CoreOptions OptionsOf(const ServerConfig& config, const LinkLimits& limits) {
  return {.app = config.app,
          .server = ServerId(config.name),
          .connection = config.connection,
          .connection_argument = config.connection_argument,
          .builtin_catalog = config.builtin_catalog,
          .read_only = limits.read_only,
          .max_risk = limits.max_risk};
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

void Add(const CoreStats& from, CoreStats& to) {
  for (size_t peer = 0; peer < to.messages.size(); ++peer) {
    for (size_t outcome = 0; outcome < to.messages[peer].size(); ++outcome) {
      to.messages[peer][outcome] += from.messages[peer][outcome];
    }
  }
  to.methods_refused += from.methods_refused;
  to.timeouts += from.timeouts;
  to.results_too_large += from.results_too_large;
  to.list_changes_sent += from.list_changes_sent;
  to.lists_read += from.lists_read;
  to.list_failures += from.list_failures;
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
           const LinkLimits& limits)
    : server_(std::move(server)),
      listener_(listener),
      core_(OptionsOf(server_->config, limits), server_->parts),
      timer_(io),
      client_(server_->upstream.Attach(*this)) {
  server_->links.insert(this);
}

Link::~Link() {
  server_->upstream.Detach(client_);
  Add(core_.stats(), server_->ended_links);
  server_->links.erase(this);
}

void Link::FromClient(const Message&, std::string_view line) {
  core_.OnClientFrame({Frame::Kind::kLine, line}, out_);
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
  ArmTimer();
  EachLine(out.to_client, [&](std::string_view line) {
    // A question of the core's own belongs to the call that it is about.
    const IdKey* call = core_.has_questions() ? core_.CallOfQuestion(OutlineOf(line).id) : nullptr;
    listener_.ToClient(line, call == nullptr ? related : IdKey(*call));
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
