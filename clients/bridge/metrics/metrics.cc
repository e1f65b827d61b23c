// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/metrics/metrics.h"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>
#include <vector>

#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily Family(std::string name, std::string help, MetricType type) {
  MetricFamily family;
  family.name = std::move(name);
  family.help = std::move(help);
  family.type = type;
  return family;
}

void Add(MetricFamily& family, std::vector<ClientMetric::Label> labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  if (family.type == MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  family.metric.push_back(std::move(metric));
}

MetricFamily Single(std::string name, std::string help, MetricType type, double value) {
  MetricFamily family = Family(std::move(name), std::move(help), type);
  Add(family, {}, value);
  return family;
}

std::string Text(const std::vector<MetricFamily>& page) {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, page);
  return out.str();
}

}  // namespace

BridgeMetrics::BridgeMetrics() { BK_CHECK(NamesOf<ReasonCode>().size() <= reasons_.size()); }

void BridgeMetrics::OnDecision(const DecidedCall& call) {
  ++verdicts_[static_cast<size_t>(call.verdict)];
  ++reasons_[static_cast<size_t>(call.reason)];
  const double seconds = absl::ToDoubleSeconds(call.duration);
  seconds_ += seconds;
  const auto bucket = std::lower_bound(kDecisionBuckets.begin(), kDecisionBuckets.end(), seconds);
  ++buckets_[static_cast<size_t>(bucket - kDecisionBuckets.begin())];
}

void BridgeMetrics::OnToolsListed(const UpstreamToolList& list) { tools_ = list.tools().size(); }

std::string BridgeMetrics::Page(const CoreStats& stats, size_t requests_in_flight,
                                const clients::PolicySourceStats& source,
                                const ReportCounts& reports) const {
  constexpr MetricType kCounter = MetricType::Counter;
  constexpr MetricType kGauge = MetricType::Gauge;
  std::vector<MetricFamily> page;

  MetricFamily messages = Family("bridgekeeper_bridge_messages_total",
                                 "Messages by sender and by how they ended.", kCounter);
  for (const Peer sender : {Peer::kClient, Peer::kServer}) {
    for (const Outcome outcome : {Outcome::kForwarded, Outcome::kAnswered, Outcome::kRejected}) {
      Add(messages,
          {{"sender", std::string(Name(sender))}, {"outcome", std::string(Name(outcome))}},
          static_cast<double>(
              stats.messages[static_cast<size_t>(sender)][static_cast<size_t>(outcome)]));
    }
  }
  page.push_back(std::move(messages));

  MetricFamily decisions =
      Family("bridgekeeper_decisions_total", "Tool calls that were decided, by reason.", kCounter);
  for (size_t i = 1; i < NamesOf<ReasonCode>().size(); ++i) {
    Add(decisions, {{"reason", std::string(NamesOf<ReasonCode>()[i])}},
        static_cast<double>(reasons_[i]));
  }
  page.push_back(std::move(decisions));

  MetricFamily verdicts =
      Family("bridgekeeper_verdicts_total", "Tool calls that were decided, by verdict.", kCounter);
  for (size_t i = 0; i < NamesOf<Verdict>().size(); ++i) {
    Add(verdicts, {{"verdict", std::string(NamesOf<Verdict>()[i])}},
        static_cast<double>(verdicts_[i]));
  }
  page.push_back(std::move(verdicts));

  MetricFamily deciding =
      Family("bridgekeeper_decision_seconds", "Time that deciding took.", MetricType::Histogram);
  ClientMetric histogram;
  uint64_t count = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    count += buckets_[i];
    const double bound =
        i < kDecisionBuckets.size() ? kDecisionBuckets[i] : std::numeric_limits<double>::infinity();
    histogram.histogram.bucket.push_back({.cumulative_count = count, .upper_bound = bound});
  }
  histogram.histogram.sample_count = count;
  histogram.histogram.sample_sum = seconds_;
  deciding.metric.push_back(std::move(histogram));
  page.push_back(std::move(deciding));

  MetricFamily faults =
      Family("bridgekeeper_judge_faults_total",
             "Payloads that were not judged for another reason than their text.", kCounter);
  for (const JudgeFault fault : kAllJudgeFaults) {
    Add(faults, {{"reason", std::string(Name(fault))}},
        static_cast<double>(judge_faults_[static_cast<size_t>(fault)].load()));
  }
  page.push_back(std::move(faults));

  MetricFamily databases = Family("bridgekeeper_bridge_database_faults_total",
                                  "Calls on the bridge's own databases that ended by another "
                                  "reason than their text.",
                                  kCounter);
  for (const DatabaseFault fault : kAllDatabaseFaults) {
    Add(databases, {{"reason", std::string(Name(fault))}},
        static_cast<double>(stats.database_faults[static_cast<size_t>(fault)]));
  }
  page.push_back(std::move(databases));

  const auto counter = [&](const char* name, const char* help, double value) {
    page.push_back(Single(name, help, kCounter, value));
  };
  const auto gauge = [&](const char* name, const char* help, double value) {
    page.push_back(Single(name, help, kGauge, value));
  };
  counter("bridgekeeper_bridge_methods_refused_total",
          "Requests and notifications whose method does not pass.",
          static_cast<double>(stats.methods_refused));
  counter("bridgekeeper_bridge_timeouts_total", "Calls that limits.timeout ended.",
          static_cast<double>(stats.timeouts));
  counter("bridgekeeper_bridge_results_too_large_total", "Results that limits.max_bytes kept back.",
          static_cast<double>(stats.results_too_large));
  counter("bridgekeeper_bridge_list_changes_total",
          "Notifications of a changed list that the policy caused.",
          static_cast<double>(stats.list_changes_sent));
  counter("bridgekeeper_bridge_lists_read_total", "Lists of tools read from the server.",
          static_cast<double>(stats.lists_read));
  counter("bridgekeeper_bridge_list_failures_total", "Lists of tools that could not be read.",
          static_cast<double>(stats.list_failures));
  counter("bridgekeeper_bridge_list_items_left_out_total",
          "Tools, prompts and resources that a list at /mcp leaves out: a name that is too long "
          "with its prefix, a URI of another server, or more URIs than are remembered.",
          static_cast<double>(stats.items_left_out));
  MetricFamily questions = Family("bridgekeeper_bridge_questions_total",
                                  "Questions to clients' users whether a call may run, that were "
                                  "asked, and how they ended.",
                                  kCounter);
  for (const auto& [outcome, value] :
       {std::pair("asked", stats.questions_asked), std::pair("accepted", stats.questions_accepted),
        std::pair("declined", stats.questions_declined),
        std::pair("expired", stats.questions_expired),
        std::pair("invalid", stats.answers_invalid)}) {
    Add(questions, {{"outcome", outcome}}, static_cast<double>(value));
  }
  page.push_back(std::move(questions));
  gauge("bridgekeeper_bridge_requests_in_flight", "Requests of the client not answered yet.",
        static_cast<double>(requests_in_flight));
  gauge("bridgekeeper_bridge_tools", "Tools that the server lists.", static_cast<double>(tools_));

  gauge("bridgekeeper_policy_connected", "1 while the policy is being watched.",
        source.connected ? 1 : 0);
  gauge("bridgekeeper_policy_revision", "Revision of the copy that is decided on.",
        static_cast<double>(source.token.revision.value));
  gauge("bridgekeeper_policy_age_seconds", "Age of the copy that is decided on.",
        absl::ToDoubleSeconds(source.age));
  counter("bridgekeeper_policy_watch_failures_total", "Watches of the policy that ended.",
          static_cast<double>(source.failures));

  counter("bridgekeeper_reports_total", "Decisions reported.",
          static_cast<double>(reports.reported));
  counter("bridgekeeper_reports_dropped_total",
          "Decisions whose report was lost: the queue was full, or it was refused.",
          static_cast<double>(reports.dropped));
  gauge("bridgekeeper_reports_queued", "Decisions whose report waits.",
        static_cast<double>(reports.queued));

  return Text(page);
}

std::string ServePage(const ServeCounts& counts) {
  std::vector<MetricFamily> page;
  const auto add = [&](const char* name, const char* help, MetricType type, uint64_t value) {
    page.push_back(Single(name, help, type, static_cast<double>(value)));
  };
  constexpr MetricType kCounter = MetricType::Counter;
  constexpr MetricType kGauge = MetricType::Gauge;
  add("bridgekeeper_bridge_http_connections", "Connections of clients.", kGauge,
      counts.connections);
  add("bridgekeeper_bridge_http_requests_total", "Requests that were read.", kCounter,
      counts.requests);
  add("bridgekeeper_bridge_http_refused_total", "Requests that were refused before they were read.",
      kCounter, counts.requests_refused);
  add("bridgekeeper_bridge_http_cut_total", "Clients that were cut off: too slow, or not reading.",
      kCounter, counts.clients_cut);
  add("bridgekeeper_bridge_http_cut_for_room_total",
      "Of these, the ones that had left most unread when all clients together had too much.",
      kCounter, counts.clients_cut_for_room);
  add("bridgekeeper_bridge_http_unread_bytes", "Bytes of answers that wait for clients to read.",
      kGauge, counts.unread_bytes);
  add("bridgekeeper_bridge_sessions", "Sessions.", kGauge, counts.sessions);
  add("bridgekeeper_bridge_sessions_begun_total", "Sessions that were begun.", kCounter,
      counts.sessions_begun);
  add("bridgekeeper_bridge_sessions_expired_total", "Sessions that ended because nobody used them.",
      kCounter, counts.sessions_expired);
  add("bridgekeeper_bridge_sessions_refused_total",
      "Sessions that were refused because there were too many.", kCounter, counts.sessions_refused);
  add("bridgekeeper_bridge_servers", "MCP servers of the configuration.", kGauge, counts.servers);
  add("bridgekeeper_bridge_servers_ready", "MCP servers that can be called.", kGauge,
      counts.servers_ready);
  add("bridgekeeper_bridge_server_starts_total", "Connections to MCP servers that stood.", kCounter,
      counts.server_starts);
  add("bridgekeeper_bridge_server_ends_total",
      "Connections to MCP servers that ended or could not be made.", kCounter, counts.server_ends);
  add("bridgekeeper_bridge_config_current",
      "1 while the configuration in force is what its file says: 0 after a reload that failed, "
      "or while a part of it waits for SIGHUP.",
      kGauge, counts.reload.is_current ? 1 : 0);
  add("bridgekeeper_bridge_config_reloads_total", "Reloads of the configuration.", kCounter,
      counts.reload.reloads);
  add("bridgekeeper_bridge_config_reload_failures_total",
      "Reloads that left the old configuration in force.", kCounter, counts.reload.failures);
  add("bridgekeeper_bridge_config_changes_held",
      "Differences of the configuration's file that wait for SIGHUP.", kGauge, counts.reload.held);
  return Text(page);
}

}  // namespace bridgekeeper::bridge
