// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: the table of APIs, by method and path.
//
// Source: Elasticsearch Guide, "REST APIs" (7.17 to 8.x), and rest-api-spec; OpenSearch
// documentation, "API reference"; policy/spec.md, clause G80.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_APIS_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_APIS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/guard/elasticsearch/names.h"
#include "policy/guard/elasticsearch/request.h"
#include "policy/model/enums.h"

namespace bridgekeeper::elasticsearch {

// What the APIs of one class do.
struct ApiClass {
  std::string_view name;
  Risk risk;
  std::string_view effect;  // empty: a plain read
  Access access;            // to the indices that the path names
  std::string_view why;
};

struct Api {
  std::string_view pattern;
  const ApiClass* type;
  // A rule of the grammar, "-" for no body, "bulk", or "searches:" and a rule.
  std::string_view body;
};

struct FoundApi {
  const Api* api;
  std::vector<std::string_view> indices;  // the index expressions of the path
};

// The API that answers `request`; nullopt: none that is known.
std::optional<FoundApi> FindApi(const Request& request);

// Whether a parameter of the query changes nothing about what an API does.
bool IsPlainParameter(std::string_view name);

// What is wrong with the table; empty: nothing. For the tests.
std::string ApiProblems();

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_APIS_H_
