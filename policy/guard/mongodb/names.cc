// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Fields by name, and the databases and collections that are no plain data.
//
// Source: the MongoDB manual, "System Collections", "The Local Database" and "Config
// Database".

#include <algorithm>
#include <iterator>

#include "policy/base/strings.h"
#include "policy/guard/effects.h"
#include "policy/guard/mongodb/inventory.h"

namespace bridgekeeper::mongodb {
namespace {

using enum Risk;

constexpr Act kPlain = {};
constexpr Act kCredentials = {effect::kSensitiveRead, kDestructive,
                              "shows password hashes, keys or tokens"};
constexpr Act kHostNames = {effect::kSensitiveRead, kDestructive,
                            "shows the server's options and names of its files"};
constexpr Act kStatements = {effect::kSensitiveRead, kElevated,
                             "shows what other sessions asked, values included"};
constexpr Act kReplication = {effect::kSensitiveRead, kElevated,
                              "shows changes as they are replicated"};
constexpr Act kInternal = {effect::kSensitiveRead, kElevated,
                           "reads what the server keeps for itself"};
constexpr Act kUnknownSystem = {effect::kUnknown, kDestructive,
                                "the name is kept for the server, and this one is not known"};
constexpr Act kSystemWrites = {effect::kSystemWrite, kDestructive,
                               "writes to what the server keeps for itself"};

struct Row {
  std::string_view collection;
  Act act;
};

// In whatever database they stand: that of a call is not always known.
constexpr Row kReads[] = {
    {"__keyVault", kCredentials},          {"external_validation_keys", kCredentials},
    {"oplog.$main", kReplication},         {"oplog.rs", kReplication},
    {"replset.minvalid", kReplication},    {"startup_log", kHostNames},
    {"system.backup_users", kCredentials}, {"system.healthlog", kStatements},
    {"system.indexes", kInternal},         {"system.js", kInternal},
    {"system.keys", kCredentials},         {"system.namespaces", kInternal},
    {"system.new_users", kCredentials},    {"system.preimages", kReplication},
    {"system.profile", kStatements},       {"system.replset", kReplication},
    {"system.roles", kInternal},           {"system.sessions", kStatements},
    {"system.users", kCredentials},        {"system.version", kInternal},
    {"system.views", kInternal},
};

bool IsInternalDatabase(std::string_view database) {
  const std::string name = AsciiLower(database);
  return name == "admin" || name == "config" || name == "local" || name == "$external";
}

}  // namespace

const Field* FindField(const Shape& shape, std::string_view name) {
  const auto by_name = [&](std::string_view n) -> const Field* {
    for (const Field& field : shape.fields) {
      if (field.name == n) return &field;
    }
    return nullptr;
  };
  const Field* const found = by_name(name);
  return found != nullptr ? found : by_name(kAnyOther);
}

Act ActOfReading(std::string_view database, std::string_view collection) {
  const auto* const row = std::find_if(std::begin(kReads), std::end(kReads),
                                       [&](const Row& r) { return r.collection == collection; });
  if (row != std::end(kReads)) return row->act;
  if (IsInternalDatabase(database)) return kInternal;
  // Buckets hold a time series' data.
  if (collection.starts_with("system.buckets.")) return kPlain;
  if (collection.starts_with("system.") || collection.find('$') != std::string_view::npos) {
    return kUnknownSystem;
  }
  return kPlain;
}

Act ActOfWriting(std::string_view database, std::string_view collection) {
  // `enxcol_` collections are the state of queryable encryption.
  const bool kept = IsInternalDatabase(database) || collection.starts_with("system.") ||
                    collection.starts_with("oplog.") || collection.starts_with("enxcol_.") ||
                    collection.find('$') != std::string_view::npos;
  return kept ? kSystemWrites : kPlain;
}

}  // namespace bridgekeeper::mongodb
