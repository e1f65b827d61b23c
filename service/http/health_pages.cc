// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/http/health_pages.h"

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::service {
namespace {

bool IsVerbose(std::string_view query) {
  return query == "verbose" || query.substr(0, 8) == "verbose=";
}

}  // namespace

HttpResponse HealthPage(const std::vector<HealthCheck>& readiness, std::string_view path,
                        std::string_view query) {
  if (path != "/livez" && path != "/readyz") return {.status = 404, .body = "not found\n"};
  if (path == "/livez") return {.body = "ok\n"};

  bool ready = true;
  std::string lines;
  for (const HealthCheck& check : readiness) {
    const absl::Status status = check.check();
    if (status.ok()) {
      lines += absl::StrFormat("[+] %s ok\n", check.name);
      continue;
    }
    ready = ready && !check.required;
    lines += absl::StrFormat("[%c] %s failed%s: %s\n", check.required ? '-' : '!', check.name,
                             check.required ? "" : ", not required",
                             EscapeForPeople(AsStd(status.message())));
  }
  HttpResponse response{.status = ready ? 200 : 503};
  // Someone who looks at a failure wants to know which.
  if (IsVerbose(query) || !ready) response.body = lines;
  response.body += ready ? "ok\n" : "not ready\n";
  return response;
}

}  // namespace bridgekeeper::service
