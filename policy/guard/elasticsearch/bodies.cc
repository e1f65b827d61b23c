// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/bodies.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "policy/guard/case_twin.h"
#include "policy/guard/effects.h"
#include "policy/guard/elasticsearch/languages.h"

namespace bridgekeeper::elasticsearch {
namespace {

using enum Risk;

// Settings of a new index that only say how it keeps and reads its documents. Others run
// something later (`default_pipeline`, `lifecycle.name`) or are not known.
constexpr std::string_view kPlainSettings[] = {"number_of_shards",
                                               "number_of_replicas",
                                               "number_of_routing_shards",
                                               "auto_expand_replicas",
                                               "refresh_interval",
                                               "analysis",
                                               "analyze",
                                               "codec",
                                               "mapping",
                                               "mappings",
                                               "similarity",
                                               "sort",
                                               "query",
                                               "search",
                                               "routing_partition_size",
                                               "hidden",
                                               "knn",
                                               "merge",
                                               "mode",
                                               "max_result_window",
                                               "max_inner_result_window",
                                               "max_rescore_window",
                                               "max_docvalue_fields_search",
                                               "max_script_fields",
                                               "max_ngram_diff",
                                               "max_shingle_diff",
                                               "max_refresh_listeners",
                                               "max_terms_count",
                                               "max_regex_length",
                                               "highlight",
                                               "priority",
                                               "store",
                                               "translog",
                                               "unassigned",
                                               "blocks",
                                               "load_fixed_bitset_filters_eagerly",
                                               "soft_deletes",
                                               "write",
                                               "shard"};

// Elasticsearch's own bound on queries is 30 levels; each of them is at most six of JSON.
constexpr int kMaxDepth = 256;

// One action or document a line: the parsed lines, or what cannot be read.
struct Lines {
  std::deque<std::string> texts;  // a deque never moves what its documents are views of
  std::deque<JsonDocument> documents;
  std::vector<std::optional<JsonValue>> values;  // nullopt: a blank line
  std::string problem;
};

Lines ReadLines(JsonValue body) {
  Lines lines;
  if (body.is_array()) {
    for (const JsonValue line : body) lines.values.emplace_back(line);
    return lines;
  }
  if (!body.is_string()) {
    lines.problem = "got a body that is not text with a JSON object a line";
    return lines;
  }
  std::string_view rest = body.string();
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view text = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (text.find_first_not_of(" \t\r") == std::string_view::npos) {
      lines.values.emplace_back(std::nullopt);
      continue;
    }
    lines.texts.emplace_back(text);
    auto document = JsonDocument::Parse(lines.texts.back());
    if (!document.ok()) {
      lines.problem =
          absl::StrFormat("line %d: %s", lines.values.size() + 1, document.status().message());
      return lines;
    }
    lines.documents.push_back(*std::move(document));
    lines.values.emplace_back(lines.documents.back().root());
  }
  return lines;
}

bool IsTrue(JsonValue value) {
  return (value.kind() == JsonKind::kBool && value.boolean()) ||
         (value.is_string() && value.string() != "false");
}

}  // namespace

void BodyWalker::Walk(JsonValue body, std::string_view rule) { WalkBy(body, FindRule(rule)); }

void BodyWalker::Add(std::string_view kind, std::string_view object, JsonValue at, Risk risk,
                     std::string_view why) {
  found_.Add(kind, object, PositionOf(at), risk, why);
}

bool BodyWalker::Enter(JsonValue value) {
  if (++depth_ <= kMaxDepth) return true;
  Add(effect::kUnknown, "", value, kDestructive, "nested deeper than is looked into");
  --depth_;
  return false;
}

void BodyWalker::WalkBy(JsonValue value, const Rule& rule) {
  if (!Enter(value)) return;
  WalkInside(value, rule);
  --depth_;
}

void BodyWalker::WalkInside(JsonValue value, const Rule& rule) {
  if (value.is_array()) {
    for (const JsonValue inner : value) WalkBy(inner, rule);
    return;
  }
  if (!value.is_object()) return;
  if (rule.others == nullptr || rule.members.size() > 1) {
    if (const auto twin = FindCaseTwin(value)) {
      Add(effect::kUnknown, twin->key(), value, kDestructive, "two members differ only by case");
    }
  }
  for (const JsonValue member : value) {
    const auto known = rule.members.find(member.key());
    if (known != rule.members.end() && member.key() != "*") {
      Apply(member, known->second, member.key());
    } else if (rule.others != nullptr) {
      Apply(member, *rule.others, member.key());
    } else {
      Add(effect::kUnknown, member.key(), member, kDestructive, "a member that is not known here");
    }
  }
}

void BodyWalker::Apply(JsonValue value, const Target& target, std::string_view name) {
  if (!target.action.empty()) {
    Act(value, target.action, name);
  } else if (target.rule != nullptr) {
    WalkBy(value, *target.rule);
  }
}

void BodyWalker::Act(JsonValue value, std::string_view action, std::string_view name) {
  if (action == "@index") return CheckNames(value, Access::kRead);
  if (action == "@write") return CheckNames(value, Access::kWrite);
  if (action == "@script") return ReadScript(value, false);
  if (action == "@write_script") return ReadScript(value, true);
  if (action == "@settings") return CheckSettings(value);
  if (action == "@sql") return CheckQuery(value, &ReadSql);
  if (action == "@ppl") return CheckQuery(value, &ReadPpl);
  if (action == "@esql") return CheckQuery(value, &ReadEsql);
  if (action == "@filters") {  // a list of queries, or queries by name
    if (value.is_array()) return Walk(value, "query");
    for (const JsonValue named : value) Walk(named, "query");
    return;
  }
  if (action == "@keep") {
    if (IsTrue(value))
      Add(effect::kSession, name, value, kElevated, "keeps its result on the server");
    return;
  }
  if (action == "@replaces") {
    Add(effect::kAlter, name, value, kDestructive,
        "replaces what the mapping says, or a computed field, or removes one");
    if (name == "runtime") Walk(value, "new_runtime");
    if (name == "dynamic_templates") Walk(value, "dynamic_templates");
    return;
  }
  if (action == "@analysis") return CheckParts(value, name, false);
  if (action == "@cursor") {
    return Add(effect::kSensitiveRead, name, value,
               options_.allow_sensitive_reads ? kSafe : kElevated,
               "goes on with a query that it holds, which cannot be seen");
  }
  if (action == "@expand") {
    const std::string_view text = value.raw();
    if (text.find("hidden") == std::string_view::npos &&
        text.find("all") == std::string_view::npos && text.find('\\') == std::string_view::npos) {
      return;
    }
    return Add(effect::kSensitiveRead, name, value, kDestructive,
               "wildcards reach hidden indices, which may hold credentials");
  }
  if (action == "@close") {
    bool all = value.is_string() && value.string() == "_all";
    for (const JsonValue id : value) all |= id.is_string() && id.string() == "_all";
    if (all) {
      Add(effect::kOtherSession, "_all", value, kDestructive, "ends what others have open");
    }
    return;
  }
  struct Plain {
    std::string_view action, kind;
    Risk risk;
    std::string_view why;
  };
  static constexpr Plain kPlain[] = {
      {"@stored_script", effect::kStoredCode, kDestructive, "a script that runs later"},
      {"@extend", effect::kSession, kElevated, "keeps something open on the server for longer"},
      {"@template", effect::kDynamicCode, kElevated,
       "a template that becomes a query when it runs"},
      {"@stored_template", effect::kFunction, kElevated, "a stored template"},
      {"@model", effect::kFunction, kElevated, "asks a model, which may be another server's"},
      {"@remote", effect::kExternal, kDestructive, "reads from another server"},
      {"@cluster", effect::kExternal, kDestructive, "reads from a remote cluster"},
      {"@remove_alias", effect::kDrop, kDestructive, "removes an alias"},
      {"@remove_index", effect::kDrop, kDestructive, "deletes an index"},
  };
  for (const Plain& plain : kPlain) {
    if (plain.action == action) return Add(plain.kind, name, value, plain.risk, plain.why);
  }
  BK_CHECK(false);  // the grammar names an action that is not here; its test finds it
}

void BodyWalker::CheckNames(JsonValue value, Access access) {
  if (value.is_array()) {
    if (!Enter(value)) return;
    for (const JsonValue inner : value) CheckNames(inner, access);
    --depth_;
  } else if (value.is_string()) {
    CheckIndices(value.string(), {.access = access, .position = PositionOf(value)}, options_,
                 found_);
  } else {
    Add(effect::kUnknown, value.raw().substr(0, 64), value, kDestructive,
        "not the name of an index");
  }
}

void BodyWalker::ReadScript(JsonValue script, bool writes) {
  if (script.is_array()) {
    if (!Enter(script)) return;
    for (const JsonValue inner : script) ReadScript(inner, writes);
    --depth_;
    return;
  }
  std::optional<JsonValue> source;
  std::string_view language = "painless";
  if (script.is_string()) source = script;
  for (const JsonValue member : script) {
    const std::string_view name = member.key();
    if (name == "source" || name == "inline") {
      source = member;
    } else if (name == "lang") {
      language = member.is_string() ? member.string() : "";
    } else if (name != "params" && name != "options") {  // `id`, `stored`, `file`
      return Add(effect::kFunction, "script", script, writes ? kDestructive : kElevated,
                 "a script that cannot be seen");
    }
  }
  if (!source || !source->is_string()) {
    return Add(effect::kUnknown, "script", script, kDestructive, "a script without its source");
  }
  if (language == "expression" && !writes) return;  // arithmetic on fields
  if (language != "painless" && (language != "mustache" || writes)) {
    return Add(effect::kDynamicCode, "script", script, kDestructive,
               "a script in another language");
  }
  if (writes && !ChangesOnlySource(source->string())) {
    return Add(effect::kDynamicCode, "script", script, kDestructive,
               "a script that may delete documents (`ctx.op`) or move them");
  }
  Add(effect::kDynamicCode, "script", script, kElevated, "runs a script on the server");
}

void BodyWalker::CheckSettings(JsonValue settings) {
  for (const JsonValue member : settings) {
    const std::string_view name = member.key();
    if (name == "index" && member.is_object() && Enter(member)) {
      CheckSettings(member);
      --depth_;
      continue;
    }
    std::string_view plain = name;
    if (plain.starts_with("index.")) plain.remove_prefix(6);
    plain = plain.substr(0, plain.find('.'));
    if (std::find(std::begin(kPlainSettings), std::end(kPlainSettings), plain) ==
        std::end(kPlainSettings)) {
      Add(effect::kStoredCode, name, member, kDestructive,
          "a setting that acts later, or is not known");
    } else {
      CheckParts(member, name, true);
    }
  }
}

void BodyWalker::CheckParts(JsonValue value, std::string_view name, bool stored) {
  for (std::string_view rest = name; !rest.empty();) {
    const size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view part = rest.substr(0, dot);
    rest.remove_prefix(std::min(dot + 1, rest.size()));
    if (part == "script" || part == "default_pipeline") {
      return Add(stored ? effect::kStoredCode : effect::kDynamicCode, name, value,
                 stored ? kDestructive : kElevated,
                 stored ? "a script or pipeline that runs later" : "runs a script on the server");
    }
    const bool path = part.ends_with("_path") || part == "user_dictionary" || part == "rule_files";
    if (path && !value.is_object()) {  // else it is what somebody named so
      return Add(effect::kHostFile, name, value, kDestructive,
                 "reads a file of the server's configuration");
    }
  }
  if ((!value.is_object() && !value.is_array()) || !Enter(value)) return;
  for (const JsonValue inner : value) {
    CheckParts(inner, value.is_object() ? inner.key() : std::string_view(), stored);
  }
  --depth_;
}

void BodyWalker::CheckQuery(JsonValue text, QueryText (*read)(std::string_view)) {
  if (!text.is_string()) {
    return Add(effect::kUnknown, text.key(), text, kDestructive, "a query that is not a text");
  }
  const QueryText query = read(text.string());
  if (!query.unknown.empty()) {
    Add(effect::kUnknown, query.unknown, text, kDestructive,
        "not a statement that is known to read");
  }
  if (query.deletes) Add(effect::kDelete, "DELETE", text, kDestructive, "deletes documents");
  if (query.asks_a_model) {
    Add(effect::kFunction, "query", text, kElevated, "asks a model, which may be another server's");
  }
  for (const std::string& name : query.names) {
    CheckIndices(name, {.access = Access::kRead, .position = PositionOf(text)}, options_, found_);
  }
}

std::string BodyWalker::WalkBulk(JsonValue body, bool has_index, int& count) {
  struct Operation {
    std::string_view name, kind;
    Risk risk;
    std::string_view why;
    std::string_view document;  // the rule of the line that follows; empty: none does
  };
  static constexpr Operation kOperations[] = {
      {"index", effect::kInsert, kElevated, "adds a document, or puts it in the place of one",
       "document"},
      {"create", effect::kInsert, kElevated, "adds a document", "document"},
      {"update", effect::kUpdate, kElevated, "changes a document", "update"},
      {"delete", effect::kDelete, kDestructive, "deletes a document", ""},
  };
  const Lines lines = ReadLines(body);
  if (!lines.problem.empty()) return lines.problem;
  std::string_view awaited;  // the rule of the document that an action announced
  for (size_t i = 0; i < lines.values.size(); ++i) {
    if (!lines.values[i]) {
      if (!awaited.empty()) return absl::StrFormat("line %d: blank, want a document", i + 1);
      continue;
    }
    const JsonValue line = *lines.values[i];
    if (!line.is_object()) return absl::StrFormat("line %d: not a JSON object", i + 1);
    if (!awaited.empty()) {
      Walk(line, std::exchange(awaited, {}));
      continue;
    }
    if (line.size() != 1) return absl::StrFormat("line %d: want one action", i + 1);
    const JsonValue meta = *line.begin();
    const auto* operation = std::find_if(std::begin(kOperations), std::end(kOperations),
                                         [&](const Operation& o) { return o.name == meta.key(); });
    if (operation == std::end(kOperations) || !meta.is_object()) {
      return absl::StrFormat("line %d: want one of index, create, update and delete", i + 1);
    }
    Walk(meta, "bulk_meta");
    if (!has_index && !meta.Find("_index")) {
      return absl::StrFormat("line %d: names no index, and neither does the path", i + 1);
    }
    const auto index = meta.Find("_index");
    Add(operation->kind, index && index->is_string() ? index->string() : "", line, operation->risk,
        operation->why);
    awaited = operation->document;
    ++count;
  }
  return awaited.empty() ? "" : "the last action has no document";
}

std::string BodyWalker::WalkSearches(JsonValue body, std::string_view rule, int& count) {
  const Lines lines = ReadLines(body);
  if (!lines.problem.empty()) return lines.problem;
  if (lines.values.size() % 2 != 0) return "want a header and a search in turn";
  for (size_t i = 0; i < lines.values.size(); ++i) {
    const auto& line = lines.values[i];
    const bool is_header = i % 2 == 0;
    if (!line && is_header) continue;  // every default
    if (!line || !line->is_object()) return absl::StrFormat("line %d: not a JSON object", i + 1);
    Walk(*line, is_header ? "msearch_header" : rule);
    count += is_header ? 0 : 1;
  }
  return {};
}

}  // namespace bridgekeeper::elasticsearch
