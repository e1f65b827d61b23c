// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/model/issue.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace bridgekeeper {

bool HasErrors(const std::vector<Issue>& issues) {
  return std::any_of(issues.begin(), issues.end(),
                     [](const Issue& i) { return i.severity == Issue::Severity::kError; });
}

std::string FormatIssue(const Issue& issue, const std::string& file) {
  std::string out = file;
  if (issue.line > 0) out += absl::StrFormat(":%d:%d", issue.line, issue.column);
  out += issue.severity == Issue::Severity::kError ? ": error: " : ": warning: ";
  if (!issue.path.empty()) out += issue.path + ": ";
  out += issue.message;
  if (!issue.help.empty()) out += absl::StrFormat(" (%s)", issue.help);
  return out;
}

}  // namespace bridgekeeper
