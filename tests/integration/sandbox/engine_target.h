// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// EngineTarget is a real engine that is attacked: a filled shop, what an attack could
// reach besides it, and a look at all that must stay as it is. A new engine is one file
// that implements it and one row of targets.cc.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_ENGINE_TARGET_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_ENGINE_TARGET_H_

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/bridge/sandbox/backend.h"
#include "clients/bridge/sandbox/stop_signal.h"
#include "tests/integration/sandbox/probes.h"

namespace bridgekeeper::bridge {

// Of one call that is no stall.
inline constexpr absl::Duration kCallTimeout = absl::Seconds(10);
// Of one that is.
inline constexpr absl::Duration kStallTimeout = absl::Milliseconds(400);

// One text a part:
//   data     every table, and what defines them
//   files    what lies in the folders that could be written
//   server   sessions of others, settings, slots, transactions, ... of the server
//   log      where its log ends; not every engine has one
//   session  what the next call of the same connection meets
//   sockets  how many connections the test's listener has had
using State = std::map<std::string, std::string>;

// The names of the parts that differ.
std::set<std::string> Changed(const State& before, const State& after);

class EngineTarget {
 public:
  virtual ~EngineTarget() = default;

  // The text with {drop} (a folder that the engine may write), {secret} (a file in it with
  // the canary), {port} (of the listener), {canary} and what only this engine has.
  std::string Fill(std::string text) const;

  // The connection under attack, which only reads.
  virtual Backend& backend() = 0;
  virtual State Look() = 0;
  // Whether what an attack may have started is over: no session but the test's own is
  // left. Looks are taken after it.
  virtual bool Settle() = 0;

  // Runs `sql` where nothing stands before the engine, as somebody who may do all, on a
  // copy of the shop. Returns the parts that it changed, with
  //   answer   the canary came back
  //   late     it did not end
  //   memory   it took more than a read does, or more than there was
  //   crash    the engine died of it
  //   error    it failed, so that what it would have changed was not seen
  virtual std::set<std::string> Control(const std::string& sql) = 0;

 protected:
  std::map<std::string, std::string> words_;
};

struct EngineRow {
  std::string_view name;  // of its files, and of its dialect
  absl::StatusOr<std::unique_ptr<EngineTarget>> (*start)();
};

// Those of this build.
std::span<const EngineRow> AllEngines();

// The engine, started by the first who asks; stopped after the last test. Ends the
// process where it does not start.
EngineTarget& TargetOf(std::string_view engine);

// Runs the tool of a case as the bridge runs a call that its guard has let pass.
RunResult RunDecided(EngineTarget& target, std::string_view tool, const std::string& arguments,
                     const RunLimits& limits);

// The same without what the back end looks up of a caller's text before it runs: the
// engine and its session are all that is left.
RunResult RunUnguarded(EngineTarget& target, std::string_view tool, const std::string& arguments,
                       const RunLimits& limits);

// The part `session` of a state: what `sql`, in a call of its own, is answered.
std::string NextCallOf(Backend& backend, const std::string& sql);

// "" for an answer; else "CODE: message".
std::string ErrorIn(const RunResult& result);

// Whether a caller who sent `sent` was shown the canary.
bool ShowsCanary(const RunResult& result, std::string_view sent);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SANDBOX_ENGINE_TARGET_H_
