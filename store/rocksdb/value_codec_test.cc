// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "store/rocksdb/value_codec.h"

#include <string>
#include <vector>

#include "policy/base/strings.h"
#include "policy/testing/status_matchers.h"
#include "store/rocksdb/key_codec.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

using ::testing::HasSubstr;

Record RecordOf(RecordValue value, Revision revision) {
  RecordKey key = KeyOf(value);
  return {.key = std::move(key),
          .revision = revision,
          .time = By().time,
          .author = "ada",
          .reason = "because",
          .value = std::move(value)};
}

std::string Sealed(const Record& record) {
  const auto payload = EncodeRecord(record);
  EXPECT_THAT(payload, IsOk());
  return Seal(EncodeKey(record.key), *payload);
}

absl::StatusOr<Record> Read(const RecordKey& key, const std::string& value) {
  return DecodeRecord(key, EncodeKey(key), value);
}

// These bytes are on disks, and stand in FORMAT.md.
TEST(ValueCodec, WritesTheGoldenBytesOfFormatMd) {
  Record record = RecordOf(SamplePolicy("dockit", Mode::kReadOnly), Revision{7});
  record.value.reset();
  EXPECT_EQ(HexEncode(Sealed(record)),
            "01"
            "d5a89086"
            "0a1d0807120b0880f7c4d50610959aef3a1a03616461220762656361757365");
}

TEST(ValueCodec, ReadsBackWhatItWrites) {
  std::vector<Record> records = {
      RecordOf(SamplePolicy("a"), Revision{1}),
      RecordOf(FullPolicy("a"), Revision{INT64_MAX}),
      RecordOf(SampleEntry("", "", "t"), Revision{2}),
      RecordOf(FullEntry("a", "s", "t"), Revision{2}),
      RecordOf(SampleConnection("a", "c"), Revision{3}),
      RecordOf(FullConnection("a", "c"), Revision{3}),
  };
  records.push_back(records.back());
  records.back().value.reset();
  records.push_back(records.back());
  records.back().time = absl::FromUnixNanos(-1);
  records.back().author = records.back().reason = "";
  for (const Record& record : records) {
    EXPECT_THAT(Read(record.key, Sealed(record)), IsOkAndHolds(record)) << Describe(record.key);
  }
}

TEST(ValueCodec, NoBitOfAValueCanFlipUnseen) {
  const Record record = RecordOf(SamplePolicy("dockit"), Revision{7});
  const std::string value = Sealed(record);
  for (size_t bit = 0; bit < value.size() * 8; ++bit) {
    std::string flipped = value;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(Read(record.key, flipped), StatusIs(absl::StatusCode::kDataLoss)) << bit;
  }
  for (size_t length = 0; length < value.size(); ++length) {
    EXPECT_THAT(Read(record.key, value.substr(0, length)), StatusIs(absl::StatusCode::kDataLoss))
        << length;
  }
}

TEST(ValueCodec, AValueUnderAnotherKeyIsDamaged) {
  const Record record = RecordOf(SamplePolicy("dockit"), Revision{7});
  EXPECT_THAT(Read(PolicyKey("sqlkit"), Sealed(record)),
              StatusIs(absl::StatusCode::kDataLoss,
                       HasSubstr("policy `sqlkit` is damaged in the store: its checksum")));
  // Even where it was sealed for that key.
  const std::string sealed = Seal(EncodeKey(PolicyKey("sqlkit")), *EncodeRecord(record));
  EXPECT_THAT(Read(PolicyKey("sqlkit"), sealed),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("another record's")));
}

TEST(ValueCodec, AnUnknownVersionIsDamaged) {
  const Record record = RecordOf(SamplePolicy("dockit"), Revision{7});
  std::string value = Sealed(record);
  value[0] = 2;
  EXPECT_THAT(Read(record.key, value),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("its version is not known")));
}

TEST(ValueCodec, WhatCouldNotBeReadBackIsNotWritten) {
  McpPolicy policy = SamplePolicy("dockit");
  policy.suspend_reason = std::string(513, 'x');
  EXPECT_THAT(EncodeRecord(RecordOf(policy, Revision{1})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("policy `dockit`: ")));
  policy.suspend_reason = "\xff";
  EXPECT_THAT(EncodeRecord(RecordOf(policy, Revision{1})),
              StatusIs(absl::StatusCode::kInvalidArgument));
  policy.suspend_reason = "";
  policy.max_staleness = absl::Seconds(1);
  EXPECT_THAT(EncodeRecord(RecordOf(policy, Revision{1})),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("max_staleness")));
  policy.max_staleness = absl::Minutes(1) + absl::Nanoseconds(1) / 2;
  EXPECT_THAT(
      EncodeRecord(RecordOf(policy, Revision{1})),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("holds what its message cannot")));
}

TEST(ValueCodec, CommitsHeadsAndResultsComeBack) {
  const std::vector<CommitChange> changes = {{PolicyKey("a"), Revision{0}},
                                             {PolicyKey("b"), Revision{4}}};
  EXPECT_THAT(DecodeCommit(Revision{5}, EncodeCommit(Revision{5}, changes)), IsOkAndHolds(changes));
  EXPECT_THAT(DecodeCommit(Revision{6}, EncodeCommit(Revision{5}, changes)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("commit 6 is damaged")));
  EXPECT_THAT(DecodeCommit(Revision{4}, EncodeCommit(Revision{4}, changes)),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("previous revision")));
  EXPECT_THAT(DecodeCommit(Revision{5}, EncodeCommit(Revision{5}, {})),
              StatusIs(absl::StatusCode::kDataLoss, HasSubstr("changes nothing")));

  const Head head{Revision{9}, Revision{3}, 1'000'000};
  EXPECT_THAT(DecodeHead(EncodeHead(head)), IsOkAndHolds(head));
  EXPECT_THAT(DecodeHead(EncodeHead({Revision{2}, Revision{3}, 0})),
              StatusIs(absl::StatusCode::kDataLoss));

  const RememberedResult result{
      By().time, {.revision = Revision{9}, .changed = 1, .records = {Revision{9}, Revision{0}}}};
  EXPECT_THAT(DecodeResult("key", EncodeResult("key", result)), IsOkAndHolds(result));
  EXPECT_THAT(DecodeResult("other", EncodeResult("key", result)),
              StatusIs(absl::StatusCode::kDataLoss));
}

}  // namespace
}  // namespace bridgekeeper::store
