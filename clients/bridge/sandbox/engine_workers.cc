// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/engine_workers.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>
#include <variant>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/json.h"

namespace bridgekeeper::bridge {
namespace {

int64_t IntegerOf(const std::optional<JsonValue>& value) {
  return value && value->is_number() ? value->integer().value_or(0) : 0;
}

std::string Late(const RunLimits& limits) {
  return absl::StrFormat("the call took longer than %s", absl::FormatDuration(limits.timeout));
}

std::string WriterOf(std::string_view kind) { return std::string(kind) + "_writer"; }

// The kind that WorkerPool asks for by `name`.
WorkerKind KindOf(const EngineKind& engine, std::string name, bool writes) {
  WorkerKind kind{.name = std::move(name), .make = nullptr, .opens_files = true};
  if (engine.max_file_bytes != 0) kind.file_bytes = engine.max_file_bytes;
  // Each request has its own limit.
  if (writes) kind.file_bytes = std::numeric_limits<size_t>::max();
  kind.make = [engine, writes] {
    if (engine.prepare) engine.prepare();
    return [run = engine.run, threads = engine.threads, writes](std::string_view text) {
      const auto request = DecodeRequest(text);
      if (!request) return EncodeResult(RunError{"UNSUPPORTED", "the request cannot be read"});
      if (request->statement.writes != writes) {
        return EncodeResult(RunError{"SCOPE", "the request is another worker's"});
      }
      // More than the call can use up before it is killed.
      const auto seconds =
          absl::ToInt64Seconds(request->limits.timeout + 2 * kWorkerGrace + absl::Seconds(1));
      AllowWorkerCpu(static_cast<uint64_t>(seconds) * threads);
      return EncodeResult(run(*request));
    };
  };
  return kind;
}

}  // namespace

std::string EncodeRequest(const EngineRequest& request) {
  std::string parameters = "[";
  for (const auto& parameter : request.statement.parameters) {
    if (parameters.size() > 1) parameters += ',';
    parameters += parameter ? JsonString(*parameter) : "null";
  }
  parameters += ']';
  std::string out;
  JsonObject object(out);
  object.String("dsn", request.dsn)
      .String("folder", request.folder)
      .String("sql", request.statement.sql)
      .Raw("parameters", parameters)
      .Integer("shape", static_cast<int64_t>(request.statement.shape))
      .Bool("writes", request.statement.writes)
      .Integer("max_rows", request.limits.max_rows)
      .Integer("max_bytes", request.limits.max_bytes)
      .Integer("timeout_ms", absl::ToInt64Milliseconds(request.limits.timeout));
  object.Close();
  return out;
}

std::optional<EngineRequest> DecodeRequest(std::string_view text) {
  const auto document = JsonDocument::Parse(text);
  if (!document.ok() || !document->root().is_object()) return std::nullopt;
  const JsonValue root = document->root();
  EngineRequest request;
  request.dsn = std::string(TextOf(root.Find("dsn")));
  request.folder = std::string(TextOf(root.Find("folder")));
  request.statement.sql = std::string(TextOf(root.Find("sql")));
  const auto parameters = root.Find("parameters");
  if (!parameters || !parameters->is_array()) return std::nullopt;
  for (const JsonValue parameter : *parameters) {
    request.statement.parameters.push_back(
        parameter.is_string() ? std::optional<std::string>(parameter.string()) : std::nullopt);
  }
  const int64_t shape = IntegerOf(root.Find("shape"));
  if (shape < 0 || shape > static_cast<int64_t>(Shape::kText)) return std::nullopt;
  request.statement.shape = static_cast<Shape>(shape);
  request.statement.writes = IsTrue(root.Find("writes"));
  request.limits = {.max_rows = IntegerOf(root.Find("max_rows")),
                    .max_bytes = IntegerOf(root.Find("max_bytes")),
                    .timeout = absl::Milliseconds(IntegerOf(root.Find("timeout_ms")))};
  return request;
}

std::string EncodeResult(const RunResult& result) {
  std::string out;
  JsonObject object(out);
  if (const auto* error = std::get_if<RunError>(&result)) {
    object.String("code", error->code).String("message", error->message);
  } else {
    object.String("answer", std::get<std::string>(result));
  }
  object.Close();
  return out;
}

std::optional<RunResult> DecodeResult(std::string_view text) {
  const auto document = JsonDocument::Parse(text);
  if (!document.ok() || !document->root().is_object()) return std::nullopt;
  const JsonValue root = document->root();
  if (const auto answer = root.Find("answer"); answer && answer->is_string()) {
    return RunResult(std::string(answer->string()));
  }
  return RunResult(
      RunError{std::string(TextOf(root.Find("code"))), std::string(TextOf(root.Find("message")))});
}

EngineWorkers::EngineWorkers(std::string_view kind, std::string program, std::string connection,
                             const Clock& clock, Logger& log)
    : connection_(std::move(connection)),
      log_(log),
      readers_({.kind = std::string(kind), .program = program, .max_workers = kMaxEngineWorkers},
               clock),
      writers_({.kind = WriterOf(kind), .program = program, .max_workers = 1}, clock) {}

RunResult EngineWorkers::Run(EngineRequest request, const StopSignal& stop) {
  const RunLimits limits = request.limits;
  request.limits.max_bytes = std::min(limits.max_bytes, kMaxEngineAnswerBytes);
  const bool writes = request.statement.writes;
  // A worker that is ended in its commit may have come to the end of that.
  const std::string ended(writes ? kMayBeMade : "");
  const auto answer = (writes ? writers_ : readers_)
                          .Call(EncodeRequest(request), limits.timeout + kWorkerGrace, stop.fd());
  if (answer.ok()) {
    auto result = DecodeResult(*answer);
    if (!result) {
      return Failed({"EVALUATION_FAULT", "the engine answered out of form" + ended},
                    absl::OkStatus());
    }
    if (auto* error = std::get_if<RunError>(&*result)) {
      if (error->code == "TIMEOUT") error->message = Late(limits);
      if (error->code == "CONNECTION" || error->code == "SCOPE") {
        return Failed(*error, absl::UnavailableError(error->message));
      }
    }
    return *std::move(result);
  }
  if (absl::IsCancelled(answer.status())) {
    return RunError{"CANCELLED", "the call was cancelled" + ended};
  }
  if (absl::IsDeadlineExceeded(answer.status())) {
    return Failed({"TIMEOUT", Late(limits) + ended}, answer.status());
  }
  if (absl::IsResourceExhausted(answer.status())) {
    return RunError{"OVERLOADED", "too many calls on this database are running"};
  }
  if (!absl::IsAborted(answer.status())) {
    return Failed({"EVALUATION_FAULT", "no process could be had that runs the statement"},
                  answer.status());
  }
  return Failed({"EVALUATION_FAULT", "the engine did not survive the statement" + ended},
                answer.status());
}

RunError EngineWorkers::Failed(RunError error, const absl::Status& why) {
  log_.Warning(
      "a call on a database did not run",
      {{"connection", connection_}, {"code", error.code}, {"why", std::string(why.message())}});
  return error;
}

std::vector<WorkerKind> EngineWorkerKinds(const EngineKind& engine) {
  return {KindOf(engine, std::string(engine.name), /*writes=*/false),
          KindOf(engine, WriterOf(engine.name), /*writes=*/true)};
}

uint64_t FileBytesAfterChange(std::span<const std::string> paths) {
  uint64_t largest = 0;
  for (const std::string& path : paths) {
    std::error_code error;
    const uint64_t bytes = std::filesystem::file_size(path, error);
    if (!error) largest = std::max(largest, bytes);
  }
  return largest + kMaxFileGrowthBytes;
}

}  // namespace bridgekeeper::bridge
