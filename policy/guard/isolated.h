// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// IsolatedJudge judges in another process, for a dialect whose parser can crash, or
// be busy for longer than anyone waits: its end is the end of one answer. The guard
// asks it for the dialects whose row in dialects.cc says so; any text dialect can be
// judged there. The other side of it is JudgeIsolated().
//
// Here is the interface and what is sent; runtime/judge_worker.h has the process.
//
// Source: policy/spec.md, clause G2.

#ifndef BRIDGEKEEPER_POLICY_GUARD_ISOLATED_H_
#define BRIDGEKEEPER_POLICY_GUARD_ISOLATED_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "policy/guard/judge.h"
#include "policy/guard/stack_pool.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Why a payload was not judged though its text may be fine. Each is counted.
enum class JudgeFault : uint8_t {
  kNoThread,           // every judging thread was busy for too long
  kLate,               // judging took too long in this process
  kWorkerBusy,         // every worker process was busy for too long
  kWorkerLate,         // the worker process took too long, and was killed
  kWorkerDied,         // it ended before it answered
  kWorkerUnavailable,  // none could be started
};
inline constexpr JudgeFault kAllJudgeFaults[] = {
    JudgeFault::kNoThread,   JudgeFault::kLate,       JudgeFault::kWorkerBusy,
    JudgeFault::kWorkerLate, JudgeFault::kWorkerDied, JudgeFault::kWorkerUnavailable,
};
// "no_thread", "late", "worker_busy", ...
std::string_view Name(JudgeFault fault);

// Thread safety: safe to share between threads.
class IsolatedJudge {
 public:
  virtual ~IsolatedJudge() = default;

  struct Answer {
    Judgement judgement;
    std::optional<JudgeFault> fault;  // then `judgement` is an error that says so
  };
  // Judges `text`, which ScanText() passed, in at most `deadline`.
  virtual Answer JudgeText(std::string_view dialect, std::string_view text,
                           const JudgeOptions& options, absl::Duration deadline) = 0;
};

// What is sent to the other process and comes back. Both sides are the same program,
// so the form may change with it.
struct IsolatedRequest {
  std::string dialect;
  std::string text;
  JudgeOptions options;
  friend bool operator==(const IsolatedRequest&, const IsolatedRequest&) = default;
};
std::string EncodeRequest(std::string_view dialect, std::string_view text,
                          const JudgeOptions& options);
std::string EncodeJudgement(const Judgement& judgement);
// nullopt: not of this form.
std::optional<IsolatedRequest> DecodeRequest(std::string_view bytes);
std::optional<Judgement> DecodeJudgement(std::string_view bytes);

// Answers an encoded request with an encoded judgement, on a thread of `pool`,
// without a cache and without a deadline: who asked has one.
std::string JudgeIsolated(std::string_view request, StackPool& pool);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_ISOLATED_H_
