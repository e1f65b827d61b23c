// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/key_codec.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/strings.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::StartsWith;

RecordKey EntryKey(std::string app, std::string server, std::string tool) {
  return {RecordKind::kCatalogEntry, std::move(app), std::move(server), std::move(tool)};
}

// These bytes are on disks. A change here needs a new version byte and a migration.
TEST(KeyCodec, WritesTheGoldenBytesOfFormatMd) {
  const RecordKey connection{RecordKind::kConnection, "dockit", "", "prod/pg:1"};
  EXPECT_EQ(HexEncode(EncodeKey(PolicyKey("dockit"))), "0101646f636b6974000000");
  EXPECT_EQ(HexEncode(EncodeKey(EntryKey("dockit", "es", "search"))),
            "0102646f636b6974006573007365617263680"
            "0");
  EXPECT_EQ(HexEncode(EncodeKey(EntryKey("", "", "search"))),
            "010200007365617263680"
            "0");
  EXPECT_EQ(HexEncode(EncodeKey(connection)), "0103646f636b6974000070726f642f70673a3100");
  EXPECT_EQ(HexEncode(EncodeHistoryKey(PolicyKey("dockit"), Revision{0x0102030405})),
            "0101646f636b6974000000"
            "0000000102030405");
  EXPECT_EQ(HexEncode(EncodeCommitKey(Revision{7})), "010000000000000007");
  EXPECT_EQ(HexEncode(EncodeRequestKey("ada", "r-1")),
            "0100036164"
            "61722d31");
}

TEST(KeyCodec, ReadsBackWhatItWrites) {
  for (const RecordKey& key :
       {PolicyKey("a"), PolicyKey(std::string(128, 'z')), EntryKey("", "", "t"),
        EntryKey("a", "", "t"), EntryKey("", "s", "t"), EntryKey("a", "s", "t"),
        RecordKey{RecordKind::kConnection, "a", "", "c/d:e@f"}}) {
    EXPECT_EQ(DecodeKey(EncodeKey(key)), key) << Describe(key);
  }
}

TEST(KeyCodec, RefusesWhatItDidNotWrite) {
  const std::string good = EncodeKey(EntryKey("a", "s", "t"));
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_EQ(DecodeKey(good.substr(0, length)), std::nullopt) << length;
  }
  EXPECT_EQ(DecodeKey(good + "x"), std::nullopt);
  EXPECT_EQ(DecodeKey(good + '\0'), std::nullopt);
  std::string other_version = good;
  other_version[0] = 2;
  EXPECT_EQ(DecodeKey(other_version), std::nullopt);
  std::string other_kind = good;
  other_kind[1] = 4;
  EXPECT_EQ(DecodeKey(other_kind), std::nullopt);
  std::string bad_id = good;
  bad_id[2] = ' ';
  EXPECT_EQ(DecodeKey(bad_id), std::nullopt);
  // A policy has neither server nor id.
  EXPECT_EQ(DecodeKey(std::string("\x01\x01"
                                  "a\0s\0\0",
                                  7)),
            std::nullopt);
}

TEST(KeyCodec, SortsAsRecordKeysDo) {
  std::mt19937 random(20261001);
  const std::string alphabet = "-./09:@AZ_az";
  const auto id = [&](size_t shortest) {
    std::string out(shortest + random() % 3, '\0');
    for (char& c : out) c = alphabet[random() % alphabet.size()];
    return out;
  };
  std::vector<RecordKey> keys;
  for (int i = 0; i < 2000; ++i) {
    switch (random() % 3) {
      case 0:
        keys.push_back(PolicyKey(id(1)));
        break;
      case 1:
        keys.push_back(EntryKey(id(0), id(0), id(1)));
        break;
      default:
        keys.push_back({RecordKind::kConnection, id(1), "", id(1)});
        break;
    }
  }
  std::sort(keys.begin(), keys.end());
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end(), [](const auto& a, const auto& b) {
    return EncodeKey(a) < EncodeKey(b);
  }));
}

TEST(KeyCodec, HistoryOfARecordIsInTheOrderOfRevisionsAndApartFromOthers) {
  EXPECT_LT(EncodeHistoryKey(PolicyKey("a"), Revision{255}),
            EncodeHistoryKey(PolicyKey("a"), Revision{256}));
  // Whatever the revision: `ab` comes after all of `a`.
  EXPECT_LT(EncodeHistoryKey(PolicyKey("a"), Revision{INT64_MAX}),
            EncodeHistoryKey(PolicyKey("ab"), Revision{1}));
}

TEST(KeyCodec, PrefixesCoverTheirKeysAndNoOthers) {
  const std::string key = EncodeKey(EntryKey("ab", "s", "t"));
  EXPECT_THAT(key, StartsWith(KindPrefix(RecordKind::kCatalogEntry)));
  EXPECT_THAT(key, StartsWith(AppPrefix(RecordKind::kCatalogEntry, "ab")));
  EXPECT_THAT(key, StartsWith(AppStartPrefix(RecordKind::kCatalogEntry, "a")));
  EXPECT_THAT(key, Not(StartsWith(AppPrefix(RecordKind::kCatalogEntry, "a"))));
  EXPECT_THAT(key, Not(StartsWith(AppPrefix(RecordKind::kCatalogEntry, ""))));
  EXPECT_THAT(key, Not(StartsWith(KindPrefix(RecordKind::kPolicy))));
}

TEST(KeyCodec, TheAppPrefixOfAKeyIsTheOneItStartsWith) {
  EXPECT_EQ(AppPrefixOf(EncodeKey(EntryKey("ab", "s", "t"))),
            AppPrefix(RecordKind::kCatalogEntry, "ab"));
  EXPECT_EQ(AppPrefixOf(EncodeKey(EntryKey("", "", "t"))),
            AppPrefix(RecordKind::kCatalogEntry, ""));
  EXPECT_EQ(AppPrefixOf(AppPrefix(RecordKind::kPolicy, "a")), AppPrefix(RecordKind::kPolicy, "a"));
  EXPECT_EQ(AppPrefixOf(KindPrefix(RecordKind::kPolicy)), std::nullopt);
  EXPECT_EQ(AppPrefixOf(AppStartPrefix(RecordKind::kPolicy, "a")), std::nullopt);
  EXPECT_EQ(AppPrefixOf(""), std::nullopt);
}

TEST(KeyCodec, RequestsOfTwoAuthorsNeverShareAKey) {
  EXPECT_NE(EncodeRequestKey("ab", "c"), EncodeRequestKey("a", "bc"));
  EXPECT_NE(EncodeRequestKey("", "abc"), EncodeRequestKey("abc", ""));
  EXPECT_NE(EncodeRequestKey(std::string(256, 'a'), ""),
            EncodeRequestKey("", std::string(256, 'a')));
}

}  // namespace
}  // namespace bridgekeeper::store
