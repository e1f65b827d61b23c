// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/tool_call.h"

#include "absl/status/status.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "clients/cli/catalog_flow.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr std::string_view kCatalogs[] = {"data-studio"};

absl::Status CheckJson(std::string_view flag, std::string_view text) {
  if (const auto json = JsonDocument::Parse(text); !json.ok()) {
    return UsageError(absl::StrFormat("`%s`: %s", flag, AsStd(json.status().message())));
  }
  return absl::OkStatus();
}

std::string LimitsText(const v1::Limits& limits) {
  std::string out;
  const auto add = [&](std::string text) { out += (out.empty() ? "" : ", ") + std::move(text); };
  if (limits.has_max_rows()) add(absl::StrFormat("max_rows %d", limits.max_rows()));
  if (limits.has_max_bytes()) add(absl::StrFormat("max_bytes %d", limits.max_bytes()));
  if (limits.has_timeout())
    add("timeout " + absl::FormatDuration(convert::FromProto(limits.timeout())));
  if (limits.read_only_session()) add("read_only_session");
  return out;
}

}  // namespace

std::span<const std::string_view> CatalogNames() { return kCatalogs; }

absl::StatusOr<v1::ToolCall> ReadToolCall(Context& context) {
  const Args& args = context.args();
  v1::ToolCall call;
  call.set_app(args.Text("--app"));
  if (args.Has("--server")) call.set_server(args.Text("--server"));
  if (args.Has("--connection")) call.set_connection_id(args.Text("--connection"));
  if (args.Has("--catalog")) call.set_builtin_catalog(true);
  if (const auto risk = args.Choice<Risk>("--declared-risk"))
    call.set_declared_risk(convert::ToProto(*risk));

  if (args.Has("--statement") && args.Has("--payload")) {
    return UsageError("got `--statement` and `--payload`, want at most one of them");
  }
  if (args.Has("--statement")) {
    const std::string statement = args.Text("--statement");
    if (FirstInvalidUtf8(statement))
      return UsageError("`--statement`: got bytes that are not UTF-8");
    AppendJsonString(statement, *call.mutable_payload_json());
  }
  if (args.Has("--payload")) {
    BK_ASSIGN_OR_RETURN(std::string payload, context.ReadInput(args.Text("--payload")));
    BK_RETURN_IF_ERROR(CheckJson("--payload", payload));
    call.set_payload_json(std::move(payload));
  }
  if (args.Has("--arguments")) {
    std::string arguments = args.Text("--arguments");
    if (arguments.starts_with('@')) {
      BK_ASSIGN_OR_RETURN(arguments, context.ReadInput(arguments.substr(1)));
    }
    BK_RETURN_IF_ERROR(CheckJson("--arguments", arguments));
    call.set_arguments_json(std::move(arguments));
  }
  return call;
}

absl::StatusOr<std::set<std::string>> CoveredTools(Context& context) {
  const Args& args = context.args();
  if (!args.Has("--server") || args.Has("--catalog")) return std::set<std::string>();
  const auto reported = ReadReportedTools(context, args.Text("--app"), args.Text("--server"),
                                          /*unreviewed_only=*/false);
  if (absl::IsPermissionDenied(reported.status())) return std::set<std::string>();
  BK_RETURN_IF_ERROR(reported.status());
  return CoveredOf(*reported);
}

ExitCode CodeOf(v1::Verdict verdict) {
  switch (convert::FromProto(verdict)) {
    case Verdict::kAllow:
      return ExitCode::kOk;
    case Verdict::kAsk:
      return ExitCode::kAsk;
    case Verdict::kDeny:
      break;
  }
  return ExitCode::kDenied;
}

ExitCode Worse(ExitCode a, ExitCode b) {
  for (const ExitCode worst : {ExitCode::kDenied, ExitCode::kAsk}) {
    if (a == worst || b == worst) return worst;
  }
  return ExitCode::kOk;
}

void PrintDecision(const v1::Decision& decision, std::ostream& out) {
  out << absl::StrFormat("%s %s, effective risk %s%s\n",
                         Name(convert::FromProto(decision.verdict())),
                         Name(convert::FromProto(decision.reason_code())),
                         Name(convert::FromProto(decision.effective_risk())),
                         decision.judged() ? ", payload judged" : "");
  if (!decision.reason().empty()) out << EscapeForPeople(decision.reason()) << '\n';
  if (decision.verdict() == v1::VERDICT_ASK) {
    out << absl::StrFormat("asked by %s\n", Name(convert::FromProto(decision.ask_mode())));
  }
  if (const std::string limits = LimitsText(decision.obligations()); !limits.empty()) {
    out << absl::StrFormat("obligations: %s\n", limits);
  }
  out << absl::StrFormat("policy revision %d, catalogue revision %d, decision %s\n",
                         decision.policy_revision(), decision.catalog_revision(),
                         EscapeForPeople(decision.decision_id()));
}

}  // namespace bridgekeeper::cli
