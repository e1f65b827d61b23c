// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/catalog_core.h"

#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/catalog/catalog.h"
#include "policy/testing/fake_clock.h"
#include "policy/testing/status_matchers.h"
#include "service/core/connection_core.h"
#include "store/memory/memory_store.h"
#include "store/testing/samples.h"

namespace bridgekeeper::service {
namespace {

using store::SampleConnection;
using store::SampleEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr absl::StatusCode kNotFound = absl::StatusCode::kNotFound;

CatalogKey KeyFor(std::string_view tool) { return {std::nullopt, std::nullopt, ToolName(tool)}; }

class CatalogCoreTest : public ::testing::Test {
 protected:
  void MustPut(CatalogEntry entry) {
    std::vector<CatalogCore::Item> items;
    items.push_back({std::move(entry), 0});
    ASSERT_THAT(core_.PutAll(std::move(items), by_ada_), IsOk());
  }

  // The whole list, read in pages of `size`, as "app/server/tool".
  std::vector<std::string> List(const CatalogCore::Filter& filter, size_t size) {
    std::vector<std::string> out;
    std::optional<store::RecordKey> after;
    for (bool more = true; more;) {
      const auto page = core_.List(filter, after, size);
      EXPECT_THAT(page, IsOk());
      if (page->records.empty()) break;
      EXPECT_LE(page->records.size(), size);
      for (const store::Record& record : page->records) {
        out.push_back(
            absl::StrFormat("%s/%s/%s", record.key.app, record.key.server, record.key.id));
      }
      after = page->records.back().key;
      more = page->more;
    }
    return out;
  }

  store::MemoryStore store_;
  Metrics metrics_;
  FakeClock clock_;
  AppCache cache_{store_, {}, clock_, metrics_};
  RecordWriter writer_{store_, cache_, clock_, metrics_};
  CatalogCore core_{store_, writer_};
  const WriteContext by_ada_{.author = "ada"};
};

TEST_F(CatalogCoreTest, BuiltInEntryIsReadWithoutARevision) {
  const auto record = core_.Get(KeyFor("es__search"));
  ASSERT_THAT(record, IsOk());
  EXPECT_EQ(record->revision.value, 0);
  EXPECT_TRUE(std::get<CatalogEntry>(*record->value).builtin);
  EXPECT_THAT(core_.Get(KeyFor("no_such_tool")), StatusIs(kNotFound, HasSubstr("no_such_tool")));
}

TEST_F(CatalogCoreTest, StoredEntryTakesThePlaceOfTheBuiltInOneUntilItIsDeleted) {
  MustPut(SampleEntry("", "", "es__search", Risk::kDestructive));
  EXPECT_EQ(core_.Get(KeyFor("es__search"))->revision.value, 1);
  const CatalogCore::Filter all{.include_builtin = true};
  EXPECT_EQ(List(all, 1000).size(), BuiltinCatalog().size());
  EXPECT_THAT(core_.Delete(KeyFor("es__search"), 1, by_ada_), IsOkAndHolds(Revision{2}));
  EXPECT_EQ(core_.Get(KeyFor("es__search"))->revision.value, 0);
}

TEST_F(CatalogCoreTest, BatchIsOneRevisionOrNone) {
  std::vector<CatalogCore::Item> items;
  items.push_back({SampleEntry("dockit", "", "a"), 0});
  items.push_back({SampleEntry("dockit", "", "b"), 5});
  EXPECT_THAT(core_.PutAll(items, by_ada_), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(store_.Token().revision.value, 0);
  items[1].expected_revision = 0;
  const auto done = core_.PutAll(items, by_ada_);
  ASSERT_THAT(done, IsOk());
  EXPECT_EQ(done->revision.value, 1);
  EXPECT_EQ(done->changed, 2u);
}

TEST_F(CatalogCoreTest, PagesOfEverySizeMakeTheWholeList) {
  MustPut(SampleEntry("", "", "aaa_first"));
  MustPut(SampleEntry("", "", "es__search"));
  MustPut(SampleEntry("", "", "zzz_last"));
  MustPut(SampleEntry("", "pg", "query"));
  MustPut(SampleEntry("dockit", "", "own"));
  MustPut(SampleEntry("dockit", "pg", "query"));
  MustPut(SampleEntry("sqlkit", "", "other"));
  for (const bool include_builtin : {false, true}) {
    for (const bool one_app : {false, true}) {
      CatalogCore::Filter filter{.include_builtin = include_builtin};
      if (one_app) filter.app = AppId("dockit");
      const std::vector<std::string> whole = List(filter, 1000);
      EXPECT_TRUE(std::is_sorted(whole.begin(), whole.end()));
      EXPECT_EQ(std::adjacent_find(whole.begin(), whole.end()), whole.end());
      EXPECT_EQ(whole.size(),
                (one_app ? 6u : 7u) + (include_builtin ? BuiltinCatalog().size() - 1 : 0u));
      for (const size_t size : {1u, 2u, 3u, 7u, 100u}) EXPECT_EQ(List(filter, size), whole);
    }
  }
}

TEST_F(CatalogCoreTest, ListKeepsToTheServer) {
  MustPut(SampleEntry("", "pg", "query"));
  MustPut(SampleEntry("", "other", "query"));
  MustPut(SampleEntry("dockit", "pg", "query"));
  EXPECT_THAT(List({.server = ServerId("pg"), .include_builtin = true}, 10),
              ElementsAre("/pg/query", "dockit/pg/query"));
}

TEST(ConnectionCoreTest, KeepsRecordsOfAppsApart) {
  store::MemoryStore store;
  Metrics metrics;
  FakeClock clock;
  AppCache cache(store, {}, clock, metrics);
  RecordWriter writer(store, cache, clock, metrics);
  ConnectionCore core(store, writer);
  const WriteContext by_ada{.author = "ada"};

  const auto written = core.Put(SampleConnection("dockit", "prod"), 0, by_ada);
  ASSERT_THAT(written, IsOk());
  EXPECT_TRUE(written->changed);
  EXPECT_EQ(written->record.revision.value, 1);
  EXPECT_FALSE(core.Put(SampleConnection("dockit", "prod"), 0, by_ada)->changed);
  EXPECT_THAT(core.Put(SampleConnection("dockit", "prod", "renamed"), 0, by_ada),
              StatusIs(absl::StatusCode::kAborted));
  ASSERT_THAT(core.Put(SampleConnection("dockit", "stage"), 0, by_ada), IsOk());
  ASSERT_THAT(core.Put(SampleConnection("sqlkit", "prod"), 0, by_ada), IsOk());

  EXPECT_EQ(core.Get(AppId("dockit"), ConnectionId("prod"))->revision.value, 1);
  EXPECT_THAT(core.Get(AppId("dockit"), ConnectionId("nope")), StatusIs(kNotFound));
  const auto page = core.List(AppId("dockit"), std::nullopt, 1);
  ASSERT_THAT(page, IsOk());
  EXPECT_TRUE(page->more);
  const auto rest = core.List(AppId("dockit"), page->records.back().key, 10);
  ASSERT_THAT(rest, IsOk());
  ASSERT_EQ(rest->records.size(), 1u);
  EXPECT_EQ(rest->records[0].key.id, "stage");
  EXPECT_EQ(core.List(std::nullopt, std::nullopt, 10)->records.size(), 3u);
  EXPECT_THAT(core.Delete(AppId("dockit"), ConnectionId("prod"), 1, by_ada), IsOk());
  EXPECT_THAT(core.Get(AppId("dockit"), ConnectionId("prod")), StatusIs(kNotFound));
}

}  // namespace
}  // namespace bridgekeeper::service
