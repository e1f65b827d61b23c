// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to policy/engine: what CompiledPolicy works out once per policy change.

#ifndef BRIDGEKEEPER_POLICY_ENGINE_COMPILED_H_
#define BRIDGEKEEPER_POLICY_ENGINE_COMPILED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "policy/base/strings.h"
#include "policy/engine/engine.h"
#include "policy/engine/payload.h"

namespace bridgekeeper {
namespace internal {

// A set of actions, one bit each.
class ActionSet {
 public:
  static constexpr ActionSet All() { return ActionSet(0b111); }
  static constexpr ActionSet None() { return ActionSet(0); }
  void Add(Action action) { bits_ |= Bit(action); }
  bool Contains(Action action) const { return (bits_ & Bit(action)) != 0; }
  bool ContainsAll(ActionSet other) const { return (other.bits_ & ~bits_) == 0; }

 private:
  explicit constexpr ActionSet(uint8_t bits) : bits_(bits) {}
  static constexpr uint8_t Bit(Action action) {
    return static_cast<uint8_t>(1u << static_cast<uint8_t>(action));
  }
  uint8_t bits_;
};

// What an override allows.
ActionSet ActionsOf(const ConnectionOverride& entry);

// What is known of a connection id that the policy or a record names.
struct KnownConnection {
  bool in_allowlist = false;
  ActionSet actions = ActionSet::All();
  const ConnectionRecord* record = nullptr;  // null: there is none
  JudgeOptions judge_options;                // from the record
};

}  // namespace internal

struct CompiledPolicy::Rep {
  explicit Rep(AppData data);
  Rep(const Rep&) = delete;
  Rep& operator=(const Rep&) = delete;

  const internal::KnownConnection* FindKnown(std::string_view id) const {
    const auto it = connections.find(id);
    return it == connections.end() ? nullptr : &it->second;
  }

  // True where a named id differs from `id` only by ASCII case.
  // REQUIRES: IsValidId(id), no named id is equal to it
  bool HasCaseTwin(std::string_view id) const;

  // The template of an entry of `catalog`, or null where it has no payload rule.
  // REQUIRES: `entry` came from catalog.Find()
  const internal::PayloadTemplate* TemplateOf(const CatalogEntry& entry) const;

  const McpPolicy policy;
  const Catalog catalog;
  const std::vector<ConnectionRecord> records;
  const Revision policy_revision;
  const Revision catalog_revision;

  // Every id that the allowlist, an override or a record names.
  StringMap<internal::KnownConnection> connections;
  // The same ids in lower case.
  absl::flat_hash_set<std::string, StringHash, std::equal_to<>> lower_ids;
  bool has_allowlist = false;
  bool restricts_connections = false;   // an allowlist or an override
  bool is_understood = true;            // every feature that it requires is known
  const Limits* obligations = nullptr;  // null where the policy sets none
  // One for each entry of catalog.stored().
  std::vector<std::optional<internal::PayloadTemplate>> templates;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_ENGINE_COMPILED_H_
