// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Comparing with a text that is kept in the tree.

#ifndef BRIDGEKEEPER_TESTS_SUPPORT_GOLDEN_H_
#define BRIDGEKEEPER_TESTS_SUPPORT_GOLDEN_H_

#include <string>
#include <string_view>

namespace bridgekeeper::support {

// Returns what differs between `got` and the file `path` of the tree, line by line
// from the first difference, or nothing where they are equal. With
// BK_UPDATE_GOLDEN=1 in the environment the file is written and nothing differs.
std::string GoldenDifference(const std::string& path, std::string_view got);

}  // namespace bridgekeeper::support

#endif  // BRIDGEKEEPER_TESTS_SUPPORT_GOLDEN_H_
