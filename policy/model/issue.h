// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Issue is one problem of a document or of a configuration, with its place and
// what to do about it. Readers report all issues at once.

#ifndef BRIDGEKEEPER_POLICY_MODEL_ISSUE_H_
#define BRIDGEKEEPER_POLICY_MODEL_ISSUE_H_

#include <string>
#include <vector>

namespace bridgekeeper {

struct Issue {
  enum class Severity { kError, kWarning };

  Severity severity = Severity::kError;
  int line = 0;    // from 1; 0: the document as a whole
  int column = 0;  // from 1, in characters; 0 with line 0
  std::string path;     // where in the document: "connection_overrides.prod.read_only"
  std::string message;  // lower case, no full stop, user text in backticks: "got X, want Y"
  std::string help;     // what to do; may be empty: "did you mean `read_only`?"

  friend bool operator==(const Issue&, const Issue&) = default;
};

// True where any issue is an error.
bool HasErrors(const std::vector<Issue>& issues);

// One issue as `FILE:LINE:COLUMN: error: PATH: MESSAGE (HELP)`.
std::string FormatIssue(const Issue& issue, const std::string& file);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_MODEL_ISSUE_H_
