// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/log.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};

void AppendNumber(double number, std::string& out) {
  // JSON has no word for what is not finite.
  out += std::isfinite(number) ? absl::StrFormat("%.6g", number) : "null";
}

struct AppendValue {
  std::string& out;

  void operator()(std::string_view text) const {
    AppendJsonString(EscapeForPeople(text, kMaxLogFieldBytes), out);
  }
  void operator()(int64_t number) const { out += absl::StrFormat("%d", number); }
  void operator()(uint64_t number) const { out += absl::StrFormat("%d", number); }
  void operator()(double number) const { AppendNumber(number, out); }
  void operator()(bool flag) const { out += flag ? "true" : "false"; }
  void operator()(absl::Duration time) const { AppendNumber(absl::ToDoubleSeconds(time), out); }
};

void AppendMember(std::string_view name, const LogField::Value& value, std::string& out) {
  out += ',';
  AppendJsonString(name, out);
  out += ':';
  std::visit(AppendValue{out}, value);
}

// True where all of `line` went out. Never waits.
bool WriteNow(int fd, std::string_view line) {
  pollfd ready = {.fd = fd, .events = POLLOUT, .revents = 0};
  if (poll(&ready, 1, 0) != 1 || (ready.revents & POLLOUT) == 0) return false;
  ssize_t written;
  do {
    written = write(fd, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  return written == static_cast<ssize_t>(line.size());
}

}  // namespace

std::string_view Name(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

std::optional<LogLevel> ParseLogLevel(std::string_view text) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (text == kLevelNames[i]) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string FormatLogLine(absl::Time time, LogLevel level, std::string_view message,
                          std::span<const LogField> fields) {
  constexpr std::string_view kCut = ",\"cut\":true";
  std::string line = absl::StrFormat(
      "{\"time\":\"%s\",\"level\":\"%s\"",
      absl::FormatTime("%Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone()), Name(level));
  AppendMember("message", message, line);
  for (const LogField& field : fields) {
    const size_t before = line.size();
    AppendMember(field.name, field.value, line);
    if (line.size() + kCut.size() + 2 > kMaxLogLineBytes) {
      line.resize(before);
      line += kCut;
      break;
    }
  }
  line += "}\n";
  return line;
}

uint64_t JsonLogger::dropped() const {
  MutexLock lock(mu_);
  return dropped_;
}

void JsonLogger::Write(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  const absl::Time now = clock_.Now();
  std::string line = FormatLogLine(now, level, message, fields);
  // The lock keeps lines whole; writing never waits, so it is short.
  MutexLock lock(mu_);
  if (unreported_ > 0) {
    const LogField dropped[] = {{"dropped_lines", unreported_}};
    if (WriteNow(fd_, FormatLogLine(now, LogLevel::kWarning, "log lines were dropped", dropped))) {
      unreported_ = 0;
    }
  }
  if (unreported_ == 0 && WriteNow(fd_, line)) return;
  ++dropped_;
  ++unreported_;
}

}  // namespace bridgekeeper
