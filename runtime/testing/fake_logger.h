// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// FakeLogger keeps every event, so that a test can ask what was logged.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_RUNTIME_TESTING_FAKE_LOGGER_H_
#define BRIDGEKEEPER_RUNTIME_TESTING_FAKE_LOGGER_H_

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/mutex.h"
#include "runtime/log.h"

namespace bridgekeeper {

class FakeLogger : public Logger {
 public:
  struct Event {
    LogLevel level;
    std::string message;
    std::map<std::string, std::string> fields;  // values as text
  };

  FakeLogger() : Logger(LogLevel::kDebug) {}

  std::vector<Event> events() const {
    MutexLock lock(mu_);
    return events_;
  }

  // The events with this message.
  std::vector<Event> EventsOf(std::string_view message) const {
    std::vector<Event> found;
    for (Event& event : events()) {
      if (event.message == message) found.push_back(std::move(event));
    }
    return found;
  }

 private:
  struct ToText {
    std::string operator()(std::string_view text) const { return std::string(text); }
    std::string operator()(int64_t number) const { return absl::StrFormat("%d", number); }
    std::string operator()(uint64_t number) const { return absl::StrFormat("%d", number); }
    std::string operator()(double number) const { return absl::StrFormat("%g", number); }
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(absl::Duration time) const { return absl::FormatDuration(time); }
  };

  void Write(LogLevel level, std::string_view message, std::span<const LogField> fields) override {
    Event event{level, std::string(message), {}};
    for (const LogField& field : fields) {
      event.fields[std::string(field.name)] = std::visit(ToText{}, field.value);
    }
    MutexLock lock(mu_);
    events_.push_back(std::move(event));
  }

  mutable Mutex mu_;
  std::vector<Event> events_ ABSL_GUARDED_BY(mu_);
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_RUNTIME_TESTING_FAKE_LOGGER_H_
