// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/bench/loadgen/report.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "policy/base/check.h"

namespace bridgekeeper::bench {
namespace {

template <typename Get>
double MedianOf(const Series& series, Get get) {
  std::vector<double> values;
  for (const Measurement& round : series.rounds) values.push_back(get(round));
  return Median(std::move(values));
}

double Rate(const Series& series, int per_call) {
  return MedianOf(series, [per_call](const Measurement& m) { return m.rate * per_call; });
}

std::vector<double> Ratios(const Series& series, const Series& base) {
  std::vector<double> ratios;
  for (size_t i = 0; i < series.rounds.size(); ++i) {
    ratios.push_back(series.rounds[i].rate / base.rounds[i].rate);
  }
  return ratios;
}

int64_t Errors(const Series& series) {
  int64_t errors = 0;
  for (const Measurement& round : series.rounds) errors += round.errors;
  return errors;
}

}  // namespace

double Median(std::vector<double> values) {
  BK_CHECK(!values.empty());
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::string FormatTable(const std::vector<Row>& rows, int per_call) {
  std::string table =
      absl::StrFormat("%9s  %-12s %14s %10s %10s %10s %8s %8s\n", "in flight", "server",
                      "per second", "p50 us", "p99 us", "cpu us", "ratio", "errors");
  for (const Row& row : rows) {
    for (const Series& series : row.series) {
      const double ratio = Median(Ratios(series, row.series.back()));
      table += absl::StrFormat(
          "%9d  %-12s %14.0f %10.1f %10.1f %10.1f %8.3f %8d\n", row.in_flight, series.server,
          Rate(series, per_call), MedianOf(series, [](const Measurement& m) { return m.p50_us; }),
          MedianOf(series, [](const Measurement& m) { return m.p99_us; }),
          MedianOf(series, [](const Measurement& m) { return m.server_cpu_us; }), ratio,
          Errors(series));
    }
  }
  return table;
}

std::string FormatJson(const std::vector<Row>& rows, int per_call) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    for (const Series& series : row.series) {
      nlohmann::ordered_json entry;
      entry["in_flight"] = row.in_flight;
      entry["server"] = series.server;
      if (!series.verdict.empty()) entry["verdict"] = series.verdict;
      entry["per_second"] = Rate(series, per_call);
      entry["p50_us"] = MedianOf(series, [](const Measurement& m) { return m.p50_us; });
      entry["p99_us"] = MedianOf(series, [](const Measurement& m) { return m.p99_us; });
      entry["server_cpu_us"] =
          MedianOf(series, [](const Measurement& m) { return m.server_cpu_us; });
      entry["ratio"] = Median(Ratios(series, row.series.back()));
      entry["ratios"] = Ratios(series, row.series.back());
      entry["errors"] = Errors(series);
      for (const Measurement& round : series.rounds) {
        entry["rates"].push_back(round.rate * per_call);
        if (!round.first_error.empty()) entry["first_error"] = round.first_error;
      }
      out.push_back(std::move(entry));
    }
  }
  return out.dump(2) + "\n";
}

}  // namespace bridgekeeper::bench
