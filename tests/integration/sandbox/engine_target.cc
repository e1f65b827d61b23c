// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/sandbox/engine_target.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/escaping.h"
#include "absl/strings/str_replace.h"
#include "clients/bridge/sandbox/tools.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

using Targets = std::map<std::string, std::unique_ptr<EngineTarget>, std::less<>>;

Targets& Started() {
  static auto* const targets = new Targets;
  return *targets;
}

class StopsTheEngines : public ::testing::Environment {
 public:
  void TearDown() override { Started().clear(); }
};

::testing::Environment* const kStops = ::testing::AddGlobalTestEnvironment(new StopsTheEngines);

RunResult Run(EngineTarget& target, std::string_view tool, const std::string& arguments,
              const RunLimits& limits, bool looks_up) {
  const ToolRow* row = FindTool(tool);
  const auto document = JsonDocument::Parse(arguments);
  if (row == nullptr || !document.ok()) return RunError{"TEST", "no such tool, or no JSON"};
  const auto read = ReadArguments(*row, document->root());
  if (!read.ok()) return RunError{"ARGUMENTS", std::string(read.status().message())};
  auto statement = target.backend().StatementFor(row->tool, *read);
  if (!statement) return RunError{"UNSUPPORTED", "the engine has no such thing"};
  statement->callers = statement->callers && looks_up;
  const StopSignal stop;
  return target.backend().Run(*statement, limits, stop);
}

}  // namespace

std::set<std::string> Changed(const State& before, const State& after) {
  std::set<std::string> changed;
  for (const auto& [part, text] : before) {
    const auto found = after.find(part);
    if (found == after.end() || found->second != text) changed.insert(part);
  }
  return changed;
}

std::string EngineTarget::Fill(std::string text) const {
  for (const auto& [word, value] : words_) {
    text = absl::StrReplaceAll(text, {{"{" + word + "}", value}});
  }
  return text;
}

EngineTarget& TargetOf(std::string_view engine) {
  const auto found = Started().find(engine);
  if (found != Started().end()) return *found->second;
  for (const EngineRow& row : AllEngines()) {
    if (row.name != engine) continue;
    auto target = row.start();
    if (!target.ok()) {
      std::fprintf(stderr, "%s: %s\n", std::string(engine).c_str(),
                   target.status().ToString().c_str());
      std::abort();
    }
    return *(Started()[std::string(engine)] = *std::move(target));
  }
  std::abort();
}

RunResult RunDecided(EngineTarget& target, std::string_view tool, const std::string& arguments,
                     const RunLimits& limits) {
  return Run(target, tool, arguments, limits, /*looks_up=*/true);
}

RunResult RunUnguarded(EngineTarget& target, std::string_view tool, const std::string& arguments,
                       const RunLimits& limits) {
  return Run(target, tool, arguments, limits, /*looks_up=*/false);
}

std::string NextCallOf(Backend& backend, const std::string& sql) {
  const StopSignal stop;
  const RunResult result =
      backend.Run({.sql = sql, .parameters = {}, .shape = Shape::kText, .database = {}},
                  {.timeout = kCallTimeout}, stop);
  const std::string* answer = std::get_if<std::string>(&result);
  return answer == nullptr ? ErrorIn(result) : *answer;
}

std::string ErrorIn(const RunResult& result) {
  const auto* error = std::get_if<RunError>(&result);
  return error == nullptr ? "" : error->code + ": " + error->message;
}

bool ShowsCanary(const RunResult& result, std::string_view sent) {
  if (const auto* error = std::get_if<RunError>(&result)) {
    return sent.find(kCanary) == std::string_view::npos &&
           error->message.find(kCanary) != std::string::npos;
  }
  const std::string& answer = std::get<std::string>(result);
  return answer.find(kCanary) != std::string::npos ||
         answer.find(absl::BytesToHexString(AsAbsl(kCanary))) != std::string::npos;
}

}  // namespace bridgekeeper::bridge
