// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Asks whether an app may call a tool: decide_example APP TOOL. The check of an
// agent loop in twenty lines: a copy of the policy that follows keeperd (its
// address in KEEPER_ADDRESS), and decisions in this process.

#include <iostream>

#include "clients/sdk/decision_client.h"
#include "clients/sdk/watch_policy_source.h"
#include "runtime/clock.h"

namespace bk = bridgekeeper;
namespace sdk = bridgekeeper::clients;

int main(int argc, char** argv) {
  if (argc != 3) return std::cerr << "usage: decide_example APP TOOL\n", 2;
  const auto channel =
      sdk::Channel::Create(sdk::ChannelOptionsFromEnvironment(sdk::ProcessEnvironment));
  if (!channel.ok()) return std::cerr << channel.status().message() << "\n", 2;

  bk::RealClock clock;
  bk::RandomIdSource ids;
  const auto source =
      sdk::WatchPolicySource::Create(*channel, {.apps = {bk::AppId(argv[1])}}, clock, ids);
  if (!source.ok()) return std::cerr << source.status().message() << "\n", 2;
  (*source)->WaitForFirst(absl::Seconds(5));

  const auto client =
      sdk::MakeCachedDecisionClient(**source, ids, {.failure_mode = sdk::FailureMode::kDeny});
  const auto answer = client->Decide({.app = argv[1], .tool = argv[2]});
  std::cout << bk::Name(answer->verdict) << ": " << answer->reason << "\n";
  return answer->verdict == bk::Verdict::kAllow ? 0 : 3;
}
