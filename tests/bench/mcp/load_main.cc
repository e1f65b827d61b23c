// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_mcp_load calls a tool of an MCP server over standard input and output, by one
// way or several in turn, and compares them.
//
//   bk_mcp_load --way "bridge=keeper-bridge stdio --app bench -- bk_mcp_echo"
//               --way "direct=bk_mcp_echo"

#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "runtime/clock.h"
#include "runtime/process.h"
#include "runtime/signals.h"
#include "tests/bench/loadgen/report.h"

namespace bridgekeeper::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kDeadlineMs = 30'000;

// A client's side of one server.
class Session {
 public:
  static absl::StatusOr<std::unique_ptr<Session>> Start(const std::string& command) {
    ProcessSpec spec;
    std::istringstream words(command);
    for (std::string word; words >> word;) spec.command.push_back(word);
    spec.environment = EnvironmentWithout({});
    BK_ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Spawn(spec));
    auto session = std::unique_ptr<Session>(new Session(std::move(child)));
    BK_RETURN_IF_ERROR(session
                           ->Ask("initialize",
                                 R"({"protocolVersion":"2025-11-25","capabilities":{},)"
                                 R"("clientInfo":{"name":"bk_mcp_load","version":"1"}})")
                           .status());
    BK_RETURN_IF_ERROR(
        session->Write("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"));
    BK_RETURN_IF_ERROR(session->Ask("tools/list", "{}").status());
    return session;
  }

  // One request and its answer, for the greetings.
  absl::StatusOr<std::string> Ask(std::string_view method, std::string_view params) {
    const int64_t id = next_id_++;
    BK_RETURN_IF_ERROR(Write(absl::StrFormat(
        "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":%s}\n", id, method, params)));
    while (true) {
      BK_ASSIGN_OR_RETURN(const std::string line, ReadLine());
      if (IdOf(line) == id) return line;
    }
  }

  // Calls the tool, `in_flight` calls at a time, for `length`.
  absl::StatusOr<Measurement> Call(int in_flight, std::chrono::duration<double> length) {
    BK_ASSIGN_OR_RETURN(const std::string answer,
                        Ask("tools/call", R"({"name":"echo","arguments":{"text":"hello"}})"));
    if (answer.find(R"("text":"hello")") == std::string::npos) {
      return absl::FailedPreconditionError("the call measured was not answered: " + answer);
    }
    std::unordered_map<int64_t, SteadyClock::time_point> begun;
    std::vector<double> latencies_us;
    const auto begin = SteadyClock::now();
    const auto end = begin + std::chrono::duration_cast<SteadyClock::duration>(length);
    for (int i = 0; i < in_flight; ++i) BK_RETURN_IF_ERROR(Send(begun));
    while (!begun.empty()) {
      BK_ASSIGN_OR_RETURN(const std::string line, ReadLine());
      const auto call = begun.find(IdOf(line));
      if (call == begun.end()) continue;  // a notification
      const auto now = SteadyClock::now();
      latencies_us.push_back(std::chrono::duration<double, std::micro>(now - call->second).count());
      begun.erase(call);
      if (now < end) BK_RETURN_IF_ERROR(Send(begun));
    }
    Measurement result;
    result.calls = static_cast<int64_t>(latencies_us.size());
    result.seconds = std::chrono::duration<double>(SteadyClock::now() - begin).count();
    result.rate = static_cast<double>(result.calls) / result.seconds;
    std::sort(latencies_us.begin(), latencies_us.end());
    result.p50_us = latencies_us[latencies_us.size() / 2];
    result.p99_us = latencies_us[latencies_us.size() * 99 / 100];
    return result;
  }

 private:
  explicit Session(ChildProcess child) : child_(std::move(child)) {}

  absl::Status Send(std::unordered_map<int64_t, SteadyClock::time_point>& begun) {
    const int64_t id = next_id_++;
    begun.emplace(id, SteadyClock::now());
    return Write(
        absl::StrFormat("{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
                        "\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"hello\"}}}\n",
                        id));
  }

  static int64_t IdOf(std::string_view line) {
    const auto document = JsonDocument::Parse(line);
    if (!document.ok()) return -1;
    const std::optional<JsonValue> id = document->root().Find("id");
    return id.has_value() && id->is_number() ? id->integer().value_or(-1) : -1;
  }

  absl::Status Write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(child_.stdin_fd().get(), text.data(), text.size());
      if (written > 0) {
        text.remove_prefix(static_cast<size_t>(written));
      } else {
        BK_RETURN_IF_ERROR(Wait(child_.stdin_fd().get(), POLLOUT));
      }
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> ReadLine() {
    while (true) {
      if (const size_t newline = input_.find('\n', scanned_); newline != std::string::npos) {
        std::string line = input_.substr(begin_, newline - begin_);
        begin_ = scanned_ = newline + 1;
        if (begin_ == input_.size()) {
          input_.clear();
          begin_ = scanned_ = 0;
        }
        return line;
      }
      scanned_ = input_.size();
      char buffer[65536];
      const ssize_t got = read(child_.stdout_fd().get(), buffer, sizeof(buffer));
      if (got > 0) {
        input_.append(buffer, static_cast<size_t>(got));
      } else if (got == 0) {
        return absl::UnavailableError("the server ended: " + errors_);
      } else {
        BK_RETURN_IF_ERROR(Wait(child_.stdout_fd().get(), POLLIN));
      }
    }
  }

  // Waits for a descriptor of the child, and takes what it says on standard error.
  absl::Status Wait(int fd, short events) {
    pollfd waited[2] = {{fd, events, 0}, {child_.stderr_fd().get(), POLLIN, 0}};
    if (poll(waited, errors_open_ ? 2 : 1, kDeadlineMs) == 0) {
      return absl::DeadlineExceededError("the server does not answer: " + errors_);
    }
    if (errors_open_ && waited[1].revents != 0) {
      char buffer[4096];
      const ssize_t got = read(child_.stderr_fd().get(), buffer, sizeof(buffer));
      if (got > 0) errors_.assign(buffer, static_cast<size_t>(got));  // the last words are enough
      if (got == 0) errors_open_ = false;
    }
    return absl::OkStatus();
  }

  ChildProcess child_;
  int64_t next_id_ = 1;
  std::string input_;
  size_t begin_ = 0;
  size_t scanned_ = 0;
  std::string errors_;
  bool errors_open_ = true;
};

struct Flags {
  std::vector<std::string> ways;
  std::vector<int> in_flight = {1, 16};
  int rounds = 5;
  double seconds = 2;
  std::string json;
};

absl::Status Run(const Flags& flags) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::string> names;
  for (const std::string& way : flags.ways) {
    const size_t equals = way.find('=');
    if (equals == std::string::npos) {
      return absl::InvalidArgumentError("--way: got `" + way + "`, want NAME=COMMAND");
    }
    names.push_back(way.substr(0, equals));
    BK_ASSIGN_OR_RETURN(auto session, Session::Start(way.substr(equals + 1)));
    sessions.push_back(std::move(session));
  }
  std::vector<Row> rows;
  for (const int in_flight : flags.in_flight) {
    Row row{in_flight, {}};
    for (const std::string& name : names) row.series.push_back({name, "", {}});
    for (auto& session : sessions) {  // warm-up
      BK_RETURN_IF_ERROR(
          session->Call(in_flight, std::chrono::duration<double>(flags.seconds / 4)).status());
    }
    for (int round = 0; round < flags.rounds; ++round) {
      for (size_t turn = 0; turn < sessions.size(); ++turn) {
        const size_t i = round % 2 == 0 ? turn : sessions.size() - 1 - turn;
        BK_ASSIGN_OR_RETURN(
            const Measurement measured,
            sessions[i]->Call(in_flight, std::chrono::duration<double>(flags.seconds)));
        row.series[i].rounds.push_back(measured);
      }
    }
    rows.push_back(std::move(row));
  }
  std::cout << FormatTable(rows, 1);
  if (!flags.json.empty()) std::ofstream(flags.json) << FormatJson(rows, 1);
  return absl::OkStatus();
}

}  // namespace
}  // namespace bridgekeeper::bench

int main(int argc, char** argv) {
  bridgekeeper::bench::Flags flags;
  CLI::App app{"Calls a tool of an MCP server by several ways and compares them."};
  app.add_option("--way", flags.ways, "NAME=COMMAND; the last one is the base")->required();
  app.add_option("--in-flight", flags.in_flight)->delimiter(',');
  app.add_option("--rounds", flags.rounds);
  app.add_option("--seconds", flags.seconds, "of one way in one round");
  app.add_option("--json", flags.json, "file for the figures");
  CLI11_PARSE(app, argc, argv);
  bridgekeeper::IgnoreSigpipe();
  const absl::Status status = bridgekeeper::bench::Run(flags);
  if (status.ok()) return 0;
  std::cerr << "bk_mcp_load: " << status << "\n";
  return 1;
}
