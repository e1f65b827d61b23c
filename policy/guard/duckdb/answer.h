// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Answer reads the JSON that json_serialize_sql returns.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ANSWER_H_
#define BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ANSWER_H_

#include <simdjson.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "policy/guard/duckdb/tree.h"

namespace bridgekeeper::duckdb {

class Answer {
 public:
  explicit Answer(std::string_view json);

  enum class Kind {
    kTree,       // statements() holds what was read
    kNotQuery,   // the text parses, and not every statement of it is a query
    kSyntax,     // message() says why the text does not parse
    kUnreadable  // the JSON was not read: it is too deep, or not of this form
  };
  Kind kind() const { return kind_; }

  // Valid as long as this object.
  simdjson::dom::array statements() const { return statements_; }
  const std::string& message() const { return message_; }
  std::optional<size_t> position() const { return position_; }

 private:
  simdjson::dom::parser parser_;
  Kind kind_ = Kind::kUnreadable;
  simdjson::dom::array statements_;
  std::string message_;
  std::optional<size_t> position_;
};

}  // namespace bridgekeeper::duckdb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DUCKDB_ANSWER_H_
