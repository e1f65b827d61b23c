// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/effects_view.h"
#include "clients/cli/message_value.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kAppFlag,          {.name = "--tool", .value = "TOOL", .help = "the tool", .required = true},
    kServerFlag,       kConnectionFlag,
    kCatalogFlag,      kStatementFlag,
    kPayloadFlag,      kArgumentsFlag,
    kDeclaredRiskFlag,
};

std::string_view ResultName(v1::CheckOutcome::Result result) {
  switch (result) {
    case v1::CheckOutcome::RESULT_PASSED:
      return "passed";
    case v1::CheckOutcome::RESULT_FAILED:
      return "FAILED";
    default:  // a later server may have more
      return "not reached";
  }
}

void PrintEntry(const v1::CatalogEntry& entry, std::ostream& out) {
  const auto or_star = [](const std::string& id) {
    return id.empty() ? std::string("*") : EscapeForPeople(id);
  };
  out << absl::StrFormat("catalogue entry: app %s, server %s, risk %s%s%s%s\n",
                         or_star(entry.key().app()), or_star(entry.key().server()),
                         Name(convert::FromProto(entry.risk())),
                         entry.builtin() ? ", built in" : "", entry.disabled() ? ", disabled" : "",
                         entry.reviewed() ? "" : ", not reviewed");
}

void PrintJudgement(const v1::Judgement& judgement, std::string_view text, std::ostream& out) {
  out << absl::StrFormat("\npayload: risk %s, %d statement%s, %s\n",
                         Name(convert::FromProto(judgement.risk())), judgement.statements(),
                         judgement.statements() == 1 ? "" : "s",
                         judgement.proven() ? "proven" : "assumed (no live catalogue)");
  if (!judgement.message().empty()) out << EscapeForPeople(judgement.message()) << '\n';
  std::vector<Effect> effects;
  for (const v1::Effect& effect : judgement.effects()) {
    effects.push_back({.kind = effect.kind(),
                       .object = effect.object(),
                       .position = effect.has_position()
                                       ? std::optional(static_cast<size_t>(effect.position()))
                                       : std::nullopt,
                       .risk = convert::FromProto(effect.risk()),
                       .why = effect.why()});
  }
  PrintEffects(text, effects, out);
}

absl::StatusOr<ExitCode> Run(Context& context) {
  v1::ExplainRequest request;
  BK_ASSIGN_OR_RETURN(*request.mutable_call(), ReadToolCall(context));
  const std::string tool = context.args().Text("--tool");
  request.mutable_call()->set_tool(tool);
  BK_ASSIGN_OR_RETURN(const std::set<std::string> covered, CoveredTools(context));
  if (covered.contains(tool)) request.mutable_call()->set_builtin_catalog(true);
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  BK_ASSIGN_OR_RETURN(const v1::ExplainResponse response, client->Explain(request));
  const ExitCode code = CodeOf(response.decision().verdict());
  if (!context.for_people()) {
    context.Print(MessageValue(response));
    return code;
  }
  PrintDecision(response.decision(), context.out());
  if (response.has_entry()) PrintEntry(response.entry(), context.out());
  context.out() << '\n';
  Table table({"CHECK", "RESULT", "REASON", "DETAIL"});
  for (const v1::CheckOutcome& check : response.checks()) {
    const bool failed = check.result() == v1::CheckOutcome::RESULT_FAILED;
    table.Add({check.name(), std::string(ResultName(check.result())),
               failed ? std::string(Name(convert::FromProto(check.reason_code()))) : "",
               check.detail()});
  }
  table.Print(context.out());
  if (response.has_judgement()) {
    PrintJudgement(response.judgement(), context.args().Text("--statement"), context.out());
  }
  return code;
}

}  // namespace

constexpr Command kExplain = {
    .name = "explain",
    .usage =
        "--app APP --tool TOOL [--server SERVER] [--connection ID] [--catalog NAME] "
        "[--statement TEXT | --payload FILE] [--arguments JSON|@FILE] [--declared-risk RISK]",
    .summary = "show every check of a decision",
    .help =
        "Shows the checks in the order in which they are made, what each compared, and what a "
        "payload\n"
        "was found to do. The exit code is that of `keeper decide`.\n",
    .examples = {"keeper explain --app sqlkit --tool sqlkit__execute_query --connection prod "
                 "--statement 'DROP TABLE t'",
                 "keeper explain --app sqlkit --tool es__delete_index --connection prod -o yaml"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
