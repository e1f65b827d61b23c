// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Documents: how people write policies, catalogue entries and connection records.
// YAML or JSON, one or a list; every problem of a document is reported at once with
// its place, what was got, what is wanted and what to do.
//
// Each kind has one list of fields (fields.h) from which reading, printing and the
// hints for unknown keys follow. Printing what was read gives it back:
// Parse(Print(x)) == x.
//
// Thread safety: free functions without state. Nothing here throws.
// Source: policy/spec.md, section T.

#ifndef BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_H_
#define BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/issue.h"
#include "policy/model/policy.h"
#include "policy/text/value.h"

namespace bridgekeeper {

// Largest document: whatever may be stored can be printed and read back. The largest
// policy (10,000 ids and 10,000 overrides, all of full length) prints to 4 MB, the largest
// connection record (1 MiB of functions, every byte an escape of six) to 7 MB. A fleet's
// list is split.
inline constexpr size_t kMaxDocumentBytes = 8 << 20;

// Most values of a document, keys included: five times what the largest policy has.
inline constexpr size_t kMaxDocumentValues = 500'000;

// Deepest nesting: a list of policies with overrides and their action sets has 5.
inline constexpr size_t kMaxDocumentDepth = 16;

// Issues that are listed; a last one counts the rest.
inline constexpr size_t kMaxDocumentIssues = 100;

struct DocumentOptions {
  // The app of what names none; empty: each must name its own. A document that
  // names another one is an error, so that nothing is written for an app that the
  // caller did not mean.
  std::string default_app;
};

template <typename T>
struct Documents {
  std::vector<T> values;      // empty where any issue is an error
  std::vector<Issue> issues;  // by line and column
};

// Reads policies. With `default_app`, also a data-studio desktop app's
// mcp-config.json: its `policy` member is read, integer connection ids are taken
// as text, and what is not about policy is left out with a warning.
Documents<McpPolicy> ParsePolicyDocument(std::string_view text,
                                         const DocumentOptions& options = {});

// Reads catalogue entries. `app` and `server` absent or `*`: every app, every
// server; with `default_app` an absent app is that one.
Documents<CatalogEntry> ParseCatalogDocument(std::string_view text,
                                             const DocumentOptions& options = {});

// Reads connection records.
Documents<ConnectionRecord> ParseConnectionDocument(std::string_view text,
                                                    const DocumentOptions& options = {});

// The document of a value. Every field is written but optional ones that are
// unset.
Value ToValue(const McpPolicy& policy);
Value ToValue(const CatalogEntry& entry);
Value ToValue(const ConnectionRecord& record);

std::string PrintPolicyYaml(const McpPolicy& policy);
std::string PrintPolicyJson(const McpPolicy& policy);

// What an administrator should know about a policy that is valid: one sentence
// each, lower case, no full stop.
std::vector<std::string> PolicyWarnings(const McpPolicy& policy);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TEXT_DOCUMENT_H_
