// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What changed between the definition of a tool that was reviewed and the one that its
// server lists now.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_DEFINITION_DIFF_H_
#define BRIDGEKEEPER_CLIENTS_CLI_DEFINITION_DIFF_H_

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "bridgekeeper/v1/catalog_service.pb.h"

namespace bridgekeeper::cli {

struct DefinitionChange {
  std::string field;  // "inputSchema.properties.path"
  std::string from;   // JSON; empty: it was not there
  std::string to;     // JSON; empty: it is gone
  friend bool operator==(const DefinitionChange&, const DefinitionChange&) = default;
};

// The members that differ, objects member by member, in the order of the first text and
// then of the second. Empty where either cannot be read.
std::vector<DefinitionChange> DefinitionChanges(std::string_view reviewed, std::string_view now);

// The same for a tool as keeperd tells it; empty where what was reviewed is not known.
std::vector<DefinitionChange> DefinitionChanges(const v1::ReportedTool& tool);

// For people: `tool` and each change, from a little before the first byte that differs to
// a little after the last one. Says so, and shows the whole definition, where the pin is of
// one that is not known any more; says so where the definition was too long to be kept.
void PrintDefinitionChanges(const v1::ReportedTool& tool, std::ostream& out);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_DEFINITION_DIFF_H_
