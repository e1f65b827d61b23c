// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/definition_diff.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

// Of a long text what stands before the first difference and after the last one.
constexpr size_t kAroundBytes = 40;

void Compare(JsonValue from, JsonValue to, const std::string& path,
             std::vector<DefinitionChange>& out) {
  const auto at = [&](JsonValue member) {
    return path.empty() ? std::string(member.key()) : path + "." + std::string(member.key());
  };
  for (const JsonValue was : from) {
    const auto is = to.Find(was.key());
    if (!is) {
      out.push_back({at(was), std::string(was.raw()), ""});
    } else if (was.is_object() && is->is_object()) {
      Compare(was, *is, at(was), out);
    } else if (CanonicalJson(was) != CanonicalJson(*is)) {
      out.push_back({at(was), std::string(was.raw()), std::string(is->raw())});
    }
  }
  for (const JsonValue is : to) {
    if (!from.Find(is.key())) out.push_back({at(is), "", std::string(is.raw())});
  }
}

// All of it: who approves must not be spared the end of what a stranger wrote.
std::string Whole(std::string_view json) {
  constexpr size_t kEscapedBytes = 10;  // at most, for one
  return EscapeForPeople(json, kEscapedBytes * json.size());
}

std::string Shown(std::string_view json, size_t same_before, size_t same_after) {
  if (json.empty()) return "(none)";
  const size_t begin = same_before > kAroundBytes ? same_before - kAroundBytes : 0;
  const size_t left_out = same_after > kAroundBytes ? same_after - kAroundBytes : 0;
  return (begin > 0 ? "..." : "") + Whole(json.substr(begin, json.size() - begin - left_out)) +
         (left_out > 0 ? "..." : "");
}

}  // namespace

std::vector<DefinitionChange> DefinitionChanges(std::string_view reviewed, std::string_view now) {
  const auto from = JsonDocument::Parse(reviewed);
  const auto to = JsonDocument::Parse(now);
  std::vector<DefinitionChange> changes;
  if (!from.ok() || !to.ok() || !from->root().is_object() || !to->root().is_object()) {
    return changes;
  }
  Compare(from->root(), to->root(), "", changes);
  return changes;
}

std::vector<DefinitionChange> DefinitionChanges(const v1::ReportedTool& tool) {
  return DefinitionChanges(tool.reviewed_definition_json(), tool.definition_json());
}

void PrintDefinitionChanges(const v1::ReportedTool& tool, std::ostream& out) {
  out << absl::StrFormat("\n%s:\n", EscapeForPeople(tool.tool(), 128));
  const std::vector<DefinitionChange> changes = DefinitionChanges(tool);
  if (tool.definition_cut()) {
    out << "  its definition is too long for keeperd to keep: look at what its server lists\n";
    return;
  }
  if (changes.empty()) {
    out << "  the definition that was reviewed is not known any more: look at all of it\n"
        << absl::StrFormat("  now: %s\n", Whole(tool.definition_json()));
    return;
  }
  for (const DefinitionChange& change : changes) {
    const auto differs =
        std::mismatch(change.from.begin(), change.from.end(), change.to.begin(), change.to.end());
    const auto before = static_cast<size_t>(differs.first - change.from.begin());
    const size_t most = std::min(change.from.size(), change.to.size()) - before;
    const auto ends =
        std::mismatch(change.from.rbegin(), change.from.rbegin() + most, change.to.rbegin());
    const auto after = static_cast<size_t>(ends.first - change.from.rbegin());
    out << absl::StrFormat("  %s\n    - %s\n    + %s\n", Whole(change.field),
                           Shown(change.from, before, after), Shown(change.to, before, after));
  }
}

}  // namespace bridgekeeper::cli
