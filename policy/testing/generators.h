// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Random worlds and calls for property tests and fuzzing. Names come from small
// alphabets, so that entries, overrides and calls meet; every field that a decision
// reads varies.

#ifndef BRIDGEKEEPER_POLICY_TESTING_GENERATORS_H_
#define BRIDGEKEEPER_POLICY_TESTING_GENERATORS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "policy/model/decision.h"
#include "policy/model/policy.h"
#include "policy/testing/owned_call.h"
#include "policy/testing/reference_engine.h"

namespace bridgekeeper {

class Generator {
 public:
  explicit Generator(uint64_t seed);

  // Takes its choices from `below`, which answers a number in [0, end).
  explicit Generator(std::function<int(int end)> below) : below_(std::move(below)) {}

  McpPolicy Policy();
  CatalogEntry Entry();
  ConnectionRecord Record();
  ReferenceWorld World();
  std::unique_ptr<OwnedCall> Call();

  // Makes a policy that allows no more (clause D23), by one change.
  McpPolicy Restricted(const McpPolicy& policy, const AppData& data);

  bool Chance(int percent) { return Below(100) < percent; }
  int Below(int end) { return below_(end); }

  template <typename T>
  T Pick(std::initializer_list<T> items) {
    return *(items.begin() + Below(static_cast<int>(items.size())));
  }

 private:
  std::string ConnectionName();
  std::string ToolNameText();
  std::string Payload();
  std::string ArgumentsJson();

  std::function<int(int end)> below_;
};

// The seed of this run: BK_TEST_SEED of the environment, else a new one. Prints it,
// so that a failure can be run again.
uint64_t TestSeed();

// For people: the policy, catalogue and connections of a world.
std::string WorldText(const ReferenceWorld& world);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_GENERATORS_H_
