// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// /livez and /readyz. Live: the process answers. Ready: every check that is required
// passes; with `?verbose` each is listed.
//
//   [-] serving failed: draining
//   [!] store_writes failed, not required: no space left
//   not ready
//
// Thread safety: HealthPage() is called from one thread; checks as they promise.

#ifndef BRIDGEKEEPER_SERVICE_HTTP_HEALTH_PAGES_H_
#define BRIDGEKEEPER_SERVICE_HTTP_HEALTH_PAGES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "service/http/http_server.h"

namespace bridgekeeper::service {

struct HealthCheck {
  std::string name;
  std::function<absl::Status()> check;
  bool required = true;
};

// Answers both paths, and 404 for any other.
HttpResponse HealthPage(const std::vector<HealthCheck>& readiness, std::string_view path,
                        std::string_view query);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_HTTP_HEALTH_PAGES_H_
