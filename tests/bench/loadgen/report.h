// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What was measured, as a table for people and as JSON for scripts. Servers take
// turns, and every number is the median of the rounds: the machine's moods meet all
// servers alike. The ratio is the median of the rounds' own ratios.

#ifndef BRIDGEKEEPER_TESTS_BENCH_LOADGEN_REPORT_H_
#define BRIDGEKEEPER_TESTS_BENCH_LOADGEN_REPORT_H_

#include <string>
#include <vector>

#include "tests/bench/loadgen/load.h"

namespace bridgekeeper::bench {

// All rounds of one server at one number in flight.
struct Series {
  std::string server;
  std::string verdict;  // of a sample; empty: not known
  std::vector<Measurement> rounds;
};

// All servers at one number in flight. The last is what the others are compared with.
struct Row {
  int in_flight = 0;
  std::vector<Series> series;
};

double Median(std::vector<double> values);

// Rates are of what is decided; `per_call`: decisions in one call.
std::string FormatTable(const std::vector<Row>& rows, int per_call);
std::string FormatJson(const std::vector<Row>& rows, int per_call);

}  // namespace bridgekeeper::bench

#endif  // BRIDGEKEEPER_TESTS_BENCH_LOADGEN_REPORT_H_
