// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/grammar.h"

#include "absl/container/flat_hash_map.h"

namespace bridgekeeper::postgres {
namespace {

#include "policy/guard/postgres/grammar.inc"

// Every object of a tree is looked up, so the hash is of a few bytes.
struct KindHash {
  size_t operator()(std::string_view name) const {
    if (name.empty()) return 0;
    const auto byte = [&](size_t at) {
      return static_cast<size_t>(static_cast<uint8_t>(name[at]));
    };
    const size_t mixed =
        name.size() | byte(0) << 8 | byte(name.size() / 2) << 16 | byte(name.size() * 3 / 4) << 24;
    return mixed * 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: spreads over all bits
  }
};

using KindIndex = absl::flat_hash_map<std::string_view, int16_t, KindHash>;

const KindIndex& Index() {
  static const KindIndex* const index = [] {
    auto* made = new KindIndex;
    for (int16_t kind = 0; kind < static_cast<int16_t>(std::size(kGrammarKinds)); ++kind) {
      made->emplace(kGrammarKinds[kind].name, kind);
    }
    return made;
  }();
  return *index;
}

}  // namespace

std::span<const GrammarKind> GrammarKinds() { return kGrammarKinds; }

std::span<const GrammarField> FieldsOf(int16_t kind) {
  const GrammarKind& row = kGrammarKinds[kind];
  return std::span(kFields).subspan(row.first_field, row.last_field - row.first_field);
}

std::optional<int16_t> FindKind(std::string_view name) {
  const auto found = Index().find(name);
  if (found == Index().end()) return std::nullopt;
  return found->second;
}

}  // namespace bridgekeeper::postgres
