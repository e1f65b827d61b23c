// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/server_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

std::string Joined(const google::protobuf::RepeatedPtrField<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + EscapeForPeople(name);
  return out.empty() ? "none" : out;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  const absl::Status health = client->CheckHealth();
  if (!health.ok() && !absl::IsFailedPrecondition(health)) return health;
  BK_ASSIGN_OR_RETURN(const v1::GetServerInfoResponse info, client->GetServerInfo({}));
  if (!context.for_people()) {
    Value value = Value::Object().Set("address", client->address()).Set("ready", health.ok());
    context.Print(value.Set("server", MessageValue(info)));
    return health.ok() ? ExitCode::kOk : ExitCode::kFailed;
  }
  std::ostream& out = context.out();
  out << absl::StrFormat("%s: %s\n", EscapeForPeople(client->address()),
                         health.ok() ? "ready" : "not ready");
  out << absl::StrFormat(
      "version %s%s%s, up %s%s\n", EscapeForPeople(info.version()), info.build().empty() ? "" : " ",
      EscapeForPeople(info.build()),
      absl::FormatDuration(absl::Trunc(convert::FromProto(info.uptime()), absl::Seconds(1))),
      info.dev_mode() ? ", started with --dev" : "");
  out << absl::StrFormat("store %s, revision %d, incarnation %s, %d policies\n",
                         EscapeForPeople(info.store()), info.token().revision(),
                         EscapeForPeople(info.token().incarnation()), info.policies());
  out << absl::StrFormat("payloads judged: %s\n", Joined(info.dialects()));
  return health.ok() ? ExitCode::kOk : ExitCode::kFailed;
}

}  // namespace

constexpr Command kStatus = {
    .name = "status",
    .usage = "",
    .summary = "show whether keeperd is ready, and what it is",
    .help = "The exit code is 0 only when keeperd is reached and says that it is ready.\n",
    .examples = {"keeper status", "keeper status -o json"},
    .flags = {},
    .run = Run,
};

}  // namespace bridgekeeper::cli
