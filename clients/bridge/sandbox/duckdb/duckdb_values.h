// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The values of DuckDB as a result shows them, without loss:
//
//   LIST, ARRAY   an array
//   STRUCT        an object; an array where its members have no names
//   MAP           an object, its keys as text
//   UNION         the value that it holds
//   BLOB, GEOMETRY  bytes
//   all else      numbers and the engine's own text, as ResultWriter has them
//
// Thread safety: a column is used by one thread at a time.
// Source: duckdb.h, layout of vectors; the texts are those of CAST(x AS VARCHAR), which
// a test compares.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_VALUES_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_VALUES_H_

#include <duckdb.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "clients/bridge/sandbox/duckdb/duckdb_api.h"
#include "clients/bridge/sandbox/result_writer.h"

namespace bridgekeeper::bridge {

struct DuckdbType {
  duckdb_type id = DUCKDB_TYPE_INVALID;
  std::string name;                              // as SQL has it
  duckdb_type internal = DUCKDB_TYPE_INVALID;    // of DECIMAL, ENUM
  int scale = 0;                                 // of DECIMAL
  idx_t size = 0;                                // of ARRAY
  std::vector<std::string> names;                // of STRUCT
  std::vector<DuckdbType> parts;                 // of what nests; MAP: key, value
  std::shared_ptr<_duckdb_logical_type> handle;  // of ENUM
  bool is_readable = true;                       // its values, and those of its parts
};

// Takes over `type`. `api` must outlive what is returned.
DuckdbType ReadDuckdbType(const DuckdbApi& api, duckdb_logical_type type);

// Writes the value at `row` of a vector of that type.
void WriteDuckdbValue(const DuckdbApi& api, const DuckdbType& type, duckdb_vector vector, idx_t row,
                      ResultWriter& writer);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_VALUES_H_
