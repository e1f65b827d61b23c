// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/answer.h"

#include <charconv>

namespace bridgekeeper::duckdb {
namespace {

constexpr std::string_view kNotQueryMessage = "Only SELECT statements can be serialized to json!";
// An object of the tree is one level, at times two with the list that holds it.
constexpr size_t kMaxJsonDepth = 3 * kMaxTreeDepth;

}  // namespace

Answer::Answer(std::string_view json) {
  Object root;
  bool error = true;
  if (parser_.allocate(json.size(), kMaxJsonDepth) != simdjson::SUCCESS ||
      parser_.parse(json.data(), json.size()).get(root) != simdjson::SUCCESS ||
      root.at_key("error").get(error) != simdjson::SUCCESS) {
    return;
  }
  if (!error) {
    if (root.at_key("statements").get(statements_) == simdjson::SUCCESS) kind_ = Kind::kTree;
    return;
  }
  std::string_view message;
  if (root.at_key("error_message").get(message) != simdjson::SUCCESS) return;
  message_ = message;
  kind_ = message == kNotQueryMessage ? Kind::kNotQuery : Kind::kSyntax;
  std::string_view position;
  if (root.at_key("position").get(position) == simdjson::SUCCESS) {
    size_t number = 0;
    const auto [end, code] =
        std::from_chars(position.data(), position.data() + position.size(), number);
    if (code == std::errc() && end == position.data() + position.size()) position_ = number;
  }
}

}  // namespace bridgekeeper::duckdb
