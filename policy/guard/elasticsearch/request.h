// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: a request `{method, path, body}` taken apart.
//
// A path that two readers could take apart differently is refused: proxies, URL
// libraries and Elasticsearch decode, collapse and normalise paths in different ways.
//
// Source: RFC 3986, sections 3.3 and 6.2.2; policy/spec.md, clause G81.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_REQUEST_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_REQUEST_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/base/json.h"

namespace bridgekeeper::elasticsearch {

struct Request {
  std::string method;                 // upper case
  std::vector<std::string> segments;  // of the path, percent-decoded once
  struct Parameter {
    std::string name;
    std::string value;
  };
  std::vector<Parameter> parameters;  // of the query, percent-decoded
  std::optional<JsonValue> body;      // nullopt: absent, null or empty text

  // The value of a parameter; nullopt where it is not given.
  std::optional<std::string_view> Find(std::string_view name) const;
};

// Takes `object` apart. Returns what is wrong with it, or an empty text and `request`.
std::string ReadRequest(JsonValue object, Request& request);

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_REQUEST_H_
