// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/mcp/json_text.h"
#include "clients/bridge/program.h"
#include "clients/bridge/reloader.h"
#include "clients/bridge/sandbox/engines.h"
#include "clients/bridge/sandbox/sandbox_transport.h"
#include "policy/base/strings.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {
namespace {

// Keeps the `why` of what a back end logs: the operator who asks is who the log is for.
class WhyLogger : public Logger {
 public:
  WhyLogger() : Logger(LogLevel::kWarning) {}
  const std::string& why() const { return why_; }

 private:
  void Write(LogLevel, std::string_view, std::span<const LogField> fields) override {
    for (const LogField& field : fields) {
      const auto* text = std::get_if<std::string_view>(&field.value);
      if (field.name == "why" && text != nullptr) why_ = std::string(*text);
    }
  }

  std::string why_;
};

struct Examined {
  const ConnectionConfig* connection;
  Examination found;
  std::string why;
};

Examined Look(const ConnectionConfig& connection, const Clock& clock) {
  WhyLogger log;
  Examined examined{.connection = &connection, .found = {}, .why = {}};
  const StopSignal stop;
  if (auto backend = MakeBackend(connection, clock, log); backend.ok()) {
    examined.found = (*backend)->Examine(LimitsOf(connection, nullptr), stop);
  } else {
    examined.found.refusal = RunError{"CONNECTION", std::string(AsStd(backend.status().message()))};
  }
  examined.why = log.why();
  return examined;
}

std::string_view Name(Finding::Level level) {
  switch (level) {
    case Finding::Level::kNote:
      return "note";
    case Finding::Level::kAccepted:
      return "accepted";
    case Finding::Level::kRefused:
      return "refused";
  }
  return "note";
}

std::string TextOf(const Examined& examined) {
  const Examination& found = examined.found;
  std::string out = absl::StrFormat("%s (%s): %s\n", examined.connection->id.value(),
                                    EscapeForPeople(examined.connection->type),
                                    found.refusal ? "calls would be refused" : "calls would run");
  if (!found.who.empty()) out += absl::StrFormat("  %s\n", EscapeForPeople(found.who));
  if (found.refusal) {
    out +=
        absl::StrFormat("  %s: %s\n", found.refusal->code, EscapeForPeople(found.refusal->message));
    if (!examined.why.empty()) out += absl::StrFormat("  %s\n", EscapeForPeople(examined.why));
  }
  for (const Finding& finding : found.findings) {
    out += absl::StrFormat("  %-8s  %s: %s\n", Name(finding.level), finding.name,
                           EscapeForPeople(finding.text));
  }
  if (found.findings.empty() || found.advice.empty()) return out;
  out += "  a role that only reads, run by an administrator:\n";
  for (const absl::string_view line : absl::StrSplit(found.advice, '\n', absl::SkipEmpty())) {
    out += absl::StrFormat("    %s\n", EscapeForPeople(AsStd(line)));
  }
  return out;
}

std::string JsonOf(const std::vector<Examined>& all) {
  std::string list = "[";
  for (const Examined& examined : all) {
    if (list.size() > 1) list += ',';
    JsonObject object(list);
    object.String("id", examined.connection->id.value())
        .String("type", examined.connection->type)
        .Bool("calls_run", !examined.found.refusal.has_value());
    if (!examined.found.who.empty()) object.String("role", examined.found.who);
    if (examined.found.refusal) {
      std::string refusal;
      JsonObject why(refusal);
      why.String("code", examined.found.refusal->code)
          .String("message", examined.found.refusal->message);
      if (!examined.why.empty()) why.String("why", examined.why);
      why.Close();
      object.Raw("refusal", refusal);
    }
    std::string findings = "[";
    for (const Finding& finding : examined.found.findings) {
      if (findings.size() > 1) findings += ',';
      JsonObject each(findings);
      each.String("level", Name(finding.level))
          .String("name", finding.name)
          .String("text", finding.text);
      each.Close();
    }
    object.Raw("findings", findings + "]");
    if (!examined.found.advice.empty()) object.String("advice", examined.found.advice);
    object.Close();
  }
  std::string out;
  JsonObject object(out);
  object.Raw("connections", list + "]");
  object.Close();
  return out + "\n";
}

}  // namespace

ExitCode RunCheck(const CheckCommand& command) {
  RealClock clock;
  const auto config = LoadServed({.config_file = command.config_file, .announce = {}, .keeper = {}},
                                 /*warnings=*/nullptr, /*checks_places=*/false);
  if (!config.ok()) {
    std::fprintf(stderr, "%s\n", std::string(config.status().message()).c_str());
    return ExitCode::kUsage;
  }
  std::vector<Examined> all;
  bool all_run = true;
  for (const ConnectionConfig& connection : config->connections) {
    if (!command.connection.empty() && connection.id.value() != command.connection) continue;
    all.push_back(Look(connection, clock));
    all_run = all_run && !all.back().found.refusal;
  }
  if (all.empty()) {
    std::fprintf(stderr, "keeper-bridge: error: %s: there is no connection%s\n",
                 command.config_file.c_str(),
                 command.connection.empty()
                     ? ""
                     : (" `" + EscapeForPeople(command.connection, 128) + "`").c_str());
    return ExitCode::kUsage;
  }
  if (command.output == OutputFormat::kJson) {
    std::fputs(JsonOf(all).c_str(), stdout);
  } else {
    for (const Examined& examined : all) std::fputs(TextOf(examined).c_str(), stdout);
  }
  if (std::fflush(stdout) != 0) {
    std::fputs("keeper-bridge: error: standard output cannot be written\n", stderr);
    return ExitCode::kFailed;
  }
  return all_run ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace bridgekeeper::bridge
