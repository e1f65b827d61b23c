// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/observe/metrics_page.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"

namespace bridgekeeper::service {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

// As the codes are spelled in the grpc_code label of gRPC's own metrics.
constexpr std::array<std::string_view, kStatusCodes> kCodeNames = {
    "OK",       "Canceled",       "Unknown",          "InvalidArgument",   "DeadlineExceeded",
    "NotFound", "AlreadyExists",  "PermissionDenied", "ResourceExhausted", "FailedPrecondition",
    "Aborted",  "OutOfRange",     "Unimplemented",    "Internal",          "Unavailable",
    "DataLoss", "Unauthenticated"};

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

ClientMetric Labelled(const Labels& labels) {
  ClientMetric metric;
  for (const auto& [name, value] : labels) {
    metric.label.push_back({std::string(name), std::string(value)});
  }
  return metric;
}

class Page {
 public:
  // Starts a family; what follows belongs to it.
  void Family(std::string name, std::string help, MetricType type) {
    families_.push_back({std::move(name), std::move(help), type, {}});
  }
  void Counter(uint64_t value, const Labels& labels = {}) {
    ClientMetric metric = Labelled(labels);
    metric.counter.value = static_cast<double>(value);
    families_.back().metric.push_back(std::move(metric));
  }
  void Gauge(double value, const Labels& labels = {}) {
    ClientMetric metric = Labelled(labels);
    metric.gauge.value = value;
    families_.back().metric.push_back(std::move(metric));
  }
  void Histogram(const LatencyHistogram& histogram, const Labels& labels = {}) {
    const LatencyHistogram::Snapshot read = histogram.Read();
    ClientMetric metric = Labelled(labels);
    uint64_t below = 0;
    for (size_t i = 0; i < read.buckets.size(); ++i) {
      below += read.buckets[i];
      const double bound = i < LatencyHistogram::Bounds().size()
                               ? absl::ToDoubleSeconds(LatencyHistogram::Bounds()[i])
                               : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({below, bound});
    }
    metric.histogram.sample_count = read.count;
    metric.histogram.sample_sum = absl::ToDoubleSeconds(read.sum);
    families_.back().metric.push_back(std::move(metric));
  }

  // One counter for each name, by its place in `names`.
  void CounterFamily(std::string name, std::string help, std::string_view label,
                     std::span<const std::string_view> names, const StripedCounters& counters) {
    Family(std::move(name), std::move(help), MetricType::Counter);
    for (size_t i = 0; i < names.size(); ++i) Counter(counters.Sum(i), {{label, names[i]}});
  }
  void CounterOf(std::string name, std::string help, uint64_t value) {
    Family(std::move(name), std::move(help), MetricType::Counter);
    Counter(value);
  }
  void GaugeOf(std::string name, std::string help, double value) {
    Family(std::move(name), std::move(help), MetricType::Gauge);
    Gauge(value);
  }

  std::string Text() const { return prometheus::TextSerializer().Serialize(families_); }

 private:
  std::vector<MetricFamily> families_;
};

void AddDecisions(const Metrics& metrics, Page& page) {
  page.Family("bridgekeeper_decisions_total",
              "Decisions, by verdict, reason code and how they were asked for.",
              MetricType::Counter);
  const auto verdicts = NamesOf<Verdict>();
  const auto reasons = NamesOf<ReasonCode>();
  for (size_t t = 0; t < kTransportNames.size(); ++t) {
    for (size_t v = 0; v < verdicts.size(); ++v) {
      for (size_t r = 0; r < reasons.size(); ++r) {
        const uint64_t count = metrics.decisions(
            static_cast<Verdict>(v), static_cast<ReasonCode>(r), static_cast<Transport>(t));
        // Most of the cells can never be: only those that were seen are shown.
        if (count == 0) continue;
        page.Counter(
            count,
            {{"verdict", verdicts[v]}, {"reason", reasons[r]}, {"transport", kTransportNames[t]}});
      }
    }
  }
  page.Family("bridgekeeper_decision_duration_seconds",
              "Time that deciding took, without reading the request or the policy.",
              MetricType::Histogram);
  page.Histogram(metrics.decision_duration);
}

void AddRpcs(const Metrics& metrics, Page& page) {
  const auto labels_of = [](const RpcRow& row) {
    return std::pair(absl::StrFormat("%s.%s", kProtoPackage, row.service), std::string(row.method));
  };
  page.Family("grpc_server_handled_total", "RPCs that were answered, by method and code.",
              MetricType::Counter);
  for (const RpcRow& row : RpcTable()) {
    const auto [service, method] = labels_of(row);
    for (size_t code = 0; code < kStatusCodes; ++code) {
      const uint64_t count = metrics.handled(row.rpc, code);
      if (count == 0) continue;
      page.Counter(count, {{"grpc_type", Name(row.type)},
                           {"grpc_service", service},
                           {"grpc_method", method},
                           {"grpc_code", kCodeNames[code]}});
    }
  }
  page.Family("grpc_server_handling_seconds", "Time from request to answer, by method.",
              MetricType::Histogram);
  for (const RpcRow& row : RpcTable()) {
    if (metrics.handling(row.rpc).Read().count == 0) continue;
    const auto [service, method] = labels_of(row);
    page.Histogram(
        metrics.handling(row.rpc),
        {{"grpc_type", Name(row.type)}, {"grpc_service", service}, {"grpc_method", method}});
  }
}

void AddCache(const Metrics& metrics, const Gauges& gauges, Page& page) {
  page.CounterOf("bridgekeeper_cache_hits_total", "Decisions whose app was in memory.",
                 metrics.cache_hits.Sum(0));
  page.CounterOf("bridgekeeper_cache_misses_total", "Decisions whose app was read from the store.",
                 metrics.cache_misses.Sum(0));
  page.CounterOf("bridgekeeper_cache_evictions_total", "Apps that made room for another.",
                 metrics.cache_evictions.Sum(0));
  page.Family("bridgekeeper_cache_entries", "Apps in memory, with a policy or known to have none.",
              MetricType::Gauge);
  page.Gauge(static_cast<double>(gauges.cached_apps), {{"kind", "policy"}});
  page.Gauge(static_cast<double>(gauges.cached_unknown_apps), {{"kind", "unknown"}});
}

void AddStore(const Metrics& metrics, const Gauges& gauges, Page& page) {
  page.GaugeOf("bridgekeeper_policies", "Policies in the store.",
               static_cast<double>(gauges.policies));
  page.GaugeOf("bridgekeeper_policy_store_revision", "Commits of the store.",
               static_cast<double>(gauges.store_revision));
  page.GaugeOf("bridgekeeper_policy_store_writable", "1 while writes are possible, else 0.",
               gauges.store_writable ? 1 : 0);
  page.CounterFamily("bridgekeeper_policy_writes_total",
                     "Writes of policies, catalogue entries and connections, by how they ended.",
                     "result", kWriteResultNames, metrics.policy_writes);
}

void AddWatches(const Metrics& metrics, const Gauges& gauges, Page& page) {
  page.GaugeOf("bridgekeeper_watchers", "Watches that are open.",
               static_cast<double>(gauges.watchers));
  page.CounterFamily("bridgekeeper_watch_cut_total", "Watches that this server ended, by why.",
                     "reason", kWatchCutNames, metrics.watch_cuts);
}

void AddBridges(const Metrics& metrics, const Gauges& gauges, Page& page) {
  page.GaugeOf("bridgekeeper_bridges", "Bridges that were heard of in the last hour.",
               static_cast<double>(gauges.bridges));
  page.GaugeOf("bridgekeeper_reported_tools", "Tools that bridges reported and that are kept.",
               static_cast<double>(gauges.reported_tools));
  page.CounterOf("bridgekeeper_decision_reports_total", "Decisions that bridges reported.",
                 metrics.reports_taken);
  page.CounterOf("bridgekeeper_decision_reports_lost_total",
                 "Numbers of bridges' decisions that never came; must read 0.",
                 metrics.reports_lost);
  page.CounterOf("bridgekeeper_decision_reports_doubled_total",
                 "Decisions of bridges that came again, and were not counted twice.",
                 metrics.reports_doubled);
  page.CounterOf("bridgekeeper_decision_reports_dropped_total",
                 "Decisions that bridges say they could not keep.", metrics.reports_dropped);
}

}  // namespace

std::string MetricsPage(const Metrics& metrics, const Gauges& gauges) {
  Page page;
  page.Family("bridgekeeper_build_info", "1, with what this server is.", MetricType::Gauge);
  page.Gauge(1, {{"version", gauges.version}, {"build", gauges.build}, {"store", gauges.store}});
  AddDecisions(metrics, page);
  AddRpcs(metrics, page);
  AddCache(metrics, gauges, page);
  AddStore(metrics, gauges, page);
  AddWatches(metrics, gauges, page);
  AddBridges(metrics, gauges, page);
  page.GaugeOf("bridgekeeper_requests_in_flight", "Requests that are being served.",
               static_cast<double>(gauges.in_flight));
  page.CounterFamily("bridgekeeper_overload_rejections_total",
                     "Requests that were turned away unread, by why.", "reason", kOverloadNames,
                     metrics.overload_rejections);
  page.CounterOf("bridgekeeper_stalled_rpcs_total",
                 "RPCs that were ended since their client took no data.", metrics.stalled_rpcs);
  std::vector<std::string_view> faults;
  for (const JudgeFault fault : kAllJudgeFaults) faults.push_back(Name(fault));
  page.CounterFamily("bridgekeeper_judge_faults_total",
                     "Payloads that were not judged for another reason than their text.", "reason",
                     faults, metrics.judge_faults);
  page.CounterOf("bridgekeeper_log_lines_dropped_total",
                 "Log lines that nobody read in time; must read 0.", gauges.log_lines_dropped);
  return page.Text();
}

}  // namespace bridgekeeper::service
