// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/model/policy.h"

namespace bridgekeeper {
namespace {

Passage EffectivePassage(const McpPolicy& policy, std::optional<Passage> stated) {
  if (stated) return *stated;
  // What a resource reads cannot be held against an allowlist or an override, so
  // a policy that has either must say ALLOW itself.
  const bool open = policy.allowed_connection_ids.empty() && policy.connection_overrides.empty();
  return open ? Passage::kAllow : Passage::kDeny;
}

}  // namespace

bool IsKnownFeature(std::string_view) { return false; }

Passage EffectiveResources(const McpPolicy& policy) {
  return EffectivePassage(policy, policy.resources);
}

Passage EffectivePrompts(const McpPolicy& policy) {
  return EffectivePassage(policy, policy.prompts);
}

}  // namespace bridgekeeper
