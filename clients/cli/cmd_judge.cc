// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/effects_view.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/guard/dialects.h"
#include "policy/guard/guard.h"
#include "policy/guard/judgement_builder.h"
#include "runtime/judge_worker.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--dialect",
     .value = "DIALECT",
     .help = "what the payload is written in, e.g. postgres",
     .required = true},
    {.name = "--statement", .value = "TEXT", .help = "the payload"},
    {.name = "--file",
     .value = "FILE",
     .help = "a file that holds it; standard input where neither is given, or -"},
    {.name = "--lines",
     .kind = Flag::Kind::kSwitch,
     .help = "read one payload a line as JSON from standard input, answer each with a line"},
};

absl::StatusOr<const Dialect*> DialectOf(const std::string& name) {
  if (const Dialect* dialect = FindDialect(name)) return dialect;
  std::vector<std::string_view> names;
  std::string listed;
  for (const Dialect& dialect : AllDialects()) {
    names.push_back(dialect.name);
    listed += (listed.empty() ? "" : ", ") + std::string(dialect.name);
  }
  const auto nearest = NearestName(name, names);
  return WithHelp(UsageError(absl::StrFormat("`--dialect`: got `%s`, want one of %s",
                                             EscapeForPeople(name, 64), listed)),
                  nearest.has_value() ? absl::StrFormat("did you mean `%s`?", *nearest) : "");
}

// null where there is none.
Value ErrorCode(Judgement::Error error) {
  switch (error) {
    case Judgement::Error::kNone:
      return Value();
    case Judgement::Error::kEmpty:
      return Name(ReasonCode::kStatementEmpty);
    case Judgement::Error::kUnreadable:
      return Name(ReasonCode::kStatementUnreadable);
    case Judgement::Error::kMultiple:
      return Name(ReasonCode::kStatementMultiple);
  }
  return Name(ReasonCode::kStatementUnreadable);
}

Value JudgementValue(const Judgement& judgement) {
  Value effects = Value::List();
  for (const Effect& effect : judgement.effects) {
    effects.Add(
        Value::Object()
            .Set("kind", effect.kind)
            .Set("object", effect.object)
            .Set("position", effect.position.has_value() ? Value(*effect.position) : Value())
            .Set("risk", Name(effect.risk))
            .Set("why", effect.why));
  }
  Value value = Value::Object();
  value.Set("risk", Name(judgement.risk))
      .Set("effects", std::move(effects))
      .Set("statements", judgement.statements)
      .Set("proven", judgement.proven)
      .Set("error", ErrorCode(judgement.error));
  if (!judgement.message.empty()) value.Set("message", judgement.message);
  return value;
}

void PrintForPeople(std::string_view text, const Judgement& judgement, std::ostream& out) {
  if (judgement.error != Judgement::Error::kNone) {
    out << absl::StrFormat("%s: %s\n", ErrorCode(judgement.error).text(),
                           EscapeForPeople(judgement.message));
  } else {
    out << absl::StrFormat("%s, %s\n", Name(judgement.risk),
                           judgement.proven ? "proven" : "assumed (no live catalogue)");
  }
  PrintEffects(text, judgement.effects, out);
}

// A payload as a caller writes it: a string is text, an object an object.
absl::StatusOr<Judgement> JudgeJson(const PayloadJudge& guard, const Dialect& dialect,
                                    std::string_view json) {
  BK_ASSIGN_OR_RETURN(const JsonDocument document, JsonDocument::Parse(json));
  const JsonValue payload = document.root();
  if (payload.is_string()) return guard.JudgeText(dialect.name, payload.string(), {});
  if (payload.is_object()) return guard.JudgeObject(dialect.name, payload, {});
  return absl::InvalidArgumentError("got neither a JSON string nor a JSON object");
}

// Answers every line, those that hold no payload too, so that answers stay in step.
ExitCode JudgeLines(Context& context, const PayloadJudge& guard, const Dialect& dialect) {
  ExitCode code = ExitCode::kOk;
  for (std::string line; std::getline(context.session().in, line);) {
    absl::StatusOr<Judgement> judgement = JudgeJson(guard, dialect, line);
    if (!judgement.ok()) {
      code = ExitCode::kFailed;
      judgement =
          JudgementError(Judgement::Error::kUnreadable, std::string(judgement.status().message()));
    }
    context.out() << ToJsonLine(JudgementValue(*judgement)) << '\n' << std::flush;
  }
  return code;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  BK_ASSIGN_OR_RETURN(const Dialect* const dialect, DialectOf(args.Text("--dialect")));
  if (args.Has("--lines") + args.Has("--file") + args.Has("--statement") > 1) {
    return UsageError("got more than one of `--statement`, `--file` and `--lines`, want one");
  }
  const std::unique_ptr<PayloadJudge> guard =
      MakeGuard({.isolated = MakeJudgeWorkers({.max_workers = 1})});
  if (args.Has("--lines")) return JudgeLines(context, *guard, *dialect);

  std::string text = args.Text("--statement");
  if (!args.Has("--statement")) {
    BK_ASSIGN_OR_RETURN(text, context.ReadInput(args.Has("--file") ? args.Text("--file") : "-"));
  }
  Judgement judgement;
  if (dialect->text != nullptr) {
    judgement = guard->JudgeText(dialect->name, text, {});
  } else {
    BK_ASSIGN_OR_RETURN(judgement, JudgeJson(*guard, *dialect, text));
  }
  if (context.for_people()) {
    PrintForPeople(text, judgement, context.out());
  } else {
    context.Print(JudgementValue(judgement));
  }
  return judgement.error == Judgement::Error::kNone ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

constexpr Command kJudge = {
    .name = "judge",
    .usage = "--dialect DIALECT [--statement TEXT | --file FILE | --lines]",
    .summary = "say what a statement really does",
    .help =
        "Asks the engine's own parser, without a server: the risk, and each effect with its place. "
        "The\n"
        "judgement is what keeperd and a bridge find; what they make of it is the policy's.\n"
        "With --lines each line of standard input is one payload (a JSON string, or an object) and "
        "each\n"
        "line of the output its judgement. The exit code is 1 where the statement could not be "
        "judged, with\n"
        "--lines where a line was no payload.\n",
    .examples = {"keeper judge --dialect postgres --statement 'EXPLAIN ANALYZE DELETE FROM t'",
                 "keeper judge --dialect postgres --statement 'SELECT pg_sleep(10)' -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
