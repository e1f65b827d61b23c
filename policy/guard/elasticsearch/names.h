// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: what an index expression reaches. One is a list of
// names with commas: wildcards, exclusions (`-x`), date math (`<logs-{now/d}>`), `_all`,
// and `cluster:index` for an index of a remote cluster.
//
// Source: Elasticsearch Guide, "Multi-target syntax", "Date math in index names", "Cross
// cluster search"; policy/spec.md, clause G82.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_NAMES_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_NAMES_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "policy/guard/judge.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper::elasticsearch {

enum class Access {
  kMetadata,  // names, mappings, statistics
  kRead,      // documents
  kWrite,     // documents or definitions
};

struct NameOptions {
  Access access = Access::kRead;
  // Whether wildcards reach hidden indices (`expand_wildcards`).
  bool hidden = false;
  std::optional<size_t> position = std::nullopt;
};

// Adds what naming `expression` brings beyond the plain access that its API is known for.
void CheckIndices(std::string_view expression, const NameOptions& how, const JudgeOptions& options,
                  JudgementBuilder& found);

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_NAMES_H_
