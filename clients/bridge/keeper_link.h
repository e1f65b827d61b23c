// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// KeeperLink is what `keeper-bridge serve` has of keeperd: the copy of the policies and
// the way for reports. Either may be replaced while the bridge runs, when its
// configuration names other apps or another keeperd.
//
//   other apps, the same keeperd   what is known stays in force until the new watch has
//                                  its first copy
//   another keeperd                nothing of the old one is believed any more: calls are
//                                  denied until the new one has answered
//
// Thread safety: as PolicySource and ReportSink; Prepare() and Switch() by one thread.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_KEEPER_LINK_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_KEEPER_LINK_H_

#include <future>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/listeners.h"
#include "clients/sdk/policy_source.h"
#include "clients/sdk/reporter.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "runtime/id_source.h"

namespace bridgekeeper::bridge {

class KeeperLink : public clients::PolicySource, public clients::ReportSink {
 public:
  // Whom to follow, and in what.
  struct Target {
    clients::ChannelOptions channel;
    std::vector<AppId> apps;
  };
  struct Identity {
    std::string bridge;   // name of this bridge
    std::string version;  // of the program
  };
  // A watch and a reporter that have begun and are not in use yet.
  class Prepared;

  // `clock` and `ids` must outlive it.
  //
  // Errors: as Prepare() has them.
  static absl::StatusOr<std::unique_ptr<KeeperLink>> Create(Target target, Identity identity,
                                                            const Clock& clock, IdSource& ids);
  ~KeeperLink() override;

  // Begins to follow another target.
  //
  // Errors: of Channel::Create() and WatchPolicySource::Create().
  absl::StatusOr<std::shared_ptr<Prepared>> Prepare(Target target);

  // Uses it from now on. What was in use sends the reports that it has, and ends.
  void Switch(std::shared_ptr<Prepared> next);

  // True where Prepare(target) would give what is in use.
  bool Follows(const Target& target) const;

  // What is reported of other servers, named by app and name, is told to no other keeperd.
  void ForgetToolsBut(const std::set<std::pair<std::string, std::string>>& servers);

  // Reads the file of the token again, where there is one.
  absl::Status ReloadToken();

  bool Flush(absl::Duration timeout);
  clients::ReporterStats ReportStats() const;

  // PolicySource
  clients::PolicySnapshot View(std::string_view app) const override;
  bool WaitForFirst(absl::Duration timeout) const override;
  std::unique_ptr<Subscription> Subscribe(ChangeListener listener) override;
  clients::PolicySourceStats Stats() const override;

  // ReportSink
  void ReportDecision(clients::DecisionReport report) override;
  void ReportTools(const std::string& app, const std::string& server,
                   clients::ToolListReport list) override;

 private:
  KeeperLink(Identity identity, const Clock& clock, IdSource& ids);
  std::shared_ptr<Prepared> current() const;
  void OnChange(std::span<const AppId> apps);
  void TellToolsAgain();
  void Notify(std::span<const AppId> apps);
  void End(std::shared_ptr<Prepared> old);

  const Identity identity_;
  const Clock& clock_;
  IdSource& ids_;
  clients::Listeners listeners_;
  Mutex notify_mu_;  // one call to the listeners at a time; before mu_

  mutable Mutex mu_;
  std::shared_ptr<Prepared> current_ ABSL_GUARDED_BY(mu_);
  // In use for what the current one does not know yet; null: it has its first copy.
  std::shared_ptr<Prepared> previous_ ABSL_GUARDED_BY(mu_);
  // What was reported last of each app and server: another keeperd has never seen it.
  std::map<std::pair<std::string, std::string>, clients::ToolListReport> tools_
      ABSL_GUARDED_BY(mu_);
  clients::ReporterStats ended_ ABSL_GUARDED_BY(mu_);  // of those that are no longer in use
  std::vector<std::future<void>> endings_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_KEEPER_LINK_H_
