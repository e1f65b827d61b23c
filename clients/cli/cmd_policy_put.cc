// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--file",
     .short_name = "-f",
     .value = "FILE",
     .help = "the document, YAML or JSON; - is standard input",
     .required = true},
    {.name = "--app", .value = "APP", .help = "the app of a policy that names none"},
    kExpectedRevisionFlag,
    kAllConnectionsFlag,
    kReasonFlag,
};

// Several policies are one revision, all or none.
absl::StatusOr<ExitCode> PutMany(Context& context, const std::vector<McpPolicy>& policies) {
  if (context.args().Has("--expected-revision")) {
    return UsageError("`--expected-revision` is of one policy, and the document has several");
  }
  if (policies.size() > convert::kMaxPolicyBatchItems) {
    return absl::ResourceExhaustedError(
        absl::StrFormat("got %d policies, want at most %d in one document", policies.size(),
                        convert::kMaxPolicyBatchItems));
  }
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::BatchPutPoliciesRequest request;
  std::vector<AppId> apps;
  for (const McpPolicy& policy : policies) apps.push_back(policy.app);
  BK_ASSIGN_OR_RETURN(const std::vector<StoredPolicy> read, ReadPolicies(context, apps));
  for (size_t i = 0; i < policies.size(); ++i) {
    const McpPolicy& policy = policies[i];
    BK_RETURN_IF_ERROR(CheckNothingLifted(context, read[i], policy));
    v1::PutPolicyRequest& item = *request.add_requests();
    *item.mutable_policy() = convert::ToProto(policy);
    item.mutable_options()->set_expected_revision(read[i].revision);
    item.mutable_options()->set_author(context.Author());
    item.mutable_options()->set_reason(context.args().Text("--reason"));
  }
  const absl::StatusOr<v1::BatchPutPoliciesResponse> response = client->BatchPutPolicies(request);
  if (!response.ok()) {
    if (!absl::IsAborted(response.status())) return response.status();
    BK_ASSIGN_OR_RETURN(const std::vector<StoredPolicy> now, ReadPolicies(context, apps));
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].revision != read[i].revision) {
        return ShowWhatChanged(context, response.status(), read[i]);
      }
    }
    return response.status();
  }
  Value warnings = Value::List();
  for (const McpPolicy& policy : policies) {
    for (const std::string& warning : PolicyWarnings(policy)) {
      const std::string text = absl::StrFormat("%s: %s", policy.app.value(), warning);
      context.Warn(text);
      warnings.Add(text);
    }
  }
  if (context.for_people()) {
    context.out() << absl::StrFormat("%d of %d policies changed, revision %d\n",
                                     response->changed(), policies.size(), response->revision());
  } else {
    context.Print(Value::Object()
                      .Set("revision", response->revision())
                      .Set("changed", response->changed())
                      .Set("warnings", std::move(warnings)));
  }
  return ExitCode::kOk;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const std::string file = args.Text("--file");
  BK_ASSIGN_OR_RETURN(const std::string text, context.ReadInput(file));
  const auto document = ParsePolicyDocument(text, {.default_app = args.Text("--app")});
  BK_RETURN_IF_ERROR(ReportIssues(context, document.issues, file));
  if (document.values.size() > 1) return PutMany(context, document.values);

  const McpPolicy& policy = document.values.front();
  BK_ASSIGN_OR_RETURN(StoredPolicy before, ReadPolicy(context, policy.app));
  if (const auto expected = args.Integer("--expected-revision");
      expected && *expected != before.revision) {
    // The server compares; what was expected is what a refusal is explained against.
    if (*expected == 0) {
      before = {.app = policy.app};
    } else {
      BK_ASSIGN_OR_RETURN(before, ReadPolicy(context, policy.app, *expected));
      before.revision = *expected;
    }
  }
  return WritePolicy(context, before, policy);
}

}  // namespace

constexpr Command kPolicyPut = {
    .name = "policy put",
    .usage = "-f FILE [--app APP] [--expected-revision N] [--all-connections] [--reason TEXT]",
    .summary = "write policies from a document",
    .help =
        "Reads one policy or a list, YAML or JSON, and reports every problem of the document at "
        "once.\n"
        "What a document leaves out has its default. Several policies become one revision, all or "
        "none.\n"
        "With --app, a data-studio desktop app's mcp-config.json can be given as it is.\n"
        "A write stands on what was read just before, or on --expected-revision; if the policy "
        "changed\n"
        "meanwhile, nothing is written and the change is shown.\n",
    .examples = {"keeper policy put -f policy.yaml --reason 'first rules'",
                 "keeper policy put -f mcp-config.json --app sqlkit --all-connections"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
