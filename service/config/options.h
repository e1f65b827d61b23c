// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What an operator may set. Each option is one row of OptionTable(): its key in the
// configuration file, from which flag (`grpc_address` is `--grpc-address`) and
// environment variable (`KEEPERD_GRPC_ADDRESS`) follow; help, range and the field that
// holds it. To add one, add a field and its row.

#ifndef BRIDGEKEEPER_SERVICE_CONFIG_OPTIONS_H_
#define BRIDGEKEEPER_SERVICE_CONFIG_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/time/time.h"
#include "runtime/log.h"

namespace bridgekeeper::service {

struct Options {
  std::string grpc_address = "127.0.0.1:7420";
  std::string http_address = "127.0.0.1:7421";
  std::string metrics_address = "127.0.0.1:7422";
  std::string data_dir;    // empty: none
  std::string backup_dir;  // empty: `backups` in data_dir
  bool dev = false;
  LogLevel log_level = LogLevel::kInfo;
  int64_t cache_apps = 10'000;
  int64_t max_in_flight = 4096;
  int64_t worker_threads = 4;
  absl::Duration drain_timeout = absl::Seconds(10);
  absl::Duration stall_timeout = absl::Seconds(30);
  absl::Duration heartbeat_interval = absl::Seconds(3);
  int64_t store_cache_bytes = int64_t{64} << 20;
  int64_t keep_revisions = 100'000;

  friend bool operator==(const Options&, const Options&) = default;
};

struct OptionRow {
  using Field = std::variant<std::string Options::*, bool Options::*, int64_t Options::*,
                             absl::Duration Options::*, LogLevel Options::*>;

  std::string_view key;    // snake_case
  std::string_view value;  // what stands for the value in help; empty: a switch
  std::string_view help;
  Field field;
  // Range of a number, or of a duration in milliseconds; both 0: none.
  int64_t lowest = 0;
  int64_t highest = 0;
};

// All options, in the order in which help and --print-config list them.
std::span<const OptionRow> OptionTable();

// `grpc_address` -> `--grpc-address`.
std::string FlagOf(std::string_view key);
// `grpc_address` -> `KEEPERD_GRPC_ADDRESS`.
std::string VariableOf(std::string_view key);

// Sets the option from text. Returns what is wrong ("got `x`, want 1 to 64"), or
// nullopt.
std::optional<std::string> SetOption(const OptionRow& row, std::string_view text, Options& options);

// The option as it would stand in a configuration file.
std::string OptionText(const OptionRow& row, const Options& options);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CONFIG_OPTIONS_H_
