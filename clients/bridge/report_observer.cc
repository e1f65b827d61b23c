// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/report_observer.h"

#include <utility>
#include <vector>

namespace bridgekeeper::bridge {

ReportObserver::ReportObserver(clients::ReportSink& sink, std::string app, std::string server,
                               bool builtin_catalog, std::string host, std::string run)
    : sink_(sink),
      app_(std::move(app)),
      server_(std::move(server)),
      builtin_catalog_(builtin_catalog),
      host_(std::move(host)),
      run_(std::move(run)) {}

void ReportObserver::OnDecision(const DecidedCall& call) {
  clients::DecisionReport report;
  report.time = call.time;
  report.app = app_;
  report.server = server_;
  report.tool = call.tool;
  report.connection = call.connection;
  report.decision = {
      .verdict = call.verdict,
      .reason_code = call.reason,
      .effective_risk = call.effective_risk,
      .reason = call.reason_text,
      .policy_revision = {call.policy_revision},
      .catalog_revision = {call.catalog_revision},
      .decision_id = call.decision_id,
      .judged = call.judged,
      .obligations = call.obligations,
  };
  if (call.verdict == Verdict::kAsk) report.decision.ask_mode = call.ask_mode;
  report.subject = {.client_name = call.client_name,
                    .client_version = call.client_version,
                    .session = call.session.empty() ? run_ : call.session,
                    .host = host_};
  report.arguments_digest = call.arguments_digest;
  report.duration = call.duration;
  sink_.ReportDecision(std::move(report));
}

void ReportObserver::OnToolsListed(const UpstreamToolList& list) {
  std::string digests;
  for (const UpstreamTool& tool : list.tools()) digests += tool.digest;
  if (has_told_ && digests == told_) return;
  has_told_ = true;
  told_ = std::move(digests);
  clients::ToolListReport report{.builtin_catalog = builtin_catalog_};
  report.tools.reserve(list.tools().size());
  for (const UpstreamTool& tool : list.tools())
    report.tools.push_back({tool.name, list.Definition(tool), tool.digest});
  sink_.ReportTools(app_, server_, std::move(report));
}

}  // namespace bridgekeeper::bridge
