// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>

#include "policy/base/strings.h"
#include "policy/guard/duckdb/tree.h"
#include "policy/guard/effects.h"
#include "policy/guard/safe_function.h"

namespace bridgekeeper::duckdb {
namespace {

// What a name of several parts without quotes may end with to be a file. A single
// part that holds a dot was quoted and is taken for one whatever follows.
constexpr std::string_view kFileSuffixes[] = {
    "arrow",  "arrows",   "avro", "bz2",     "csv",    "db",     "ddb",     "dta",
    "duckdb", "feather",  "fgb",  "geojson", "gpkg",   "gpx",    "gz",      "ipc",
    "json",   "jsonl",    "kml",  "lance",   "ndjson", "orc",    "osm",     "parquet",
    "pbf",    "sas7bdat", "sav",  "shp",     "shx",    "sqlite", "sqlite3", "tsv",
    "vortex", "wal",      "xls",  "xlsx",    "xz",     "zip",    "zst",
};

// Parts of the names of settings that hold credentials.
constexpr std::string_view kCredentialWords[] = {"password",   "secret", "token", "key",
                                                 "credential", "auth",   "proxy", "passphrase"};

// Schemas that every catalogue has, and catalogues that every connection has.
constexpr std::string_view kOwnNames[] = {"main", "temp", "system", "information_schema",
                                          "pg_catalog"};

bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool LooksLikeLocation(std::string_view catalog, std::string_view schema, std::string_view name) {
  for (const std::string_view part : {catalog, schema, name}) {
    if (part.find_first_of("/\\.:*?[]{}~%") != std::string_view::npos) return true;
  }
  // Without a qualifier there is no dot. With one, DuckDB looks for the file `schema.name`.
  return !schema.empty() && Contains(kFileSuffixes, AsciiLower(name));
}

void Notes::Add(std::string_view kind, std::string_view object, std::optional<size_t> position,
                Risk risk, std::string_view why) {
  found_.Add(kind, object, position, risk, why);
  if (definition_) {
    found_.Add(effect::kStoredCode, object, position, Risk::kDestructive,
               "stores a call or a read that is not harmless");
  }
}

void Notes::AddUnknown(std::string_view object, std::optional<size_t> position,
                       std::string_view why) {
  found_.Add(effect::kUnknown, object, position, Risk::kDestructive, why);
}

void Notes::AddDoes(Does does, std::string_view name, std::optional<size_t> position) {
  const DoesInfo& info = InfoOf(does);
  if (info.kind.empty()) return;
  if (info.kind == effect::kSensitiveRead && info.risk == Risk::kElevated &&
      options_.allow_sensitive_reads) {
    return;
  }
  Add(info.kind, name, position, info.risk, info.why);
}

void Notes::AddCall(bool table, std::string_view schema, std::string_view name, size_t arguments,
                    std::optional<std::string_view> first, std::optional<size_t> position) {
  const std::string lower = AsciiLower(name);
  auto does = Find(table ? Kind::kTable : Kind::kFunction, lower);
  // An expression may name what only FROM has: unnest() may, the others fail in the
  // engine. FROM has no use for what only an expression has.
  if (!does.has_value() && !table) does = Find(Kind::kTable, lower);
  if (!does.has_value()) {
    if (IsListedSafe(schema, lower, arguments)) return;
    Add(effect::kFunction, lower, position, table ? Risk::kDestructive : Risk::kElevated,
        table ? "reads from a table function that is not on the list"
              : "calls a function that is not known to be harmless");
  } else if (*does == Does::kNamesTable) {
    AddNamedTable(first, lower, position);
  } else if (*does == Does::kNamesSetting) {
    AddNamedSetting(first, position);
  } else {
    AddDoes(*does, lower, position);
  }
}

void Notes::AddNamedTable(std::optional<std::string_view> name, std::string_view function,
                          std::optional<size_t> position) {
  if (options_.databases.empty()) return;
  if (!name.has_value()) {
    return Add(effect::kOtherConnection, function, position, Risk::kDestructive,
               "names a table by a value that is computed");
  }
  const size_t dot = name->find('.');
  if (dot != name->npos) CheckConnection("", name->substr(0, dot), position);
}

void Notes::AddNamedSetting(std::optional<std::string_view> name, std::optional<size_t> position) {
  const std::string lower = AsciiLower(name.value_or(""));
  const bool credentials =
      !name.has_value() ||
      std::any_of(std::begin(kCredentialWords), std::end(kCredentialWords),
                  [&](std::string_view word) { return lower.find(word) != lower.npos; });
  if (credentials) {
    AddDoes(Does::kCredentials, name.has_value() ? lower : "current_setting", position);
  } else if (!IsHarmlessSetting(lower)) {
    AddDoes(Does::kNamesSetting, lower, position);
  }
}

// An entry is `name`, or `name(type, ...)` where only that number of arguments
// counts, with a schema in front where only that schema, or none, counts.
bool Notes::IsListedSafe(std::string_view schema, std::string_view name, size_t arguments) const {
  return std::any_of(options_.safe_functions.begin(), options_.safe_functions.end(),
                     [&](const std::string& entry) {
                       const auto function = ParseSafeFunction(entry);
                       if (!function || function->arguments.value_or(arguments) != arguments) {
                         return false;
                       }
                       if (!function->qualifiers.empty() && !schema.empty() &&
                           (function->schema() == nullptr ||
                            AsciiLower(function->schema()->text) != AsciiLower(schema))) {
                         return false;
                       }
                       return AsciiLower(function->name.text) == name;
                     });
}

void Notes::AddRelation(std::string_view catalog, std::string_view schema, std::string_view name,
                        std::optional<size_t> position) {
  if (LooksLikeLocation(catalog, schema, name)) {
    std::string whole;
    for (const std::string_view part : {catalog, schema, name}) {
      if (!part.empty()) whole += (whole.empty() ? "" : ".") + std::string(part);
    }
    return Add(effect::kHostFile, whole, position, Risk::kDestructive,
               "is read as a file or URL where no table has this name");
  }
  const std::string lower = AsciiLower(name);
  if (const auto view = Find(Kind::kView, lower)) {
    AddDoes(*view, lower, position);
  } else if (const auto function = Find(Kind::kTable, lower)) {
    if (*function != Does::kNamesTable) AddDoes(*function, lower, position);
  }
  CheckConnection(catalog, schema, position);
}

void Notes::CheckConnection(std::string_view catalog, std::string_view schema,
                            std::optional<size_t> position) {
  if (options_.databases.empty()) return;
  // Two parts are catalogue.table or schema.table, and only the catalogue knows which.
  const std::string name = AsciiLower(catalog.empty() ? schema : catalog);
  if (name.empty() || Contains(kOwnNames, name)) return;
  const bool covered =
      std::any_of(options_.databases.begin(), options_.databases.end(),
                  [&](const std::string& database) { return AsciiLower(database) == name; });
  if (covered) return;
  Add(effect::kOtherConnection, name, position, Risk::kDestructive,
      "names, or may name, a catalogue that the connection does not cover");
}

}  // namespace bridgekeeper::duckdb
