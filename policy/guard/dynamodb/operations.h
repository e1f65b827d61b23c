// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The operations of DynamoDB and of DynamoDB Streams: what each does, and the members
// that its request may have.
//
// Source: DynamoDB API reference, version 2012-08-10; policy/spec.md, section G.

#ifndef BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_OPERATIONS_H_
#define BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_OPERATIONS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::dynamodb {

// How the members of a request decide, where they do.
enum class Reads : uint8_t {
  kNothing,        // the operation alone decides
  kPut,            // replaces an item unless its condition forbids it
  kPutByTool,      // the same, where a tool makes the condition
  kBatchWrite,     // puts and deletes, table by table
  kTransactWrite,  // puts, updates, deletes, checks
  kStatement,      // PartiQL
  kStatements,
  kTransactStatements,
  kUpdateTable,
  kTimeToLive,
  kBackups,  // point-in-time recovery
};

struct Operation {
  std::string_view name;
  Reads reads;
  // Of Effect; empty kind: a read.
  std::string_view kind;
  Risk risk;
  std::string_view why;
  // Parted by spaces.
  std::string_view members;
};

// All of them, sorted by name. Names with a dot are not of the API: they are how the
// built-in tools say what they do in several requests (policy/catalog/builtin.cc).
std::span<const Operation> Operations();

// The operation of this name, byte for byte; null: not known.
const Operation* FindOperation(std::string_view name);

// A member of a request that has an effect of its own, whatever the operation.
struct Member {
  std::string_view name;
  std::string_view kind;
  std::string_view why;
};
const Member* FindMember(std::string_view name);

// Whether `word` is one of `words`, which are parted by spaces.
bool IsOneOf(std::string_view words, std::string_view word);

}  // namespace bridgekeeper::dynamodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_DYNAMODB_OPERATIONS_H_
