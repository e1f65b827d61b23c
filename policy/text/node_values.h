// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What readers of documents share: what a scalar is, how it is shown in a message,
// and the list of problems with their places.
//
// Source: policy/spec.md, clauses T1 to T3.

#ifndef BRIDGEKEEPER_POLICY_TEXT_NODE_VALUES_H_
#define BRIDGEKEEPER_POLICY_TEXT_NODE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/issue.h"
#include "policy/text/yaml_tree.h"

namespace bridgekeeper::text_internal {

// Text from a document as it stands in a message: escaped, and cut.
std::string Show(std::string_view text);

// "a, b, c".
std::string Listed(std::span<const std::string_view> names);

// What to do about an unknown name: the nearest known one, or all of them.
std::string NearestHelp(std::string_view name, std::span<const std::string_view> names);

// The value of a plain true or false, a plain decimal without leading zeros (an
// older YAML reads `010` as eight), a scalar that is text: in quotes, or plain and
// neither number nor boolean. nullopt for any other node.
std::optional<bool> AsBool(const Node& node);
std::optional<int64_t> AsInteger(const Node& node);
std::optional<std::string_view> AsText(const Node& node);

// True where some YAML reader takes the plain scalar for a number.
bool LooksLikeNumber(std::string_view text);

// "null", "a list", "the number `7`": what was got, for a message.
std::string Describe(const Node& node);

// Gathers the problems of one document.
class Report {
 public:
  // `text` must outlive the report. Beyond `max_issues` problems are only counted.
  Report(std::string_view text, size_t max_issues) : lines_(text), max_issues_(max_issues) {}

  LineIndex& lines() { return lines_; }
  std::vector<Issue>& issues() { return issues_; }

  void Error(const Node& at, std::string path, std::string message, std::string help = "");
  void Warning(const Node& at, std::string path, std::string message, std::string help = "");
  int LineOf(const Node& node);

  // The problems by line and column.
  std::vector<Issue> Take();

 private:
  void Add(Issue::Severity severity, const Node& at, std::string path, std::string message,
           std::string help);

  LineIndex lines_;
  size_t max_issues_;
  std::vector<Issue> issues_;
  int more_ = 0;
};

}  // namespace bridgekeeper::text_internal

#endif  // BRIDGEKEEPER_POLICY_TEXT_NODE_VALUES_H_
