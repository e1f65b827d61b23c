// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/vectors/guard/guard_vectors.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/testing/source_file.h"

namespace bridgekeeper {
namespace {

constexpr std::string_view kErrorNames[] = {"NONE", "EMPTY", "UNREADABLE", "MULTIPLE"};

class VectorReader {
 public:
  explicit VectorReader(std::string_view dialect)
      : dialect_(dialect), path_(absl::StrFormat("tests/vectors/guard/%s.json", dialect)) {}

  std::vector<GuardVector> Read() {
    const std::string text = ReadSourceFile(path_);
    const auto document = JsonDocument::Parse(text);
    if (!document.ok()) Fail(document.status().ToString());
    std::vector<GuardVector> vectors;
    std::set<std::string> names;
    for (const JsonValue value : document->root()) {
      vectors.push_back(ReadOne(value));
      if (!names.insert(vectors.back().name).second) Fail("twice: " + vectors.back().name);
    }
    return vectors;
  }

 private:
  [[noreturn]] void Fail(const std::string& what) const {
    std::fprintf(stderr, "%s: %s\n", path_.c_str(), what.c_str());
    std::abort();
  }

  std::string Text(JsonValue value) const {
    if (!value.is_string()) Fail(absl::StrFormat("got %s, want a string", value.raw()));
    return std::string(value.string());
  }

  std::vector<std::string> Texts(JsonValue value) const {
    std::vector<std::string> out;
    for (const JsonValue element : value) out.push_back(Text(element));
    return out;
  }

  JudgeOptions Options(JsonValue value) const {
    JudgeOptions options;
    for (const JsonValue member : value) {
      if (member.key() == "safe_functions") {
        for (std::string& name : Texts(member)) options.safe_functions.insert(std::move(name));
      } else if (member.key() == "databases") {
        for (std::string& name : Texts(member)) options.databases.insert(std::move(name));
      } else if (member.key() == "allow_sensitive_reads") {
        options.allow_sensitive_reads = member.boolean();
      } else if (member.key() == "standard_conforming_strings") {
        options.standard_conforming_strings = member.boolean();
      } else if (member.key() == "sql_mode") {
        options.sql_mode = Text(member);
      } else {
        Fail(absl::StrFormat("unknown option `%s`", member.key()));
      }
    }
    return options;
  }

  GuardVector ReadOne(JsonValue value) const {
    GuardVector out;
    out.dialect = dialect_;
    bool has_risk = false;
    for (const JsonValue member : value) {
      if (member.key() == "name") {
        out.name = Text(member);
      } else if (member.key() == "source") {
        out.source = Text(member);
      } else if (member.key() == "sql") {
        out.sql = Text(member);
      } else if (member.key() == "object") {
        out.object = std::string(member.raw());
      } else if (member.key() == "options") {
        out.options = Options(member);
      } else if (member.key() == "risk") {
        const auto risk = ParseEnum<Risk>(Text(member));
        if (!risk.has_value()) Fail(out.name + ": unknown risk");
        out.risk = *risk;
        has_risk = true;
      } else if (member.key() == "error") {
        const auto* error = std::find(std::begin(kErrorNames), std::end(kErrorNames), Text(member));
        if (error == std::end(kErrorNames)) Fail(out.name + ": unknown error");
        out.error = static_cast<Judgement::Error>(error - std::begin(kErrorNames));
      } else if (member.key() == "effects") {
        out.effects = Texts(member);
      } else if (member.key() == "too_large_to_run") {
        out.too_large_to_run = member.boolean();
      } else if (member.key() == "message") {
        out.message = Text(member);
      } else {
        Fail(absl::StrFormat("%s: unknown member `%s`", out.name, member.key()));
      }
    }
    if (out.name.empty() || !has_risk) Fail("a vector without name or risk: " + out.name);
    return out;
  }

  const std::string dialect_;
  const std::string path_;
};

bool Has(const Judgement& judgement, std::string_view wanted) {
  return std::any_of(judgement.effects.begin(), judgement.effects.end(), [&](const Effect& effect) {
    return wanted == effect.kind || wanted == effect.kind + " " + effect.object;
  });
}

}  // namespace

std::vector<GuardVector> LoadGuardVectors(std::string_view dialect) {
  return VectorReader(dialect).Read();
}

std::string_view Name(Judgement::Error error) { return kErrorNames[static_cast<size_t>(error)]; }

std::string Mismatch(const GuardVector& vector, const Judgement& judgement) {
  std::string out;
  if (judgement.risk != vector.risk) {
    out += absl::StrFormat("risk: got %s, want %s\n", Name(judgement.risk), Name(vector.risk));
  }
  if (judgement.error != vector.error) {
    out += absl::StrFormat("error: got %s, want %s\n", Name(judgement.error), Name(vector.error));
  }
  for (const std::string& effect : vector.effects) {
    if (!Has(judgement, effect)) out += absl::StrFormat("effects: want `%s`\n", effect);
  }
  if (judgement.message.find(vector.message) == std::string::npos) {
    out += absl::StrFormat("message: got `%s`, want `%s`\n", judgement.message, vector.message);
  }
  if (out.empty()) return out;
  for (const Effect& effect : judgement.effects) {
    out += absl::StrFormat("  found %s %s at %d: %s\n", effect.kind, effect.object,
                           effect.position.value_or(0), effect.why);
  }
  return out + "  of " + (vector.object.empty() ? vector.sql : vector.object);
}

}  // namespace bridgekeeper
