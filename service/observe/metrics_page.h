// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The page that Prometheus reads: name, help and labels of every metric stand in
// metrics_page.cc.
//
// Thread safety: may be called while everything is counted.

#ifndef BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_PAGE_H_
#define BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_PAGE_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "service/observe/metrics.h"

namespace bridgekeeper::service {

// What is true at the moment of reading.
struct Gauges {
  std::string version;
  std::string build;
  std::string store;
  int64_t policies = 0;
  int64_t store_revision = 0;
  bool store_writable = false;
  size_t watchers = 0;
  size_t cached_apps = 0;
  size_t cached_unknown_apps = 0;
  int64_t in_flight = 0;
  size_t bridges = 0;
  size_t reported_tools = 0;
  uint64_t log_lines_dropped = 0;
};

// The content type of the page.
inline constexpr char kMetricsContentType[] = "text/plain; version=0.0.4; charset=utf-8";

std::string MetricsPage(const Metrics& metrics, const Gauges& gauges);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_OBSERVE_METRICS_PAGE_H_
