// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/suspend_flow.h"

#include "absl/strings/str_format.h"
#include "clients/cli/policy_flow.h"
#include "policy/text/value.h"

namespace bridgekeeper::cli {

absl::Status CheckWhom(Context& context) {
  const Args& args = context.args();
  if (args.Has("APP") == args.Has("--all")) return UsageError("want either `APP` or `--all`");
  if (args.Has("--all")) return absl::OkStatus();
  return ReadExistingPolicy(context, AppId(args.Text("APP"))).status();
}

void PrintSuspendResult(Context& context, std::string_view verb, int64_t revision,
                        int64_t changed) {
  if (!context.for_people()) {
    context.Print(Value::Object().Set("revision", revision).Set("changed", changed));
  } else if (context.args().Has("--all")) {
    context.out() << absl::StrFormat("%d apps %s, revision %d\n", changed, verb, revision);
  } else {
    context.out() << absl::StrFormat("`%s` is %s%s, revision %d\n", context.args().Text("APP"),
                                     changed > 0 ? "" : "already ", verb, revision);
  }
}

}  // namespace bridgekeeper::cli
