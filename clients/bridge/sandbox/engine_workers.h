// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// EngineWorkers runs the statements of one connection in worker processes of its own,
// for an engine that lives inside the process that uses it: a statement that crashes
// the engine, or holds it beyond its time, ends one call.
//
// EngineWorkerKinds() is the other side. Each engine is two kinds of worker of the same
// program; their requests and answers have one form.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINE_WORKERS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINE_WORKERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "clients/bridge/sandbox/backend.h"
#include "policy/base/clock.h"
#include "runtime/log.h"
#include "runtime/worker.h"

namespace bridgekeeper::bridge {

// How long a worker may be late before it is killed: an engine can stay in one
// instruction, where it does not look at the clock.
inline constexpr absl::Duration kWorkerGrace = absl::Seconds(1);
// Workers of one connection that read; one more writes.
inline constexpr int kMaxEngineWorkers = 2;
// What a file of a database may grow by in one call.
inline constexpr uint64_t kMaxFileGrowthBytes = uint64_t{1} << 30;
// Largest answer: what a worker's message holds once it is JSON inside JSON.
inline constexpr int64_t kMaxEngineAnswerBytes = static_cast<int64_t>(kMaxWorkerMessageBytes) / 4;

struct EngineRequest {
  std::string dsn;
  std::string folder;  // of this call alone, for what the engine writes; empty: none
  Statement statement;
  RunLimits limits;
};

std::string EncodeRequest(const EngineRequest& request);
// nullopt: not of this form.
std::optional<EngineRequest> DecodeRequest(std::string_view text);
std::string EncodeResult(const RunResult& result);
std::optional<RunResult> DecodeResult(std::string_view text);

// Thread safety: all methods may be called at the same time.
class EngineWorkers {
 public:
  // `connection` is for the log. What is named must outlive this.
  EngineWorkers(std::string_view kind, std::string program, std::string connection,
                const Clock& clock, Logger& log);

  // Runs one statement. The engine's own errors, and:
  //   TIMEOUT, CANCELLED - the worker has ended
  //   OVERLOADED         - no worker was free in time
  //   EVALUATION_FAULT   - the worker died, or none could be started
  // A change whose worker was ended may have been made: the message says so.
  RunResult Run(EngineRequest request, const StopSignal& stop);

  // Logs why a call did not run, and returns `error`.
  RunError Failed(RunError error, const absl::Status& why);

 private:
  const std::string connection_;
  Logger& log_;
  WorkerPool readers_;
  WorkerPool writers_;
};

// What a worker needs of an engine.
struct EngineKind {
  std::string_view name;
  // Once in the process, before the first request.
  std::function<void()> prepare;
  std::function<RunResult(const EngineRequest& request)> run;
  unsigned threads = 1;       // that use the processor for one request
  size_t max_file_bytes = 0;  // of a file that a reader writes; 0: as WorkerKind has it
};
// One that only reads, whatever it is asked, and one that writes.
std::vector<WorkerKind> EngineWorkerKinds(const EngineKind& engine);

// Bytes that the files of a database may have after a change: what the largest of `paths`
// has, and kMaxFileGrowthBytes.
uint64_t FileBytesAfterChange(std::span<const std::string> paths);

// All kinds of this build: what a program's main() gives to RunWorkerIfAsked().
std::vector<WorkerKind> SandboxWorkerKinds();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_ENGINE_WORKERS_H_
