// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/words.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/engine/payload.h"

namespace bridgekeeper::internal {

std::string Quote(std::string_view text) {
  std::string quoted = EscapeForPeople(text, kMaxIdBytes);
  std::replace(quoted.begin(), quoted.end(), '`', '\'');
  return absl::StrFormat("`%s`", quoted);
}

std::string JoinWords(const std::vector<std::string>& words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string ActionsText(ActionSet actions) {
  std::vector<std::string> names;
  // From the least to the most harmful, as people list them.
  for (const Action action : {Action::kRead, Action::kWrite, Action::kDelete}) {
    if (actions.Contains(action)) names.emplace_back(Name(action));
  }
  return names.empty() ? "no action" : JoinWords(names);
}

std::string DurationText(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(1)));
}

std::string InvalidRequestText(const ToolCall& call, const CatalogEntry* entry) {
  if (!IsValidToolName(call.tool)) {
    return absl::StrFormat("the tool's name is not valid: %s", DescribeInvalidId(call.tool));
  }
  if (call.server && !IsValidId(*call.server)) {
    return absl::StrFormat("the server's name is not valid: %s", DescribeInvalidId(*call.server));
  }
  if (call.arguments && !call.arguments->is_object()) return "`arguments` is not a JSON object";
  if (call.payload && !call.payload->is_string() && !call.payload->is_object()) {
    return "the payload is neither a JSON string nor an object";
  }
  if (call.arguments && entry != nullptr && entry->payload_rule) {
    const PayloadTemplate payload(entry->payload_rule->payload);
    if (const auto name = FirstUnknownArgument(*entry, payload, *call.arguments)) {
      return absl::StrFormat("the tool takes no argument %s (`payload_rule`)", Quote(*name));
    }
    if (call.payload) return "the payload is not what the arguments make of it (`payload_rule`)";
  }
  return "the request is not well-formed, or breaks a limit";
}

}  // namespace bridgekeeper::internal
