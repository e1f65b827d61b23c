// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ToolCall is the question, Decision the answer, Judgement what a payload was
// found to do.
//
// Source: policy/spec.md, sections D (decision), G (guard).

#ifndef BRIDGEKEEPER_POLICY_MODEL_DECISION_H_
#define BRIDGEKEEPER_POLICY_MODEL_DECISION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/json.h"
#include "policy/model/enums.h"
#include "policy/model/policy.h"

namespace bridgekeeper {

// One thing that a payload does.
struct Effect {
  // A closed vocabulary, upper snake case: "DELETE", "FUNCTION", "HOST_FILE",
  // "SENSITIVE_READ", "OTHER_CONNECTION", ... (policy/guard/effects.h lists them).
  std::string kind;
  std::string object;  // table, function, file ...; may be empty
  // Byte offset in the payload where it stands; nullopt: not known.
  std::optional<size_t> position;
  Risk risk = Risk::kDestructive;
  std::string why;  // for people, lower case, no full stop
  friend bool operator==(const Effect&, const Effect&) = default;
};

struct Judgement {
  enum class Error : uint8_t {
    kNone,
    kEmpty,       // no statement: STATEMENT_EMPTY
    kUnreadable,  // not read, too large, timed out, crashed: STATEMENT_UNREADABLE
    kMultiple,    // more than one statement: STATEMENT_MULTIPLE
  };

  // DESTRUCTIVE wherever there is an error.
  Risk risk = Risk::kDestructive;
  std::vector<Effect> effects;
  int statements = 0;
  // True where every name was resolved in a live catalogue.
  bool proven = false;
  Error error = Error::kUnreadable;
  std::string message;  // says what is wrong where there is an error

  friend bool operator==(const Judgement&, const Judgement&) = default;
};

// One tool call to decide. All views are borrowed for the length of the call to
// the engine; an empty optional means that the caller did not say.
struct ToolCall {
  std::string_view tool;
  // The server that lists the tool; nullopt: not named, so only entries for every
  // server apply.
  std::optional<std::string_view> server;
  // The upstream was declared `catalog: data-studio`, so built-in entries apply
  // although a server is named.
  bool builtin_catalog = false;
  // The connection that the caller names beside the arguments: the upstream's
  // fixed one at a bridge, `connection_id` of a Decide.
  std::optional<std::string_view> connection;
  // The type of `connection`, which names its dialect where it has no record.
  std::optional<std::string_view> connection_type;
  // The call's arguments; nullopt: not carried (then nothing is judged).
  std::optional<JsonValue> arguments;
  // The text or object to judge, where the caller extracted it itself.
  std::optional<JsonValue> payload;
  // What the caller declares. It can raise the risk, never lower it.
  std::optional<Risk> declared_risk;
  // SHA-256 of the tool's definition as its server lists it now, 64 lower-case
  // hexadecimal digits; nullopt: not known to the caller (then no pin is checked).
  std::optional<std::string_view> definition_digest;
  // The tool's own annotation `readOnlyHint: true`, as listed by its server.
  bool read_only_hint = false;
  // The tool is listed by the named server though no catalogue entry may cover
  // it: a bridge knows its upstream's list. False: only the catalogue says.
  bool listed_by_server = false;
  // The bridge was started with --readonly.
  bool read_only_bridge = false;
};

struct Decision {
  Verdict verdict = Verdict::kDeny;
  ReasonCode reason = ReasonCode::kUnspecified;
  // The highest of the catalogue's, the declared and the judged risk.
  Risk effective_risk = Risk::kDestructive;
  // Whether a payload was judged.
  bool judged = false;
  // The policy lists this tool with a definition that changed, and pinning is WARN.
  bool definition_changed = false;
  // What the bridge must enforce; points into the compiled policy, null where the
  // policy asks nothing or the verdict is DENY.
  const Limits* obligations = nullptr;
  // The connection that was checked; empty where none was given. A view of the
  // call's own text or of the policy.
  std::string_view connection;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_DECISION_H_
