// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/grammar.h"

#include "absl/container/flat_hash_map.h"
#include "policy/base/strings.h"

namespace bridgekeeper::postgres {
namespace {

#include "policy/guard/postgres/grammar.inc"

using KindIndex = absl::flat_hash_map<std::string_view, int16_t, StringHash>;

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
