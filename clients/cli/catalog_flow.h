// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the commands about catalogue entries share.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/context.h"
#include "policy/model/policy.h"

namespace bridgekeeper::cli {

// What names one entry exactly.
inline constexpr Flag kEntryToolFlag = {.name = "TOOL", .help = "the tool", .required = true};
inline constexpr Flag kEntryAppFlag = {
    .name = "--app",
    .value = "APP",
    .help = "the entry's app; the entry for every app unless given"};
inline constexpr Flag kEntryServerFlag = {
    .name = "--server",
    .value = "SERVER",
    .help = "the entry's server; the entry for every server unless given"};

// The key that these three say.
//
// Errors: kInvalidArgument, of usage - the tool's name is none.
absl::StatusOr<CatalogKey> EntryKeyOf(const Args& args);

struct StoredEntry {
  CatalogEntry entry;
  int64_t revision = 0;  // of its last change; 0: it is not stored
  bool found = false;    // stored or built in; else the entry is a new one
};

// The stored entries that name exactly this app and server, by tool.
absl::StatusOr<std::map<std::string, StoredEntry>> ReadEntries(Context& context, const AppId& app,
                                                               const ServerId& server);

// What bridges saw servers list. Empty: of every app, every server.
absl::StatusOr<std::vector<v1::ReportedTool>> ReadReportedTools(Context& context,
                                                                std::string_view app,
                                                                std::string_view server,
                                                                bool unreviewed_only);

// Of these tools, as their bridge reported them, the ones that a catalogue entry covers:
// a stored one or, where the bridge declared the server `catalog: data-studio`, a built-in
// one. Its own databases are declared so. What is asked about one of them has to say
// `builtin_catalog`: a bridge does where it counts, and where a stored entry covers the
// tool that one wins anyway.
std::set<std::string> CoveredOf(const std::vector<v1::ReportedTool>& tools);

// Of these tools, as their bridge reported them, the ones whose definition changed since
// their review.
std::set<std::string> ChangedOf(const std::vector<v1::ReportedTool>& tools);

// True where the policy of `app` denies the calls of such tools, as it does unless it says
// otherwise; without a policy every call is denied.
absl::StatusOr<bool> DeniesChanged(Context& context, std::string_view app);

// Of `tools` those that are named, in that order.
//
// Errors: kNotFound for a name that is not among them, with the nearest that is.
absl::StatusOr<std::vector<v1::ReportedTool>> Named(const std::vector<v1::ReportedTool>& tools,
                                                    const std::vector<std::string>& names);

// The entry with exactly this key; a new one at revision 0 where none is stored.
absl::StatusOr<StoredEntry> ReadEntry(Context& context, const CatalogKey& key);

// What a server says of its own tool, for people: "read-only, idempotent".
std::string HintsOf(const v1::ReportedTool& tool);
// Where the tool's server comes from, as its bridge reported it: its command, its address.
// JSON, for people; a pin is bound to it.
std::string OriginOf(const v1::ReportedTool& tool);
// The beginning of a tool's description.
std::string DescriptionOf(const v1::ReportedTool& tool);

// Writes entries as one revision, each on top of the revision that was read, and
// says how many changed.
absl::StatusOr<ExitCode> WriteEntries(Context& context, const std::vector<StoredEntry>& entries);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_
