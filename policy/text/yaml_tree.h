// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ReadTree turns the text of a document, YAML or JSON, into a tree of nodes that
// know where they stand. It knows nothing about policies.
//
// The subset of YAML that is read: mappings, lists and scalars. Anchors, aliases,
// tags and several documents in one text are refused, and so is every character
// that readers treat differently (yaml-cpp takes U+0004 for the end of the text).
//
// Source: YAML 1.2.2; RFC 8259; policy/spec.md, clauses T1 to T3.

#ifndef BRIDGEKEEPER_POLICY_TEXT_YAML_TREE_H_
#define BRIDGEKEEPER_POLICY_TEXT_YAML_TREE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/issue.h"

namespace bridgekeeper::text_internal {

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };

  Kind kind = Kind::kNull;
  // Scalars: written without quotes, so that it may be a number or true or false.
  bool plain = false;
  size_t offset = 0;  // of its first byte in the text
  std::string text;   // scalars
  // Lists: the elements. Maps: key, value, key, value ...; keys may repeat.
  std::vector<Node> items;
};

// Finds line and column of byte offsets. Offsets that are asked for in ascending
// order cost one walk over the text in all.
class LineIndex {
 public:
  // `text` must outlive the index.
  explicit LineIndex(std::string_view text) : text_(text) {}

  // Sets line and column (from 1, in characters) of `issue` to those of `offset`.
  void Place(size_t offset, Issue& issue);

 private:
  std::string_view text_;
  size_t offset_ = 0;
  int line_ = 1;
  int column_ = 1;
};

// Reads `text`. Returns nullopt where it is no document that can be looked into;
// then, and for each thing refused, an error is appended to `issues`. Never throws.
std::optional<Node> ReadTree(std::string_view text, LineIndex& lines, std::vector<Issue>& issues);

}  // namespace bridgekeeper::text_internal

#endif  // BRIDGEKEEPER_POLICY_TEXT_YAML_TREE_H_
