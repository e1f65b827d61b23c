// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/sqlite/inventory.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::sqlite {
namespace {

constexpr DoesInfo kInfos[] = {
    {"", Risk::kSafe, ""},
    {effect::kResource, Risk::kElevated,
     "makes a value of a size that is computed, or above 1048576 bytes"},
    {effect::kResource, Risk::kElevated,
     "makes a text whose format or width is computed, or wider than 1048576"},
    {effect::kSensitiveRead, Risk::kElevated,
     "shows other statements, paths of the host, or raw pages with what was deleted"},
    {effect::kHostFile, Risk::kDestructive, "reads, writes or lists files of the host"},
    {effect::kHostProgram, Risk::kDestructive, "starts a program on the host"},
    {effect::kExtension, Risk::kDestructive, "loads code into the process"},
    {effect::kExtension, Risk::kDestructive, "takes or gives addresses of code in the process"},
    {effect::kDynamicCode, Risk::kDestructive, "compiles or runs text that it is given"},
    {effect::kFunction, Risk::kElevated, "reads what is named in a string"},
    {effect::kServer, Risk::kElevated, "writes the caller's text to the program's log or output"},
    {effect::kResource, Risk::kElevated, "holds the connection"},
    {effect::kMaintenance, Risk::kElevated, "rewrites an index"},
};
static_assert(std::size(kInfos) == static_cast<size_t>(Does::kMaintenance) + 1);

template <typename T>
struct Row {
  std::string_view name;
  T value;
};

constexpr Row<Does> kFunctions[] = {
    {"->", Does::kHarmless},
    {"->>", Does::kHarmless},
    {"abs", Does::kHarmless},
    {"acos", Does::kHarmless},
    {"acosh", Does::kHarmless},
    {"asin", Does::kHarmless},
    {"asinh", Does::kHarmless},
    {"atan", Does::kHarmless},
    {"atan2", Does::kHarmless},
    {"atanh", Does::kHarmless},
    {"avg", Does::kHarmless},
    {"base64", Does::kHarmless},
    {"base85", Does::kHarmless},
    {"bm25", Does::kHarmless},
    {"ceil", Does::kHarmless},
    {"ceiling", Does::kHarmless},
    {"changes", Does::kHarmless},
    {"char", Does::kHarmless},
    {"coalesce", Does::kHarmless},
    {"concat", Does::kHarmless},
    {"concat_ws", Does::kHarmless},
    {"cos", Does::kHarmless},
    {"cosh", Does::kHarmless},
    {"count", Does::kHarmless},
    {"cume_dist", Does::kHarmless},
    {"current_date", Does::kHarmless},
    {"current_time", Does::kHarmless},
    {"current_timestamp", Does::kHarmless},
    {"date", Does::kHarmless},
    {"datetime", Does::kHarmless},
    {"decimal", Does::kHarmless},
    {"decimal_add", Does::kHarmless},
    {"decimal_cmp", Does::kHarmless},
    {"decimal_exp", Does::kHarmless},
    {"decimal_mul", Does::kHarmless},
    {"decimal_pow2", Does::kHarmless},
    {"decimal_sub", Does::kHarmless},
    {"decimal_sum", Does::kHarmless},
    {"degrees", Does::kHarmless},
    {"dense_rank", Does::kHarmless},
    {"edit", Does::kHostProgram},
    {"eval", Does::kDynamic},
    {"exp", Does::kHarmless},
    {"first_value", Does::kHarmless},
    {"floor", Does::kHarmless},
    {"format", Does::kFormats},
    {"fts3_tokenizer", Does::kCodeAddress},
    {"fts5", Does::kHarmless},
    {"fts5_decode", Does::kHarmless},
    {"fts5_get_locale", Does::kHarmless},
    {"fts5_insttoken", Does::kHarmless},
    {"fts5_locale", Does::kHarmless},
    {"fts5_rowid", Does::kHarmless},
    {"fts5_source_id", Does::kHarmless},
    {"geopoly_area", Does::kHarmless},
    {"geopoly_bbox", Does::kHarmless},
    {"geopoly_blob", Does::kHarmless},
    {"geopoly_ccw", Does::kHarmless},
    {"geopoly_contains_point", Does::kHarmless},
    {"geopoly_group_bbox", Does::kHarmless},
    {"geopoly_json", Does::kHarmless},
    {"geopoly_overlap", Does::kHarmless},
    {"geopoly_regular", Does::kHarmless},
    {"geopoly_svg", Does::kHarmless},
    {"geopoly_within", Does::kHarmless},
    {"geopoly_xform", Does::kHarmless},
    {"glob", Does::kHarmless},
    {"group_concat", Does::kHarmless},
    {"hex", Does::kHarmless},
    {"highlight", Does::kHarmless},
    {"ieee754", Does::kHarmless},
    {"ieee754_exponent", Does::kHarmless},
    {"ieee754_from_blob", Does::kHarmless},
    {"ieee754_inc", Does::kHarmless},
    {"ieee754_mantissa", Does::kHarmless},
    {"ieee754_to_blob", Does::kHarmless},
    {"if", Does::kHarmless},
    {"ifnull", Does::kHarmless},
    {"iif", Does::kHarmless},
    {"instr", Does::kHarmless},
    {"is_base85", Does::kHarmless},
    {"json", Does::kHarmless},
    {"json_array", Does::kHarmless},
    {"json_array_insert", Does::kHarmless},
    {"json_array_length", Does::kHarmless},
    {"json_error_position", Does::kHarmless},
    {"json_extract", Does::kHarmless},
    {"json_group_array", Does::kHarmless},
    {"json_group_object", Does::kHarmless},
    {"json_insert", Does::kHarmless},
    {"json_object", Does::kHarmless},
    {"json_patch", Does::kHarmless},
    {"json_pretty", Does::kHarmless},
    {"json_quote", Does::kHarmless},
    {"json_remove", Does::kHarmless},
    {"json_replace", Does::kHarmless},
    {"json_set", Does::kHarmless},
    {"json_type", Does::kHarmless},
    {"json_valid", Does::kHarmless},
    {"jsonb", Does::kHarmless},
    {"jsonb_array", Does::kHarmless},
    {"jsonb_array_insert", Does::kHarmless},
    {"jsonb_extract", Does::kHarmless},
    {"jsonb_group_array", Does::kHarmless},
    {"jsonb_group_object", Does::kHarmless},
    {"jsonb_insert", Does::kHarmless},
    {"jsonb_object", Does::kHarmless},
    {"jsonb_patch", Does::kHarmless},
    {"jsonb_remove", Does::kHarmless},
    {"jsonb_replace", Does::kHarmless},
    {"jsonb_set", Does::kHarmless},
    {"julianday", Does::kHarmless},
    {"lag", Does::kHarmless},
    {"last_insert_rowid", Does::kHarmless},
    {"last_value", Does::kHarmless},
    {"lead", Does::kHarmless},
    {"length", Does::kHarmless},
    {"like", Does::kHarmless},
    {"likelihood", Does::kHarmless},
    {"likely", Does::kHarmless},
    {"ln", Does::kHarmless},
    {"load_extension", Does::kExtension},
    {"log", Does::kHarmless},
    {"log10", Does::kHarmless},
    {"log2", Does::kHarmless},
    {"lower", Does::kHarmless},
    {"lsmode", Does::kHarmless},
    {"ltrim", Does::kHarmless},
    {"match", Does::kHarmless},
    {"matchinfo", Does::kHarmless},
    {"max", Does::kHarmless},
    {"median", Does::kHarmless},
    {"min", Does::kHarmless},
    {"mod", Does::kHarmless},
    {"nth_value", Does::kHarmless},
    {"ntile", Does::kHarmless},
    {"nullif", Does::kHarmless},
    {"octet_length", Does::kHarmless},
    {"offsets", Does::kHarmless},
    {"optimize", Does::kMaintenance},
    {"percent_rank", Does::kHarmless},
    {"percentile", Does::kHarmless},
    {"percentile_cont", Does::kHarmless},
    {"percentile_disc", Does::kHarmless},
    {"pi", Does::kHarmless},
    {"pow", Does::kHarmless},
    {"power", Does::kHarmless},
    {"printf", Does::kFormats},
    {"quote", Does::kHarmless},
    {"radians", Does::kHarmless},
    {"random", Does::kHarmless},
    {"randomblob", Does::kAllocates},
    {"rank", Does::kHarmless},
    {"readfile", Does::kHostFile},
    {"regexp", Does::kHarmless},
    {"regexpi", Does::kHarmless},
    {"replace", Does::kHarmless},
    {"round", Does::kHarmless},
    {"row_number", Does::kHarmless},
    {"rtreecheck", Does::kIndirect},
    {"rtreedepth", Does::kHarmless},
    {"rtreenode", Does::kHarmless},
    {"rtrim", Does::kHarmless},
    {"sha1", Does::kHarmless},
    {"sha1_query", Does::kDynamic},
    {"sha3", Does::kHarmless},
    {"sha3_query", Does::kDynamic},
    {"shell_add_schema", Does::kHarmless},
    {"shell_escape_crnl", Does::kHarmless},
    {"shell_idquote", Does::kHarmless},
    {"shell_int32", Does::kHarmless},
    {"shell_module_schema", Does::kIndirect},
    {"shell_putsnl", Does::kLog},
    {"sign", Does::kHarmless},
    {"sin", Does::kHarmless},
    {"sinh", Does::kHarmless},
    {"snippet", Does::kHarmless},
    {"soundex", Does::kHarmless},
    {"sqlar_compress", Does::kHarmless},
    {"sqlar_uncompress", Does::kHarmless},
    {"sqlite_compileoption_get", Does::kHarmless},
    {"sqlite_compileoption_used", Does::kHarmless},
    {"sqlite_log", Does::kLog},
    {"sqlite_source_id", Does::kHarmless},
    {"sqlite_version", Does::kHarmless},
    {"sqrt", Does::kHarmless},
    {"stmtrand", Does::kHarmless},
    {"strftime", Does::kHarmless},
    {"string_agg", Does::kHarmless},
    {"substr", Does::kHarmless},
    {"substring", Does::kHarmless},
    {"subtype", Does::kHarmless},
    {"sum", Does::kHarmless},
    {"tan", Does::kHarmless},
    {"tanh", Does::kHarmless},
    {"time", Does::kHarmless},
    {"timediff", Does::kHarmless},
    {"total", Does::kHarmless},
    {"total_changes", Does::kHarmless},
    {"trim", Does::kHarmless},
    {"trunc", Does::kHarmless},
    {"typeof", Does::kHarmless},
    {"unhex", Does::kHarmless},
    {"unicode", Does::kHarmless},
    {"unistr", Does::kHarmless},
    {"unistr_quote", Does::kHarmless},
    {"unixepoch", Does::kHarmless},
    {"unlikely", Does::kHarmless},
    {"upper", Does::kHarmless},
    {"usleep", Does::kResource},
    {"writefile", Does::kHostFile},
    {"zeroblob", Does::kAllocates},
    {"zipfile", Does::kHarmless},
    {"zipfile_cds", Does::kHarmless},
};
constexpr Row<Does> kTables[] = {
    {"bytecode", Does::kDynamic},          {"completion", Does::kHarmless},
    {"dbstat", Does::kHarmless},           {"fsdir", Does::kHostFile},
    {"fts3tokenize", Does::kCodeAddress},  {"generate_series", Does::kHarmless},
    {"json_each", Does::kHarmless},        {"json_tree", Does::kHarmless},
    {"jsonb_each", Does::kHarmless},       {"jsonb_tree", Does::kHarmless},
    {"sqlite_btreeinfo", Does::kHarmless}, {"sqlite_dbdata", Does::kSensitive},
    {"sqlite_dbpage", Does::kSensitive},   {"sqlite_dbptr", Does::kSensitive},
    {"sqlite_memstat", Does::kHarmless},   {"sqlite_stmt", Does::kSensitive},
    {"statement_vtab", Does::kDynamic},    {"tables_used", Does::kDynamic},
    {"zipfile", Does::kHostFile},
};
constexpr Row<PragmaClass> kPragmas[] = {
    {"analysis_limit", PragmaClass::kShowsOrSets},
    {"application_id", PragmaClass::kShowsOrStores},
    {"auto_vacuum", PragmaClass::kShowsOrSets},
    {"automatic_index", PragmaClass::kShowsOrSets},
    {"busy_timeout", PragmaClass::kShowsOrSets},
    {"cache_size", PragmaClass::kShowsOrSets},
    {"cache_spill", PragmaClass::kShowsOrSets},
    {"case_sensitive_like", PragmaClass::kSets},
    {"cell_size_check", PragmaClass::kShowsOrSets},
    {"checkpoint_fullfsync", PragmaClass::kShowsOrSets},
    {"collation_list", PragmaClass::kReads},
    {"compile_options", PragmaClass::kReads},
    {"count_changes", PragmaClass::kShowsOrSets},
    {"data_store_directory", PragmaClass::kShowsOrSetsPaths},
    {"data_version", PragmaClass::kReads},
    {"database_list", PragmaClass::kShowsPaths},
    {"default_cache_size", PragmaClass::kShowsOrSets},
    {"defer_foreign_keys", PragmaClass::kShowsOrSets},
    {"empty_result_callbacks", PragmaClass::kShowsOrSets},
    {"encoding", PragmaClass::kShowsOrSets},
    {"foreign_key_check", PragmaClass::kReads},
    {"foreign_key_list", PragmaClass::kReads},
    {"foreign_keys", PragmaClass::kShowsOrSets},
    {"freelist_count", PragmaClass::kReads},
    {"full_column_names", PragmaClass::kShowsOrSets},
    {"fullfsync", PragmaClass::kShowsOrSets},
    {"function_list", PragmaClass::kReads},
    {"hard_heap_limit", PragmaClass::kShowsOrSets},
    {"ignore_check_constraints", PragmaClass::kShowsOrSets},
    {"incremental_vacuum", PragmaClass::kMaintains},
    {"index_info", PragmaClass::kReads},
    {"index_list", PragmaClass::kReads},
    {"index_xinfo", PragmaClass::kReads},
    {"integrity_check", PragmaClass::kReads},
    {"journal_mode", PragmaClass::kShowsOrSets},
    {"journal_size_limit", PragmaClass::kShowsOrSets},
    {"legacy_alter_table", PragmaClass::kShowsOrSets},
    {"legacy_file_format", PragmaClass::kShowsOrSets},
    {"locking_mode", PragmaClass::kShowsOrSets},
    {"max_page_count", PragmaClass::kShowsOrSets},
    {"mmap_size", PragmaClass::kShowsOrSets},
    {"module_list", PragmaClass::kReads},
    {"optimize", PragmaClass::kMaintains},
    {"page_count", PragmaClass::kReads},
    {"page_size", PragmaClass::kShowsOrSets},
    {"pragma_list", PragmaClass::kReads},
    {"query_only", PragmaClass::kShowsOrSets},
    {"quick_check", PragmaClass::kReads},
    {"read_uncommitted", PragmaClass::kShowsOrSets},
    {"recursive_triggers", PragmaClass::kShowsOrSets},
    {"reverse_unordered_selects", PragmaClass::kShowsOrSets},
    {"schema_version", PragmaClass::kShowsOrSets},
    {"secure_delete", PragmaClass::kShowsOrSets},
    {"short_column_names", PragmaClass::kShowsOrSets},
    {"shrink_memory", PragmaClass::kMaintains},
    {"soft_heap_limit", PragmaClass::kShowsOrSets},
    {"synchronous", PragmaClass::kShowsOrSets},
    {"table_info", PragmaClass::kReads},
    {"table_list", PragmaClass::kReads},
    {"table_xinfo", PragmaClass::kReads},
    {"temp_store", PragmaClass::kShowsOrSets},
    {"temp_store_directory", PragmaClass::kShowsOrSetsPaths},
    {"threads", PragmaClass::kShowsOrSets},
    {"trusted_schema", PragmaClass::kShowsOrSets},
    {"user_version", PragmaClass::kShowsOrStores},
    {"wal_autocheckpoint", PragmaClass::kShowsOrSets},
    {"wal_checkpoint", PragmaClass::kMaintains},
    {"writable_schema", PragmaClass::kShowsOrSets},
};
constexpr Row<ModuleClass> kModules[] = {
    {"csv", ModuleClass::kHostFile},       {"fsdir", ModuleClass::kHostFile},
    {"fts3", ModuleClass::kPlain},         {"fts4", ModuleClass::kPlain},
    {"fts4aux", ModuleClass::kPlain},      {"fts5", ModuleClass::kPlain},
    {"fts5vocab", ModuleClass::kPlain},    {"geopoly", ModuleClass::kPlain},
    {"rtree", ModuleClass::kPlain},        {"rtree_i32", ModuleClass::kPlain},
    {"swarmvtab", ModuleClass::kHostFile}, {"unionvtab", ModuleClass::kHostFile},
    {"vsv", ModuleClass::kHostFile},       {"zipfile", ModuleClass::kHostFile},
};

template <typename T, size_t kSize>
constexpr bool IsSorted(const Row<T> (&rows)[kSize]) {
  return std::is_sorted(rows, rows + kSize,
                        [](const Row<T>& a, const Row<T>& b) { return a.name < b.name; });
}
static_assert(IsSorted(kFunctions) && IsSorted(kTables) && IsSorted(kPragmas) &&
              IsSorted(kModules));

template <typename T, size_t kSize>
std::optional<T> Find(const Row<T> (&rows)[kSize], std::string_view name) {
  const auto* const row = std::lower_bound(
      rows, rows + kSize, name, [](const Row<T>& a, std::string_view b) { return a.name < b; });
  if (row == rows + kSize || row->name != name) return std::nullopt;
  return row->value;
}

constexpr std::string_view kPragmaPrefix = "pragma_";

}  // namespace

const DoesInfo& InfoOf(Does does) { return kInfos[static_cast<size_t>(does)]; }

std::optional<Does> FindFunction(std::string_view name) { return Find(kFunctions, name); }

std::optional<Does> FindTable(std::string_view name) {
  if (!name.starts_with(kPragmaPrefix)) return Find(kTables, name);
  const auto pragma = FindPragma(name.substr(kPragmaPrefix.size()));
  if (!pragma.has_value()) return std::nullopt;
  switch (*pragma) {
    case PragmaClass::kReads:
    // Those that a value changes have no argument as a table.
    case PragmaClass::kShowsOrSets:
    case PragmaClass::kShowsOrStores:
      return Does::kHarmless;
    case PragmaClass::kShowsPaths:
    case PragmaClass::kShowsOrSetsPaths:
      return Does::kSensitive;
    case PragmaClass::kMaintains:
      return Does::kMaintenance;
    case PragmaClass::kSets:
      return std::nullopt;
  }
  return std::nullopt;
}

ModuleClass FindModule(std::string_view name) {
  return Find(kModules, name).value_or(ModuleClass::kUnknown);
}

std::optional<PragmaClass> FindPragma(std::string_view name) { return Find(kPragmas, name); }

bool IsSystemTable(std::string_view name) { return name.starts_with("sqlite_"); }

}  // namespace bridgekeeper::sqlite
