// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The reviewed tables of what MongoDB understands, up to release 8.0 and Atlas:
// commands and their fields, pipeline stages, and the operators of expressions,
// queries and updates. What is in none of them is not known. Names are compared byte
// for byte, as the server does.
//
// Source: the MongoDB manual's references (database commands, aggregation stages,
// aggregation operators, query and update operators); policy/spec.md, section G.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MONGODB_INVENTORY_H_
#define BRIDGEKEEPER_POLICY_GUARD_MONGODB_INVENTORY_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "policy/model/enums.h"

namespace bridgekeeper::mongodb {

// What something does; `kind` is empty where that is nothing beyond reading data.
struct Act {
  std::string_view kind = {};
  Risk risk = Risk::kSafe;
  std::string_view why = {};
};

// How a value is read.
enum class Takes : uint8_t {
  kValue,          // data: nothing in it acts
  kText,           // a string
  kFlag,           // acts where it is not plainly off
  kPresent,        // acts where it is there and not null
  kFilter,         // a query
  kPredicate,      // a part of a query: a query, a value, or a list of either
  kQueryMember,    // what it names is a member of a query
  kFilters,        // a list of queries
  kExpression,     // an aggregation expression, or an object or list of them
  kProjection,     // an expression in which $elemMatch takes a query
  kPipeline,       // a list of stages
  kPipelines,      // an object of named pipelines
  kStored,         // a pipeline that is kept, to run whenever a view is read
  kUpdate,         // update operators, a replacement, or a pipeline
  kUpdateMany,     // the same, for more than one document whatever `multi` says
  kWindows,        // the output of $setWindowFields
  kWhenMatched,    // what $merge does where a document is there already
  kReadsFrom,      // a collection that is read: a name, or {db, coll}
  kWritesTo,       // a collection that is written: a name, or {db, coll}
  kNamespace,      // "database.collection", written
  kDatabase,       // the name of a database
  kEveryDatabase,  // where it is not plainly off, every database is read
  kObject,         // an object with `shape`
  kObjects,        // a list of objects with `shape`
  kReaderOr,       // a collection that is read, or an object with `shape`
  kWriterOr,       // a collection that is written, or an object with `shape`
  kOptions,        // an object with the fields of the command itself
  kOperations,     // a list of bulk operations as drivers name them
  kBulk,           // a list of bulk operations as the server names them
};

struct Field;

// What the members of an object may be.
struct Shape {
  std::span<const Field> fields;
};

struct Field {
  std::string_view name;
  Takes takes = Takes::kValue;
  Act act = {};                  // of kFlag and kPresent
  const Shape* shape = nullptr;  // where `takes` says so
};

// What a command works on, by the value of its first member.
enum class Target : uint8_t {
  kOnCollection,            // names a collection
  kOnCollectionOrDatabase,  // names a collection, or is a number for the database
  kOnDatabase,              // any: the database of the call
  kOnServer,                // any: the database of the call does not matter
  kOnNamespace,             // names "database.collection"
  kOnProfiler,              // is the new level of the profiler, or -1 to see it
  kOnCommand,               // is the command to explain
};

// The name of a field that stands for all that a shape does not name.
inline constexpr std::string_view kAnyOther = "*";

struct Command {
  std::string_view name;
  Target target = Target::kOnServer;
  Act act = {};
  // Its fields besides those of every command. Null: whatever they are, it does not
  // get worse.
  const Shape* shape = nullptr;
  bool writes = false;  // its target is written to
};

// A stage or an operator: what its value is, and what it does by itself.
struct Operator {
  std::string_view name;
  Takes takes = Takes::kValue;
  Act act = {};
  const Shape* shape = nullptr;
};

// Null: not known.
const Command* FindCommand(std::string_view name);
const Field* FindField(const Shape& shape, std::string_view name);
const Operator* FindStage(std::string_view name);
const Operator* FindExpression(std::string_view name);
const Operator* FindQuery(std::string_view name);
const Operator* FindUpdate(std::string_view name);
// One operation of a bulk, as drivers name it ("deleteOne", "delete_one") and as the
// server does ("delete").
const Operator* FindOperation(std::string_view name);
const Operator* FindBulkOperation(std::string_view name);

// The fields that every command may have.
const Shape& CommonFields();

// What reading from or writing to a collection means besides reading or writing data.
// `database` is empty where it is not known.
Act ActOfReading(std::string_view database, std::string_view collection);
Act ActOfWriting(std::string_view database, std::string_view collection);

}  // namespace bridgekeeper::mongodb

#endif  // BRIDGEKEEPER_POLICY_GUARD_MONGODB_INVENTORY_H_
