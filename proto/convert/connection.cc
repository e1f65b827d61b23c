// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"

namespace bridgekeeper::convert {
namespace {

// `max_bytes`: of one name; `max_all_bytes`: of all together.
template <typename Names>
std::set<std::string> ReadNames(std::string_view field, const Names& names, size_t max_count,
                                size_t max_bytes, size_t max_all_bytes, Problems& problems) {
  std::set<std::string> out;
  if (!problems.CheckCount(field, static_cast<size_t>(names.size()), max_count)) return out;
  size_t all_bytes = 0;
  for (const std::string& name : names) {
    if (name.empty()) problems.Invalid(field, "got 0 bytes, want at least 1");
    problems.CheckText(field, name, max_bytes);
    all_bytes += name.size();
    out.insert(name);
  }
  if (all_bytes > max_all_bytes) {
    problems.OverLimit(field, all_bytes, max_all_bytes, "bytes in all");
  }
  return out;
}

}  // namespace

v1::Connection ToProto(const ConnectionRecord& record) {
  v1::Connection out;
  out.set_app(record.app.value());
  out.set_id(record.id.value());
  out.set_name(record.name);
  out.set_type(record.type);
  if (record.sql_mode) out.set_sql_mode(*record.sql_mode);
  if (record.standard_conforming_strings) {
    out.set_standard_conforming_strings(*record.standard_conforming_strings);
  }
  for (const std::string& name : record.safe_functions) out.add_safe_functions(name);
  for (const std::string& name : record.databases) out.add_databases(name);
  out.set_allow_sensitive_reads(record.allow_sensitive_reads);
  return out;
}

absl::StatusOr<ConnectionRecord> FromProto(const v1::Connection& record) {
  Problems problems;
  ConnectionRecord out;
  problems.CheckId("app", record.app());
  problems.CheckId("id", record.id());
  problems.CheckText("name", record.name(), kMaxConnectionNameBytes);
  problems.CheckText("type", record.type(), kMaxTypeBytes);
  out.app = AppId(record.app());
  out.id = ConnectionId(record.id());
  out.name = record.name();
  out.type = record.type();
  if (record.has_sql_mode()) {
    problems.CheckText("sql_mode", record.sql_mode(), kMaxSqlModeBytes);
    out.sql_mode = record.sql_mode();
  }
  if (record.has_standard_conforming_strings()) {
    out.standard_conforming_strings = record.standard_conforming_strings();
  }
  out.safe_functions = ReadNames("safe_functions", record.safe_functions(), kMaxSafeFunctions,
                                 kMaxSafeFunctionBytes, kMaxSafeFunctionsBytes, problems);
  out.databases = ReadNames("databases", record.databases(), kMaxDatabases, kMaxDatabaseBytes,
                            kMaxDatabases * kMaxDatabaseBytes, problems);
  out.allow_sensitive_reads = record.allow_sensitive_reads();
  if (!problems.empty()) return problems.ToStatus();
  return out;
}

}  // namespace bridgekeeper::convert
