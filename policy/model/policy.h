// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// McpPolicy says what one app may do; CatalogEntry says what a tool is;
// ConnectionRecord says what stands behind a connection id. These three are what
// the store keeps and what a decision is made from.
//
// Plain values: no invariant is enforced here. text/ (documents) and
// proto/convert (the wire) refuse values outside the ranges named below, so the
// engine and the stores see valid ones only.
//
// Source: policy/spec.md, sections P (policy), C (catalogue), N (connections).

#ifndef BRIDGEKEEPER_POLICY_MODEL_POLICY_H_
#define BRIDGEKEEPER_POLICY_MODEL_POLICY_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "policy/model/enums.h"
#include "policy/model/ids.h"

namespace bridgekeeper {

// What a policy says about one connection beyond the allowlist.
struct ConnectionOverride {
  bool read_only = false;

  // A set that is present supersedes read_only. A present but empty set allows
  // nothing, which is not the same as an absent one.
  std::optional<std::set<Action>> allowed_actions;

  friend bool operator==(const ConnectionOverride&, const ConnectionOverride&) = default;
};

// What a bridge must enforce on every allowed call. Unset fields ask nothing.
struct Limits {
  std::optional<int64_t> max_rows;        // [1, 1'000'000'000]
  std::optional<int64_t> max_bytes;       // [1, 1 GiB]
  std::optional<absl::Duration> timeout;  // [1 ms, 24 h]
  bool read_only_session = false;

  bool empty() const { return !max_rows && !max_bytes && !timeout && !read_only_session; }
  friend bool operator==(const Limits&, const Limits&) = default;
};

// What audit keeps of a call beyond its digest.
struct AuditOptions {
  bool store_arguments = false;
  std::vector<std::string> mask;  // JSON pointers (RFC 6901) into the arguments
  bool send_statements = false;   // whether a bridge may send the text to keeperd
  friend bool operator==(const AuditOptions&, const AuditOptions&) = default;
};

struct McpPolicy {
  AppId app;
  Mode mode = Mode::kDataReadWrite;
  // Empty: every connection. Otherwise only these.
  std::set<ConnectionId> allowed_connection_ids;
  std::map<ConnectionId, ConnectionOverride> connection_overrides;
  bool confirm_destructive = true;
  AskMode ask_mode = AskMode::kClient;
  bool suspended = false;
  // Why and by whom; for people. At most 512 bytes.
  std::string suspend_reason;
  UnreviewedTools unreviewed_tools = UnreviewedTools::kDeny;
  bool trust_read_only_hint = false;
  Pinning pinning = Pinning::kEnforce;
  Limits limits;
  absl::Duration max_staleness = absl::Minutes(5);  // [10 s, 24 h]
  // Absent: ALLOW where the policy has neither allowlist nor override, else DENY.
  std::optional<Passage> resources;
  std::optional<Passage> prompts;
  bool require_proven = false;
  AuditOptions audit;
  // Features that a reader must know, or deny everything.
  std::set<std::string> requires_features;

  friend bool operator==(const McpPolicy&, const McpPolicy&) = default;
};

inline constexpr absl::Duration kMinMaxStaleness = absl::Seconds(10);
inline constexpr absl::Duration kMaxMaxStaleness = absl::Hours(24);

// Names that `requires_features` may hold and that this build knows. None yet.
bool IsKnownFeature(std::string_view name);

// Whether resources/* (and completion/complete for a resource) pass.
Passage EffectiveResources(const McpPolicy& policy);
// Whether prompts/* (and completion/complete for a prompt) pass.
Passage EffectivePrompts(const McpPolicy& policy);

// Maps a tool's arguments to the one payload that is judged.
struct PayloadRule {
  // The payload with `{argument}` for each argument that it takes (policy/spec.md,
  // clauses C7 and C8):
  //   "{sql}"                                          the argument is the payload
  //   "GRANT {privilege} ON {object} TO {grantee}"     a text around arguments
  //   R"({"method":"POST","path":"/{index}/_bulk","body":"{body}"})"
  //                                                    an object; in its strings
  //       "{name}" alone is the argument's own JSON value, and `{name?}`, `{name:json}`
  //       and `{name:json?}` an argument that may be absent, one that holds JSON text
  //   ""                                               no payload: nothing is judged, and
  //                                                    only harmless arguments are taken
  std::string payload;
  // The dialect, or empty: the connection's type names it.
  std::string dialect;
  // Arguments outside the payload that cannot change what it does. The argument
  // that names the connection need not be listed.
  std::set<std::string> harmless_arguments;

  bool makes_payload() const { return !payload.empty(); }
  friend bool operator==(const PayloadRule&, const PayloadRule&) = default;
};

// The catalogue's key: the most specific entry wins in the order app+server, app,
// server, neither. nullopt is `*`.
struct CatalogKey {
  std::optional<AppId> app;
  std::optional<ServerId> server;
  ToolName tool;
  friend auto operator<=>(const CatalogKey&, const CatalogKey&) = default;
};

struct CatalogEntry {
  CatalogKey key;
  Risk risk = Risk::kDestructive;
  NeedsConnection needs_connection = NeedsConnection::kUnknown;
  // The argument that names the connection; empty: none does.
  std::string connection_argument;
  std::optional<PayloadRule> payload_rule;
  // The most harmful payload that the tool may carry. Unset: `risk`.
  std::optional<Risk> cap;
  // The payload's risk is used instead of being refused above the cap.
  bool raise = false;
  bool disabled = false;
  bool reviewed = true;
  // SHA-256 (64 lower-case hexadecimal digits) of the tool's definition as
  // reviewed; empty: not checked.
  std::string pin;
  // One of the 115 built-in entries; set by BuiltinCatalog() alone.
  bool builtin = false;

  friend bool operator==(const CatalogEntry&, const CatalogEntry&) = default;
};

struct ConnectionRecord {
  AppId app;
  ConnectionId id;
  std::string name;  // for people; at most 256 bytes
  std::string type;  // "postgres", "mysql", ...: names the dialect; at most 64 bytes
  // Options that change how the engine reads a text.
  std::optional<std::string> sql_mode;              // MySQL; unset: the default
  std::optional<bool> standard_conforming_strings;  // PostgreSQL; unset: on
  // Functions that count as harmless: schema-qualified, with argument types.
  std::set<std::string> safe_functions;
  // Databases or catalogues that the connection covers; empty: not checked.
  std::set<std::string> databases;
  // Whether sensitive reads (policy/spec.md, clause G4) count as SAFE.
  bool allow_sensitive_reads = false;

  friend bool operator==(const ConnectionRecord&, const ConnectionRecord&) = default;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_POLICY_H_
