// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_mcp_load calls a tool of an MCP server over standard input and output or over
// Streamable HTTP, by one way or several in turn, and compares them.
//
//   bk_mcp_load --way "bridge=keeper-bridge stdio --app bench -- bk_mcp_echo"
//               --way "serve=http://127.0.0.1:9120/mcp#4711"
//               --way "direct=bk_mcp_echo"

#include <CLI/CLI.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "policy/base/status_macros.h"
#include "runtime/signals.h"
#include "tests/bench/loadgen/report.h"
#include "tests/bench/mcp/http_session.h"
#include "tests/bench/mcp/session.h"

namespace bridgekeeper::bench {
namespace {

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// Calls the tool, so many at a time, for so long.
using Caller = std::function<absl::StatusOr<Measurement>(int, std::chrono::duration<double>)>;

absl::StatusOr<Caller> Begin(const std::string& way) {
  if (!way.starts_with("http://")) {
    BK_ASSIGN_OR_RETURN(auto session, McpSession::Start(Words(way)));
    return [session = std::shared_ptr<McpSession>(std::move(session))](
               int in_flight, std::chrono::duration<double> length) {
      return session->Call(in_flight, length);
    };
  }
  BK_ASSIGN_OR_RETURN(HttpTarget target, HttpTarget::Parse(way));
  BK_ASSIGN_OR_RETURN(auto session, HttpSession::Start(std::move(target)));
  return [session = std::shared_ptr<HttpSession>(std::move(session))](
             int in_flight, std::chrono::duration<double> length) {
    return session->Call(in_flight, length);
  };
}

struct Flags {
  std::vector<std::string> ways;
  std::vector<int> in_flight = {1, 16};
  int rounds = 5;
  double seconds = 2;
  std::string json;
};

absl::Status Run(const Flags& flags) {
  std::vector<Caller> callers;
  std::vector<std::string> names;
  for (const std::string& way : flags.ways) {
    const size_t equals = way.find('=');
    if (equals == std::string::npos) {
      return absl::InvalidArgumentError("--way: got `" + way +
                                        "`, want NAME=COMMAND or NAME=URL#PID");
    }
    names.push_back(way.substr(0, equals));
    BK_ASSIGN_OR_RETURN(Caller caller, Begin(way.substr(equals + 1)));
    callers.push_back(std::move(caller));
  }
  std::vector<Row> rows;
  for (const int in_flight : flags.in_flight) {
    Row row{in_flight, {}};
    for (const std::string& name : names) row.series.push_back({name, "", {}});
    for (const Caller& caller : callers) {  // warm-up
      BK_RETURN_IF_ERROR(
          caller(in_flight, std::chrono::duration<double>(flags.seconds / 4)).status());
    }
    for (int round = 0; round < flags.rounds; ++round) {
      for (size_t turn = 0; turn < callers.size(); ++turn) {
        const size_t i = round % 2 == 0 ? turn : callers.size() - 1 - turn;
        BK_ASSIGN_OR_RETURN(const Measurement measured,
                            callers[i](in_flight, std::chrono::duration<double>(flags.seconds)));
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
  app.add_option("--way", flags.ways, "NAME=COMMAND or NAME=URL#PID; the last one is the base")
      ->required();
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
