// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/sdk/watch_copy.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::clients {
namespace {

absl::Status OutsideProtocol(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrFormat("watch message: %s", what));
}

absl::Status CheckToken(const v1::RevisionToken& token) {
  if (token.incarnation().empty() || token.revision() < 0) {
    return OutsideProtocol(
        absl::StrFormat("got token `%s` at revision %d, want an incarnation and "
                        "a revision of at least 0",
                        EscapeForPeople(token.incarnation(), 64), token.revision()));
  }
  return absl::OkStatus();
}

}  // namespace

WatchCopy::WatchCopy(std::span<const AppId> apps) : apps_(apps.begin(), apps.end()) {
  auto states = std::make_shared<Apps>();
  for (const AppId& app : apps_) states->emplace(app.value(), AppState{});
  auto published = std::make_shared<Published>();
  published->apps = std::move(states);
  published_.Store(std::move(published));
}

void WatchCopy::BeginWatch() { staged_.reset(); }

absl::StatusOr<WatchCopy::Applied> WatchCopy::Apply(const v1::WatchPoliciesResponse& message,
                                                    absl::Duration waited_since) {
  const absl::Duration source_age =
      message.has_source_age() ? convert::FromProto(message.source_age()) : absl::ZeroDuration();
  if (source_age < absl::ZeroDuration()) {
    return OutsideProtocol("got a negative source_age, want at least 0");
  }
  const bool part_of_snapshot =
      message.snapshot() || message.snapshot_begin() || message.snapshot_end();
  return part_of_snapshot ? ApplySnapshotPart(message, waited_since, source_age)
                          : ApplyChanges(message, waited_since, source_age);
}

absl::StatusOr<WatchCopy::Applied> WatchCopy::ApplySnapshotPart(
    const v1::WatchPoliciesResponse& message, absl::Duration waited_since,
    absl::Duration source_age) {
  BK_RETURN_IF_ERROR(CheckToken(message.token()));
  if (message.snapshot_begin()) {
    // The copy will be as old as this moment, however long the rest takes.
    staged_ = Staged{message.token().incarnation(), waited_since, {}, 0};
  } else if (!staged_.has_value()) {
    return OutsideProtocol("got the middle of a snapshot, want its beginning");
  }
  if (message.token().incarnation() != staged_->incarnation) {
    return OutsideProtocol("the incarnation changed within a snapshot");
  }

  for (const v1::Change& change : message.changes()) {
    BK_ASSIGN_OR_RETURN(Change read, Read(change));
    if (!Follows(read.key) || !read.record.has_value()) continue;
    if (std::holds_alternative<Unreadable>(read.record->value)) ++staged_->refused_records;
    if (staged_->records.size() == kMaxCopiedRecords) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("watch snapshot: got more than %d records", kMaxCopiedRecords));
    }
    const bool inserted =
        staged_->records.emplace(std::move(read.key), *std::move(read.record)).second;
    if (!inserted) return OutsideProtocol("got one record twice in a snapshot");
  }
  if (!message.snapshot_end()) return Applied{};

  const RevisionToken token = {staged_->incarnation, Revision{message.token().revision()}};
  BK_RETURN_IF_ERROR(CheckNotBack(token));
  const auto newest = std::max_element(
      staged_->records.begin(), staged_->records.end(),
      [](const auto& a, const auto& b) { return a.second.revision < b.second.revision; });
  if (newest != staged_->records.end() && newest->second.revision > token.revision) {
    return OutsideProtocol(
        absl::StrFormat("got a record of revision %d in a snapshot of revision %d",
                        newest->second.revision.value, token.revision.value));
  }

  Applied applied;
  applied.changed = AllApps();
  applied.snapshot = true;
  applied.refused_records = staged_->refused_records;
  records_ = std::move(staged_->records);
  has_copy_ = true;
  const absl::Duration contact = staged_->waited_since;
  staged_.reset();
  Publish(applied.changed, token, contact, source_age);
  return applied;
}

absl::StatusOr<WatchCopy::Applied> WatchCopy::ApplyChanges(const v1::WatchPoliciesResponse& message,
                                                           absl::Duration waited_since,
                                                           absl::Duration source_age) {
  BK_RETURN_IF_ERROR(CheckToken(message.token()));
  if (staged_.has_value()) return OutsideProtocol("got no part of a snapshot inside of one");
  const RevisionToken current = token();
  const RevisionToken next = {message.token().incarnation(), Revision{message.token().revision()}};
  if (!has_copy_ || next.incarnation != current.incarnation) {
    return OutsideProtocol("got changes of a state that is not here, want a snapshot first");
  }
  BK_RETURN_IF_ERROR(CheckNotBack(next));

  // All is read before anything is touched.
  std::vector<Change> changes;
  int64_t last = current.revision.value;
  for (const v1::Change& change : message.changes()) {
    // The changes of one revision share it; the first must be new.
    const bool back = changes.empty() ? change.revision() <= last : change.revision() < last;
    if (back) {
      return absl::OutOfRangeError(absl::StrFormat(
          "watch message: got a change of revision %d after revision %d", change.revision(), last));
    }
    if (change.revision() > next.revision.value) {
      return OutsideProtocol(
          absl::StrFormat("got a change of revision %d in a message of revision %d",
                          change.revision(), next.revision.value));
    }
    last = change.revision();
    BK_ASSIGN_OR_RETURN(Change read, Read(change));
    changes.push_back(std::move(read));
  }

  Applied applied;
  bool every_app = false;
  std::set<std::string> touched;
  for (Change& change : changes) {
    if (!Follows(change.key)) continue;
    ++applied.changes;
    every_app = every_app || change.key.app.empty();
    touched.insert(change.key.app);
    if (!change.record.has_value()) {
      records_.erase(change.key);
      continue;
    }
    if (std::holds_alternative<Unreadable>(change.record->value)) ++applied.refused_records;
    records_.insert_or_assign(std::move(change.key), *std::move(change.record));
  }
  if (every_app) {
    applied.changed = AllApps();
  } else {
    for (const std::string& app : touched) applied.changed.emplace_back(app);
  }
  Publish(applied.changed, next, waited_since, source_age);
  return applied;
}

std::vector<AppId> WatchCopy::Drop() {
  staged_.reset();
  records_.clear();
  has_copy_ = false;
  auto states = std::make_shared<Apps>();
  for (const AppId& app : apps_) {
    states->emplace(app.value(), AppState{PolicyView::State::kNotAuthorized, nullptr});
  }
  auto published = std::make_shared<Published>();
  published->apps = std::move(states);
  published->known = true;
  published_.Store(std::move(published));
  return AllApps();
}

PolicySnapshot WatchCopy::View(std::string_view app, absl::Duration now) const {
  const std::shared_ptr<const Published> published = published_.Load();
  PolicySnapshot snapshot;
  snapshot.age = AgeOf(*published, now);
  snapshot.token = published->token;
  if (const auto found = published->apps->find(app); found != published->apps->end()) {
    snapshot.state = found->second.state;
    snapshot.policy = found->second.policy;
  }
  return snapshot;
}

absl::Duration WatchCopy::AgeOf(const Published& published, absl::Duration now) {
  return std::max(now - published.contact, absl::ZeroDuration()) + published.source_age;
}

absl::Status WatchCopy::CheckNotBack(const RevisionToken& token) const {
  if (token.incarnation == highest_.incarnation && token.revision < highest_.revision) {
    return absl::OutOfRangeError(
        absl::StrFormat("watch message: got revision %d after revision %d of the same incarnation",
                        token.revision.value, highest_.revision.value));
  }
  return absl::OkStatus();
}

bool WatchCopy::Follows(const Key& key) const {
  return key.app.empty() || published_.Load()->apps->contains(key.app);
}

std::vector<AppId> WatchCopy::AllApps() const { return apps_; }

absl::StatusOr<WatchCopy::Key> WatchCopy::KeyOf(const v1::Change& change) {
  const auto catalog_key = [](const v1::CatalogKey& message) -> absl::StatusOr<Key> {
    BK_ASSIGN_OR_RETURN(const CatalogKey key, convert::FromProto(message));
    return Key{key.app.has_value() ? key.app->value() : "", Key::Kind::kCatalogEntry,
               key.server.has_value() ? key.server->value() : "", key.tool.value()};
  };
  Key key;
  switch (change.record_case()) {
    case v1::Change::kPolicy:
      key = {change.policy().app(), Key::Kind::kPolicy, "", ""};
      break;
    case v1::Change::kDeletedPolicyApp:
      key = {change.deleted_policy_app(), Key::Kind::kPolicy, "", ""};
      break;
    case v1::Change::kCatalogEntry:
      return catalog_key(change.catalog_entry().key());
    case v1::Change::kDeletedCatalogKey:
      return catalog_key(change.deleted_catalog_key());
    case v1::Change::kConnection:
      key = {change.connection().app(), Key::Kind::kConnection, "", change.connection().id()};
      break;
    case v1::Change::kDeletedConnection:
      key = {change.deleted_connection().app(), Key::Kind::kConnection, "",
             change.deleted_connection().id()};
      break;
    case v1::Change::RECORD_NOT_SET:
      // A kind of record that a newer server knows: what it restricts is not known.
      return absl::InvalidArgumentError("got a record of a kind that is not known here");
  }
  BK_RETURN_IF_ERROR(convert::CheckId("app", key.app));
  if (key.kind == Key::Kind::kConnection) BK_RETURN_IF_ERROR(convert::CheckId("id", key.id));
  return key;
}

// A record whose key cannot be read could concern any app: that is an error. One
// whose key can is kept as unreadable.
absl::StatusOr<WatchCopy::Change> WatchCopy::Read(const v1::Change& change) {
  if (change.revision() < 1) {
    return OutsideProtocol(
        absl::StrFormat("got a change of revision %d, want at least 1", change.revision()));
  }
  absl::StatusOr<Key> key = KeyOf(change);
  if (!key.ok()) return OutsideProtocol(AsStd(key.status().message()));

  Record record = {Revision{change.revision()}, Unreadable{}};
  const auto keep = [&record](auto value) {
    if (value.ok()) record.value = *std::move(value);
  };
  switch (change.record_case()) {
    case v1::Change::kPolicy:
      keep(convert::FromProto(change.policy()));
      break;
    case v1::Change::kCatalogEntry:
      keep(convert::FromProto(change.catalog_entry()));
      break;
    case v1::Change::kConnection:
      keep(convert::FromProto(change.connection()));
      break;
    case v1::Change::kDeletedPolicyApp:
    case v1::Change::kDeletedCatalogKey:
    case v1::Change::kDeletedConnection:
    case v1::Change::RECORD_NOT_SET:
      return Change{*std::move(key), std::nullopt};
  }
  return Change{*std::move(key), std::move(record)};
}

WatchCopy::AppState WatchCopy::Compile(const AppId& app) const {
  AppData data;
  bool has_policy = false;
  for (const std::string& owner : {app.value(), std::string()}) {
    for (auto it = records_.lower_bound(Key{owner}); it != records_.end() && it->first.app == owner;
         ++it) {
      const Record& record = it->second;
      if (std::holds_alternative<Unreadable>(record.value)) {
        return {PolicyView::State::kUnreadable, nullptr};
      }
      if (const auto* policy = std::get_if<McpPolicy>(&record.value)) {
        data.policy = *policy;
        data.policy_revision = record.revision;
        has_policy = true;
      } else if (const auto* entry = std::get_if<CatalogEntry>(&record.value)) {
        data.catalog.push_back(*entry);
        data.catalog_revision = std::max(data.catalog_revision, record.revision);
      } else if (const auto* connection = std::get_if<ConnectionRecord>(&record.value)) {
        data.connections.push_back(*connection);
      }
    }
  }
  if (!has_policy) return {PolicyView::State::kUnknownApp, nullptr};
  return {PolicyView::State::kPresent, CompiledPolicy::Compile(std::move(data))};
}

void WatchCopy::Publish(std::span<const AppId> changed, const RevisionToken& token,
                        absl::Duration contact, absl::Duration source_age) {
  auto next = std::make_shared<Published>(*published_.Load());
  if (!changed.empty()) {
    auto states = std::make_shared<Apps>(*next->apps);
    for (const AppId& app : changed) (*states)[app.value()] = Compile(app);
    next->apps = std::move(states);
  }
  next->known = true;
  next->token = token;
  next->contact = contact;
  next->source_age = source_age;
  highest_ = token;
  published_.Store(std::move(next));
}

}  // namespace bridgekeeper::clients
