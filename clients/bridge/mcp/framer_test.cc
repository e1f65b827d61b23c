// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/framer.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Kind = Frame::Kind;
using Frames = std::vector<std::pair<Kind, std::string>>;

void Feed(LineFramer& framer, std::string_view bytes) {
  const std::span<char> room = framer.Prepare(bytes.size());
  std::copy(bytes.begin(), bytes.end(), room.begin());
  framer.Commit(bytes.size());
}

void Drain(LineFramer& framer, Frames& frames) {
  while (const auto frame = framer.Next()) frames.emplace_back(frame->kind, frame->text);
}

// The frames of a stream that arrives in pieces of `piece` bytes and then ends.
Frames FramesOf(std::string_view stream, size_t max_line_bytes = kMaxLineBytes,
                size_t piece = 1 << 20) {
  LineFramer framer(max_line_bytes);
  Frames frames;
  for (; !stream.empty(); stream.remove_prefix(std::min(piece, stream.size()))) {
    Feed(framer, stream.substr(0, piece));
    Drain(framer, frames);
  }
  if (const auto frame = framer.Finish()) frames.emplace_back(frame->kind, frame->text);
  return frames;
}

TEST(LineFramer, CutsAtLineFeeds) {
  EXPECT_THAT(FramesOf("{}\n[1]\n"),
              ElementsAre(Pair(Kind::kLine, "{}"), Pair(Kind::kLine, "[1]")));
}

// A character of several bytes that is split over reads.
TEST(LineFramer, KeepsCharactersThatArriveByteByByte) {
  EXPECT_THAT(FramesOf("{\"a\":\"é€\"}\n", kMaxLineBytes, 1),
              ElementsAre(Pair(Kind::kLine, "{\"a\":\"é€\"}")));
}

// A long result in small reads.
TEST(LineFramer, KeepsAMebibyteThatArrivesInSmallReads) {
  const std::string line(1 << 20, 'a');
  EXPECT_THAT(FramesOf(line + "\n", kMaxLineBytes, 4096), ElementsAre(Pair(Kind::kLine, line)));
}

// CR LF and blank lines.
TEST(LineFramer, TakesCrLfForTheEndOfALineAndSkipsBlankLines) {
  EXPECT_THAT(FramesOf("\r\n\n{}\r\n \t \r\n[]\n\n"),
              ElementsAre(Pair(Kind::kLine, "{}"), Pair(Kind::kLine, "[]")));
}

TEST(LineFramer, ShowsACarriageReturnAnywhereElse) {
  EXPECT_THAT(FramesOf("{\r}\n{}\r\r\n{}\n"),
              ElementsAre(Pair(Kind::kBareCarriageReturn, "{\r}"),
                          Pair(Kind::kBareCarriageReturn, "{}\r"), Pair(Kind::kLine, "{}")));
}

TEST(LineFramer, ServesTheLastLineWithoutAnEnd) {
  EXPECT_THAT(FramesOf("{}\n[]"), ElementsAre(Pair(Kind::kLine, "{}"), Pair(Kind::kLine, "[]")));
  EXPECT_THAT(FramesOf("{}\n  "), ElementsAre(Pair(Kind::kLine, "{}")));
  EXPECT_THAT(FramesOf(""), IsEmpty());
}

TEST(LineFramer, ALineOfExactlyTheLimitIsServed) {
  EXPECT_THAT(FramesOf("1234567890\r\n1234567890\n", 10),
              ElementsAre(Pair(Kind::kLine, "1234567890"), Pair(Kind::kLine, "1234567890")));
}

// The line after one that is too long.
TEST(LineFramer, ALineAboveTheLimitIsShownOnceAndTheNextIsServed) {
  for (const size_t piece : {1, 3, 7, 1000}) {
    const Frames frames = FramesOf("12345678901\n{}\n", 10, piece);
    ASSERT_EQ(frames.size(), 3u) << piece;
    EXPECT_EQ(frames[0].first, Kind::kTooLong);
    EXPECT_EQ(frames[1], std::pair(Kind::kEndOfTooLong, std::string("12345678901")));
    EXPECT_EQ(frames[2], std::pair(Kind::kLine, std::string("{}")));
  }
}

// A line without end.
TEST(LineFramer, ALineWithoutEndIsToldAtTheLimitAndNotKept) {
  LineFramer framer(1 << 20);
  const std::string piece(64 << 10, 'a');
  Frames frames;
  for (int i = 0; i < 4096; ++i) {  // 256 MiB
    Feed(framer, piece);
    Drain(framer, frames);
    ASSERT_LE(framer.buffered_bytes(), (1u << 20) + 2 * piece.size());
  }
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0], std::pair(Kind::kTooLong, std::string(kShownOfLongLineBytes, 'a')));
  EXPECT_LE(framer.buffered_bytes(), kShownOfLongLineBytes);
}

TEST(LineFramer, TheEndOfALineAboveTheLimitIsShown) {
  const Frames frames = FramesOf(std::string(100'000, 'a') + "the end\n", 1000, 333);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_TRUE(frames[1].second.ends_with("the end"));
  EXPECT_EQ(frames[1].second.size(), kShownOfLongLineBytes);
}

// However the stream is cut, the frames are the same.
TEST(LineFramer, PiecesDoNotMatter) {
  const unsigned seed = 20260921;
  RecordProperty("seed", std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    std::string stream;
    const size_t length = random() % 200;
    for (size_t i = 0; i < length; ++i) stream += "ab\r\n "[random() % 5];
    // The beginning that is shown of a line above the limit depends on the pieces.
    const auto without_text_of_long_lines = [](Frames frames) {
      for (auto& [kind, text] : frames) {
        if (kind == Kind::kTooLong) text.clear();
      }
      return frames;
    };
    const Frames whole = without_text_of_long_lines(FramesOf(stream, 20));
    for (const size_t piece : {1, 2, 5, 19}) {
      EXPECT_EQ(without_text_of_long_lines(FramesOf(stream, 20, piece)), whole)
          << "round " << round << ", pieces of " << piece;
    }
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
