// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What `decide` and `explain` share: the flags that describe a call.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_TOOL_CALL_H_
#define BRIDGEKEEPER_CLIENTS_CLI_TOOL_CALL_H_

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "clients/cli/command.h"
#include "clients/cli/context.h"

namespace bridgekeeper::cli {

std::span<const std::string_view> CatalogNames();

inline constexpr Flag kAppFlag = {
    .name = "--app", .value = "APP", .help = "the app whose tools are guarded", .required = true};
inline constexpr Flag kServerFlag = {.name = "--server",
                                     .value = "SERVER",
                                     .help = "the server that lists the tool; none unless given"};
inline constexpr Flag kConnectionFlag = {
    .name = "--connection", .value = "ID", .help = "the connection of the call"};
inline constexpr Flag kCatalogFlag = {
    .name = "--catalog",
    .kind = Flag::Kind::kChoice,
    .value = "NAME",
    .help = "data-studio: the built-in entries hold for the server that is named",
    .choices = CatalogNames};
inline constexpr Flag kStatementFlag = {
    .name = "--statement", .value = "TEXT", .help = "the statement that the call carries"};
inline constexpr Flag kPayloadFlag = {
    .name = "--payload",
    .value = "FILE",
    .help = "a file with the payload as JSON; - is standard input"};
inline constexpr Flag kArgumentsFlag = {
    .name = "--arguments",
    .value = "JSON|@FILE",
    .help = "the call's arguments: a JSON object, or @ and a file that holds it"};
inline constexpr Flag kDeclaredRiskFlag = {
    .name = "--declared-risk",
    .kind = Flag::Kind::kChoice,
    .value = "RISK",
    .help = "what the caller says of the call; it can only raise the risk",
    .choices = NamesOf<Risk>};

// The call that the flags describe, without its tool.
//
// Errors: usage errors for JSON that is none; those of reading a file.
absl::StatusOr<v1::ToolCall> ReadToolCall(Context& context);

// The tools of `--server` that a bridge has seen and an entry covers (CoveredOf()); empty
// without the flag, or where --catalog says what holds, or where the caller may not know
// what bridges report.
absl::StatusOr<std::set<std::string>> CoveredTools(Context& context);

// The exit code that says a verdict.
ExitCode CodeOf(v1::Verdict verdict);

// The worse of two: DENY, then ASK, then ALLOW.
ExitCode Worse(ExitCode a, ExitCode b);

// One paragraph for people: verdict, reason, what it was based on.
void PrintDecision(const v1::Decision& decision, std::ostream& out);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_TOOL_CALL_H_
