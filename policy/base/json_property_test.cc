// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JsonDocument against a reader of other hands (nlohmann-json), on random texts and
// on texts that are almost JSON. They must agree on what is JSON, except for what
// clause J1 refuses beyond the grammar, and on what it means.
//
// BK_TEST_SEED runs a failure again.

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

uint64_t Seed() {
  const char* given = std::getenv("BK_TEST_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::cout << "seed " << seed << " (BK_TEST_SEED=" << seed << " runs it again)\n";
  return seed;
}

class TextGenerator {
 public:
  explicit TextGenerator(uint64_t seed) : random_(seed) {}

  size_t Below(size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random_); }

  std::string Value(int depth) {
    switch (Below(depth > 0 ? 8 : 5)) {
      case 0:
        return Pick({"null", "true", "false"});
      case 1:
      case 2:
        return Pick({"0", "-0", "1", "-17", "2.50", "1e5", "1E-05", "9007199254740993", "0.1e+2"});
      case 3:
      case 4:
        return Text();
      case 5:
      case 6: {
        std::string out = "[";
        for (size_t i = 0, n = Below(4); i < n; ++i)
          out += (i > 0 ? "," : "") + Space() + Value(depth - 1);
        return out + Space() + "]";
      }
      default: {
        std::string out = "{";
        for (size_t i = 0, n = Below(4); i < n; ++i) {
          out += (i > 0 ? "," : "") + Space() + Text() + Space() + ":" + Space() + Value(depth - 1);
        }
        return out + Space() + "}";
      }
    }
  }

  // Changes a byte or two.
  std::string Damaged(std::string text) {
    using std::string_view_literals::operator""sv;
    static constexpr std::string_view kBytes =
        "{}[]:,\"\\u0123456789abcdefDdEe+-.tnl \n\t\x00\x1F\x7F\x80\xBF\xC3\xA9\xE2\xED\xF0\xFF"sv;
    for (size_t i = 0, n = Below(2) + 1; i < n && !text.empty(); ++i) {
      const size_t at = Below(text.size());
      const char byte = kBytes[Below(kBytes.size())];
      switch (Below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.insert(at, 1, byte);
          break;
        default:
          text.erase(at, Below(3) + 1);
      }
    }
    return text;
  }

 private:
  std::string Pick(std::initializer_list<const char*> items) {
    return *(items.begin() + Below(items.size()));
  }

  std::string Space() { return Pick({"", "", "", " ", "\n", "\t", "\r\n"}); }

  std::string Text() {
    std::string out = "\"";
    for (size_t i = Below(5); i > 0; --i) {
      out +=
          Pick({"a", "b", "method", "\\n", "\\\"", "\\\\", "\\/", "\\u0041", "\\u00e9", "\\u20ac",
                "\\ud83d\\ude00", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80", "\x7F", " "});
    }
    return out + "\"";
  }

  std::mt19937_64 random_;
};

// The other reader refuses a number beyond the range of a double, and takes a NUL
// byte for the end of the text.
bool IsTheirOwnRefusal(const std::string& text) {
  try {
    return nlohmann::json::parse(text).is_discarded();
  } catch (const nlohmann::json::out_of_range&) {
    return true;
  } catch (const nlohmann::json::parse_error&) {
    return false;
  }
}

// What clause J1 refuses beyond the grammar.
bool IsOurOwnRefusal(const absl::Status& status) {
  const std::string_view message = AsStd(status.message());
  return message.find("a second member") != std::string_view::npos ||
         message.find("a byte order mark") != std::string_view::npos;
}

TEST(JsonProperty, AgreesWithAnotherReader) {
  TextGenerator generator(Seed());
  int taken = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text = generator.Value(4);
    if (generator.Below(3) > 0) text = generator.Damaged(std::move(text));
    const auto document = JsonDocument::Parse(text);
    if (text.find('\0') != std::string::npos) {
      ASSERT_FALSE(document.ok()) << EscapeForPeople(text);
      continue;
    }
    const bool theirs = nlohmann::json::accept(text);
    if (!document.ok()) {
      ++refused;
      ASSERT_TRUE(!theirs || IsOurOwnRefusal(document.status()))
          << document.status().message() << "\n"
          << EscapeForPeople(text);
      continue;
    }
    ++taken;
    if (!theirs) {
      ASSERT_TRUE(IsTheirOwnRefusal(text)) << EscapeForPeople(text);
      continue;
    }
    // The canonical form means the same, and is its own.
    const std::string canonical = CanonicalJson(document->root());
    ASSERT_EQ(nlohmann::json::parse(text), nlohmann::json::parse(canonical))
        << EscapeForPeople(text);
    const auto again = JsonDocument::Parse(canonical);
    ASSERT_TRUE(again.ok()) << EscapeForPeople(canonical);
    ASSERT_EQ(CanonicalJson(again->root()), canonical);
  }
  EXPECT_GT(taken, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace bridgekeeper
