// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <sstream>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "clients/cli/commands.h"
#include "clients/cli/connection_flow.h"
#include "clients/cli/context.h"
#include "clients/cli/policy_flow.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/model/limits.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

constexpr Flag kFlags[] = {
    {.name = "--file",
     .short_name = "-f",
     .value = "FILE",
     .help = "the document, YAML or JSON; - is standard input",
     .required = true},
    {.name = "--app", .value = "APP", .help = "the app of a record that names none"},
    {.name = "--safe-functions-from",
     .value = "LIST",
     .help = "a file with one function a line, added to safe_functions; # begins a comment"},
    kReasonFlag,
};

// Functions are written schema-qualified with their argument types.
absl::StatusOr<std::set<std::string>> ReadFunctions(Context& context, const std::string& file) {
  BK_ASSIGN_OR_RETURN(const std::string text, context.ReadInput(file));
  std::set<std::string> out;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.erase(std::min(line.find('#'), line.size()));
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    line = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    const size_t dot = line.find('.');
    const size_t open = line.find('(');
    const bool valid = dot != std::string::npos && open != std::string::npos && dot > 0 &&
                       dot + 1 < open && line.ends_with(')') &&
                       line.size() <= kMaxSafeFunctionBytes && !FirstInvalidUtf8(line);
    if (!valid) {
      return absl::InvalidArgumentError(
          absl::StrFormat("`%s` line %d: got `%s`, want a function as in `public.add_tax(numeric)`",
                          EscapeForPeople(file), number, EscapeForPeople(line, 64)));
    }
    out.insert(line);
  }
  return out;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const Args& args = context.args();
  const std::string file = args.Text("--file");
  BK_ASSIGN_OR_RETURN(const std::string text, context.ReadInput(file));
  auto document = ParseConnectionDocument(text, {.default_app = args.Text("--app")});
  BK_RETURN_IF_ERROR(ReportIssues(context, document.issues, file));
  if (args.Has("--safe-functions-from")) {
    if (file == "-" && args.Text("--safe-functions-from") == "-") {
      return UsageError("only one of `--file` and `--safe-functions-from` can be standard input");
    }
    BK_ASSIGN_OR_RETURN(const std::set<std::string> functions,
                        ReadFunctions(context, args.Text("--safe-functions-from")));
    for (ConnectionRecord& record : document.values) {
      record.safe_functions.insert(functions.begin(), functions.end());
    }
  }

  BK_ASSIGN_OR_RETURN(Client* const client, context.client());
  Value list = Value::List();
  for (const ConnectionRecord& record : document.values) {
    v1::GetConnectionRequest get;
    get.set_app(record.app.value());
    get.set_id(record.id.value());
    const absl::StatusOr<v1::GetConnectionResponse> before = client->GetConnection(get);
    if (!before.ok() && !absl::IsNotFound(before.status())) return before.status();

    v1::PutConnectionRequest request;
    *request.mutable_connection() = convert::ToProto(record);
    request.mutable_options()->set_expected_revision(
        before.ok() ? before->record().meta().revision() : 0);
    request.mutable_options()->set_author(context.Author());
    request.mutable_options()->set_reason(args.Text("--reason"));
    const absl::StatusOr<v1::PutConnectionResponse> response = client->PutConnection(request);
    if (!response.ok())
      return ShowConnectionNow(context, response.status(), record.app.value(), record.id.value());
    const int64_t revision = response->record().meta().revision();
    if (context.for_people()) {
      context.out() << absl::StrFormat("`%s` of `%s` is %s revision %d\n", record.id.value(),
                                       record.app.value(),
                                       response->changed() ? "at" : "as it was,", revision);
    }
    list.Add(Value::Object()
                 .Set("app", record.app.value())
                 .Set("id", record.id.value())
                 .Set("revision", revision)
                 .Set("changed", response->changed()));
  }
  if (!context.for_people()) context.Print(list);
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kConnectionsPut = {
    .name = "connections put",
    .usage = "-f FILE [--app APP] [--safe-functions-from LIST] [--reason TEXT]",
    .summary = "write connection records from a document",
    .help =
        "A record says what stands behind a connection id: its engine, options that change how a "
        "text is\n"
        "read, functions that count as harmless. It never holds a credential. Of a list, each "
        "record is a\n"
        "revision of its own.\n",
    .examples = {"keeper connections put -f connection.yaml",
                 "keeper connections put -f connection.yaml --safe-functions-from functions.txt "
                 "--reason 'reviewed'"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
