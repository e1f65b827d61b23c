// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a bridge needs to ask the user of its client whether one call may run, through
// MCP itself: the question, what an answer to it is bound to, and, where there are no
// sessions, the state that travels with the client.
//
// An answer counts for the exact call that it was given to, once, within kAnswerTime.
// Nothing but `"action":"accept"` is consent.
//
// Thread safety: free functions without state; RequestStates is used by one thread at
// a time.
// Source: policy/spec.md, section E; MCP 2025-06-18 and 2025-11-25,
// elicitation; MCP 2026-07-28, elicitation, multi round-trip requests.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CONSENT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CONSENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "clients/bridge/mcp/message.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "policy/model/decision.h"
#include "runtime/id_source.h"

namespace bridgekeeper::bridge {

// How long an answer is waited for.
inline constexpr absl::Duration kAnswerTime = absl::Minutes(10);
// Longest arguments that a person is shown. What cannot be shown whole cannot be
// agreed to.
inline constexpr size_t kMaxShownBytes = 8 << 10;
// Largest state of a server that travels in ours.
inline constexpr size_t kMaxInnerStateBytes = 64 << 10;
// Answers that are remembered as used; with more, none is taken until some expire.
inline constexpr size_t kMaxUsedAnswers = 10'000;

// The one question in `inputRequests` and `inputResponses`.
inline constexpr std::string_view kQuestionKey = "bridgekeeper/consent";

// True where a client with these capabilities shows its user a form. An empty
// `elicitation` is one that does.
bool TakesForms(const std::optional<JsonValue>& capabilities);

// True for an `ElicitResult` that accepts.
bool IsAccepted(const std::optional<JsonValue>& answer);

// The call that is asked about, for the people it is shown to.
struct AskedCall {
  std::string_view app;
  std::string_view server;
  const ToolCall& call;
  const Decision& decision;
};

// The parameters of the `elicitation/create` that asks about a call, JSON.
// REQUIRES: call.arguments is at most kMaxShownBytes
std::string QuestionParams(const AskedCall& asked);

// Names a call and everything that its decision rests on: two are equal only where a
// person who agrees to one has agreed to the other. Everything that `request` asks for is
// in it, but what a client makes anew for each request: its progress token and its trace
// (MCP 2026-07-28, `_meta`, reserved keys).
std::string BindingOf(const AskedCall& asked, const Message& request,
                      const clients::PolicySnapshot& snapshot);

// Makes and takes the `requestState` of MCP 2026-07-28. It is proven by a key that this
// object alone has, and no answer is taken twice.
class RequestStates {
 public:
  // Both must outlive it.
  RequestStates(IdSource& ids, const Clock& clock);

  // True where a request carries an answer to a question of a bridge, whether it is
  // one that was asked or not.
  static bool IsAnswer(const Message& request);

  // The state for a question about `binding`; nullopt: what the request carries for its
  // server does not fit. It travels in ours, and comes back with the answer.
  std::optional<std::string> Make(const Message& request, std::string_view binding);

  enum class Answer : uint8_t {
    kAccepted,
    kDeclined,
    kInvalid,  // not made here, for another call, expired or used
  };
  // Takes the answer that a request carries. Where it is accepted, `restored` becomes the
  // request without it: as its server would have seen it without us.
  Answer Take(const Message& request, std::string_view binding, std::string& restored);

 private:
  const Clock& clock_;
  IdSource& ids_;
  const std::string key_;
  // Until they expire anyway.
  std::set<std::pair<int64_t, std::string>> used_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CONSENT_H_
