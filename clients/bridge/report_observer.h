// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ReportObserver hands what a bridge decides and sees to a ReportSink, which sends
// it to keeperd.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_REPORT_OBSERVER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_REPORT_OBSERVER_H_

#include <string>

#include "clients/bridge/mcp/observer.h"
#include "clients/sdk/reporter.h"

namespace bridgekeeper::bridge {

class ReportObserver : public BridgeObserver {
 public:
  // `sink` must outlive it. `builtin_catalog` is told with every list, `host` with every
  // decision, and `run`, which names this run of the bridge, as the session of clients that
  // have none.
  ReportObserver(clients::ReportSink& sink, std::string app, std::string server,
                 bool builtin_catalog, std::string host, std::string run);

  void OnDecision(const DecidedCall& call) override;
  // Tells a list only where it differs from the one told before.
  void OnToolsListed(const UpstreamToolList& list) override;

 private:
  clients::ReportSink& sink_;
  const std::string app_;
  const std::string server_;
  const bool builtin_catalog_;
  const std::string host_;
  const std::string run_;
  std::string told_;  // the digests of the tools of the last list
  bool has_told_ = false;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_REPORT_OBSERVER_H_
