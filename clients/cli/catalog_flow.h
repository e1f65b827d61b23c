// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the commands about catalogue entries share.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "clients/cli/context.h"
#include "policy/model/policy.h"

namespace bridgekeeper::cli {

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

// Of `tools` those that are named, in that order.
//
// Errors: kNotFound for a name that is not among them, with the nearest that is.
absl::StatusOr<std::vector<v1::ReportedTool>> Named(const std::vector<v1::ReportedTool>& tools,
                                                    const std::vector<std::string>& names);

// The entry with exactly this key; a new one at revision 0 where none is stored.
absl::StatusOr<StoredEntry> ReadEntry(Context& context, const CatalogKey& key);

// What a server says of its own tool, for people: "read-only, idempotent".
std::string HintsOf(const v1::ReportedTool& tool);
// The beginning of a tool's description.
std::string DescriptionOf(const v1::ReportedTool& tool);

// Writes entries as one revision, each on top of the revision that was read, and
// says how many changed.
absl::StatusOr<ExitCode> WriteEntries(Context& context, const std::vector<StoredEntry>& entries);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CATALOG_FLOW_H_
