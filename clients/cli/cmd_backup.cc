// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/server_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/message_value.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--name",
     .value = "NAME",
     .help = "the new folder's name; made of time and revision unless given"},
};

absl::StatusOr<ExitCode> Run(Context& context) {
  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  v1::BackupRequest request;
  request.set_name(context.args().Text("--name"));
  BK_ASSIGN_OR_RETURN(const v1::BackupResponse response, client->Backup(request));
  if (context.for_people()) {
    context.out() << absl::StrFormat("%s on the server holds revision %d, %d bytes\n",
                                     EscapeForPeople(response.path()), response.token().revision(),
                                     response.bytes());
  } else {
    context.Print(MessageValue(response));
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kBackup = {
    .name = "backup",
    .usage = "[--name NAME]",
    .summary = "write a copy of the store on the server, while it serves",
    .help =
        "The copy is a new folder under the server's backup folder. Restore it on a stopped server "
        "with\n"
        "`keeperd restore --from FOLDER --data-dir NEW`.\n",
    .examples = {"keeper backup", "keeper backup --name before-release -o json"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
