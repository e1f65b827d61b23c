// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/config/options.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper::service {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kSecondMs = 1000;

constexpr std::array kTable = {
    OptionRow{"grpc_address", "HOST:PORT", "where gRPC listens; unix:PATH for a Unix socket",
              &Options::grpc_address},
    OptionRow{"http_address", "HOST:PORT", "where /livez and /readyz listen",
              &Options::http_address},
    OptionRow{"metrics_address", "HOST:PORT", "where /metrics listens", &Options::metrics_address},
    OptionRow{"data_dir", "DIR", "folder of the policies, 0700 and ours; made if it is missing",
              &Options::data_dir},
    OptionRow{"backup_dir", "DIR", "folder under which backups are made (default DATA_DIR/backups)",
              &Options::backup_dir},
    OptionRow{"dev", "",
              "loopback only, no identities: reads and decisions are open, writes need the admin "
              "token that the start prints to the terminal, or KEEPER_TOKEN",
              &Options::dev},
    OptionRow{"log_level", "LEVEL", "debug, info, warning or error", &Options::log_level},
    OptionRow{"cache_apps", "N", "apps that are kept in memory, ready for deciding",
              &Options::cache_apps, 1, 10'000'000},
    OptionRow{"max_in_flight", "N", "requests at one time; those above are turned away",
              &Options::max_in_flight, 1, 1'000'000},
    OptionRow{"worker_threads", "N", "threads for what reads or writes the store or judges",
              &Options::worker_threads, 1, 1024},
    OptionRow{"drain_timeout", "TIME", "how long requests may take to end at a stop",
              &Options::drain_timeout, 0, 3600 * kSecondMs},
    OptionRow{"stall_timeout", "TIME",
              "how long a client may take nothing of what it was sent before its call is ended",
              &Options::stall_timeout, 100, 3600 * kSecondMs},
    OptionRow{"heartbeat_interval", "TIME", "longest time between two messages of a watch",
              &Options::heartbeat_interval, 100, 5 * kSecondMs},
    OptionRow{"store_cache_bytes", "N", "memory for blocks of the store",
              &Options::store_cache_bytes, kMiB, 1024 * 1024 * kMiB},
    OptionRow{"keep_revisions", "N", "commits whose history stays readable",
              &Options::keep_revisions, 1, 1'000'000'000},
};

std::optional<int64_t> ParseInt(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

struct Setter {
  const OptionRow& row;
  std::string_view text;
  Options& options;

  std::string Got(std::string_view want) const {
    return absl::StrFormat("got `%s`, want %s", EscapeForPeople(text, 128), want);
  }

  std::optional<std::string> operator()(std::string Options::*field) const {
    if (text.empty()) return "got an empty text";
    if (text.find('\0') != std::string_view::npos) return Got("text without NUL");
    options.*field = std::string(text);
    return std::nullopt;
  }
  std::optional<std::string> operator()(bool Options::*field) const {
    if (text != "true" && text != "false") return Got("true or false");
    options.*field = text == "true";
    return std::nullopt;
  }
  std::optional<std::string> operator()(int64_t Options::*field) const {
    const std::optional<int64_t> value = ParseInt(text);
    if (!value || *value < row.lowest || *value > row.highest) {
      return Got(absl::StrFormat("a number from %d to %d", row.lowest, row.highest));
    }
    options.*field = *value;
    return std::nullopt;
  }
  std::optional<std::string> operator()(absl::Duration Options::*field) const {
    absl::Duration value;
    const absl::Duration lowest = absl::Milliseconds(row.lowest);
    const absl::Duration highest = absl::Milliseconds(row.highest);
    if (!absl::ParseDuration(std::string(text), &value) || value < lowest || value > highest) {
      return Got(absl::StrFormat("a time from %s to %s, such as 10s or 500ms",
                                 absl::FormatDuration(lowest), absl::FormatDuration(highest)));
    }
    options.*field = value;
    return std::nullopt;
  }
  std::optional<std::string> operator()(LogLevel Options::*field) const {
    const std::optional<LogLevel> value = ParseLogLevel(text);
    if (!value) return Got("debug, info, warning or error");
    options.*field = *value;
    return std::nullopt;
  }
};

struct Printer {
  const Options& options;

  std::string operator()(std::string Options::*field) const {
    std::string out;
    AppendJsonString(options.*field, out);
    return out;
  }
  std::string operator()(bool Options::*field) const { return options.*field ? "true" : "false"; }
  std::string operator()(int64_t Options::*field) const {
    return absl::StrFormat("%d", options.*field);
  }
  std::string operator()(absl::Duration Options::*field) const {
    return absl::FormatDuration(options.*field);
  }
  std::string operator()(LogLevel Options::*field) const {
    return std::string(Name(options.*field));
  }
};

}  // namespace

std::span<const OptionRow> OptionTable() { return kTable; }

std::string FlagOf(std::string_view key) {
  std::string flag = "--" + std::string(key);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

std::string VariableOf(std::string_view key) {
  std::string name = "KEEPERD_" + std::string(key);
  absl::AsciiStrToUpper(&name);
  return name;
}

std::optional<std::string> SetOption(const OptionRow& row, std::string_view text,
                                     Options& options) {
  return std::visit(Setter{row, text, options}, row.field);
}

std::string OptionText(const OptionRow& row, const Options& options) {
  return std::visit(Printer{options}, row.field);
}

}  // namespace bridgekeeper::service
