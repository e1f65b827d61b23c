// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/methods.h"

#include <span>

namespace bridgekeeper::bridge {
namespace {

struct Row {
  std::string_view method;
  Treatment treatment;
};

constexpr Row kClientRequests[] = {
    {"initialize", Treatment::kInitialize},
    {"server/discover", Treatment::kInitialize},
    {"ping", Treatment::kPassed},
    {"logging/setLevel", Treatment::kPassed},
    {"tools/list", Treatment::kToolsList},
    {"tools/call", Treatment::kToolsCall},
    {"resources/list", Treatment::kResources},
    {"resources/templates/list", Treatment::kResources},
    {"resources/read", Treatment::kResources},
    {"resources/subscribe", Treatment::kResources},
    {"resources/unsubscribe", Treatment::kResources},
    {"prompts/list", Treatment::kPrompts},
    {"prompts/get", Treatment::kPrompts},
    {"completion/complete", Treatment::kCompletion},
    {"subscriptions/listen", Treatment::kSubscription},
    {"tasks/get", Treatment::kTask},
    {"tasks/result", Treatment::kTask},
    {"tasks/update", Treatment::kTask},
    {"tasks/cancel", Treatment::kTask},
    // tasks/list names no task, so there is none that could have been decided here.
};

constexpr Row kServerRequests[] = {
    {"ping", Treatment::kPassed},
    {"roots/list", Treatment::kPassed},
    {"sampling/createMessage", Treatment::kPassed},
    {"elicitation/create", Treatment::kPassed},
    // The client may run what the server asks of it as a task, in 2025-11-25.
    {"tasks/get", Treatment::kTask},
    {"tasks/result", Treatment::kTask},
    {"tasks/cancel", Treatment::kTask},
};

Treatment Find(std::span<const Row> rows, std::string_view method) {
  for (const Row& row : rows) {
    if (row.method == method) return row.treatment;
  }
  return Treatment::kRefused;
}

}  // namespace

Treatment ClientRequest(std::string_view method) { return Find(kClientRequests, method); }

Treatment ServerRequest(std::string_view method) { return Find(kServerRequests, method); }

Treatment Notification(std::string_view method) {
  return method.starts_with("notifications/") ? Treatment::kPassed : Treatment::kRefused;
}

}  // namespace bridgekeeper::bridge
