// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The decision: may this app run this tool on this connection at this risk?
// keeperd, keeper-bridge, keeper and the console's preview all call Decide(); there
// is no second implementation (the reference engine in policy/testing exists to
// disagree with this one in tests).
//
// The checks stand in one table, kChecks in engine.cc (Checks() reads it), in the
// order of policy/spec.md section D; the first that fails names the reason.
//
// Thread safety: CompiledPolicy is immutable; all functions may be called from
// many threads at the same time. Nothing here does I/O, reads a clock or logs.
// Source: policy/spec.md, sections D (decision), L (listing), X (explain, diff).

#ifndef BRIDGEKEEPER_POLICY_ENGINE_ENGINE_H_
#define BRIDGEKEEPER_POLICY_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/catalog/catalog.h"
#include "policy/guard/judge.h"
#include "policy/model/decision.h"
#include "policy/model/policy.h"

namespace bridgekeeper {

// Everything that decides the calls of one app.
struct AppData {
  McpPolicy policy;
  // Entries of this app and for every app, as stored; the built-in ones are added.
  std::vector<CatalogEntry> catalog;
  std::vector<ConnectionRecord> connections;  // of this app
  // Revision of the last change of the policy, and the highest among the entries.
  Revision policy_revision;
  Revision catalog_revision;
};

// AppData made ready for deciding: what can be worked out once per policy change
// is worked out here.
class CompiledPolicy {
 public:
  static std::shared_ptr<const CompiledPolicy> Compile(AppData data);
  ~CompiledPolicy();

  CompiledPolicy(const CompiledPolicy&) = delete;
  CompiledPolicy& operator=(const CompiledPolicy&) = delete;

  const McpPolicy& policy() const;
  const Catalog& catalog() const;
  Revision policy_revision() const;
  Revision catalog_revision() const;

  // The record of a connection, or null.
  const ConnectionRecord* FindConnection(std::string_view id) const;

  struct Rep;
  const Rep& rep() const { return *rep_; }

 private:
  explicit CompiledPolicy(std::unique_ptr<const Rep> rep);
  std::unique_ptr<const Rep> rep_;
};

// What the decider knows about the app's policy.
struct PolicyView {
  enum class State : uint8_t {
    kNotReceived,    // a bridge that has no copy yet: POLICY_MISSING
    kUnknownApp,     // the store has no policy of this app: UNKNOWN_APP
    kNotAuthorized,  // the source refused us, so the copy was dropped: NOT_AUTHORIZED
    kUnreadable,     // a record of this app is not understood here: POLICY_UNSUPPORTED
    kPresent,
  };

  State state = State::kNotReceived;
  const CompiledPolicy* policy = nullptr;  // REQUIRES: not null iff state is kPresent
  // How long ago the source was last known to agree with this copy. Compared with
  // the policy's max_staleness: POLICY_STALE above it. Zero at the source itself.
  absl::Duration age;
  // A bridge's own lower bound on staleness; never raises the policy's.
  std::optional<absl::Duration> max_staleness;

  static PolicyView Of(const CompiledPolicy& policy) {
    return {State::kPresent, &policy, absl::ZeroDuration(), std::nullopt};
  }
};

// One row of the table of checks.
struct CheckInfo {
  std::string_view name;              // "allowlist"
  std::span<const ReasonCode> codes;  // what it answers where it fails
  std::string_view help;              // what it asks, for people
};

// All checks, in the order in which they are made.
std::vector<CheckInfo> Checks();

// Decides one call. `judge` may be null: then no payload is judged and a tool with
// a payload rule is decided on its catalogue risk with `judged` false.
//
// Never fails: whatever cannot be decided is a denial.
Decision Decide(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge);

// The same with what was judged, for explaining and for audit. Null: not judged.
Decision Decide(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge,
                std::optional<Judgement>* judgement);

// Says a decision in one or two sentences that an agent can relay: the field that
// stopped the call and what the user may ask an administrator for. Holds no
// command, and text of the caller is escaped. `judgement`, where there is one, says what
// of the statement stopped it; nothing in it is told that the statement does not hold.
std::string ReasonText(const PolicyView& view, const ToolCall& call, const Decision& decision,
                       const Judgement* judgement = nullptr);

// The families of MCP methods that a policy opens or closes as a whole.
enum class MethodFamily : uint8_t { kResources, kPrompts };

// Decides whether a family of methods passes a bridge: the policy must be in force,
// understood and fresh, open the family (METHOD_NOT_ALLOWED), and the upstream's
// fixed connection, where it has one, must pass the connection checks as READ.
Decision DecidePassage(const PolicyView& view, MethodFamily family,
                       std::optional<std::string_view> fixed_connection);

// One line of Explain: a check, in the order in which they are made.
struct CheckOutcome {
  enum class Result : uint8_t { kPassed, kFailed, kNotReached };
  std::string name;  // "allowlist"
  Result result = Result::kNotReached;
  ReasonCode reason = ReasonCode::kUnspecified;  // where it failed
  std::string detail;                            // what was compared with what
};

struct Explanation {
  Decision decision;
  std::string reason_text;
  std::optional<CatalogEntry> entry;  // the entry that covers the tool
  std::optional<Risk> catalog_risk;
  std::vector<CheckOutcome>
      checks;  // all of them; those after the first failure are still made where they can be
  std::optional<Judgement> judgement;
};

// Shows every check. explanation.decision equals Decide() of the same arguments.
Explanation Explain(const PolicyView& view, const ToolCall& call, const PayloadJudge* judge);

// MCP's ToolAnnotations hints, all four always written (MCP 2025-11-25, schema,
// ToolAnnotations).
struct Annotations {
  bool read_only_hint = false;
  bool destructive_hint = true;
  bool idempotent_hint = false;
  bool open_world_hint = true;
  friend bool operator==(const Annotations&, const Annotations&) = default;
};
Annotations AnnotationsFor(Risk risk);

// A tool as its server lists it, reduced to what deciding needs.
struct ToolToList {
  std::string_view tool;
  std::optional<std::string_view> definition_digest;
  bool read_only_hint = false;
};

struct ListContext {
  std::optional<std::string_view> server;
  bool builtin_catalog = false;
  std::optional<std::string_view> fixed_connection;
  bool read_only = false;  // --readonly: SAFE tools only
  bool listed_by_server = false;
};

struct ListedTool {
  size_t index = 0;  // into the tools that were given
  // The risk that the annotations tell: the catalogue's, or for a tool with
  // `raise` the highest that the policy would not deny.
  Risk risk = Risk::kDestructive;
  Annotations annotations;
};

struct HiddenTool {
  size_t index = 0;
  ReasonCode reason = ReasonCode::kUnspecified;
};

struct ToolListing {
  std::vector<ListedTool> shown;   // in the order given
  std::vector<HiddenTool> hidden;  // in the order given
  // One line for the end of every shown description: which kinds of tools the
  // policy (or a read-only bridge) hides, and that only an administrator can change
  // it. Empty where neither hides any.
  std::string notice;
};

// A tool is shown iff its decision at catalogue risk is not DENY, with the fixed
// connection where there is one, else with the connection checks left out. So
// hidden implies denied.
ToolListing ListTools(const PolicyView& view, const ListContext& context,
                      std::span<const ToolToList> tools);

// One cell in which two policies differ.
struct DiffCell {
  // A tool, or kUnreviewedTool or kUnreviewedReadOnlyTool.
  ToolName tool;
  // The server that the call names: one that either catalogue names, kOtherServer
  // for every other, nullopt for a call that names none.
  std::optional<ServerId> server;
  // What the call does: its payload's risk, but no less than the tool's own (of two
  // catalogues that differ, the less harmful one's).
  Risk risk = Risk::kDestructive;
  // The connection: one that either policy names, kOtherConnection for every
  // id that neither names, empty for a call without one.
  std::string connection;
  Verdict before = Verdict::kDeny;
  ReasonCode before_reason = ReasonCode::kUnspecified;
  Verdict after = Verdict::kDeny;
  ReasonCode after_reason = ReasonCode::kUnspecified;
  bool loosened = false;  // after allows more than before
  friend bool operator==(const DiffCell&, const DiffCell&) = default;
};

// Stand for what neither side names. No valid ids.
inline constexpr std::string_view kOtherConnection = "<any other>";
inline constexpr std::string_view kOtherServer = "<any other>";
// Stand for every tool that a server lists and neither catalogue covers, without
// and with the hint readOnlyHint: true.
inline constexpr std::string_view kUnreviewedTool = "<unreviewed>";
inline constexpr std::string_view kUnreviewedReadOnlyTool = "<unreviewed with readOnlyHint>";

// What differs between two policies.
struct PolicyDiff {
  // At most as many as were asked for; those that loosen are the last to be left
  // out.
  std::vector<DiffCell> cells;
  size_t total = 0;     // cells that differ
  size_t loosened = 0;  // cells among them that loosen
};

// The exact cells in which `after` answers another verdict than `before`: every
// tool of either catalogue and those that neither covers, at the tool's own risk
// and at each that a payload could raise it to, on every connection that can be
// told apart, and without one. A named server is one that lists the tool and is not
// declared `catalog: data-studio`. Left out: ids that differ from a named one only
// by case, definitions that changed, and risks that a caller declares.
//
// In the order tool, server, connection, from the least to the most harmful risk.
PolicyDiff DiffPolicies(const CompiledPolicy& before, const CompiledPolicy& after,
                        size_t max_cells = std::numeric_limits<size_t>::max());

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_ENGINE_ENGINE_H_
