// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeReportSink collects what is reported.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_REPORT_SINK_H_
#define BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_REPORT_SINK_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "clients/sdk/reporter.h"
#include "policy/base/mutex.h"

namespace bridgekeeper::clients {

class FakeReportSink : public ReportSink {
 public:
  void ReportDecision(DecisionReport report) override {
    MutexLock lock(mu_);
    decisions_.push_back(std::move(report));
  }
  void ReportTools(const std::string& app, const std::string& server,
                   ToolListReport list) override {
    MutexLock lock(mu_);
    tools_[{app, server}] = std::move(list.tools);
  }

  std::vector<DecisionReport> decisions() const {
    MutexLock lock(mu_);
    return decisions_;
  }
  // The last list of a server; empty where there was none.
  std::vector<ToolReport> tools(const std::string& app, const std::string& server) const {
    MutexLock lock(mu_);
    const auto found = tools_.find({app, server});
    return found == tools_.end() ? std::vector<ToolReport>() : found->second;
  }

 private:
  mutable Mutex mu_;
  std::vector<DecisionReport> decisions_ ABSL_GUARDED_BY(mu_);
  std::map<std::pair<std::string, std::string>, std::vector<ToolReport>> tools_
      ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_TESTING_FAKE_REPORT_SINK_H_
