// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "APP", .help = "the app", .required = true},
    {.name = "--file",
     .short_name = "-f",
     .value = "FILE",
     .help = "a document with the policy after; - is standard input"},
    {.name = "--revision",
     .kind = Flag::Kind::kInteger,
     .value = "N",
     .help = "the policy after is the one at this revision"},
    {.name = "--before-revision",
     .kind = Flag::Kind::kInteger,
     .value = "N",
     .help = "the policy before is the one at this revision; the one in force unless given"},
};

std::string Side(v1::Verdict verdict, v1::ReasonCode reason) {
  const std::string name(Name(convert::FromProto(verdict)));
  return verdict == v1::VERDICT_ALLOW
             ? name
             : absl::StrFormat("%s %s", name, Name(convert::FromProto(reason)));
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  if (args.Has("--file") == args.Has("--revision")) {
    return UsageError("want exactly one of `--file` and `--revision`: the policy to compare with");
  }
  v1::DiffPolicyRequest request;
  request.set_app(args.Text("APP"));
  request.set_before_revision(args.Integer("--before-revision").value_or(0));
  if (const auto revision = args.Integer("--revision")) request.set_after_revision(*revision);
  if (args.Has("--file")) {
    BK_ASSIGN_OR_RETURN(const std::string text, context.ReadInput(args.Text("--file")));
    const auto document = ParsePolicyDocument(text, {.default_app = args.Text("APP")});
    BK_RETURN_IF_ERROR(ReportIssues(context, document.issues, args.Text("--file")));
    if (document.values.size() != 1)
      return absl::InvalidArgumentError("got a list, want one policy");
    *request.mutable_after_policy() = convert::ToProto(document.values.front());
  }
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::StatusOr<v1::DiffPolicyResponse> response = client->DiffPolicy(request);
  if (absl::IsNotFound(response.status())) {
    if (absl::Status found = ReadExistingPolicy(context, AppId(args.Text("APP"))).status();
        !found.ok())
      return found;
  }
  BK_RETURN_IF_ERROR(response.status());
  if (!context.for_people()) {
    context.Print(MessageValue(*response));
    return ExitCode::kOk;
  }
  Table table({"", "TOOL", "SERVER", "RISK", "CONNECTION", "BEFORE", "AFTER"});
  for (const v1::DiffCell& cell : response->cells()) {
    table.Add({cell.loosened() ? "+" : "-", cell.tool(),
               cell.server().empty() ? "*" : cell.server(),
               std::string(Name(convert::FromProto(cell.risk()))),
               cell.connection().empty() ? "(none)" : cell.connection(),
               Side(cell.before(), cell.before_reason()), Side(cell.after(), cell.after_reason())});
  }
  if (response->total() > 0) table.Print(context.out());
  context.out() << absl::StrFormat("%d answers differ, %d of them allow more (+)\n",
                                   response->total(), response->loosened());
  if (response->cells_size() < response->total()) {
    context.Note(absl::StrFormat("the first %d are shown", response->cells_size()));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kPolicyDiff = {
    .name = "policy diff",
    .usage = "APP (-f FILE | --revision N) [--before-revision N]",
    .summary = "show which answers another policy would change",
    .help =
        "Compares what two policies of an app answer, tool by tool, risk by risk, on every "
        "connection that\n"
        "can be told apart. A `+` marks an answer that allows more. Nothing is written.\n",
    .examples = {"keeper policy diff sqlkit --file policy.yaml",
                 "keeper policy diff sqlkit --revision 1 -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
