// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/reported_tools.h"

#include <algorithm>

#include "policy/base/json.h"

namespace bridgekeeper::service {
namespace {

// What a listing and a tool take beside their texts.
constexpr size_t kOverheadBytes = 256;

std::optional<bool> Hint(JsonValue annotations, std::string_view name) {
  const std::optional<JsonValue> hint = annotations.Find(name);
  if (!hint || hint->kind() != JsonKind::kBool) return std::nullopt;
  return hint->boolean();
}

// Hands on what a tool was before, the latest of it that `room` bytes hold; returns the
// bytes of that.
size_t RememberPast(ReportedTool before, size_t room, ReportedTool& now) {
  now.past = std::move(before.past);
  // One that it has again is no past.
  std::erase_if(now.past,
                [&](const ReportedTool::Past& past) { return past.digest == now.digest; });
  if (before.digest != now.digest && !before.definition_json.empty()) {
    now.past.insert(now.past.begin(),
                    {std::move(before.digest), std::move(before.definition_json)});
  }
  size_t bytes = 0;
  size_t kept = 0;
  for (; kept < std::min(now.past.size(), kMaxPastDefinitions); ++kept) {
    const size_t more = kOverheadBytes + now.past[kept].definition_json.size();
    if (bytes + more > room) break;
    bytes += more;
  }
  now.past.resize(kept);
  return bytes;
}

}  // namespace

Risk SuggestedRisk(std::string_view definition_json) {
  const auto document = JsonDocument::Parse(definition_json);
  if (!document.ok()) return Risk::kDestructive;
  const std::optional<JsonValue> annotations = document->root().Find("annotations");
  if (!annotations) return Risk::kDestructive;
  if (Hint(*annotations, "readOnlyHint").value_or(false)) return Risk::kSafe;
  return Hint(*annotations, "destructiveHint").value_or(true) ? Risk::kDestructive
                                                              : Risk::kElevated;
}

ReasonCode StateOf(const ReportedTool& tool, const CatalogEntry* entry) {
  if (entry == nullptr || !entry->reviewed) return ReasonCode::kToolUnreviewed;
  if (entry->disabled) return ReasonCode::kToolDisabled;
  if (!entry->pin.empty() && entry->pin != tool.digest) return ReasonCode::kToolChanged;
  return ReasonCode::kAllowed;
}

std::string_view DefinitionWith(const ReportedTool& tool, std::string_view digest) {
  if (tool.digest == digest) return tool.definition_json;
  for (const ReportedTool::Past& past : tool.past) {
    if (past.digest == digest) return past.definition_json;
  }
  return {};
}

ReportedTools::Result ReportedTools::Report(const Key& key, bool builtin_catalog,
                                            std::vector<ReportedTool> tools) {
  Result result;
  Listing listing;
  listing.builtin_catalog = builtin_catalog;
  listing.last_seen = clock_.Now();
  listing.bytes = kOverheadBytes + key.app.value().size() + key.server.value().size();
  for (ReportedTool& tool : tools) {
    if (listing.tools.size() >= options_.max_tools || listing.tools.contains(tool.tool)) {
      ++result.dropped;
      continue;
    }
    if (tool.definition_json.size() > options_.max_definition_bytes) {
      tool.definition_json.clear();
      tool.definition_cut = true;
    }
    listing.bytes += kOverheadBytes + 2 * tool.tool.size() + tool.definition_json.size();
    std::string name = tool.tool;
    listing.tools.emplace(std::move(name), std::move(tool));
  }
  result.kept = listing.tools.size();

  // What goes is destroyed after the lock is released: `listing`, after the swap the old
  // list of this server, and the lists that make room.
  std::vector<Listings::node_type> gone;
  MutexLock lock(mu_);
  const auto slot = listings_.try_emplace(key).first;
  for (auto& [name, tool] : listing.tools) {
    const auto before = slot->second.tools.find(name);
    if (before == slot->second.tools.end()) continue;
    // One server's changes do not push out what the others list.
    const size_t most = options_.max_bytes / 4;
    listing.bytes += RememberPast(std::move(before->second),
                                  most > listing.bytes ? most - listing.bytes : 0, tool);
  }
  by_age_.erase(slot->second.turn);
  bytes_ = bytes_ - slot->second.bytes + listing.bytes;
  listing.turn = next_turn_++;
  by_age_.emplace(listing.turn, slot);
  std::swap(slot->second, listing);
  gone = MakeRoom();
  return result;
}

std::vector<ReportedTools::Listings::node_type> ReportedTools::MakeRoom() {
  std::vector<Listings::node_type> gone;
  while (bytes_ > options_.max_bytes && listings_.size() > 1) {
    const auto oldest = by_age_.begin();
    bytes_ -= oldest->second->second.bytes;
    gone.push_back(listings_.extract(oldest->second));
    by_age_.erase(oldest);
  }
  return gone;
}

std::vector<ReportedTools::Row> ReportedTools::List(const std::optional<AppId>& app,
                                                    const std::optional<ServerId>& server,
                                                    const std::optional<Position>& after,
                                                    size_t limit) const {
  std::vector<Row> rows;
  MutexLock lock(mu_);
  auto it = after ? listings_.lower_bound(after->key)
            : app ? listings_.lower_bound(Key{*app, ServerId()})
                  : listings_.begin();
  for (; it != listings_.end() && rows.size() < limit; ++it) {
    const auto& [key, listing] = *it;
    if (app && key.app != *app) {
      if (key.app > *app) break;
      continue;
    }
    if (server && key.server != *server) continue;
    auto tool =
        after && after->key == key ? listing.tools.upper_bound(after->tool) : listing.tools.begin();
    for (; tool != listing.tools.end() && rows.size() < limit; ++tool) {
      rows.push_back({key, listing.builtin_catalog, tool->second, listing.last_seen});
    }
  }
  return rows;
}

size_t ReportedTools::size() const {
  MutexLock lock(mu_);
  size_t size = 0;
  for (const auto& [key, listing] : listings_) size += listing.tools.size();
  return size;
}

}  // namespace bridgekeeper::service
