// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Unicode simple case folding: what makes two keys the same key for a JSON reader
// that ignores case (Go's encoding/json, some Java and .NET mappers).
//
// Source: Unicode Standard section 5.18, CaseFolding.txt, status C and S. Go's
// reader folds U+017F and U+212A to `s` and `k`, which is why ASCII is not enough.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FOLD_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FOLD_H_

#include <string>
#include <string_view>

namespace bridgekeeper::bridge {

// Folds one character.
char32_t SimpleFold(char32_t c);

// Folds every character of `text`. REQUIRES: text is valid UTF-8
std::string SimpleFold(std::string_view text);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FOLD_H_
