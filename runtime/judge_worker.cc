// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/judge_worker.h"

#include <limits.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "policy/guard/duckdb/engine.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/stack_pool.h"
#include "runtime/clock.h"
#include "runtime/worker.h"

namespace bridgekeeper {
namespace {

constexpr char kKind[] = "judge";

// The first byte of a worker's answer: a judgement follows, or why it has no engine.
constexpr char kJudged = 'j';
constexpr char kNoEngine = 'n';

constexpr absl::Duration kLogEvery = absl::Minutes(1);

JudgeFault FaultOf(const absl::Status& status) {
  if (absl::IsResourceExhausted(status)) return JudgeFault::kWorkerBusy;
  if (absl::IsDeadlineExceeded(status)) return JudgeFault::kWorkerLate;
  if (absl::IsUnavailable(status)) return JudgeFault::kWorkerUnavailable;
  return JudgeFault::kWorkerDied;
}

std::string_view Message(JudgeFault fault) {
  switch (fault) {
    case JudgeFault::kWorkerBusy:
    case JudgeFault::kNoThread:
      return "no worker process was free to judge it in time";
    case JudgeFault::kWorkerLate:
    case JudgeFault::kLate:
      return "judging it took too long, and its worker process was ended";
    case JudgeFault::kWorkerDied:
      return "the worker process that judged it ended";
    case JudgeFault::kWorkerUnavailable:
      return "no worker process could be started to judge it";
  }
  return "it was not judged";
}

class JudgeWorkers final : public IsolatedJudge {
 public:
  explicit JudgeWorkers(const JudgeWorkersOptions& options)
      : log_(options.log),
        pool_({.kind = kKind, .program = options.program, .max_workers = options.max_workers},
              clock_) {}

  Answer JudgeText(std::string_view dialect, std::string_view text, const JudgeOptions& options,
                   absl::Duration deadline) override {
    const auto answer = pool_.Call(EncodeRequest(dialect, text, options), deadline);
    if (!answer.ok()) {
      const JudgeFault fault = FaultOf(answer.status());
      return Faulty(fault, Message(fault), AsStd(answer.status().message()));
    }
    const std::string_view rest = std::string_view(*answer).substr(answer->empty() ? 0 : 1);
    if (answer->starts_with(kNoEngine)) {
      return Faulty(JudgeFault::kWorkerUnavailable, "no DuckDB to judge with is installed", rest);
    }
    std::optional<Judgement> judgement;
    if (answer->starts_with(kJudged)) judgement = DecodeJudgement(rest);
    if (!judgement.has_value()) {
      return Faulty(JudgeFault::kWorkerDied, Message(JudgeFault::kWorkerDied),
                    "the worker answered out of form");
    }
    return {.judgement = *std::move(judgement), .fault = std::nullopt};
  }

 private:
  // `detail` is for operators: it may name files.
  Answer Faulty(JudgeFault fault, std::string_view message, std::string_view detail) {
    if (log_ != nullptr) Log(fault, detail);
    return {.judgement = JudgementError(Judgement::Error::kUnreadable, std::string(message)),
            .fault = fault};
  }

  void Log(JudgeFault fault, std::string_view detail) {
    const absl::Duration now = clock_.SinceBoot();
    uint64_t unlogged = 0;
    {
      MutexLock lock(mu_);
      Logged& logged = logged_[static_cast<size_t>(fault)];
      if (logged.at && now - *logged.at < kLogEvery) {
        ++logged.more;
        return;
      }
      logged.at = now;
      unlogged = std::exchange(logged.more, 0);
    }
    // Without a worker somebody must act; the rest is of single texts.
    log_->Log(fault == JudgeFault::kWorkerUnavailable ? LogLevel::kError : LogLevel::kWarning,
              "a payload was not judged",
              {{"fault", Name(fault)}, {"detail", detail}, {"unlogged_before", unlogged}});
  }

  struct Logged {
    std::optional<absl::Duration> at;
    uint64_t more = 0;
  };

  Logger* const log_;
  const RealClock clock_;
  WorkerPool pool_;
  Mutex mu_;
  std::array<Logged, std::size(kAllJudgeFaults)> logged_ ABSL_GUARDED_BY(mu_);
};

// The folder of this program, without links.
std::string OwnFolder() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return ".";
  const std::string_view whole(path.data(), static_cast<size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

std::function<std::string(std::string_view)> MakeJudge() {
  const auto pool = std::make_shared<StackPool>(StackPoolOptions{.threads = 1});
  const auto loaded = std::make_shared<absl::Status>(duckdb::LoadEngine(DuckdbLibraryPath()));
  return [pool, loaded](std::string_view request) {
    const auto decoded = DecodeRequest(request);
    if (!loaded->ok() && decoded.has_value() && decoded->dialect == "duckdb") {
      return kNoEngine + std::string(loaded->message());
    }
    return kJudged + JudgeIsolated(request, *pool);
  };
}

}  // namespace

std::shared_ptr<IsolatedJudge> MakeJudgeWorkers(const JudgeWorkersOptions& options) {
  return std::make_shared<JudgeWorkers>(options);
}

std::string DuckdbLibraryPath() {
  const std::string folder = OwnFolder();
  // Where it is installed, and where the build tree has it.
  for (const char* beside : {"../lib/bridgekeeper", "../lib", "../../lib"}) {
    std::string path = absl::StrFormat("%s/%s/libduckdb.so", folder, beside);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return folder + "/../lib/bridgekeeper/libduckdb.so";
}

WorkerKind JudgeWorkerKind() { return {.name = kKind, .make = MakeJudge}; }

std::optional<int> RunJudgeWorkerIfAsked(int argc, char** argv) {
  return RunWorkerIfAsked(argc, argv, {JudgeWorkerKind()});
}

}  // namespace bridgekeeper
