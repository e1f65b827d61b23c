// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/upstream/sse_parser.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Events(SseParser& parser, std::string_view bytes) {
  std::vector<std::string> events;
  EXPECT_THAT(parser.Feed(bytes, [&](std::string_view data) { events.emplace_back(data); }),
              IsOk());
  return events;
}

std::vector<std::string> Events(std::string_view bytes) {
  SseParser parser;
  return Events(parser, bytes);
}

TEST(SseParser, ReadsEvents) {
  EXPECT_THAT(Events("data: a\n\ndata:b\n\n"), ElementsAre("a", "b"));
  EXPECT_THAT(Events("data: a\ndata: b\n\n"), ElementsAre("a\nb"));
  EXPECT_THAT(Events("event: message\nid: 1\ndata: a\n\n"), ElementsAre("a"));
  EXPECT_THAT(Events("data:  a \n\n"), ElementsAre(" a ")) << "one space goes";
  EXPECT_THAT(Events("data\n\n"), ElementsAre(""));
}

TEST(SseParser, ReadsEveryEndOfLine) {
  EXPECT_THAT(Events("data: a\r\n\r\ndata: b\r\rdata: c\n\n"), ElementsAre("a", "b", "c"));
}

TEST(SseParser, SkipsWhatIsNoEvent) {
  EXPECT_THAT(Events(": keep-alive\n\n: x\n\nunknown: y\n\nevent: z\n\n"), IsEmpty());
  EXPECT_THAT(Events("\xef\xbb\xbf"
                     "data: a\n\n"),
              ElementsAre("a"));
  EXPECT_THAT(Events("data: without an end\n"), IsEmpty());
}

TEST(SseParser, IsTheSameHoweverTheBytesCome) {
  const std::string stream =
      "id: 7\r\ndata: é\r\ndata: b\r\n\r\n: c\r\n\r\nid: 8\r\ndata: d\r\n\r\n";
  const std::vector<std::string> whole = Events(stream);
  EXPECT_THAT(whole, ElementsAre("é\nb", "d"));
  SseParser parser;
  std::vector<std::string> events;
  for (const char c : stream) {
    for (std::string& event : Events(parser, std::string_view(&c, 1))) {
      events.push_back(std::move(event));
    }
  }
  EXPECT_EQ(events, whole);
  EXPECT_EQ(parser.last_event_id(), "8");
}

TEST(SseParser, KeepsALongEventThatComesInManyPieces) {
  const std::string data(200'000, 'x');
  const std::string stream = "data: " + data + "\n\ndata: b\n\n";
  SseParser parser;
  std::vector<std::string> events;
  constexpr size_t kPiece = 1'460;
  for (size_t at = 0; at < stream.size(); at += kPiece) {
    for (std::string& event : Events(parser, std::string_view(stream).substr(at, kPiece))) {
      events.push_back(std::move(event));
    }
  }
  EXPECT_THAT(events, ElementsAre(data, "b"));
}

TEST(SseParser, KeepsTheIdToComeBackTo) {
  SseParser parser;
  EXPECT_THAT(Events(parser, "id: 1\ndata: \n\n"), ElementsAre("")) << "it only names a place";
  EXPECT_EQ(parser.last_event_id(), "1");
  Events(parser, "data: a\n\n");
  EXPECT_EQ(parser.last_event_id(), "1") << "it holds until another comes";
  Events(parser, "id: 2\ndata: b");
  EXPECT_EQ(parser.last_event_id(), "1") << "only what has ended counts";
  Events(parser, "\n\n");
  EXPECT_EQ(parser.last_event_id(), "2");
  Events(parser, "id: a\tb\ndata: x\n\nid: " + std::string(2000, 'x') + "\ndata: y\n\n");
  EXPECT_EQ(parser.last_event_id(), "2") << "what does not fit a header is none";
}

TEST(SseParser, ReadsHowLongToWait) {
  SseParser parser;
  Events(parser, "retry: 1500\n\n");
  EXPECT_EQ(parser.retry(), absl::Milliseconds(1500));
  Events(parser, "retry: -1\n\nretry: 1x\n\nretry: 99999999999999999999\n\n");
  EXPECT_EQ(parser.retry(), absl::Milliseconds(1500));
  Events(parser, "retry: 99999999\n\n");
  EXPECT_EQ(parser.retry(), absl::Seconds(60)) << "no longer than that";
}

TEST(SseParser, EndsAtAnEventThatIsTooLong) {
  SseParser parser(100);
  EXPECT_THAT(parser.Feed("data: " + std::string(90, 'x') + "\n\n", [](std::string_view) {}),
              IsOk());
  EXPECT_THAT(parser.Feed("data: " + std::string(100, 'x'), [](std::string_view) {}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  SseParser many(100);
  absl::Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    status = many.Feed("data: xxxxxxxxxx\n", [](std::string_view) {});
  }
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
}

}  // namespace
}  // namespace bridgekeeper::bridge
