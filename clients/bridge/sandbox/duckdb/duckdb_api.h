// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the back end calls of DuckDB's library, each by its name in duckdb.h without the
// prefix. Only a worker process opens the library; no program links it.
//
// Thread safety: immutable once opened.
// Source: DuckDB's C API. The header is of an older release than the library, so that
// each name is looked up and the release is checked.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_API_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_API_H_

#include <duckdb.h>

#include <string>

#include "absl/status/statusor.h"

namespace bridgekeeper::bridge {

#define BRIDGEKEEPER_DUCKDB_SANDBOX_FUNCTIONS(X) \
  X(array_type_array_size)                       \
  X(array_type_child_type)                       \
  X(array_vector_get_child)                      \
  X(bind_null)                                   \
  X(bind_varchar_length)                         \
  X(close)                                       \
  X(column_count)                                \
  X(column_logical_type)                         \
  X(column_name)                                 \
  X(connect)                                     \
  X(create_config)                               \
  X(data_chunk_get_size)                         \
  X(data_chunk_get_vector)                       \
  X(decimal_internal_type)                       \
  X(decimal_scale)                               \
  X(decimal_width)                               \
  X(destroy_config)                              \
  X(destroy_data_chunk)                          \
  X(destroy_extracted)                           \
  X(destroy_logical_type)                        \
  X(destroy_pending)                             \
  X(destroy_prepare)                             \
  X(destroy_result)                              \
  X(disconnect)                                  \
  X(enum_dictionary_value)                       \
  X(enum_internal_type)                          \
  X(execute_pending)                             \
  X(execute_prepared)                            \
  X(extract_statements)                          \
  X(extract_statements_error)                    \
  X(fetch_chunk)                                 \
  X(free)                                        \
  X(get_type_id)                                 \
  X(interrupt)                                   \
  X(library_version)                             \
  X(list_type_child_type)                        \
  X(list_vector_get_child)                       \
  X(logical_type_get_alias)                      \
  X(map_type_key_type)                           \
  X(map_type_value_type)                         \
  X(nparams)                                     \
  X(open_ext)                                    \
  X(pending_error)                               \
  X(pending_prepared_streaming)                  \
  X(prepare_error)                               \
  X(prepare_extracted_statement)                 \
  X(prepared_statement_type)                     \
  X(result_error)                                \
  X(result_return_type)                          \
  X(set_config)                                  \
  X(struct_type_child_count)                     \
  X(struct_type_child_name)                      \
  X(struct_type_child_type)                      \
  X(struct_vector_get_child)                     \
  X(union_type_member_count)                     \
  X(union_type_member_name)                      \
  X(union_type_member_type)                      \
  X(value_boolean)                               \
  X(vector_get_data)                             \
  X(vector_get_validity)

struct DuckdbApi {
#define BRIDGEKEEPER_DUCKDB_MEMBER(name) decltype(&duckdb_##name) name = nullptr;
  BRIDGEKEEPER_DUCKDB_SANDBOX_FUNCTIONS(BRIDGEKEEPER_DUCKDB_MEMBER)
#undef BRIDGEKEEPER_DUCKDB_MEMBER

  // Opens the library at `path`, which is never closed.
  //
  // Errors:
  //   kNotFound           - it cannot be opened, or lacks a function.
  //   kFailedPrecondition - it is not the release that was reviewed.
  static absl::StatusOr<DuckdbApi> Open(const std::string& path);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DUCKDB_DUCKDB_API_H_
