// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ReportedTools keeps what bridges saw their servers list, so that an administrator
// can review it. It is in memory only: bridges report again when they start. Nothing
// here makes a revision or raises trust.
//
// Bounded in every direction, since a bridge may be anybody: tools of an app and
// server, bytes of a definition, and bytes of everything; the server that was
// reported longest ago goes first.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_REPORTED_TOOLS_H_
#define BRIDGEKEEPER_SERVICE_CORE_REPORTED_TOOLS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"
#include "policy/catalog/catalog.h"
#include "policy/model/enums.h"
#include "policy/model/ids.h"

namespace bridgekeeper::service {

struct ReportedTool {
  std::string tool;
  std::string digest;           // 64 lower-case hexadecimal digits
  std::string definition_json;  // an object; empty where it was too long
  bool definition_cut = false;
  // What it was before, the latest first: at most kMaxPastDefinitions.
  struct Past {
    std::string digest;
    std::string definition_json;
  };
  std::vector<Past> past;
};

// Definitions of a tool that are remembered once it has changed, so that what was
// reviewed can be shown beside what is there now; fewer where a server's list takes more
// than a quarter of max_bytes with them.
inline constexpr size_t kMaxPastDefinitions = 4;

// The definition with this digest, as far as it is remembered; empty: it is not.
std::string_view DefinitionWith(const ReportedTool& tool, std::string_view digest);

// What the upstream's own hints propose: SAFE where it says readOnlyHint, ELEVATED
// where it denies destructiveHint, else DESTRUCTIVE, which is also what MCP says of a
// tool without hints (MCP 2025-11-25, schema, ToolAnnotations).
Risk SuggestedRisk(std::string_view definition_json);

// What a reported tool is to the catalogue: TOOL_UNREVIEWED, TOOL_DISABLED,
// TOOL_CHANGED or ALLOWED.
ReasonCode StateOf(const ReportedTool& tool, const CatalogEntry* entry);

struct ReportedToolsOptions {
  size_t max_tools = 1000;                 // of an app and server
  size_t max_definition_bytes = 16 << 10;  // of a tool; longer ones are left out
  size_t max_bytes = size_t{64} << 20;     // of everything
};

class ReportedTools {
 public:
  struct Key {
    AppId app;
    ServerId server;
    friend auto operator<=>(const Key&, const Key&) = default;
  };

  struct Row {
    Key key;
    bool builtin_catalog = false;
    ReportedTool tool;
    absl::Time last_seen;
  };

  struct Result {
    size_t kept = 0;
    size_t dropped = 0;
  };

  // `clock` must outlive it.
  ReportedTools(const ReportedToolsOptions& options, const Clock& clock)
      : options_(options), clock_(clock) {}

  // Takes the whole list of a server; what it no longer holds is forgotten. The first
  // max_tools are kept; of two of one name, the first.
  Result Report(const Key& key, bool builtin_catalog, std::vector<ReportedTool> tools);

  // Rows in the order app, server, tool, above `after`; at most `limit`.
  struct Position {
    Key key;
    std::string tool;
  };
  std::vector<Row> List(const std::optional<AppId>& app, const std::optional<ServerId>& server,
                        const std::optional<Position>& after, size_t limit) const;

  // Tools that are kept.
  size_t size() const;

 private:
  struct Listing {
    bool builtin_catalog = false;
    absl::Time last_seen;
    uint64_t turn = 0;  // its place in by_age_
    size_t bytes = 0;
    std::map<std::string, ReportedTool> tools;
  };

  using Listings = std::map<Key, Listing>;

  // Takes out what has to go for max_bytes, for its caller to destroy without the lock.
  std::vector<Listings::node_type> MakeRoom() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const ReportedToolsOptions options_;
  const Clock& clock_;

  mutable Mutex mu_;
  Listings listings_ ABSL_GUARDED_BY(mu_);
  // The listings by when they were reported, the oldest first.
  std::map<uint64_t, Listings::iterator> by_age_ ABSL_GUARDED_BY(mu_);
  uint64_t next_turn_ ABSL_GUARDED_BY(mu_) = 1;
  size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_REPORTED_TOOLS_H_
