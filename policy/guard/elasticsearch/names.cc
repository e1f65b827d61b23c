// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/names.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/guard/effects.h"

namespace bridgekeeper::elasticsearch {
namespace {

using enum Risk;

// Indices that hold password hashes, tokens, keys or sessions: prefixes of their names.
constexpr std::string_view kSecretIndices[] = {
    ".security",  // users, roles, API keys, tokens, profiles
    ".opendistro_security",
    ".opensearch_security",
    ".plugins-security",
    ".searchguard",
    "searchguard",
    ".kibana",  // sessions; saved objects hold the secrets of connectors
    ".fleet-secrets",
    ".connector-secrets",
    ".secrets-inference",
};

// Backing indices of data streams and partially mounted snapshots: plain data.
constexpr std::string_view kDataPrefixes[] = {".ds-", ".fs-", ".partial-"};

// Whether a name that the pattern `name` covers may begin with `prefix`.
bool MayBegin(std::string_view name, std::string_view prefix) {
  const std::string_view literal = name.substr(0, std::min(name.find('*'), name.size()));
  if (literal.starts_with(prefix)) return true;
  return literal.size() < name.size() && prefix.starts_with('.') && prefix.starts_with(literal);
}

bool MayBeSecret(std::string_view name) {
  return std::any_of(std::begin(kSecretIndices), std::end(kSecretIndices),
                     [&](std::string_view prefix) { return MayBegin(name, prefix); });
}

bool IsData(std::string_view name) {
  return !name.starts_with('.') ||
         std::any_of(std::begin(kDataPrefixes), std::end(kDataPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// The name up to the first part of date math that is not fixed, for the checks of its
// beginning; nullopt: not date math that is understood. A format in quotes could spell
// any name.
std::optional<std::string> StaticPart(std::string_view name) {
  if (!name.ends_with('>') || name.size() < 3) return std::nullopt;
  name = name.substr(1, name.size() - 2);
  const size_t brace = std::min(name.find('{'), name.size());
  for (const char c : name.substr(brace)) {
    if (!IsAsciiAlnum(c) && std::string_view("{}+-/|._:").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  if (brace == 0) return std::nullopt;
  return std::string(name.substr(0, brace)) + "*";
}

bool IsPlainName(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || c == 0x7F ||
           std::string_view("\"\\<>|?#,/:;%{}").find(c) != std::string_view::npos;
  });
}

class Checker {
 public:
  Checker(const NameOptions& how, const JudgeOptions& options, JudgementBuilder& found)
      : how_(how), options_(options), found_(found) {}

  void Check(std::string_view name) {
    const std::string_view whole = name;
    // `name::data` and `name::failures` select a part of a data stream.
    for (const std::string_view selector : {"::data", "::failures", "::*"}) {
      if (name.ends_with(selector)) name.remove_suffix(selector.size());
    }
    if (!name.starts_with('<')) {
      if (const size_t colon = name.find(':'); colon != std::string_view::npos) {
        CheckCluster(whole, name.substr(0, colon));
        name.remove_prefix(colon + 1);
      }
    }
    if (name.starts_with('-')) return;  // takes away what the others name
    std::string fixed(name);
    if (name.starts_with('<')) {
      auto part = StaticPart(name);
      if (!part)
        return Add(effect::kUnknown, whole, kDestructive, "date math that is not understood");
      fixed = *std::move(part);
    }
    if (name == "_all") fixed = "*";
    if (fixed.empty() || fixed.starts_with('_') || !IsPlainName(fixed)) {
      return Add(effect::kUnknown, whole, kDestructive, "not the name of an index");
    }
    CheckName(whole, fixed);
  }

 private:
  void Add(std::string_view kind, std::string_view object, Risk risk, std::string_view why) {
    found_.Add(kind, object, how_.position, risk, why);
  }

  void CheckCluster(std::string_view whole, std::string_view cluster) {
    if (options_.databases.contains(std::string(cluster))) return;
    Add(effect::kExternal, whole, kDestructive, "an index of a remote cluster");
    if (!options_.databases.empty()) {
      Add(effect::kOtherConnection, whole, kDestructive, "a cluster outside the connection's");
    }
  }

  void CheckName(std::string_view whole, std::string_view name) {
    const std::string lower = AsciiLower(name);
    // A wildcard in front reaches names with a dot only where hidden ones are asked for.
    const bool any_beginning = lower.starts_with('*');
    const bool secret = any_beginning ? how_.hidden : MayBeSecret(lower);
    const bool system = any_beginning ? how_.hidden : !IsData(lower);
    if (!secret && !system) return;
    if (how_.access == Access::kWrite) {
      return Add(effect::kSystemWrite, whole, kDestructive, "an index of the cluster's own");
    }
    if (how_.access == Access::kMetadata) {
      if (secret && !any_beginning) Sensitive(whole, "describes an index that holds credentials");
      return;
    }
    if (secret) {
      return Add(effect::kSensitiveRead, whole, kDestructive, "may hold credentials");
    }
    Sensitive(whole, "an index of the cluster's own");
  }

  void Sensitive(std::string_view object, std::string_view why) {
    Add(effect::kSensitiveRead, object, options_.allow_sensitive_reads ? kSafe : kElevated, why);
  }

  const NameOptions& how_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
};

}  // namespace

void CheckIndices(std::string_view expression, const NameOptions& how, const JudgeOptions& options,
                  JudgementBuilder& found) {
  Checker checker(how, options, found);
  while (true) {
    const size_t comma = std::min(expression.find(','), expression.size());
    checker.Check(expression.substr(0, comma));
    if (comma == expression.size()) return;
    expression.remove_prefix(comma + 1);
  }
}

}  // namespace bridgekeeper::elasticsearch
