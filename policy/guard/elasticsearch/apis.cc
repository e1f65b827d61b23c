// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/apis.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::elasticsearch {
namespace {

using enum Risk;
using enum Access;

constexpr ApiClass kClasses[] = {
    {"read", kSafe, "", kRead, ""},
    {"bulk", kSafe, "", kWrite, ""},  // its lines say what it does
    {"meta", kSafe, "", kMetadata, ""},
    {"sensitive", kElevated, effect::kSensitiveRead, kMetadata, "shows more than data"},
    {"secret", kDestructive, effect::kSensitiveRead, kMetadata, "shows credentials"},
    {"open", kElevated, effect::kSession, kRead, "keeps something open on the server"},
    {"close", kElevated, effect::kSession, kMetadata, "ends what it opened"},
    {"insert", kElevated, effect::kInsert, kWrite,
     "adds a document, or puts it in the place of one"},
    {"update", kElevated, effect::kUpdate, kWrite, "changes documents"},
    {"create", kElevated, effect::kCreate, kWrite, "creates"},
    {"alter", kElevated, effect::kAlter, kWrite, "adds to a definition"},
    {"maintain", kElevated, effect::kMaintenance, kMetadata, "maintenance that loses nothing"},
    {"dynamic", kElevated, effect::kDynamicCode, kRead, "runs what it is given"},
    {"model", kElevated, effect::kFunction, kRead, "asks a model, which may be another server's"},
    {"delete", kDestructive, effect::kDelete, kWrite, "deletes documents"},
    {"drop", kDestructive, effect::kDrop, kWrite, "deletes"},
    {"replace", kDestructive, effect::kReplace, kWrite,
     "puts something in the place of what is there"},
    {"change", kDestructive, effect::kAlter, kWrite, "changes what others rely on"},
    {"setting", kDestructive, effect::kSetting, kWrite, "changes settings"},
    {"privilege", kDestructive, effect::kPrivilege, kWrite, "changes who may do what"},
    {"code", kDestructive, effect::kStoredCode, kWrite, "stores what runs later"},
    {"external", kDestructive, effect::kExternal, kWrite,
     "reaches another server or a store outside"},
    {"other", kDestructive, effect::kOtherSession, kMetadata, "ends or slows what others run"},
    {"server", kDestructive, effect::kServer, kWrite, "acts on the whole cluster"},
};

// Methods, path, class, body. `{index}` is an index expression, any other name in braces one
// segment, `**` all that is left. HEAD counts as GET. The first row that fits counts.
constexpr std::string_view kTable = R"(
GET / meta -

GET,POST /_search read search
GET,POST /{index}/_search read search
GET,POST /_count read query_only
GET,POST /{index}/_count read query_only
GET,POST /_msearch read searches:search
GET,POST /{index}/_msearch read searches:search
GET,POST /_msearch/template dynamic searches:template_search
GET,POST /{index}/_msearch/template dynamic searches:template_search
GET,POST /_search/template dynamic template_search
GET,POST /{index}/_search/template dynamic template_search
GET,POST /_render/template dynamic template_search
GET,POST /_render/template/{id} dynamic template_search
GET,POST /_search/scroll read scroll
GET,POST /_search/scroll/{id} read scroll
DELETE /_search/scroll close closed
DELETE /_search/scroll/_all other anything
DELETE /_search/scroll/{id} close closed
POST /{index}/_pit open pit
DELETE /_pit close closed
POST /{index}/_search/point_in_time open pit
DELETE /_search/point_in_time/_all other anything
DELETE /_search/point_in_time close closed
GET /_search/point_in_time/_all sensitive -
POST /_async_search open search
POST /{index}/_async_search open search
GET /_async_search/{id} read -
GET /_async_search/status/{id} meta -
DELETE /_async_search/{id} close -
GET,POST /{index}/_eql/search read eql
GET /_eql/search/{id} read -
GET /_eql/search/status/{id} meta -
DELETE /_eql/search/{id} close -
GET,POST /_sql read sql
GET,POST /_sql/translate read sql
POST /_sql/close close closed
GET /_sql/async/{id} read -
GET /_sql/async/status/{id} meta -
DELETE /_sql/async/delete/{id} close -
POST /_query read esql
POST /_query/async open esql
GET /_query/async/{id} read -
DELETE /_query/async/{id} close -
POST /_plugins/_sql read os_sql
POST /_opendistro/_sql read os_sql
POST /_plugins/_sql/_explain read os_sql
POST /_opendistro/_sql/_explain read os_sql
POST /_plugins/_sql/close close closed
POST /_plugins/_ppl read ppl
POST /_opendistro/_ppl read ppl
POST /_plugins/_ppl/_explain read ppl
GET,POST /_search_shards meta query_only
GET,POST /{index}/_search_shards meta query_only
GET,POST /_validate/query read query_only
GET,POST /{index}/_validate/query read query_only
GET,POST /{index}/_explain/{id} read query_only
GET,POST /_field_caps meta index_filter
GET,POST /{index}/_field_caps meta index_filter
GET,POST /{index}/_terms_enum read index_filter
GET,POST /_rank_eval read rank_eval
GET,POST /{index}/_rank_eval read rank_eval
GET,POST /{index}/_knn_search read search
GET,POST /{index}/_mvt/{field}/{zoom}/{x}/{y} read mvt
GET,POST /{index}/_graph/explore read graph
GET /{index}/_doc/{id} read -
GET /{index}/_source/{id} read -
GET,POST /_mget read mget
GET,POST /{index}/_mget read mget
GET,POST /{index}/_termvectors read termvectors
GET,POST /{index}/_termvectors/{id} read termvectors
GET,POST /_mtermvectors read mget
GET,POST /{index}/_mtermvectors read mget
GET,POST /_analyze meta analyze
GET,POST /{index}/_analyze meta analyze
GET,POST /_scripts/painless/_execute dynamic painless

PUT,POST /{index}/_doc/{id} insert document
POST /{index}/_doc insert document
PUT,POST /{index}/_create/{id} insert document
POST /{index}/_update/{id} update update
DELETE /{index}/_doc/{id} delete -
POST,PUT /_bulk bulk bulk
POST,PUT /{index}/_bulk bulk bulk
POST /{index}/_delete_by_query delete by_query
POST /{index}/_update_by_query update by_query
POST /_reindex insert reindex
POST /_reindex/{id}/_rethrottle other anything
POST /_update_by_query/{id}/_rethrottle other anything
POST /_delete_by_query/{id}/_rethrottle other anything

PUT /{index} create new_index
DELETE /{index} drop -
GET /{index} meta -
GET /{index}/_settings meta -
GET /{index}/_settings/{name} meta -
GET /_settings meta -
GET /_settings/{name} meta -
PUT /_settings setting anything
PUT /{index}/_settings setting anything
GET /_mapping meta -
GET /{index}/_mapping meta -
GET /{index}/_mappings meta -
GET /_mapping/field/{fields} meta -
GET /{index}/_mapping/field/{fields} meta -
PUT,POST /{index}/_mapping alter more_mapping
PUT,POST /{index}/_mappings alter more_mapping
GET /_alias meta -
GET /_alias/{name} meta -
GET /{index}/_alias meta -
GET /{index}/_alias/{name} meta -
GET /_aliases meta -
PUT,POST /{index}/_alias/{name} alter alias
PUT,POST /{index}/_aliases/{name} alter alias
DELETE /{index}/_alias/{name} drop -
DELETE /{index}/_aliases/{name} drop -
POST /_aliases alter aliases
POST /{index}/_open alter anything
POST /{index}/_close change anything
PUT /{index}/_block/{block} change anything
DELETE /{index}/_block/{block} change anything
POST /{index}/_freeze change anything
POST /{index}/_unfreeze alter anything
PUT,POST /{index}/_shrink/{target} create resized
PUT,POST /{index}/_split/{target} create resized
PUT,POST /{index}/_clone/{target} create resized
POST /{alias}/_rollover create rollover
POST /{alias}/_rollover/{target} create rollover
GET,POST /_refresh maintain -
GET,POST /{index}/_refresh maintain -
GET,POST /_flush maintain -
GET,POST /{index}/_flush maintain -
POST /_forcemerge maintain -
POST /{index}/_forcemerge maintain -
POST /_cache/clear maintain -
POST /{index}/_cache/clear maintain -
GET /_stats meta -
GET /_stats/{metric} meta -
GET /{index}/_stats meta -
GET /{index}/_stats/{metric} meta -
GET /_segments meta -
GET /{index}/_segments meta -
GET /_recovery meta -
GET /{index}/_recovery meta -
GET /_shard_stores meta -
GET /{index}/_shard_stores meta -
POST /{index}/_disk_usage maintain -
GET /{index}/_field_usage_stats meta -
GET /_resolve/index/{index} meta -
GET /_resolve/cluster meta -
GET /_resolve/cluster/{index} meta -
GET /_data_stream meta -
GET /_data_stream/{index} meta -
GET /_data_stream/{index}/_stats meta -
GET /_data_stream/_stats meta -
GET /_data_stream/{index}/_lifecycle meta -
PUT /_data_stream/{index} create -
DELETE /_data_stream/{index} drop -
POST /_data_stream/_migrate/{index} change anything
POST /_data_stream/_promote/{index} change anything
POST /_data_stream/_modify change anything
PUT /_data_stream/{index}/_lifecycle code anything
DELETE /_data_stream/{index}/_lifecycle change anything

GET /_index_template meta -
GET /_index_template/{name} meta -
GET /_component_template meta -
GET /_component_template/{name} meta -
GET /_template meta -
GET /_template/{name} meta -
PUT,POST /_index_template/{name} code anything
PUT,POST /_component_template/{name} code anything
PUT,POST /_template/{name} code anything
POST /_index_template/_simulate meta anything
POST /_index_template/_simulate/{name} meta anything
POST /_index_template/_simulate_index/{name} meta anything
DELETE /_index_template/{name} drop -
DELETE /_component_template/{name} drop -
DELETE /_template/{name} drop -
GET /_ingest/pipeline meta -
GET /_ingest/pipeline/{name} meta -
GET /_ingest/processor/grok meta -
GET,POST /_ingest/pipeline/_simulate dynamic anything
GET,POST /_ingest/pipeline/{name}/_simulate dynamic anything
GET /_scripts/{name} meta -
GET /_script_context meta -
GET /_script_language meta -

GET /_cat meta -
GET /_cat/indices meta -
GET /_cat/indices/{index} meta -
GET /_cat/aliases meta -
GET /_cat/aliases/{name} meta -
GET /_cat/count meta -
GET /_cat/count/{index} meta -
GET /_cat/shards meta -
GET /_cat/shards/{index} meta -
GET /_cat/segments meta -
GET /_cat/segments/{index} meta -
GET /_cat/recovery meta -
GET /_cat/recovery/{index} meta -
GET /_cat/health meta -
GET /_cat/nodes meta -
GET /_cat/master meta -
GET /_cat/cluster_manager meta -
GET /_cat/allocation meta -
GET /_cat/allocation/{name} meta -
GET /_cat/fielddata meta -
GET /_cat/fielddata/{name} meta -
GET /_cat/plugins meta -
GET /_cat/pending_tasks meta -
GET /_cat/thread_pool meta -
GET /_cat/thread_pool/{name} meta -
GET /_cat/templates meta -
GET /_cat/templates/{name} meta -
GET /_cat/component_templates meta -
GET /_cat/component_templates/{name} meta -
GET /_cat/repositories meta -
GET /_cat/snapshots meta -
GET /_cat/snapshots/{name} meta -
GET /_cat/transforms meta -
GET /_cat/ml/** meta -
GET /_cat/tasks sensitive -
GET /_cat/nodeattrs sensitive -
GET /_cluster/health meta -
GET /_cluster/health/{index} meta -
GET /_cluster/stats meta -
GET /_cluster/stats/** meta -
GET /_cluster/pending_tasks meta -
GET,POST /_cluster/allocation/explain meta anything
GET /_cluster/settings sensitive -
GET /_cluster/state sensitive -
GET /_cluster/state/** sensitive -
PUT /_cluster/settings setting anything
POST /_cluster/reroute server anything
* /_cluster/** server anything
GET /_nodes/stats meta -
GET /_nodes/stats/** meta -
GET /_nodes/usage meta -
GET /_nodes/hot_threads sensitive -
GET /_nodes sensitive -
GET /_nodes/** sensitive -
* /_nodes/** server anything
GET /_tasks sensitive -
GET /_tasks/{id} sensitive -
POST /_tasks/_cancel other anything
POST /_tasks/{id}/_cancel other anything
GET /_remote/info sensitive -
GET /_health_report meta -
GET /_health_report/** meta -
GET /_xpack meta -
GET /_xpack/usage meta -
GET /_license meta -
GET /_info/** meta -

GET /_snapshot meta -
GET /_snapshot/{repository} meta -
GET /_snapshot/{repository}/{snapshot} meta -
GET /_snapshot/_status meta -
GET /_snapshot/{repository}/_status meta -
GET /_snapshot/{repository}/{snapshot}/_status meta -
PUT,POST /_snapshot/{repository}/{snapshot} create snapshot
PUT,POST /_snapshot/{repository} external anything
POST /_snapshot/{repository}/_verify maintain -
POST /_snapshot/{repository}/_cleanup drop anything
POST /_snapshot/{repository}/{snapshot}/_restore replace anything
POST /_snapshot/{repository}/{snapshot}/_mount external anything
PUT /_snapshot/{repository}/{snapshot}/_clone/{target} create anything
DELETE /_snapshot/{repository} drop -
DELETE /_snapshot/{repository}/{snapshot} drop -

GET /_ilm/policy meta -
GET /_ilm/policy/{name} meta -
GET /_ilm/status meta -
GET /{index}/_ilm/explain meta -
PUT /_ilm/policy/{name} code anything
DELETE /_ilm/policy/{name} drop -
POST /_ilm/** server anything
POST /{index}/_ilm/** change anything
GET /_slm/policy meta -
GET /_slm/policy/{name} meta -
GET /_slm/stats meta -
GET /_slm/status meta -
PUT /_slm/policy/{name} code anything
DELETE /_slm/policy/{name} drop -
* /_slm/** server anything
GET /_plugins/_ism/policies meta -
GET /_plugins/_ism/policies/{name} meta -
GET /_plugins/_ism/explain/{index} meta -
* /_plugins/_ism/** code anything
* /_opendistro/_ism/** code anything
GET /_transform meta -
GET /_transform/{name} meta -
GET /_transform/{name}/_stats meta -
* /_transform/** code anything
GET /_enrich/policy meta -
GET /_enrich/policy/{name} meta -
GET /_enrich/_stats meta -
* /_enrich/** code anything
GET /_rollup/** meta -
* /_rollup/** code anything
GET /_ml/info meta -
POST,PUT /_ml/trained_models/{name}/_infer model anything
POST /_inference/** external anything
* /_inference/** external anything

GET /_security/_authenticate meta -
GET /_security/privilege/_builtin meta -
GET,POST /_security/user/_has_privileges meta anything
GET /_security/user/_privileges meta -
GET /_security/api_key secret -
GET /_security/** sensitive -
* /_security/** privilege anything
GET /_plugins/_security/authinfo meta -
GET /_plugins/_security/** secret -
* /_plugins/_security/** privilege anything
* /_opendistro/_security/** privilege anything
* /_searchguard/** privilege anything
* /_xpack/security/** privilege anything
GET /_watcher/** sensitive -
* /_watcher/** code anything
* /_plugins/_alerting/** code anything
* /_opendistro/_alerting/** code anything
PUT,POST /_scripts/** code anything
PUT /_ingest/** code anything
* /_ccr/** external anything
* /{index}/_ccr/** external anything
* /_license/** server anything
)";

// Parameters that say how a request is answered, which part of the documents it means, or
// how long it waits. Those that do more are in elasticsearch.cc; any other is unknown.
constexpr std::string_view kParameters =
    "pretty human format filter_path error_trace v h s help bytes time size from sort q df "
    "analyzer "
    "analyze_wildcard default_operator lenient _source _source_includes _source_excludes "
    "_source_include _source_exclude stored_fields docvalue_fields fields routing preference "
    "realtime refresh version version_type local master_timeout cluster_manager_timeout timeout "
    "ignore_unavailable allow_no_indices ignore_throttled flat_settings include_defaults level "
    "wait_for_status wait_for_nodes wait_for_events wait_for_no_relocating_shards "
    "wait_for_no_initializing_shards wait_for_active_shards wait_for_completion "
    "wait_for_completion_timeout wait_for_timeout scroll_id scroll_size search_timeout search_type "
    "terminate_after track_scores track_total_hits rest_total_hits_as_int typed_keys request_cache "
    "batched_reduce_size max_concurrent_shard_requests max_concurrent_searches "
    "pre_filter_shard_size ccs_minimize_roundtrips allow_partial_search_results explain "
    "seq_no_primary_term if_seq_no if_primary_term op_type require_alias require_data_stream "
    "retry_on_conflict conflicts slices requests_per_second max_docs stats suggest_field "
    "suggest_mode suggest_size suggest_text min_score rewrite all_shards include_unmapped "
    "include_named_queries_score include_unloaded_segments completion_fields fielddata_fields "
    "groups include_segment_file_sizes forbid_closed_indices detailed active_only full_id pri "
    "health include_empty_fields filters types delimiter columnar drop_null_columns cursor "
    "create cause include_type_name write_index_only keep_alive verbose index_details "
    "include_repository order after offset snapshot sort_order from_sort_value ignore_status "
    "only_expunge_deletes max_num_segments flush force wait_if_ongoing run_expensive_tasks "
    "term_statistics field_statistics offsets positions payloads list_executed_pipelines pipeline "
    "threads ignore_idle_threads interval type actions nodes parent_task_id group_by "
    "fielddata query request include_global_state summary allow_partial_pits "
    "include_remote_cluster metric grid_precision grid_type extent exact_bounds";

struct Row {
  std::vector<std::string_view> methods;
  std::vector<std::string_view> segments;
  Api api;
};

struct Table {
  std::vector<Row> rows;
  // Words of paths that begin with `_`: no document has one of them for an id, as older
  // versions have APIs at `/{index}/{type}/_search` and the like.
  absl::flat_hash_set<std::string_view> words = {"_percolate", "_query",   "_warmer", "_suggest",
                                                 "_optimize",  "_gateway", "_river"};
  std::string problems;
};

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

const Table& TheTable() {
  static const Table& table = *[] {
    auto* made = new Table;
    for (const std::string_view line : Split(kTable, '\n')) {
      const auto columns = Split(line, ' ');
      if (columns.size() != 4) {
        made->problems += "not four columns: " + std::string(line) + "\n";
        continue;
      }
      const auto* type =
          std::find_if(std::begin(kClasses), std::end(kClasses),
                       [&](const ApiClass& known) { return known.name == columns[2]; });
      if (type == std::end(kClasses)) {
        made->problems += "no class: " + std::string(line) + "\n";
        continue;
      }
      Row row{Split(columns[0], ','), Split(columns[1], '/'), {columns[1], type, columns[3]}};
      for (const std::string_view segment : row.segments) {
        if (segment.starts_with('_') && segment != "_all") made->words.insert(segment);
      }
      made->rows.push_back(std::move(row));
    }
    return made;
  }();
  return table;
}

bool FitsParameter(std::string_view pattern, std::string_view segment, const Table& table) {
  if (!segment.starts_with('_') || segment == "_all") return true;
  return pattern == "{id}" && !table.words.contains(segment);
}

// Fits the path to the row's pattern; `indices` are those that it names.
bool Fits(const Row& row, const Request& request, const Table& table,
          std::vector<std::string_view>& indices) {
  const auto& segments = request.segments;
  indices.clear();
  for (size_t i = 0; i < row.segments.size(); ++i) {
    const std::string_view pattern = row.segments[i];
    if (pattern == "**") return true;
    if (i == segments.size()) return false;
    if (pattern.starts_with('{')) {
      if (!FitsParameter(pattern, segments[i], table)) return false;
      if (pattern == "{index}" || pattern == "{alias}" || pattern == "{target}") {
        indices.push_back(segments[i]);
      }
    } else if (pattern != segments[i]) {
      return false;
    }
  }
  return row.segments.size() == segments.size();
}

}  // namespace

std::optional<FoundApi> FindApi(const Request& request) {
  const Table& table = TheTable();
  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  for (const Row& row : table.rows) {
    const bool method_fits =
        row.methods[0] == "*" ||
        std::find(row.methods.begin(), row.methods.end(), method) != row.methods.end();
    std::vector<std::string_view> indices;
    if (method_fits && Fits(row, request, table, indices)) {
      return FoundApi{&row.api, std::move(indices)};
    }
  }
  return std::nullopt;
}

bool IsPlainParameter(std::string_view name) {
  static const auto& names = *[] {
    auto* made = new absl::flat_hash_set<std::string_view>;
    for (const std::string_view parameter : Split(kParameters, ' ')) made->insert(parameter);
    return made;
  }();
  return names.contains(name);
}

std::string ApiProblems() { return TheTable().problems; }

}  // namespace bridgekeeper::elasticsearch
