// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <set>
#include <string>
#include <vector>

#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/tool_call.h"
#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    kAppFlag,
    {.name = "--tool",
     .kind = Flag::Kind::kTexts,
     .value = "TOOL",
     .help = "the tool, or several: each is decided alone",
     .required = true},
    kServerFlag,
    kConnectionFlag,
    kCatalogFlag,
    kStatementFlag,
    kPayloadFlag,
    kArgumentsFlag,
    kDeclaredRiskFlag,
};

absl::StatusOr<ExitCode> DecideOne(Context& context, const v1::ToolCall& call) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::DecideRequest request;
  *request.mutable_call() = call;
  BK_ASSIGN_OR_RETURN(const v1::DecideResponse response, client->Decide(request));
  if (context.for_people()) {
    PrintDecision(response.decision(), context.out());
  } else {
    context.Print(MessageValue(response.decision()));
  }
  return CodeOf(response.decision().verdict());
}

absl::StatusOr<ExitCode> DecideMany(Context& context, const v1::ToolCall& call,
                                    const std::vector<std::string>& tools,
                                    const std::set<std::string>& covered) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::DecideBatchRequest request;
  for (const std::string& tool : tools) {
    v1::ToolCall& item = *request.add_calls();
    item = call;
    item.set_tool(tool);
    if (covered.contains(tool)) item.set_builtin_catalog(true);
  }
  BK_ASSIGN_OR_RETURN(const v1::DecideBatchResponse response, client->DecideBatch(request));
  if (response.decisions_size() != static_cast<int>(tools.size())) {
    return absl::InternalError("keeperd answered another number of decisions than were asked for");
  }
  ExitCode worst = ExitCode::kOk;
  Table table({"TOOL", "VERDICT", "REASON", "RISK", "WHY"});
  Value list = Value::List();
  for (int i = 0; i < response.decisions_size(); ++i) {
    const v1::Decision& decision = response.decisions(i);
    const std::string& tool = tools[static_cast<size_t>(i)];
    worst = Worse(worst, CodeOf(decision.verdict()));
    table.Add({tool, std::string(Name(convert::FromProto(decision.verdict()))),
               std::string(Name(convert::FromProto(decision.reason_code()))),
               std::string(Name(convert::FromProto(decision.effective_risk()))),
               decision.reason()});
    list.Add(Value::Object().Set("tool", tool).Set("decision", MessageValue(decision)));
  }
  if (context.for_people()) {
    table.Print(context.out());
  } else {
    context.Print(list);
  }
  return worst;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(v1::ToolCall call, ReadToolCall(context));
  const std::vector<std::string> tools = context.args().Texts("--tool");
  BK_ASSIGN_OR_RETURN(const std::set<std::string> covered, CoveredTools(context));
  if (tools.size() > 1) return DecideMany(context, call, tools, covered);
  call.set_tool(tools.front());
  if (covered.contains(tools.front())) call.set_builtin_catalog(true);
  return DecideOne(context, call);
}

}  // namespace

constexpr Command kDecide = {
    .name = "decide",
    .usage =
        "--app APP --tool TOOL... [--server SERVER] [--connection ID] [--catalog NAME] "
        "[--statement TEXT | --payload FILE] [--arguments JSON|@FILE] [--declared-risk RISK]",
    .summary = "ask whether a call may run",
    .help =
        "Asks what a bridge would ask. The exit code is the answer: 0 allowed, 3 denied, 4 ask.\n"
        "Where a bridge has reported the server, its catalogue is what the bridge declared: a "
        "bridge's own\n"
        "databases have the built-in entries. --catalog says so of a server that no bridge has "
        "reported.\n"
        "With neither --statement, --payload nor --arguments nothing is judged, and the "
        "catalogue's\n"
        "risk counts. A bridge may refuse more: by its own `--readonly` or `max_risk`, and where "
        "a\n"
        "connection of its own has no `writes: allowed`, or a database shows what a text does "
        "not.\n",
    .examples =
        {"keeper decide --app sqlkit --tool sqlkit__execute_query --connection prod --statement "
         "'SELECT 1'",
         "keeper decide --app sqlkit --tool es__search es__delete_index --connection prod -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
