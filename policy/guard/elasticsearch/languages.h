// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Internal to the Elasticsearch judge: the languages inside bodies. SQL, ES|QL and PPL
// only read, save for DELETE in OpenSearch's SQL, so what matters is which statement it
// is, which indices it names and whether it asks a model. In SQL names are looked for in
// the whole text, comments included, and strings too where a backslash or a comment leaves
// in doubt what is one: a name too many is checked, none is missed; a comment where a name
// is expected is refused. ES|QL and PPL are read without their comments and strings; a text
// whose strings and comments cannot be told apart is refused.
//
// Source: Elasticsearch Guide, "SQL", "ES|QL", "Painless"; OpenSearch, "SQL and PPL".

#ifndef BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_LANGUAGES_H_
#define BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_LANGUAGES_H_

#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper::elasticsearch {

struct QueryText {
  // Names after FROM, JOIN and the like, as index expressions.
  std::vector<std::string> names;
  // What it does that is no plain read; empty: nothing.
  std::string unknown;        // a statement or command that is not known
  bool deletes = false;       // OpenSearch's DELETE
  bool asks_a_model = false;  // COMPLETION, RERANK, TEXT_EMBEDDING()
};

QueryText ReadSql(std::string_view text);
QueryText ReadEsql(std::string_view text);
QueryText ReadPpl(std::string_view text);

// Whether a Painless script can change nothing but the document's own fields: `ctx` stands
// nowhere but in `ctx._source`. Else it may set `ctx.op` to delete, or name another index.
bool ChangesOnlySource(std::string_view script);

}  // namespace bridgekeeper::elasticsearch

#endif  // BRIDGEKEEPER_POLICY_GUARD_ELASTICSEARCH_LANGUAGES_H_
