// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "service/observe/metrics.h"
#include "service/observe/metrics_page.h"
#include "service/observe/striped.h"
#include "tests/support/golden.h"

namespace bridgekeeper::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(StripedCountersTest, LoseNothingBetweenThreads) {
  constexpr int kThreads = 2 * kStripes;  // some share a stripe
  constexpr int kAdds = 1000;
  StripedCounters counters(3);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < kAdds; ++i) {
          counters.Add(0);
          counters.Add(2, 5);
        }
      });
    }
  }
  EXPECT_EQ(counters.Sum(0), static_cast<uint64_t>(kThreads * kAdds));
  EXPECT_EQ(counters.Sum(1), 0u);
  EXPECT_EQ(counters.Sum(2), static_cast<uint64_t>(5 * kThreads * kAdds));
}

TEST(LatencyHistogramTest, PutsEachTimeIntoTheFirstBucketThatHoldsIt) {
  const auto bounds = LatencyHistogram::Bounds();
  EXPECT_EQ(bounds.front(), absl::Microseconds(5));
  EXPECT_EQ(bounds.back(), absl::Seconds(10));
  for (size_t i = 0; i < bounds.size(); ++i) {
    LatencyHistogram histogram;
    histogram.Record(bounds[i]);
    histogram.Record(bounds[i] + absl::Nanoseconds(1));
    const auto read = histogram.Read();
    EXPECT_EQ(read.buckets[i], 1u) << bounds[i];
    EXPECT_EQ(read.buckets[i + 1], 1u) << bounds[i];
    EXPECT_EQ(read.count, 2u);
    EXPECT_EQ(read.sum, 2 * bounds[i] + absl::Nanoseconds(1));
  }
}

TEST(LatencyHistogramTest, TimeThatWentBackCountsAsNone) {
  LatencyHistogram histogram;
  histogram.Record(-absl::Seconds(1));
  EXPECT_EQ(histogram.Read().buckets[0], 1u);
  EXPECT_EQ(histogram.Read().sum, absl::ZeroDuration());
}

TEST(MetricsPageTest, IsAsInTheGolden) {
  Metrics metrics;
  metrics.CountDecision(Verdict::kAllow, ReasonCode::kAllowed, Transport::kUnary);
  metrics.CountDecision(Verdict::kDeny, ReasonCode::kModeTooLow, Transport::kBatch);
  metrics.CountDecision(Verdict::kDeny, ReasonCode::kModeTooLow, Transport::kBatch);
  metrics.decision_duration.Record(absl::Microseconds(7));
  metrics.CountRpc(Rpc::kDecide, absl::StatusCode::kOk, absl::Microseconds(30));
  metrics.CountRpc(Rpc::kWatchPolicies, absl::StatusCode::kUnavailable, absl::Seconds(60));
  metrics.policy_writes.Add(static_cast<size_t>(WriteResult::kConflict));
  metrics.overload_rejections.Add(static_cast<size_t>(Overload::kQueue), 3);
  metrics.watch_cuts.Add(static_cast<size_t>(WatchCut::kSlow));
  metrics.cache_hits.Add(0, 5);
  metrics.cache_misses.Add(0, 2);
  metrics.cache_evictions.Add(0);
  metrics.reports_taken = 4;
  metrics.reports_lost = 1;
  const std::string page = MetricsPage(metrics, {.version = "1.2.3",
                                                 .build = "abc",
                                                 .store = "memory",
                                                 .policies = 10,
                                                 .store_revision = 12,
                                                 .store_writable = true,
                                                 .watchers = 3,
                                                 .cached_apps = 7,
                                                 .cached_unknown_apps = 1,
                                                 .in_flight = 2,
                                                 .bridges = 5,
                                                 .reported_tools = 6});
  EXPECT_EQ(support::GoldenDifference("service/observe/testdata/metrics_page.txt", page), "");
}

TEST(MetricsPageTest, HasNoCellThatNeverWas) {
  const std::string page = MetricsPage(Metrics(), {});
  EXPECT_THAT(page, Not(HasSubstr("bridgekeeper_decisions_total{")));
  EXPECT_THAT(page, HasSubstr("bridgekeeper_overload_rejections_total{reason=\"in_flight\"} 0"));
}

}  // namespace
}  // namespace bridgekeeper::service
