// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/catalog/catalog.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNull;
using ::testing::NotNull;

// An entry that is told apart by its connection argument.
CatalogEntry Entry(std::optional<std::string> app, std::optional<std::string> server,
                   std::string tool, std::string mark) {
  CatalogEntry entry;
  if (app) entry.key.app = AppId(*app);
  if (server) entry.key.server = ServerId(*server);
  entry.key.tool = ToolName(std::move(tool));
  entry.connection_argument = std::move(mark);
  return entry;
}

std::string MarkOf(const CatalogEntry* entry) {
  return entry == nullptr ? "none" : entry->connection_argument;
}

TEST(BuiltinCatalog, HoldsThe115ToolsOfTheApps) {
  std::map<std::string, int> by_prefix;
  std::map<Risk, int> by_risk;
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const std::string& tool = entry.key.tool.value();
    ++by_prefix[tool.substr(0, tool.find("__"))];
    ++by_risk[entry.risk];
    EXPECT_TRUE(IsValidToolName(tool)) << tool;
    EXPECT_FALSE(entry.key.app || entry.key.server) << tool;
    EXPECT_TRUE(entry.builtin && entry.reviewed && !entry.disabled && entry.pin.empty()) << tool;
    EXPECT_THAT(FindBuiltin(tool), ::testing::Eq(&entry));
  }
  EXPECT_EQ(BuiltinCatalog().size(), 115u);
  EXPECT_EQ(by_prefix["es"] + by_prefix["mongo"] + by_prefix["dynamo"] + by_prefix["dockit"], 90);
  EXPECT_EQ(by_prefix["sqlkit"], 25);
  EXPECT_EQ(by_risk[Risk::kSafe] + by_risk[Risk::kElevated] + by_risk[Risk::kDestructive], 115);
  EXPECT_EQ(FindBuiltin("es__Search"), nullptr);
  EXPECT_EQ(FindBuiltin(""), nullptr);
}

TEST(BuiltinCatalog, IsSortedByName) {
  EXPECT_TRUE(std::is_sorted(
      BuiltinCatalog().begin(), BuiltinCatalog().end(),
      [](const CatalogEntry& a, const CatalogEntry& b) { return a.key.tool < b.key.tool; }));
}

TEST(BuiltinCatalog, EveryToolButTheListsOfConnectionsNeedsAConnection) {
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const bool lists = entry.key.tool.value().ends_with("kit__list_connections");
    EXPECT_EQ(entry.needs_connection, lists ? NeedsConnection::kNo : NeedsConnection::kYes);
    EXPECT_EQ(entry.connection_argument, lists ? "" : "connection_id") << entry.key.tool.value();
  }
}

// Names say what a tool does; a risk below its name would be a slip of the data.
TEST(BuiltinCatalog, NoNameThatDestroysIsBelowDestructive) {
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const std::string& tool = entry.key.tool.value();
    for (const char* verb : {"__delete", "__drop", "__truncate", "__kill", "__grant", "__revoke",
                             "__rename", "__restore_snapshot", "execute_delete", "execute_ddl"}) {
      if (tool.find(verb) == std::string::npos) continue;
      EXPECT_EQ(Name(entry.risk), "DESTRUCTIVE") << tool;
    }
  }
}

TEST(BuiltinCatalog, NoNameThatWritesIsSafe) {
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    const std::string& tool = entry.key.tool.value();
    for (const char* verb : {"create", "update", "insert", "put_", "write", "index_document",
                             "bulk", "reindex", "clone", "tag_resource", "restore"}) {
      if (tool.find(verb) == std::string::npos) continue;
      EXPECT_NE(Name(entry.risk), "SAFE") << tool;
    }
  }
}

TEST(BuiltinCatalog, ShowingOthersIsElevated) {
  for (const char* tool : {"sqlkit__list_sessions", "sqlkit__get_slow_queries",
                           "mongo__get_slow_queries", "mongo__list_users"}) {
    ASSERT_THAT(FindBuiltin(tool), NotNull()) << tool;
    EXPECT_EQ(Name(FindBuiltin(tool)->risk), "ELEVATED") << tool;
  }
}

// What a payload can do and the tool's name does not say.
TEST(BuiltinCatalog, ToolsRaiseWhereNoOtherToolDoesTheSame) {
  std::set<std::string> raise;
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    if (entry.raise) raise.insert(entry.key.tool.value());
  }
  EXPECT_EQ(raise, (std::set<std::string>{"dynamo__batch_write_items", "dynamo__create_item",
                                          "dynamo__transact_write_items", "dynamo__update_pitr",
                                          "dynamo__update_streams", "dynamo__update_ttl",
                                          "mongo__aggregate", "mongo__bulk_write",
                                          "mongo__create_collection", "mongo__create_index"}));
  EXPECT_EQ(Name(FindBuiltin("mongo__aggregate")->risk), "SAFE");
}

TEST(BuiltinCatalog, PayloadRulesOfTheSqlTools) {
  std::map<std::string, std::string> rules;
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    if (!entry.payload_rule || !entry.key.tool.value().starts_with("sqlkit__")) continue;
    EXPECT_FALSE(entry.raise);
    EXPECT_TRUE(entry.payload_rule->dialect.empty());
    if (!entry.payload_rule->makes_payload()) continue;
    rules[entry.key.tool.value()] = entry.payload_rule->payload;
    EXPECT_TRUE(entry.payload_rule->harmless_arguments.empty());
  }
  const std::map<std::string, std::string> want = {
      {"sqlkit__execute_query", "{sql}"},
      {"sqlkit__explain_query", "{sql}"},
      {"sqlkit__execute_write", "{sql}"},
      {"sqlkit__execute_delete", "{sql}"},
      {"sqlkit__execute_ddl", "{sql}"},
      {"sqlkit__grant_privilege", "GRANT {privilege} ON {object} TO {grantee}"},
      {"sqlkit__revoke_privilege", "REVOKE {privilege} ON {object} FROM {grantee}"},
  };
  EXPECT_EQ(rules, want);
}

TEST(Catalog, FindsTheMostSpecificEntry) {
  // In an order that is not the one of their rank.
  const Catalog catalog(AppId("a"), {Entry({}, {}, "t", "any"), Entry("a", "s", "t", "app+server"),
                                     Entry({}, "s", "t", "server"), Entry("a", {}, "t", "app"),
                                     Entry({}, "z", "t", "server z")});
  EXPECT_EQ(MarkOf(catalog.Find("t", "s", false)), "app+server");
  EXPECT_EQ(MarkOf(catalog.Find("t", "other", false)), "app");
  EXPECT_EQ(MarkOf(catalog.Find("t", std::nullopt, false)), "app");

  const Catalog of_b(AppId("b"), {Entry({}, {}, "t", "any"), Entry("a", "s", "t", "app+server"),
                                  Entry({}, "s", "t", "server"), Entry("a", {}, "t", "app")});
  EXPECT_EQ(MarkOf(of_b.Find("t", "s", false)), "server");
  EXPECT_EQ(MarkOf(of_b.Find("t", "other", false)), "any");
  EXPECT_EQ(MarkOf(of_b.Find("t", std::nullopt, false)), "any");
  EXPECT_EQ(MarkOf(of_b.Find("T", std::nullopt, false)), "none");
}

TEST(Catalog, BuiltinEntriesCountForNoStranger) {
  const Catalog catalog(AppId("a"), {});
  EXPECT_THAT(catalog.Find("es__search", std::nullopt, false), NotNull());
  EXPECT_THAT(catalog.Find("es__search", "dockit", true), NotNull());
  EXPECT_THAT(catalog.Find("es__search", "dockit", false), IsNull());
}

TEST(Catalog, StoredEntryComesBeforeTheBuiltinOne) {
  const Catalog catalog(
      AppId("a"), {Entry({}, {}, "es__search", "stored"), Entry("a", "s", "es__count", "mine")});
  EXPECT_EQ(MarkOf(catalog.Find("es__search", std::nullopt, false)), "stored");
  EXPECT_EQ(MarkOf(catalog.Find("es__search", "anyone", false)), "stored");
  EXPECT_EQ(MarkOf(catalog.Find("es__count", "s", true)), "mine");
  EXPECT_EQ(MarkOf(catalog.Find("es__count", "other", true)), "connection_id");
}

TEST(Catalog, EntriesAreAllSortedAndEachOnce) {
  const Catalog catalog(
      AppId("a"), {Entry({}, {}, "es__search", "stored"), Entry("a", "s2", "es__count", "mine"),
                   Entry("a", "s1", "es__count", "mine"), Entry({}, {}, "zz", "new"),
                   Entry("b", {}, "yy", "of another app")});
  std::vector<std::string> changed;
  for (const CatalogEntry* entry : catalog.Entries()) {
    const std::string& tool = entry->key.tool.value();
    if (tool == "es__search" || tool == "es__count" || tool == "zz" || tool == "yy") {
      changed.push_back(tool + " " + (entry->key.server ? entry->key.server->value() : "*") + " " +
                        MarkOf(entry));
    }
  }
  EXPECT_THAT(changed, ElementsAre("es__count s1 mine", "es__count s2 mine",
                                   "es__count * connection_id", "es__search * stored", "zz * new"));
  // 115 and the two of es__count and zz; es__search is replaced.
  EXPECT_EQ(catalog.Entries().size(), 118u);
  EXPECT_EQ(catalog.stored().size(), 4u);
}

TEST(Catalog, FirstOfTwoWithOneKeyCounts) {
  const Catalog catalog(AppId("a"), {Entry("a", {}, "t", "first"), Entry("a", {}, "t", "second")});
  EXPECT_EQ(MarkOf(catalog.Find("t", std::nullopt, false)), "first");
  EXPECT_EQ(catalog.stored().size(), 1u);
}

TEST(Catalog, EntriesMarkedBuiltinAreNotStored) {
  CatalogEntry forged = Entry({}, {}, "es__search", "forged");
  forged.builtin = true;
  const Catalog catalog(AppId("a"), {forged});
  EXPECT_EQ(MarkOf(catalog.Find("es__search", std::nullopt, false)), "connection_id");
  EXPECT_TRUE(catalog.stored().empty());
}

}  // namespace
}  // namespace bridgekeeper
