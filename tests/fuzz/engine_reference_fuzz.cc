// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The engine against the reference engine. The first line of the input holds choices,
// a byte each: from them come a policy with its catalogue and connections, and calls on
// it. A line after it is the arguments of the next call, in place of the chosen ones,
// where it is JSON. Both engines must answer every call alike, whatever else is asked
// on the way. (A seed is named by what its first call was answered when it was made.)

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "policy/engine/engine.h"
#include "policy/testing/fake_judge.h"
#include "policy/testing/generators.h"
#include "policy/testing/owned_call.h"
#include "policy/testing/reference_engine.h"

namespace bridgekeeper {
namespace {

constexpr int kCalls = 4;

std::string_view TakeLine(std::string_view& input) {
  const std::string_view line = input.substr(0, input.find('\n'));
  input.remove_prefix(std::min(input.size(), line.size() + 1));
  return line;
}

// Puts `json` in the place of the arguments, if it can be read.
void ReplaceArguments(std::string_view json, OwnedCall& call) {
  if (json.empty()) return;
  const std::optional<std::string> before = std::exchange(call.arguments_json, std::string(json));
  if (call.Bind()) return;
  call.arguments_json = before;
  BK_CHECK(call.Bind());
}

bool Same(const Decision& d, const ReferenceAnswer& a) {
  return d.verdict == a.verdict && d.reason == a.reason && d.effective_risk == a.effective_risk &&
         d.judged == a.judged && d.definition_changed == a.definition_changed &&
         (d.obligations != nullptr) == a.obligations.has_value() &&
         (d.obligations == nullptr || *d.obligations == *a.obligations);
}

void Compare(const ReferenceWorld& world, const PolicyView& view, const OwnedCall& owned,
             const PayloadJudge* judge) {
  const ToolCall& call = owned.call;
  const Decision decision = Decide(view, call, judge);
  const ReferenceAnswer answer = ReferenceDecide(world, call, judge);
  const bool same = Same(decision, answer);
  if (!same) {
    std::fprintf(stderr, "%s\n%s", owned.Text().c_str(), WorldText(world).c_str());
  }
  BK_CHECK(same);

  // Every denial says why, in text that is safe to show.
  const std::string text = ReasonText(view, call, decision);
  BK_CHECK(!text.empty() && !FirstInvalidUtf8(text).has_value());
  const Explanation explanation = Explain(view, call, judge);
  BK_CHECK(explanation.decision.verdict == decision.verdict);
  BK_CHECK(explanation.decision.reason == decision.reason);

  // The listing hides what no call of that tool could do.
  ToolCall plain = call;
  plain.arguments.reset();
  plain.payload.reset();
  plain.declared_risk.reset();
  const ListContext context{.server = plain.server,
                            .builtin_catalog = plain.builtin_catalog,
                            .fixed_connection = plain.connection,
                            .read_only = plain.read_only_bridge,
                            .listed_by_server = plain.listed_by_server};
  const ToolToList tools[] = {{plain.tool, plain.definition_digest, plain.read_only_hint}};
  const ToolListing listing = ListTools(view, context, tools);
  const std::optional<Risk> shown = ReferenceListedRisk(world, plain);
  BK_CHECK(listing.shown.size() == (shown ? 1 : 0));
  BK_CHECK(!shown || listing.shown[0].risk == *shown);
  BK_CHECK(shown || decision.verdict == Verdict::kDeny);
}

void Run(std::string_view input) {
  const std::string_view choices = TakeLine(input);
  size_t at = 0;
  // Where no choices are left, all are the first.
  Generator generator([&choices, &at](int end) {
    return at < choices.size() ? static_cast<uint8_t>(choices[at++]) % end : 0;
  });
  FakeJudge judge;
  judge.proven = generator.Chance(50);
  const ReferenceWorld world = generator.World();
  const auto policy = CompiledPolicy::Compile(world.data);
  const bool present = world.state == PolicyView::State::kPresent;
  const PolicyView view{world.state, present ? policy.get() : nullptr, world.age,
                        world.max_staleness};
  for (int i = 0; i < kCalls; ++i) {
    const std::unique_ptr<OwnedCall> call = generator.Call();
    ReplaceArguments(TakeLine(input), *call);
    Compare(world, view, *call, generator.Chance(80) ? &judge : nullptr);
  }
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bridgekeeper::Run({reinterpret_cast<const char*>(data), size});
  return 0;
}
