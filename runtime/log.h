// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Logger takes events for operators: a level, a constant message and fields that
// vary. JsonLogger writes each as one line of JSON:
//
//   {"time":"2026-09-21T14:13:20.000000Z","level":"warning","message":"store slow","op":"get"}
//
// Text in fields may come from anybody: it passes one escaper (EscapeForPeople), so
// that it can neither start a line of its own nor reach a terminal as a control
// sequence. Statements, arguments and secrets are never logged.
//
// A log may be lost, a caller never waits for it: where the reader of the log is
// gone or does not read, lines are dropped and counted.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_RUNTIME_LOG_H_
#define BRIDGEKEEPER_RUNTIME_LOG_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "absl/time/time.h"
#include "policy/base/clock.h"
#include "policy/base/mutex.h"

namespace bridgekeeper {

enum class LogLevel : uint8_t {
  kDebug,    // per request
  kInfo,     // a change of state: start, reload, drain
  kWarning,  // degraded but serving, and a counter moved
  kError,    // someone must act
};

std::string_view Name(LogLevel level);

// Reads "debug", "info", "warning" or "error".
std::optional<LogLevel> ParseLogLevel(std::string_view text);

// A name and a value; views, for the length of one call of Log().
struct LogField {
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool, absl::Duration>;

  // `name` is snake_case and ours, `value` is text from anywhere.
  LogField(std::string_view field_name, std::string_view text) : name(field_name), value(text) {}
  LogField(std::string_view field_name, const std::string& text)
      : LogField(field_name, std::string_view(text)) {}
  LogField(std::string_view field_name, const char* text)
      : LogField(field_name, std::string_view(text)) {}
  LogField(std::string_view field_name, bool flag) : name(field_name), value(flag) {}
  LogField(std::string_view field_name, double number) : name(field_name), value(number) {}
  // Written in seconds.
  LogField(std::string_view field_name, absl::Duration time) : name(field_name), value(time) {}
  template <std::signed_integral T>
  LogField(std::string_view field_name, T number)
      : name(field_name), value(static_cast<int64_t>(number)) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) LogField(std::string_view field_name, T number)
      : name(field_name), value(static_cast<uint64_t>(number)) {}

  std::string_view name;
  Value value;
};

class Logger {
 public:
  virtual ~Logger() = default;

  // `message` is a constant: what varies stands in fields.
  void Log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields = {}) {
    if (level >= threshold_) Write(level, message, {fields.begin(), fields.size()});
  }
  void Debug(std::string_view message, std::initializer_list<LogField> fields = {}) {
    Log(LogLevel::kDebug, message, fields);
  }
  void Info(std::string_view message, std::initializer_list<LogField> fields = {}) {
    Log(LogLevel::kInfo, message, fields);
  }
  void Warning(std::string_view message, std::initializer_list<LogField> fields = {}) {
    Log(LogLevel::kWarning, message, fields);
  }
  void Error(std::string_view message, std::initializer_list<LogField> fields = {}) {
    Log(LogLevel::kError, message, fields);
  }

 protected:
  explicit Logger(LogLevel threshold) : threshold_(threshold) {}

 private:
  virtual void Write(LogLevel level, std::string_view message,
                     std::span<const LogField> fields) = 0;

  const LogLevel threshold_;
};

// Longest line, in bytes, its newline included. Source: PIPE_BUF of Linux: a pipe
// that polls as writable takes that much at once, without blocking.
inline constexpr size_t kMaxLogLineBytes = 4096;
// Longest text field, in bytes after escaping; what is cut ends in "...".
inline constexpr size_t kMaxLogFieldBytes = 1024;

// Writes lines to a descriptor that it does not own.
class JsonLogger : public Logger {
 public:
  // Writes events of `threshold` and above to `fd`. `clock` must outlive it.
  // REQUIRES: SIGPIPE is ignored (runtime/signals.h) where `fd` may be a pipe.
  JsonLogger(int fd, LogLevel threshold, const Clock& clock)
      : Logger(threshold), fd_(fd), clock_(clock) {}

  // Lines that were not written.
  uint64_t dropped() const;

 private:
  void Write(LogLevel level, std::string_view message, std::span<const LogField> fields) override;

  const int fd_;
  const Clock& clock_;
  mutable Mutex mu_;
  uint64_t dropped_ ABSL_GUARDED_BY(mu_) = 0;
  // Lines dropped since the last one that was written, which says so.
  uint64_t unreported_ ABSL_GUARDED_BY(mu_) = 0;
};

// One event as JsonLogger writes it, newline included. A field that would pass
// kMaxLogLineBytes is left out, as are those after it, and `"cut":true` says so.
std::string FormatLogLine(absl::Time time, LogLevel level, std::string_view message,
                          std::span<const LogField> fields);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_LOG_H_
