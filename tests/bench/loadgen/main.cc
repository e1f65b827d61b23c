// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// bk_loadgen drives one or more servers with the same client and compares them.
//
//   bk_loadgen measure --server keeperd=127.0.0.1:7420 --server echo=127.0.0.1:5000
//   bk_loadgen measure --server keeperd=... --server cerbos=127.0.0.1:3593,/cerbos.svc.v1.
//              CerbosService/CheckResources,request.bin
//   bk_loadgen sample --server keeperd=127.0.0.1:7420 --out answer.bin
//   bk_loadgen put --apps 1000000        (KEEPER_ADDRESS, KEEPER_TOKEN)

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/bench/loadgen/load.h"
#include "tests/bench/loadgen/report.h"
#include "tests/bench/loadgen/workload.h"

namespace {

using bridgekeeper::bench::DecisionOptions;
using bridgekeeper::bench::Form;
using bridgekeeper::bench::Measurement;
using bridgekeeper::bench::RequestMaker;
using bridgekeeper::bench::Row;
using bridgekeeper::bench::Series;
using bridgekeeper::bench::Server;

struct Flags {
  std::vector<std::string> servers;
  Form form = Form::kUnary;
  DecisionOptions decisions;
  std::vector<int> in_flight = {1, 16, 64};
  int rounds = 5;
  double seconds = 2;
  double warm_up = 0.5;
  uint64_t seed = 1;
  std::string json;
  std::string out;
  int64_t apps = 0;
  int64_t batch = 10'000;
};

// NAME=HOST:PORT and, in this order, what is known beside it: ?TOOL to ask about
// another tool than --tool, @APPS to ask about one of so many apps each time, #PID of
// the server, and ,METHOD,FILE for bytes that are not a decision.
constexpr char kForms[] = "NAME=HOST:PORT[?TOOL][@APPS][#PID][,METHOD,FILE]";

struct Contender {
  std::string name;
  std::unique_ptr<Server> server;
  RequestMaker make;
  bool decides = false;
};

std::optional<std::string> ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<Contender> Parse(const std::string& text, const Flags& flags) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  Contender contender;
  contender.name = text.substr(0, equals);
  std::string rest = text.substr(equals + 1);
  // Cuts what stands behind the last `mark` off.
  const auto take = [&rest](char mark) -> std::optional<std::string> {
    const size_t at = rest.rfind(mark);
    if (at == std::string::npos) return std::nullopt;
    std::string taken = rest.substr(at + 1);
    rest.resize(at);
    return taken;
  };
  const std::optional<std::string> file = take(',');
  const std::optional<std::string> method = file.has_value() ? take(',') : std::nullopt;
  const std::optional<std::string> pid_text = take('#');
  const std::optional<std::string> apps = take('@');
  const std::optional<std::string> tool = take('?');
  int pid = 0;
  if (pid_text.has_value() && !absl::SimpleAtoi(*pid_text, &pid)) return std::nullopt;
  if (!file.has_value()) {
    DecisionOptions decisions = flags.decisions;
    if (apps.has_value() && !absl::SimpleAtoi(*apps, &decisions.apps)) return std::nullopt;
    if (tool.has_value()) decisions.tool = *tool;
    contender.server =
        std::make_unique<Server>(rest, bridgekeeper::bench::MethodOf(flags.form), pid);
    contender.make = bridgekeeper::bench::MakeDecisions(flags.form, decisions);
    contender.decides = true;
    return contender;
  }
  const auto bytes = ReadFile(*file);
  if (!method.has_value() || !bytes.has_value()) return std::nullopt;
  contender.server = std::make_unique<Server>(rest, *method, pid);
  contender.make = [bytes = *bytes](std::mt19937_64&) { return bytes; };
  return contender;
}

int Fail(const std::string& what) {
  std::cerr << "bk_loadgen: " << what << "\n";
  return 1;
}

int Measure(const Flags& flags) {
  std::vector<Contender> contenders;
  for (const std::string& text : flags.servers) {
    auto contender = Parse(text, flags);
    if (!contender.has_value()) {
      return Fail("--server: got `" + text + "`, want " + kForms);
    }
    contenders.push_back(*std::move(contender));
  }
  std::vector<std::string> verdicts;
  for (Contender& contender : contenders) {
    verdicts.emplace_back();
    if (flags.form == Form::kStream) continue;  // Ask() is unary
    std::mt19937_64 random(flags.seed);
    const auto answer = contender.server->Ask(contender.make(random));
    if (!answer.ok()) return Fail(contender.name + ": " + answer.status().ToString());
    if (!contender.decides) continue;
    const auto verdict = bridgekeeper::bench::Verdict(flags.form, *answer);
    if (!verdict.ok()) return Fail(contender.name + ": " + verdict.status().ToString());
    verdicts.back() = *verdict;
  }

  uint64_t seed = flags.seed;
  const auto run = [&](Contender& contender, int in_flight, double seconds) {
    const absl::Duration length = absl::Seconds(seconds);
    seed += 1000;
    return flags.form == Form::kStream
               ? contender.server->Stream(contender.make, in_flight, length, seed)
               : contender.server->Call(contender.make, in_flight, length, seed);
  };
  std::vector<Row> rows;
  for (const int in_flight : flags.in_flight) {
    Row row{in_flight, {}};
    for (size_t i = 0; i < contenders.size(); ++i) {
      row.series.push_back({contenders[i].name, verdicts[i], {}});
      run(contenders[i], in_flight, flags.warm_up);
    }
    for (int round = 0; round < flags.rounds; ++round) {
      for (size_t turn = 0; turn < contenders.size(); ++turn) {
        // Every other round in reverse: who goes first has no advantage.
        const size_t i = round % 2 == 0 ? turn : contenders.size() - 1 - turn;
        row.series[i].rounds.push_back(run(contenders[i], in_flight, flags.seconds));
      }
    }
    rows.push_back(std::move(row));
  }
  const int per_call = flags.form == Form::kBatch ? flags.decisions.items : 1;
  std::cout << FormatTable(rows, per_call);
  if (!flags.json.empty()) std::ofstream(flags.json) << FormatJson(rows, per_call);
  for (const Row& row : rows) {
    for (const Series& series : row.series) {
      for (const Measurement& round : series.rounds) {
        if (round.calls == 0)
          return Fail(series.server + ": nothing answered: " + round.first_error);
      }
    }
  }
  return 0;
}

int Sample(const Flags& flags) {
  auto contender = Parse(flags.servers.at(0), flags);
  if (!contender.has_value()) return Fail(std::string("--server: want ") + kForms);
  std::mt19937_64 random(flags.seed);
  const auto answer = contender->server->Ask(contender->make(random));
  if (!answer.ok()) return Fail(answer.status().ToString());
  if (!(std::ofstream(flags.out, std::ios::binary) << *answer)) return Fail("--out: cannot write");
  if (!contender->decides) return 0;
  const auto verdict = bridgekeeper::bench::Verdict(flags.form, *answer);
  if (!verdict.ok()) return Fail(verdict.status().ToString());
  std::cout << *verdict << "\n";
  return 0;
}

int Put(const Flags& flags) {
  const absl::Status status = bridgekeeper::bench::PutPolicies(flags.apps, flags.batch);
  return status.ok() ? 0 : Fail(status.ToString());
}

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app{"Drives one or more servers with the same client and compares them."};
  app.require_subcommand(1);
  const auto question = [&flags](CLI::App* command) {
    const std::map<std::string, Form> forms = {
        {"unary", Form::kUnary}, {"batch", Form::kBatch}, {"stream", Form::kStream}};
    command->add_option("--server", flags.servers, kForms)->required();
    command->add_option("--form", flags.form, "unary, batch or stream")
        ->transform(CLI::CheckedTransformer(forms));
    command->add_option("--app", flags.decisions.app);
    command->add_option("--tool", flags.decisions.tool);
    command->add_option("--connection", flags.decisions.connection);
    command->add_option("--arguments", flags.decisions.arguments, "a JSON object");
    command->add_option("--items", flags.decisions.items, "of a batch");
    command->add_flag("--statements", flags.decisions.statements,
                      "each unary call has a statement of its own as its argument `sql`");
    command->add_option("--seed", flags.seed);
  };
  CLI::App* measure = app.add_subcommand("measure", "compare servers; the last one is the base");
  question(measure);
  measure->add_option("--in-flight", flags.in_flight)->delimiter(',');
  measure->add_option("--rounds", flags.rounds);
  measure->add_option("--seconds", flags.seconds, "of one server in one round");
  measure->add_option("--warm-up", flags.warm_up, "seconds before the rounds");
  measure->add_option("--json", flags.json, "file for the figures");
  CLI::App* sample = app.add_subcommand("sample", "keep one answer");
  question(sample);
  sample->add_option("--out", flags.out)->required();
  CLI::App* put = app.add_subcommand("put", "write policies of many apps");
  put->add_option("--apps", flags.apps)->required();
  put->add_option("--batch", flags.batch);
  CLI11_PARSE(app, argc, argv);
  if (measure->parsed()) return Measure(flags);
  if (sample->parsed()) return Sample(flags);
  return Put(flags);
}
