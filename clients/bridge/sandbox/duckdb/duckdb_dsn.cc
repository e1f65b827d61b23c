// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_dsn.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr size_t kMaxNameBytes = 63;

bool IsName(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
         });
}

// What the engine has under these names is its own.
bool IsTaken(std::string_view name) {
  constexpr std::string_view kTaken[] = {"main", "memory", "system", "temp"};
  return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken);
}

absl::Status Bad(std::string_view member, std::string_view want) {
  return absl::InvalidArgumentError(absl::StrFormat("`%s`: want %s", member, want));
}

absl::Status CheckName(std::string_view member, std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  return Bad(member, "names of lower case letters, digits and `_`");
}

absl::Status CheckPath(std::string_view member, std::string_view path) {
  if (path.starts_with('/') && path.find('\0') == std::string_view::npos) return absl::OkStatus();
  return Bad(member, "absolute paths");
}

absl::Status AddDatabase(std::string_view name, std::string_view path, bool writes,
                         DuckdbSetup& setup) {
  BK_RETURN_IF_ERROR(CheckName("attach", name));
  if (IsTaken(name)) return Bad("attach", "names that are not the engine's own");
  BK_RETURN_IF_ERROR(CheckPath("attach", path));
  setup.steps.push_back({absl::StrFormat("attaching `%s`", name),
                         absl::StrFormat("ATTACH %s AS \"%s\" (%s)", DuckdbLiteral(path), name,
                                         writes ? "READ_WRITE" : "READ_ONLY")});
  setup.databases.emplace_back(name);
  setup.paths.emplace_back(path);
  return absl::OkStatus();
}

absl::Status AddSecret(JsonValue secret, DuckdbSetup& setup) {
  std::vector<std::string> parts;
  bool has_type = false;
  for (const JsonValue part : secret) {
    BK_RETURN_IF_ERROR(CheckName("secrets", part.key()));
    if (!part.is_string()) return Bad("secrets", "texts");
    if (part.key() == "type") {
      BK_RETURN_IF_ERROR(CheckName("secrets", part.string()));
      has_type = true;
      parts.insert(parts.begin(), absl::StrFormat("TYPE %s", part.string()));
    } else {
      parts.push_back(absl::StrFormat("%s %s", part.key(), DuckdbLiteral(part.string())));
    }
  }
  if (!has_type) return Bad("secrets", "a `type` in each");
  const size_t number = setup.steps.size();
  setup.steps.push_back({"making a secret", absl::StrFormat("CREATE TEMPORARY SECRET bk_%d (%s)",
                                                            number, absl::StrJoin(parts, ", "))});
  return absl::OkStatus();
}

absl::Status AddFolder(std::string_view folder, DuckdbSetup& setup) {
  const bool has_place = folder.starts_with('/') || folder.find("://") != std::string_view::npos;
  const bool goes_up = folder.find("..") != std::string_view::npos;
  if (!has_place || goes_up || !folder.ends_with('/') || folder == "/" || folder.ends_with("://")) {
    return Bad("folders", "absolute paths or URLs that end in `/`, without `..`");
  }
  setup.folders.emplace_back(folder);
  return absl::OkStatus();
}

// Calls `add` for each text of the member `name` of `root`.
template <typename Add>
absl::Status EachText(JsonValue root, std::string_view name, bool is_object, Add add) {
  const auto member = root.Find(name);
  if (!member) return absl::OkStatus();
  if (is_object ? !member->is_object() : !member->is_array()) {
    return Bad(name, is_object ? "an object" : "a list");
  }
  for (const JsonValue value : *member) {
    if (!value.is_string()) return Bad(name, "texts");
    BK_RETURN_IF_ERROR(add(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<DuckdbSetup> ParseDocument(std::string_view text, bool writes) {
  const auto document = JsonDocument::Parse(text);
  // What the parser says may hold a part of the text.
  if (!document.ok()) return absl::InvalidArgumentError("got `{` and no JSON");
  const JsonValue root = document->root();
  const std::vector<std::string> members = {"attach", "extensions", "folders", "secrets", "views"};
  for (const JsonValue member : root) {
    if (std::find(members.begin(), members.end(), member.key()) == members.end()) {
      return absl::InvalidArgumentError(absl::StrFormat("got a member `%s`, want %s",
                                                        EscapeForPeople(member.key(), 64),
                                                        absl::StrJoin(members, ", ")));
    }
  }
  DuckdbSetup setup;
  const auto add_extension = [&](JsonValue path) -> absl::Status {
    BK_RETURN_IF_ERROR(CheckPath("extensions", path.string()));
    setup.steps.push_back(
        {"loading an extension", absl::StrFormat("LOAD %s", DuckdbLiteral(path.string()))});
    return absl::OkStatus();
  };
  const auto add_view = [&](JsonValue view) -> absl::Status {
    BK_RETURN_IF_ERROR(CheckName("views", view.key()));
    setup.steps.push_back(
        {absl::StrFormat("making the view `%s`", view.key()),
         absl::StrFormat("CREATE VIEW memory.main.\"%s\" AS %s", view.key(), view.string())});
    return absl::OkStatus();
  };
  BK_RETURN_IF_ERROR(EachText(root, "extensions", false, add_extension));
  if (const auto secrets = root.Find("secrets")) {
    if (!secrets->is_array()) return Bad("secrets", "a list");
    for (const JsonValue secret : *secrets) {
      if (!secret.is_object()) return Bad("secrets", "objects");
      BK_RETURN_IF_ERROR(AddSecret(secret, setup));
    }
  }
  BK_RETURN_IF_ERROR(EachText(root, "attach", true, [&](JsonValue path) {
    return AddDatabase(path.key(), path.string(), writes, setup);
  }));
  BK_RETURN_IF_ERROR(EachText(root, "folders", false,
                              [&](JsonValue folder) { return AddFolder(folder.string(), setup); }));
  BK_RETURN_IF_ERROR(EachText(root, "views", true, add_view));
  return setup;
}

}  // namespace

std::string DuckdbLiteral(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + '\'';
}

absl::StatusOr<DuckdbSetup> ParseDuckdbDsn(std::string_view dsn, bool writes) {
  absl::StatusOr<DuckdbSetup> setup = DuckdbSetup{};
  if (dsn.starts_with('{')) {
    setup = ParseDocument(dsn, writes);
  } else {
    if (dsn.starts_with("file:")) dsn.remove_prefix(5);
    if (!dsn.starts_with('/')) return absl::InvalidArgumentError("want an absolute path, or `{`");
    BK_RETURN_IF_ERROR(AddDatabase(kDuckdbOnlyName, dsn, writes, *setup));
  }
  BK_RETURN_IF_ERROR(setup.status());
  // Names are looked up in what is attached, then among the views of the set-up.
  std::vector<std::string> path;
  for (const std::string& name : setup->databases) path.push_back(name + ".main");
  path.emplace_back("memory.main");
  setup->steps.push_back(
      {"setting where names are looked up",
       absl::StrFormat("SET search_path = %s", DuckdbLiteral(absl::StrJoin(path, ",")))});
  return setup;
}

}  // namespace bridgekeeper::bridge
