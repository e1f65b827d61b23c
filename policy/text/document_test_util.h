// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#ifndef BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_TEST_UTIL_H_
#define BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_TEST_UTIL_H_

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/text/document.h"

namespace bridgekeeper {

inline std::vector<std::string> Formatted(const std::vector<Issue>& issues) {
  std::vector<std::string> out;
  for (const Issue& issue : issues) out.push_back(FormatIssue(issue, "f"));
  return out;
}

inline McpPolicy OnlyPolicy(std::string_view text, const DocumentOptions& options = {}) {
  const auto parsed = ParsePolicyDocument(text, options);
  EXPECT_THAT(Formatted(parsed.issues), ::testing::IsEmpty());
  return parsed.values.size() == 1 ? parsed.values[0] : McpPolicy{};
}

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_TEST_UTIL_H_
