// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/cases.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/json.h"
#include "policy/testing/source_file.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kKinds[] = {"write",  "file", "read_file", "socket", "session",
                                       "server", "leak", "stall",     "bloat",  "crash"};

[[noreturn]] void Fail(const std::string& path, const std::string& what) {
  std::fprintf(stderr, "%s: %s\n", path.c_str(), what.c_str());
  std::abort();
}

// Calls `use` with each object of a file, and checks that no name comes twice.
void ForEach(const std::string& path, const std::function<void(JsonValue, std::string)>& use) {
  const std::string text = ReadSourceFile(path);
  const auto document = JsonDocument::Parse(text);
  if (!document.ok()) Fail(path, document.status().ToString());
  std::set<std::string> names;
  for (const JsonValue value : document->root()) {
    const std::string name(TextOf(value.Find("name")));
    if (name.empty()) Fail(path, "a case without a name");
    if (!names.insert(name).second) Fail(path, "twice: " + name);
    use(value, name);
  }
}

std::string FileOf(std::string_view folder, std::string_view engine, std::string_view ending) {
  return absl::StrFormat("tests/integration/sandbox/%s/%s%s.json", folder, engine, ending);
}

}  // namespace

std::vector<AttackCase> LoadAttacks(std::string_view engine) {
  const std::string path = FileOf("attacks", engine, "");
  std::vector<AttackCase> all;
  ForEach(path, [&](JsonValue value, std::string name) {
    AttackCase one;
    one.engine = engine;
    one.name = std::move(name);
    bool has_control = false;
    for (const JsonValue member : value) {
      const std::string_view key = member.key();
      if (key == "name") continue;
      if (key == "arguments") {
        one.arguments = member.raw();
      } else if (key == "hidden") {
        one.hidden = member.boolean();
      } else if (key == "does") {
        one.does = member.string();
      } else if (key == "sql") {
        one.sql = member.string();
        one.arguments = absl::StrFormat(R"({"sql":%s})", JsonString(one.sql));
      } else if (key == "tool") {
        one.tool = member.string();
      } else if (key == "reason") {
        one.reason = member.string();
      } else if (key == "control") {
        one.control = member.string();
        has_control = true;
      } else if (key == "no_control") {
        one.no_control = member.string();
      } else if (key == "covered_by") {
        one.covered_by = member.string();
      } else {
        Fail(path, absl::StrFormat("%s: unknown member `%s`", one.name, key));
      }
    }
    if (std::find(std::begin(kKinds), std::end(kKinds), one.does) == std::end(kKinds)) {
      Fail(path, one.name + ": unknown kind");
    }
    if (one.arguments.empty()) Fail(path, one.name + ": nothing to run");
    if (!has_control) one.control = one.sql;
    if (one.control.empty() && one.no_control.empty()) Fail(path, one.name + ": no control");
    all.push_back(std::move(one));
  });
  return all;
}

std::map<std::string, GuardOnlyCase> LoadGuardOnly(std::string_view engine) {
  const std::string path = FileOf("attacks", engine, "_guard_only");
  std::map<std::string, GuardOnlyCase> all;
  ForEach(path, [&](JsonValue value, const std::string& name) {
    GuardOnlyCase& one = all[name];
    one.why = TextOf(value.Find("why"));
    if (one.why.empty()) Fail(path, name + ": no reason");
    const auto leaves = value.Find("leaves");
    if (!leaves) Fail(path, name + ": what does it leave?");
    for (const JsonValue part : *leaves) one.leaves.emplace(part.string());
  });
  return all;
}

std::vector<ReadCase> LoadReads(std::string_view engine) {
  std::vector<ReadCase> all;
  ForEach(FileOf("reads", engine, ""), [&](JsonValue value, std::string name) {
    const auto rows = value.Find("rows");
    all.push_back({std::string(engine), std::move(name), std::string(TextOf(value.Find("sql"))),
                   rows ? rows->integer().value_or(-1) : 1});
  });
  return all;
}

}  // namespace bridgekeeper::bridge
