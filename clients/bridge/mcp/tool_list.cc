// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/tool_list.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/mcp/origin.h"
#include "policy/base/check.h"
#include "policy/model/ids.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

// For what is a part of a message that was read within its limits, and our few members.
constexpr JsonLimits kNoLimits{.max_depth = std::numeric_limits<int>::max(),
                               .max_values = std::numeric_limits<size_t>::max()};

struct Hint {
  std::string_view key;
  bool Annotations::*value;
};
constexpr std::array<Hint, 4> kHints = {{
    {"readOnlyHint", &Annotations::read_only_hint},
    {"destructiveHint", &Annotations::destructive_hint},
    {"idempotentHint", &Annotations::idempotent_hint},
    {"openWorldHint", &Annotations::open_world_hint},
}};

std::string_view JsonBool(bool value) { return value ? "true" : "false"; }

// Says what is wrong with a tool; empty: nothing.
std::string ToolProblem(JsonValue tool) {
  if (!tool.is_object()) return "want an object";
  const auto name = tool.Find("name");
  if (!name || !name->is_string()) return "`name`: want a string";
  if (!IsValidToolName(name->string())) return "`name`: want 1 to 128 bytes of [A-Za-z0-9_.-]";
  const auto schema = tool.Find("inputSchema");
  if (!schema || !schema->is_object()) return "`inputSchema`: want an object";
  const auto description = tool.Find("description");
  if (description && !description->is_string()) return "`description`: want a string";
  const auto annotations = tool.Find("annotations");
  if (annotations && !annotations->is_object()) return "`annotations`: want an object";
  return "";
}

}  // namespace

UpstreamToolList::Page UpstreamToolList::AddPage(JsonValue result) {
  const auto tools = result.Find("tools");
  if (!tools || !tools->is_array()) return Page::kMalformed;
  if (!std::exchange(has_first_page_, true)) {
    for (const JsonValue member : result) {
      if (member.key() == "tools" || member.key() == "nextCursor") continue;
      other_members_.emplace_back(member.key(), member.raw());
    }
  }
  for (const JsonValue tool : *tools) {
    bytes_ += tool.raw().size();
    if (tools_.size() == kMaxTools || bytes_ > kMaxListBytes) return Page::kTooLarge;
    AddTool(tool);
  }
  const auto cursor = result.Find("nextCursor");
  if (!cursor || !cursor->is_string()) return Page::kLast;
  bytes_ += cursor->raw().size();
  if (cursors_.size() + 1 >= static_cast<size_t>(kMaxListPages) || bytes_ > kMaxListBytes) {
    return Page::kTooLarge;
  }
  cursor_ = cursor->string();
  if (std::find(cursors_.begin(), cursors_.end(), cursor_) != cursors_.end()) {
    return Page::kRepeatedCursor;
  }
  cursors_.push_back(cursor_);
  return Page::kMore;
}

void UpstreamToolList::AddTool(JsonValue tool) {
  const auto name = tool.Find("name");
  const std::string name_text =
      name && name->is_string() ? std::string(name->string()) : std::string();
  if (std::string problem = ToolProblem(tool); !problem.empty()) {
    dropped_.push_back({name_text.substr(0, kMaxIdBytes), std::move(problem)});
    return;
  }
  if (by_name_.contains(name_text)) {
    dropped_.push_back({name_text, "the server lists another tool of this name"});
    return;
  }
  by_name_[name_text] = tools_.size();
  const auto annotations = tool.Find("annotations");
  const auto read_only = annotations ? annotations->Find("readOnlyHint") : std::nullopt;
  const auto output_schema = tool.Find("outputSchema");
  tools_.push_back({
      .name = name_text,
      .json = std::string(tool.raw()),
      .digest = "",
      .read_only_hint = read_only && read_only->kind() == JsonKind::kBool && read_only->boolean(),
      .has_output_schema = output_schema && !output_schema->is_null(),
  });
  const std::string text = Definition(tools_.back());  // outlives what is read of it
  const auto definition = JsonDocument::Parse(text, kNoLimits);
  // INVARIANT: it was cut out of a message that was read, and one member was set.
  BK_CHECK(definition.ok());
  tools_.back().digest = Sha256Hex(CanonicalJson(definition->root()));
}

std::string UpstreamToolList::Definition(const UpstreamTool& tool) const {
  if (origin_ == nullptr) return tool.json;
  const auto document = JsonDocument::Parse(tool.json, kNoLimits);
  // INVARIANT: tool.json was cut out of a message that was read.
  BK_CHECK(document.ok());
  JsonEdits edits(document->root());
  // Whatever the server says of it: the origin is ours to tell.
  edits.SetMember(document->root(), kOriginKey, *origin_);
  return std::move(edits).Apply();
}

const UpstreamTool* UpstreamToolList::Find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &tools_[found->second];
}

std::string UpstreamToolList::ResultFor(const ToolListing& listing) const {
  std::string out;
  JsonObject result(out);
  result.Key("tools");
  out += '[';
  for (const ListedTool& shown : listing.shown) {
    if (out.back() != '[') out += ',';
    out += AnnotatedTool(tools_[shown.index], shown.annotations, listing.notice);
  }
  out += ']';
  for (const auto& [key, json] : other_members_) result.Raw(key, json);
  result.Close();
  return out;
}

std::string AnnotatedTool(const UpstreamTool& tool, const Annotations& annotations,
                          std::string_view notice) {
  const auto document = JsonDocument::Parse(tool.json, kNoLimits);
  // INVARIANT: tool.json was cut out of a message that was read.
  BK_CHECK(document.ok());
  const JsonValue root = document->root();
  JsonEdits edits(root);

  if (!notice.empty()) {
    const auto description = root.Find("description");
    if (!description) {
      edits.AddMember(root, "description", JsonString(notice));
    } else {
      const std::string_view gap = description->string().empty() ? "" : "\n\n";
      edits.AppendToString(*description, std::string(gap) + std::string(notice));
    }
  }

  if (const auto theirs = root.Find("annotations")) {
    for (const Hint& hint : kHints) {
      edits.SetMember(*theirs, hint.key, JsonBool(annotations.*hint.value));
    }
  } else {
    std::string ours;
    JsonObject object(ours);
    for (const Hint& hint : kHints) object.Bool(hint.key, annotations.*hint.value);
    object.Close();
    edits.AddMember(root, "annotations", ours);
  }
  return std::move(edits).Apply();
}

}  // namespace bridgekeeper::bridge
