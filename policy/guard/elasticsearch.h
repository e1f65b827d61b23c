// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgeElasticsearch judges a request `{method, path, body}` to Elasticsearch or
// OpenSearch by a table of APIs and a grammar of their bodies, both data; what they do
// not know is DESTRUCTIVE. No cluster is asked, so names are taken as plain: behind one
// may stand an alias, and no judgement is `proven`.
//
// Source: policy/spec.md, clauses G1 to G9 and G80 to G84.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_H_

#include "policy/base/json.h"
#include "policy/guard/judge.h"
#include "policy/guard/text_scan.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// The walk recurses once per level of a document that was read with JsonLimits.
inline constexpr TextLimits kElasticsearchLimits = {};

// Judges `object`. REQUIRES: object.is_object()
Judgement JudgeElasticsearch(JsonValue object, const JudgeOptions& options);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_H_
