// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/keeper_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "clients/bridge/host_name.h"
#include "clients/sdk/watch_policy_source.h"
#include "policy/base/status_macros.h"

namespace bridgekeeper::bridge {
namespace {

bool IsSameKeeper(const clients::ChannelOptions& a, const clients::ChannelOptions& b) {
  return a.address == b.address && a.token_file == b.token_file && a.ca_file == b.ca_file &&
         a.cert_file == b.cert_file && a.key_file == b.key_file;
}

void AddStats(const clients::ReporterStats& from, clients::ReporterStats& to) {
  to.decisions += from.decisions;
  to.denials += from.denials;
  to.acknowledged += from.acknowledged;
  to.dropped += from.dropped;
  to.queued += from.queued;
  to.failures += from.failures;
  if (!from.last_error.empty()) to.last_error = from.last_error;
}

}  // namespace

class KeeperLink::Prepared {
 public:
  Target target;
  std::shared_ptr<clients::Channel> channel;
  std::unique_ptr<clients::WatchPolicySource> policies;
  std::unique_ptr<clients::Reporter> reporter;
  std::unique_ptr<Subscription> subscription;
};

KeeperLink::KeeperLink(Identity identity, const Clock& clock, IdSource& ids)
    : identity_(std::move(identity)), clock_(clock), ids_(ids) {}

KeeperLink::~KeeperLink() {
  std::vector<std::future<void>> endings;
  std::shared_ptr<Prepared> current;
  std::shared_ptr<Prepared> previous;
  {
    MutexLock lock(mu_);
    endings.swap(endings_);
    current.swap(current_);
    previous.swap(previous_);
  }
  // Without the lock, which a listener that still runs may want.
  if (current != nullptr) current->subscription.reset();
  if (previous != nullptr) previous->subscription.reset();
}

absl::StatusOr<std::unique_ptr<KeeperLink>> KeeperLink::Create(Target target, Identity identity,
                                                               const Clock& clock, IdSource& ids) {
  std::unique_ptr<KeeperLink> link(new KeeperLink(std::move(identity), clock, ids));
  BK_ASSIGN_OR_RETURN(std::shared_ptr<Prepared> first, link->Prepare(std::move(target)));
  link->Switch(std::move(first));
  return link;
}

absl::StatusOr<std::shared_ptr<KeeperLink::Prepared>> KeeperLink::Prepare(Target target) {
  auto next = std::make_shared<Prepared>();
  BK_ASSIGN_OR_RETURN(next->channel, clients::Channel::Create(target.channel));
  BK_ASSIGN_OR_RETURN(
      next->policies,
      clients::WatchPolicySource::Create(
          next->channel, {.apps = target.apps, .bridge = identity_.bridge}, clock_, ids_));
  std::vector<std::string> apps;
  for (const AppId& app : target.apps) apps.push_back(app.value());
  BK_ASSIGN_OR_RETURN(next->reporter,
                      clients::Reporter::Create(next->channel,
                                                {.bridge = identity_.bridge,
                                                 .apps = apps,
                                                 .version = identity_.version,
                                                 .on_watch_renewed = [this] { TellToolsAgain(); }},
                                                *next->policies, clock_, ids_));
  next->target = std::move(target);
  return next;
}

void KeeperLink::Switch(std::shared_ptr<Prepared> next) {
  next->subscription =
      next->policies->Subscribe([this](std::span<const AppId> apps) { OnChange(apps); });
  std::vector<std::shared_ptr<Prepared>> ended;
  {
    MutexLock lock(mu_);
    const auto& apps = next->target.apps;
    std::erase_if(tools_, [&](const auto& entry) {
      return std::find(apps.begin(), apps.end(), AppId(entry.first.first)) == apps.end();
    });
    for (const auto& [of, list] : tools_) {
      next->reporter->ReportTools(of.first, of.second, list);
    }
    std::shared_ptr<Prepared> old = std::exchange(current_, next);
    const bool stays = old != nullptr && IsSameKeeper(old->target.channel, next->target.channel);
    const bool knows = old != nullptr && old->policies->WaitForFirst(absl::ZeroDuration());
    if (stays && knows) {
      ended.push_back(std::exchange(previous_, std::move(old)));
    } else {
      // One that knows nothing yet hands on what it stood on itself.
      if (!stays) ended.push_back(std::exchange(previous_, nullptr));
      ended.push_back(std::move(old));
    }
  }
  for (std::shared_ptr<Prepared>& old : ended) End(std::move(old));
  // What was known before it was subscribed to has been told to nobody.
  OnChange(next->target.apps);
}

bool KeeperLink::Follows(const Target& target) const {
  const std::shared_ptr<Prepared> now = current();
  return IsSameKeeper(now->target.channel, target.channel) && now->target.apps == target.apps;
}

void KeeperLink::ForgetToolsBut(const std::set<std::pair<std::string, std::string>>& servers) {
  MutexLock lock(mu_);
  std::erase_if(tools_, [&](const auto& entry) { return !servers.contains(entry.first); });
}

void KeeperLink::TellToolsAgain() {
  // On the thread of a reporter, which must not be the last to let go of itself: no copy.
  MutexLock lock(mu_);
  if (current_ == nullptr) return;
  for (const auto& [of, list] : tools_) current_->reporter->ReportTools(of.first, of.second, list);
}

absl::Status KeeperLink::ReloadToken() { return current()->channel->ReloadToken(); }

std::shared_ptr<KeeperLink::Prepared> KeeperLink::current() const {
  MutexLock lock(mu_);
  return current_;
}

void KeeperLink::OnChange(std::span<const AppId> apps) {
  std::shared_ptr<Prepared> old;
  {
    MutexLock lock(mu_);
    if (current_ == nullptr) return;  // we are being destroyed
    if (previous_ != nullptr && current_->policies->WaitForFirst(absl::ZeroDuration())) {
      old = std::move(previous_);
    }
  }
  End(std::move(old));
  Notify(apps);
}

void KeeperLink::Notify(std::span<const AppId> apps) {
  MutexLock lock(notify_mu_);
  listeners_.Notify(apps);
}

void KeeperLink::End(std::shared_ptr<Prepared> old) {
  if (old == nullptr) return;
  // In a thread of its own: the last reports may take a while, and so may the end of the
  // watch, whose own thread we may be on.
  auto ending = std::async(std::launch::async, [this, old = std::move(old)]() mutable {
    old->subscription.reset();
    old->reporter->Flush(kFlushTimeout);
    clients::ReporterStats stats = old->reporter->Stats();
    stats.dropped += std::exchange(stats.queued, 0);
    old.reset();
    MutexLock lock(mu_);
    AddStats(stats, ended_);
  });
  MutexLock lock(mu_);
  std::erase_if(endings_, [](const std::future<void>& one) {
    return one.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  endings_.push_back(std::move(ending));
}

bool KeeperLink::Flush(absl::Duration timeout) { return current()->reporter->Flush(timeout); }

clients::ReporterStats KeeperLink::ReportStats() const {
  const std::shared_ptr<Prepared> now = current();
  clients::ReporterStats stats = now->reporter->Stats();
  MutexLock lock(mu_);
  AddStats(ended_, stats);
  return stats;
}

clients::PolicySnapshot KeeperLink::View(std::string_view app) const {
  std::shared_ptr<Prepared> now;
  std::shared_ptr<Prepared> before;
  {
    MutexLock lock(mu_);
    now = current_;
    before = previous_;
  }
  clients::PolicySnapshot snapshot = now->policies->View(app);
  if (snapshot.state != PolicyView::State::kNotReceived || before == nullptr) return snapshot;
  return before->policies->View(app);
}

bool KeeperLink::WaitForFirst(absl::Duration timeout) const {
  return current()->policies->WaitForFirst(timeout);
}

std::unique_ptr<clients::PolicySource::Subscription> KeeperLink::Subscribe(
    ChangeListener listener) {
  return listeners_.Subscribe(std::move(listener));
}

clients::PolicySourceStats KeeperLink::Stats() const { return current()->policies->Stats(); }

void KeeperLink::ReportDecision(clients::DecisionReport report) {
  current()->reporter->ReportDecision(std::move(report));
}

void KeeperLink::ReportTools(const std::string& app, const std::string& server,
                             clients::ToolListReport list) {
  MutexLock lock(mu_);
  tools_[{app, server}] = list;
  current_->reporter->ReportTools(app, server, std::move(list));
}

}  // namespace bridgekeeper::bridge
