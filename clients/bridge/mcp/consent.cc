// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/consent.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

// A state of ours begins so. What does not is the server's own.
constexpr std::string_view kStatePrefix = "bridgekeeper-1.";

constexpr std::string_view kState = "requestState";
constexpr std::string_view kResponses = "inputResponses";

std::string NewKey(IdSource& ids) {
  std::array<uint8_t, 32> key;
  ids.Fill(key);
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

// Members of `_meta` that say nothing of the call.
constexpr std::string_view kOfOneRequest[] = {"progressToken", "traceparent", "tracestate",
                                              "baggage"};

// Everything that a request asks for, less what an answer to a question adds to it.
std::string AskedFor(const Message& request) {
  std::string text;
  JsonObject params(text);
  if (request.params) {
    for (const JsonValue member : *request.params) {
      if (member.key() == kState || member.key() == kResponses) continue;
      params.Key(member.key());
      if (member.key() != "_meta" || !member.is_object()) {
        text += CanonicalJson(member);
        continue;
      }
      JsonObject meta(text);
      for (const JsonValue item : member) {
        if (std::ranges::find(kOfOneRequest, item.key()) != std::end(kOfOneRequest)) continue;
        meta.Raw(item.key(), CanonicalJson(item));
      }
      meta.Close();
    }
  }
  params.Close();
  // Canonical once more: the members of these two objects stand as the client wrote them.
  const auto document =
      JsonDocument::Parse(text, {.max_depth = kMaxMessageDepth, .max_values = kMaxMessageValues});
  return document.ok() ? CanonicalJson(document->root()) : text;
}

std::optional<JsonValue> OurAnswer(const Message& request) {
  return Member(request.Param(kResponses), kQuestionKey);
}

}  // namespace

bool TakesForms(const std::optional<JsonValue>& capabilities) {
  const auto elicitation = Member(capabilities, "elicitation");
  if (!elicitation || !elicitation->is_object()) return false;
  return elicitation->Find("form") || !elicitation->Find("url");
}

bool IsAccepted(const std::optional<JsonValue>& answer) {
  return TextOf(Member(answer, "action")) == "accept";
}

std::string QuestionParams(const AskedCall& asked) {
  const auto shown = [](std::string_view text) {
    // No character becomes longer than ten times its bytes.
    return EscapeForPeople(text, 10 * text.size());
  };
  std::string message = absl::StrFormat(
      "Bridgekeeper asks: may this call run? Its risk is %s.\nTool: %s\nServer: %s\nApp: %s\n",
      Name(asked.decision.effective_risk), shown(asked.call.tool), shown(asked.server),
      shown(asked.app));
  if (!asked.decision.connection.empty()) {
    message += absl::StrFormat("Connection: %s\n", shown(asked.decision.connection));
  }
  message += absl::StrFormat("Arguments: %s\nTo accept lets this one call run, once.",
                             shown(asked.call.arguments->raw()));
  std::string params;
  JsonObject object(params);
  object.String("message", message).Raw("requestedSchema", R"({"type":"object","properties":{}})");
  object.Close();
  return params;
}

std::string BindingOf(const AskedCall& asked, const Message& request,
                      const clients::PolicySnapshot& snapshot) {
  const ToolCall& call = asked.call;
  std::string text;
  JsonObject object(text);
  object.String("app", asked.app)
      .String("server", asked.server)
      .String("tool", call.tool)
      .String("definition", call.definition_digest.value_or(""))
      .String("connection", asked.decision.connection)
      .String("arguments", Sha256Hex(CanonicalJson(*call.arguments)))
      .String("params", Sha256Hex(AskedFor(request)))
      .String("risk", Name(asked.decision.effective_risk))
      .Bool("judged", asked.decision.judged)
      .Integer("policy", snapshot.policy->policy_revision().value)
      // Of the tool's entry and pin and of the connection's record.
      .Integer("catalog", snapshot.policy->catalog_revision().value)
      .String("incarnation", snapshot.token.incarnation);
  object.Close();
  return Sha256Hex(text);
}

RequestStates::RequestStates(IdSource& ids, const Clock& clock)
    : clock_(clock), ids_(ids), key_(NewKey(ids)) {}

bool RequestStates::IsAnswer(const Message& request) {
  return TextOf(request.Param(kState)).starts_with(kStatePrefix) || OurAnswer(request);
}

std::optional<std::string> RequestStates::Make(const Message& request, std::string_view binding) {
  std::string inner;
  JsonObject object(inner);
  for (const std::string_view name : {kState, kResponses}) {
    if (const auto value = request.Param(name)) object.Raw(name, value->raw());
  }
  object.Close();
  if (inner.size() > kMaxInnerStateBytes) return std::nullopt;
  std::string state = absl::StrFormat("%s%s.%d.%s.%s", kStatePrefix, ids_.NewId(),
                                      absl::ToInt64Milliseconds(clock_.SinceBoot() + kAnswerTime),
                                      binding, absl::WebSafeBase64Escape(AsAbsl(inner)));
  state += "." + HmacSha256Hex(key_, state);
  return state;
}

RequestStates::Answer RequestStates::Take(const Message& request, std::string_view binding,
                                          std::string& restored) {
  const std::string_view state = TextOf(request.Param(kState));
  const size_t mac = state.rfind('.');
  if (mac == std::string_view::npos ||
      !EqualInConstantTime(state.substr(mac + 1), HmacSha256Hex(key_, state.substr(0, mac)))) {
    return Answer::kInvalid;
  }
  // From here on it is what Make() wrote.
  const std::vector<std::string> parts =
      absl::StrSplit(AsAbsl(state.substr(kStatePrefix.size(), mac - kStatePrefix.size())), '.');
  int64_t expiry = 0;
  std::string inner_text;
  if (parts.size() != 4 || !absl::SimpleAtoi(parts[1], &expiry) ||
      !absl::WebSafeBase64Unescape(parts[3], &inner_text)) {
    return Answer::kInvalid;
  }
  const int64_t now = absl::ToInt64Milliseconds(clock_.SinceBoot());
  while (!used_.empty() && used_.begin()->first <= now) used_.erase(used_.begin());
  if (expiry <= now || parts[2] != binding || used_.size() >= kMaxUsedAnswers ||
      !used_.emplace(expiry, parts[0]).second) {
    return Answer::kInvalid;
  }
  if (!IsAccepted(OurAnswer(request))) return Answer::kDeclined;

  const auto inner = JsonDocument::Parse(inner_text);
  if (!inner.ok()) return Answer::kInvalid;
  const auto params = request.document->root().Find("params");
  std::string without;
  JsonObject object(without);
  for (const JsonValue member : *params) {
    if (member.key() != kState && member.key() != kResponses) {
      object.Raw(member.key(), member.raw());
    }
  }
  for (const JsonValue member : inner->root()) object.Raw(member.key(), member.raw());
  object.Close();
  JsonEdits edits(request.document->root());
  edits.Replace(*params, without);
  restored = std::move(edits).Apply();
  return Answer::kAccepted;
}

}  // namespace bridgekeeper::bridge
