// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/compiled.h"

#include <algorithm>
#include <array>
#include <utility>

#include "policy/base/ascii.h"

namespace bridgekeeper {
namespace internal {

ActionSet ActionsOf(const ConnectionOverride& entry) {
  ActionSet actions = ActionSet::None();
  if (entry.allowed_actions) {
    for (const Action action : *entry.allowed_actions) actions.Add(action);
  } else if (entry.read_only) {
    actions.Add(Action::kRead);
  } else {
    actions = ActionSet::All();
  }
  return actions;
}

}  // namespace internal

namespace {

using internal::KnownConnection;
using internal::PayloadTemplate;

using Templates = std::vector<std::optional<PayloadTemplate>>;

Templates TemplatesOf(std::span<const CatalogEntry> entries) {
  Templates templates;
  templates.reserve(entries.size());
  for (const CatalogEntry& entry : entries) {
    auto& slot = templates.emplace_back();
    if (entry.payload_rule) slot.emplace(entry.payload_rule->payload);
  }
  return templates;
}

}  // namespace

CompiledPolicy::Rep::Rep(AppData data)
    : policy(std::move(data.policy)),
      catalog(policy.app, std::move(data.catalog)),
      records(std::move(data.connections)),
      policy_revision(data.policy_revision),
      catalog_revision(data.catalog_revision) {
  has_allowlist = !policy.allowed_connection_ids.empty();
  restricts_connections = has_allowlist || !policy.connection_overrides.empty();
  is_understood = std::all_of(policy.requires_features.begin(), policy.requires_features.end(),
                              [](const std::string& name) { return IsKnownFeature(name); });
  obligations = policy.limits.empty() ? nullptr : &policy.limits;

  for (const ConnectionId& id : policy.allowed_connection_ids) {
    connections[id.value()].in_allowlist = true;
  }
  for (const auto& [id, entry] : policy.connection_overrides) {
    connections[id.value()].actions = internal::ActionsOf(entry);
  }
  for (const ConnectionRecord& record : records) {
    KnownConnection& known = connections[record.id.value()];
    known.record = &record;
    known.judge_options = JudgeOptions::From(record);
  }
  for (const auto& [id, known] : connections) lower_ids.insert(AsciiLower(id));

  templates = TemplatesOf(catalog.stored());
}

const PayloadTemplate* CompiledPolicy::Rep::TemplateOf(const CatalogEntry& entry) const {
  static const auto& builtin = *new Templates(TemplatesOf(BuiltinCatalog()));
  const auto& found = entry.builtin
                          ? builtin[static_cast<size_t>(&entry - BuiltinCatalog().data())]
                          : templates[static_cast<size_t>(&entry - catalog.stored().data())];
  return found ? &*found : nullptr;
}

bool CompiledPolicy::Rep::HasCaseTwin(std::string_view id) const {
  if (lower_ids.empty()) return false;
  // On the stack: this is asked on every call of a policy without an allowlist.
  std::array<char, kMaxIdBytes> lower;
  const size_t size = std::min(id.size(), lower.size());
  std::transform(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(size), lower.begin(),
                 ToAsciiLower);
  return lower_ids.contains(std::string_view(lower.data(), size));
}

std::shared_ptr<const CompiledPolicy> CompiledPolicy::Compile(AppData data) {
  return std::shared_ptr<const CompiledPolicy>(
      new CompiledPolicy(std::make_unique<const Rep>(std::move(data))));
}

CompiledPolicy::CompiledPolicy(std::unique_ptr<const Rep> rep) : rep_(std::move(rep)) {}
CompiledPolicy::~CompiledPolicy() = default;

const McpPolicy& CompiledPolicy::policy() const { return rep_->policy; }
const Catalog& CompiledPolicy::catalog() const { return rep_->catalog; }
Revision CompiledPolicy::policy_revision() const { return rep_->policy_revision; }
Revision CompiledPolicy::catalog_revision() const { return rep_->catalog_revision; }

const ConnectionRecord* CompiledPolicy::FindConnection(std::string_view id) const {
  const KnownConnection* known = rep_->FindKnown(id);
  return known == nullptr ? nullptr : known->record;
}

}  // namespace bridgekeeper
