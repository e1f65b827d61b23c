// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/guard/effects.h"
#include "policy/guard/elasticsearch/apis.h"
#include "policy/guard/elasticsearch/bodies.h"
#include "policy/guard/elasticsearch/names.h"
#include "policy/guard/elasticsearch/request.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace {

using elasticsearch::BodyWalker;
using elasticsearch::FoundApi;
using elasticsearch::Request;
using enum Risk;

constexpr std::string_view kLines = "searches:";

bool ReachesHidden(const Request& request) {
  const auto expand = request.Find("expand_wildcards");
  return expand && (expand->find("all") != std::string_view::npos ||
                    expand->find("hidden") != std::string_view::npos);
}

void CheckParameters(const Request& request, const FoundApi& found_api, JudgementBuilder& found) {
  for (const auto& [name, value] : request.parameters) {
    if (name == "scroll") {
      if (found_api.api->pattern.find("/_search/scroll") == std::string_view::npos) {
        found.Add(effect::kSession, name, std::nullopt, kElevated, "keeps a scroll open");
      }
    } else if (name == "keep_on_completion") {
      if (value != "false") {
        found.Add(effect::kSession, name, std::nullopt, kElevated,
                  "keeps its result on the server");
      }
    } else if (name == "keep_alive") {
      if (found_api.api->type->effect != effect::kSession) {
        found.Add(effect::kSession, name, std::nullopt, kElevated,
                  "keeps something open on the server for longer");
      }
    } else if (name != "expand_wildcards" && !elasticsearch::IsPlainParameter(name)) {
      found.Add(effect::kUnknown, name, std::nullopt, kDestructive,
                "a parameter that is not known");
    }
    if (name == "scroll_id" && value.find("_all") != std::string::npos) {
      found.Add(effect::kOtherSession, value, std::nullopt, kDestructive,
                "ends what others have open");
    }
  }
}

// What `path` names, or every index where it names none and the API reads documents.
void CheckPath(const Request& request, const FoundApi& found_api, const JudgeOptions& options,
               JudgementBuilder& found) {
  const elasticsearch::NameOptions how = {.access = found_api.api->type->access,
                                          .hidden = ReachesHidden(request)};
  for (const std::string_view index : found_api.indices) {
    elasticsearch::CheckIndices(index, how, options, found);
  }
  if (found_api.indices.empty() && how.access == elasticsearch::Access::kRead) {
    elasticsearch::CheckIndices("*", how, options, found);
  }
}

// Walks the body. Returns what cannot be read, or an empty text.
std::string WalkBody(JsonValue body, const FoundApi& found_api, BodyWalker& walker, int& parts) {
  const std::string_view rule = found_api.api->body;
  if (rule == "bulk") return walker.WalkBulk(body, !found_api.indices.empty(), parts);
  if (rule.starts_with(kLines)) {
    return walker.WalkSearches(body, rule.substr(kLines.size()), parts);
  }
  if (!body.is_string()) {
    if (!body.is_object()) return "got a body that is not a JSON object";
    walker.Walk(body, rule);
    return {};
  }
  // A tool may take the body as text.
  const auto document = JsonDocument::Parse(body.string());
  if (!document.ok()) return absl::StrFormat("the body: %s", document.status().message());
  if (!document->root().is_object()) return "got a body that is not a JSON object";
  walker.Walk(document->root(), rule);
  return {};
}

Judgement Unreadable(std::string problem) {
  return JudgementError(Judgement::Error::kUnreadable, "Elasticsearch: " + std::move(problem));
}

}  // namespace

Judgement JudgeElasticsearch(JsonValue object, const JudgeOptions& options) {
  Request request;
  if (std::string problem = ReadRequest(object, request); !problem.empty()) {
    return Unreadable(std::move(problem));
  }
  if (request.Find("source") || request.Find("source_content_type")) {
    return Unreadable("got a body in the query (`source`)");
  }
  JudgementBuilder found;
  const auto api = elasticsearch::FindApi(request);
  if (!api) {
    std::string path;
    for (const std::string& segment : request.segments) path += "/" + segment;
    found.Add(effect::kUnknown, request.method + " " + path, std::nullopt, kDestructive,
              "an API that is not known");
    return std::move(found).Finish(1);
  }
  if (!api->api->type->effect.empty()) {
    const bool allowed = api->api->type->name == "sensitive" && options.allow_sensitive_reads;
    found.Add(api->api->type->effect, api->api->pattern, std::nullopt,
              allowed ? kSafe : api->api->type->risk, api->api->type->why);
  }
  CheckParameters(request, *api, found);
  CheckPath(request, *api, options, found);

  const bool in_lines = api->api->body == "bulk" || api->api->body.starts_with(kLines);
  int parts = 0;
  if (request.body && api->api->body == "-") {
    found.Add(effect::kUnknown, "body", std::nullopt, kDestructive,
              "a body where the API takes none");
  } else if (request.body) {
    const size_t begin = object.offset();
    // A text or a line is a document of its own.
    const std::optional<size_t> position =
        request.body->is_string() ? std::optional(request.body->offset() - begin) : std::nullopt;
    BodyWalker walker(options, position, begin, found);
    if (std::string problem = WalkBody(*request.body, *api, walker, parts); !problem.empty()) {
      return Unreadable(std::move(problem));
    }
  }
  if (in_lines && parts == 0) {
    return JudgementError(Judgement::Error::kEmpty,
                          "Elasticsearch: got no line that does anything");
  }
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
