// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The list of tools as the server gives it, and as the client is shown it.
//
// Thread safety: values without shared state.
// Source: MCP 2025-11-25 and 2026-07-28, tools/list.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_TOOL_LIST_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_TOOL_LIST_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "policy/base/json.h"
#include "policy/base/strings.h"
#include "policy/engine/engine.h"

namespace bridgekeeper::bridge {

// Most tools of one server, most pages of its list and most bytes of its tools and
// cursors: what is beyond is not listed.
inline constexpr size_t kMaxTools = 10'000;
inline constexpr int kMaxListPages = 1'000;
inline constexpr size_t kMaxListBytes = 16 << 20;

// One tool as its server lists it.
struct UpstreamTool {
  std::string name;
  std::string json;             // as it was written
  std::string digest;           // SHA-256 of the canonical JSON of its Definition()
  bool read_only_hint = false;  // annotations.readOnlyHint is true
  bool has_output_schema = false;
};

// A tool that was left out, and why.
struct DroppedTool {
  std::string name;  // as far as it has one, cut
  std::string why;
};

// Gathers the pages of one tools/list.
class UpstreamToolList {
 public:
  // `origin`: where the tools come from (origin.h); null: not known.
  explicit UpstreamToolList(std::shared_ptr<const std::string> origin = nullptr)
      : origin_(std::move(origin)) {}

  enum class Page {
    kMore,  // cursor() names the next page
    kLast,
    kRepeatedCursor,  // the server gave a cursor twice: taken as the last page
    kTooLarge,        // a limit was reached: taken as the last page
    kMalformed,       // the result has no array `tools`; nothing was taken in
  };

  // Takes in the `result` of one page.
  Page AddPage(JsonValue result);

  const std::string& cursor() const { return cursor_; }
  const std::vector<UpstreamTool>& tools() const { return tools_; }
  const std::vector<DroppedTool>& dropped() const { return dropped_; }

  // The tool `name`, or null.
  const UpstreamTool* Find(std::string_view name) const;

  // What is pinned and reported of a tool: all its members, which takes in name, title,
  // description, schemas and annotations, and the origin beside them.
  std::string Definition(const UpstreamTool& tool) const;

  // The whole result for a client: the members of the first page besides `tools`
  // and `nextCursor`, and the tools of `listing`, which was made of tools().
  std::string ResultFor(const ToolListing& listing) const;

 private:
  void AddTool(JsonValue tool);

  std::shared_ptr<const std::string> origin_;
  std::vector<UpstreamTool> tools_;
  StringMap<size_t> by_name_;
  std::vector<DroppedTool> dropped_;
  std::string cursor_;
  std::vector<std::string> cursors_;  // all that were given, to see one again
  size_t bytes_ = 0;
  bool has_first_page_ = false;
  // The other members of the first page's result, as `key` and JSON.
  std::vector<std::pair<std::string, std::string>> other_members_;
};

// The tool as a client is shown it: `notice` at the end of the description and the
// four hints of `annotations`, every other byte as the server wrote it.
std::string AnnotatedTool(const UpstreamTool& tool, const Annotations& annotations,
                          std::string_view notice);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_TOOL_LIST_H_
