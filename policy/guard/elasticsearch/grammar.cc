// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/grammar.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "policy/base/check.h"

namespace bridgekeeper::elasticsearch {
namespace {

// One rule a line; a line that begins with a space goes on with the rule above it.
// Written from the Elasticsearch Guide (7.17 to 8.x) and the OpenSearch documentation.
constexpr std::string_view kGrammar = R"(
nothing:
anything: *=any

search: query,post_filter=query aggs,aggregations=aggs sort=sort highlight=highlight
 suggest=suggest rescore=rescore script_fields=script_fields runtime_mappings,derived=runtime
 collapse=collapse knn=knn retriever=retriever sub_searches=query_only
 size,from,_source,fields,stored_fields,docvalue_fields,search_after,slice,min_score=any
 pit=used_pit
 track_total_hits,track_scores,timeout,terminate_after,explain,profile,version=any
 seq_no_primary_term,stats,indices_boost,rank,ignore_unmapped,name,include_named_queries_score=any
mvt: query=query aggs=aggs sort=sort runtime_mappings=runtime fields,size,track_total_hits=any
 exact_bounds,extent,buffer,grid_agg,grid_precision,grid_type,with_labels=any
query_only: query=query
index_filter: index_filter=query runtime_mappings=runtime *=any
eql: query=any filter=query runtime_mappings=runtime event_category_field,fields,fetch_size=any
 size,timestamp_field,tiebreaker_field,result_position,case_sensitive,max_samples_per_key=any
 wait_for_completion_timeout,keep_alive=any keep_on_completion=@keep
sql: query=@sql cursor=@cursor fetch_size,columnar,time_zone,params,request_timeout,page_timeout,mode=any
 filter=query runtime_mappings=runtime catalog=@cluster field_multi_value_leniency=any
 index_include_frozen,binary_format,client_id,version,wait_for_completion_timeout,keep_alive=any
 keep_on_completion=@keep allow_partial_search_results=any
os_sql: query=@sql cursor=@cursor fetch_size,filter,parameters=any
ppl: query=@ppl
esql: query=@esql filter=query params,columnar,locale,profile,include_ccs_metadata=any
 wait_for_completion_timeout,keep_alive,tables,pragma,allow_partial_results=any keep_on_completion=@keep
rank_eval: requests=rank_request templates=@template metric=any
rank_request: request=search ratings=doc_at id,params,template_id,summary_fields=any
template_search: source=@template id=@stored_template params,explain,profile=any
scroll: scroll,scroll_id=any
used_pit: keep_alive=@extend id=any
pit: keep_alive=any index_filter=query
closed: id,pit_id,cursor,scroll_id=@close
mget: docs=doc_at ids,parameters=any
doc_at: _index=@index *=any
msearch_header: index=@index expand_wildcards=@expand ignore_unavailable,allow_no_indices,search_type=any
 routing,preference,request_cache,ccs_minimize_roundtrips,allow_partial_search_results,type=any
 ignore_throttled,scroll=any
termvectors: *=any
analyze: tokenizer,filter,char_filter=@analysis analyzer,text,field,normalizer,explain,attributes=any
graph: query=query connections=graph vertices,controls=any

query: bool=q_bool boosting=q_boosting constant_score=q_filter dis_max=q_queries
 function_score=q_function_score script_score=q_script_score script=q_script
 nested,has_child,has_parent,field_masking_span,span_field_masking=q_inner percolate=q_lookup
 more_like_this=q_like terms=q_terms terms_set=q_terms_set geo_shape,shape=q_shape
 knn=knn pinned,rule,rule_query=q_organic intervals=q_intervals span_near,span_or=q_clauses
 span_not=q_span_not span_first,span_multi=q_match span_containing,span_within=q_span_in
 semantic,text_expansion,sparse_vector,neural,neural_sparse,hybrid,ml_standardize=@model
 match,match_phrase,match_phrase_prefix,match_bool_prefix,multi_match,combined_fields=any
 query_string,simple_query_string,term,range,exists,prefix,wildcard,regexp,fuzzy,ids,type=any
 match_all,match_none,geo_bounding_box,geo_distance,geo_polygon,geo_grid,distance_feature=any
 rank_feature,parent_id,span_term,weighted_tokens,common,xy_shape=any
q_bool: must,should,filter,must_not,mustNot=query boost,minimum_should_match,_name=any
 adjust_pure_negative,queryName=any
q_boosting: positive,negative=query negative_boost,boost,_name=any
q_filter: filter=query boost,_name=any
q_queries: queries=query tie_breaker,boost,_name=any
q_function_score: query,filter=query functions=score_function script_score=scorer
 boost,boost_mode,score_mode,max_boost,min_score,weight,random_score,field_value_factor=any
 gauss,linear,exp,_name=any
score_function: filter=query script_score=scorer weight,random_score,field_value_factor=any
 gauss,linear,exp,_name=any
scorer: script=@script
q_script_score: query=query script=@script min_score,boost,_name=any
q_script: script=@script boost,_name=any
q_inner: query=query inner_hits=search path,type,parent_type,child_type,score_mode=any
 ignore_unmapped,min_children,max_children,score,field,boost,_name=any
q_lookup: index=@index *=any
q_like: like,unlike=doc_at *=any
q_terms: boost,_name,value_type=any *=terms_lookup
terms_lookup: index=@index id,path,routing,type,store=any query=query
q_terms_set: *=terms_set
terms_set: minimum_should_match_script=@script terms,minimum_should_match_field,boost,_name=any
 minimum_should_match=any
q_shape: ignore_unmapped,boost,_name=any *=shape
shape: indexed_shape=q_lookup shape,relation,strategy=any
knn: filter=query query_vector_builder=@model inner_hits=search field,query_vector,k=any
 num_candidates,similarity,boost,_name,rescore_vector,visit_percentage=any *=os_knn
os_knn: filter=query vector,k,max_distance,min_score,method_parameters,rescore,boost=any
 expand_nested_docs=any
q_organic: organic=query docs=doc_at match_criteria,ruleset_id,ruleset_ids,ids,boost,_name=any
q_intervals: boost,_name=any *=interval
interval: filter=interval_filter intervals,all_of,any_of,match,prefix,wildcard,fuzzy,range,regexp=interval
 *=any
interval_filter: script=@script *=interval
q_clauses: clauses=query slop,in_order,boost,_name=any
q_span_not: include,exclude=query dist,pre,post,boost,_name=any
q_match: match=query end,boost,_name=any
q_span_in: little,big=query boost,_name=any

aggs: *=agg
agg: aggs,aggregations=aggs meta=any filter=query filters,adjacency_matrix=agg_filters
 top_hits=search scripted_metric=scripted_metric composite=composite
 global,nested,reverse_nested,children,parent=any
 avg,sum,min,max,stats,extended_stats,value_count,cardinality,percentiles,percentile_ranks=values
 median_absolute_deviation,string_stats,boxplot,weighted_avg,top_metrics,t_test,rate=values
 geo_bounds,geo_centroid,geo_line,cartesian_bounds,cartesian_centroid,matrix_stats=values
 terms,multi_terms,rare_terms,significant_terms,significant_text,histogram,date_histogram=values
 auto_date_histogram,variable_width_histogram,range,date_range,ip_range,ip_prefix=values
 geo_distance,geohash_grid,geotile_grid,geohex_grid,missing,sampler,diversified_sampler=values
 random_sampler,frequent_item_sets,categorize_text,time_series=values
 cumulative_sum,cumulative_cardinality,derivative,serial_diff,moving_avg,moving_fn=values
 moving_percentiles,normalize,avg_bucket,max_bucket,min_bucket,sum_bucket,stats_bucket=values
 extended_stats_bucket,percentiles_bucket,bucket_count_ks_test,bucket_correlation=values
 bucket_sort,change_point,bucket_script,bucket_selector=values inference=@model
values: script=@script script_heuristic=scorer value,weight,a,b,terms=values
 background_filter,filter=query sort=sort *=any
agg_filters: filters=@filters other_bucket,other_bucket_key,keyed,separator=any
scripted_metric: init_script,map_script,combine_script,reduce_script=@script params=any
composite: sources=sources size,after=any
sources: *=source
source: terms,histogram,date_histogram,geotile_grid=values

sort: _script=sort_script *=sort_field
sort_script: script=@script nested=sort_nested nested_filter=query type,order,mode,nested_path=any
sort_field: nested=sort_nested nested_filter=query *=any
sort_nested: filter=query nested=sort_nested path,max_children=any
highlight: highlight_query=query fields=highlight_fields *=any
highlight_fields: *=highlight_field
highlight_field: highlight_query=query *=any
suggest: text=any *=suggester
suggester: phrase=phrase *=any
phrase: collate=@template *=any
rescore: query=rescore_query script=@script learning_to_rank=@model window_size=any
rescore_query: rescore_query=query *=any
script_fields: *=script_field
script_field: script=@script ignore_failure=any
runtime: *=runtime_field
runtime_field: script=@script target_index=@index *=any
collapse: inner_hits=search collapse=collapse field,max_concurrent_group_searches=any
retriever: standard=standard_retriever knn=knn rrf,linear=retrievers retriever=retriever
 text_similarity_reranker,rescorer=@model pinned=q_organic weight,normalizer=any
standard_retriever: query,filter=query sort=sort collapse=collapse search_after,terminate_after=any
 min_score,_name=any
retrievers: retrievers=retriever filter=query rank_constant,rank_window_size,query,fields=any
 normalizer,min_score,_name=any

document: *=any
update: script=@write_script doc,upsert,doc_as_upsert,detect_noop,scripted_upsert,_source=any
 if_seq_no,if_primary_term,lang=any
by_query: query=query script=@write_script slice,max_docs,size,conflicts,sort,_source=any
bulk_meta: _index=@write _id,_type,routing,_routing,parent,_parent,version,_version=any
 version_type,_version_type,if_seq_no,if_primary_term,pipeline,require_alias,op_type=any
 require_data_stream,dynamic_templates,retry_on_conflict,_retry_on_conflict,list_executed_pipelines=any
reindex: source=reindex_source dest=reindex_dest script=@write_script conflicts,max_docs,size,slice=any
reindex_source: index=@index remote=@remote query=query runtime_mappings=runtime sort=sort
 size,slice,_source,type=any
reindex_dest: index=@write op_type,version_type,routing,pipeline,type=any
aliases: actions=alias_action
alias_action: add=alias_add remove=@remove_alias remove_index=@remove_index
alias_add: index,indices=@index filter=query alias,aliases,routing,index_routing,search_routing=any
 is_write_index,is_hidden,must_exist=any
alias: filter=query routing,index_routing,search_routing,is_write_index,is_hidden=any
new_aliases: *=alias
new_index: settings=@settings mappings=mapping aliases=new_aliases
resized: settings=@settings aliases=new_aliases max_single_primary_size,target_shards=any
rollover: conditions=any settings=@settings mappings=mapping aliases=new_aliases
mapping: properties=properties runtime=new_runtime dynamic_templates=dynamic_templates
 dynamic,date_detection,dynamic_date_formats,numeric_detection,_source,_routing,_meta=any
 _field_names,_size,_data_stream_timestamp,subobjects=any
more_mapping: properties=properties runtime,dynamic_templates,dynamic,date_detection=@replaces
 dynamic_date_formats,numeric_detection,_source,_routing,_meta,_field_names,_size=@replaces
 _data_stream_timestamp,subobjects=@replaces
properties: *=field
field: properties,fields=properties script=@stored_script *=any
new_runtime: *=new_runtime_field
new_runtime_field: script=@stored_script *=any
dynamic_templates: *=dynamic_template
dynamic_template: mapping,runtime=field *=any
snapshot: indices,ignore_unavailable,include_global_state,metadata,partial,feature_states=any
 expand_wildcards=any
painless: script=@script context,context_setup=any
)";

struct Grammar {
  std::map<std::string, Rule, std::less<>> rules;
  std::string problems;
};

std::string_view TakeWord(std::string_view& text, std::string_view ends) {
  const size_t begin = std::min(text.find_first_not_of(" \n"), text.size());
  text.remove_prefix(begin);
  const size_t end = std::min(text.find_first_of(ends), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Reads the members of one rule. REQUIRES: `grammar` has every rule
void ReadMembers(std::string_view text, Rule& rule, Grammar& grammar) {
  while (!text.empty()) {
    std::string_view names = TakeWord(text, "=");
    if (text.empty()) break;
    text.remove_prefix(1);
    const std::string_view what = TakeWord(text, " \n");
    Target target;
    if (what.starts_with('@')) {
      target.action = what;
    } else if (what != "any") {
      const auto it = grammar.rules.find(what);
      if (it == grammar.rules.end()) {
        grammar.problems += "no rule " + std::string(what) + "\n";
        continue;
      }
      target.rule = &it->second;
    }
    while (!names.empty()) {
      const std::string_view name = TakeWord(names, ",");
      if (!names.empty()) names.remove_prefix(1);
      if (!rule.members.emplace(name, target).second) {
        grammar.problems += "two members " + std::string(name) + "\n";
      }
    }
  }
}

const Grammar& TheGrammar() {
  static const Grammar& grammar = *[] {
    auto* made = new Grammar;
    std::vector<std::pair<std::string_view, std::string_view>> lines;
    std::string_view rest = kGrammar;
    while (!rest.empty()) {
      size_t end = rest.find('\n', 1);
      while (end != std::string_view::npos && rest.substr(end).starts_with("\n ")) {
        end = rest.find('\n', end + 1);
      }
      std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end, rest.size()));
      const std::string_view name = TakeWord(line, ":");
      if (line.empty()) continue;
      lines.emplace_back(name, line.substr(1));
      if (!made->rules.try_emplace(std::string(name)).second) {
        made->problems += "two rules " + std::string(name) + "\n";
      }
    }
    for (const auto& [name, members] : lines) {
      Rule& rule = made->rules.find(name)->second;
      ReadMembers(members, rule, *made);
      const auto others = rule.members.find("*");
      if (others != rule.members.end()) rule.others = &others->second;
    }
    return made;
  }();
  return grammar;
}

}  // namespace

const Rule& FindRule(std::string_view name) {
  const auto& rules = TheGrammar().rules;
  const auto it = rules.find(name);
  BK_CHECK(it != rules.end());
  return it->second;
}

std::string GrammarProblems() { return TheGrammar().problems; }

}  // namespace bridgekeeper::elasticsearch
