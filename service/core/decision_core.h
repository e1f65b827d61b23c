// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DecisionCore answers questions about calls on the current policies. It adds to
// policy/engine what a server must: which policy is in force, an id, and counting.
//
// Thread safety: all methods may be called at the same time.

#ifndef BRIDGEKEEPER_SERVICE_CORE_DECISION_CORE_H_
#define BRIDGEKEEPER_SERVICE_CORE_DECISION_CORE_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policy/base/clock.h"
#include "policy/engine/engine.h"
#include "runtime/id_source.h"
#include "service/core/app_cache.h"
#include "service/observe/metrics.h"

namespace bridgekeeper::service {

// Makes decision ids: 32 lower-case hexadecimal digits, unique over starts of the
// program. Half is random and drawn once, half counts: an id costs one addition. They
// need not be hard to guess; whoever holds one learns nothing by it.
class DecisionIds {
 public:
  explicit DecisionIds(IdSource& ids);
  std::string Next();

 private:
  std::array<char, 16> prefix_;
  std::atomic<uint64_t> next_ = 0;
};

// A decision and what it was made on. Shares ownership of the policy, since the
// decision points into it.
struct DecisionOutcome {
  AppState app;
  Decision decision;

  Revision policy_revision() const {
    return app.policy ? app.policy->policy_revision() : Revision{};
  }
  Revision catalog_revision() const {
    return app.policy ? app.policy->catalog_revision() : Revision{};
  }
  AskMode ask_mode() const {
    return app.policy ? app.policy->policy().ask_mode : AskMode::kApproval;
  }
};

class DecisionCore {
 public:
  // All must outlive it. `judge` may be null: then no payload is judged.
  DecisionCore(AppCache& cache, const PayloadJudge* judge, IdSource& ids, const Clock& clock,
               Metrics& metrics)
      : cache_(cache), judge_(judge), ids_(ids), clock_(clock), metrics_(metrics) {}

  // The state of the app if that takes no waiting (AppCache::TryGet).
  std::optional<absl::StatusOr<AppState>> TryLoad(std::string_view app) {
    return cache_.TryGet(app);
  }
  // The state of the app, read through where it must be.
  absl::StatusOr<AppState> Load(std::string_view app) { return cache_.Get(app); }

  // Decides on `app`, which the caller got from TryLoad() or Load(). Counts it.
  DecisionOutcome Decide(AppState app, const ToolCall& call, Transport transport);
  // The same for a thread that must not wait; nullopt, and nothing counted, where a
  // payload has to be judged elsewhere.
  std::optional<DecisionOutcome> TryDecide(AppState app, const ToolCall& call, Transport transport);

  // Counts and answers a call that is not well-formed: DENY INVALID_REQUEST.
  Decision Malformed(Transport transport);

  // Shows every check. Not counted: nothing was asked for.
  //
  // Errors: those of PolicyStore::ReadApp.
  absl::StatusOr<Explanation> Explain(std::string_view app, const ToolCall& call, AppState& state);

  struct Listing {
    AppState app;
    std::vector<std::string> names;  // the catalogue's tools, by name
    ToolListing listing;             // its indices point into `names`
  };
  // Lists the catalogue's tools that an app may see.
  //
  // Errors: those of PolicyStore::ReadApp.
  absl::StatusOr<Listing> ListTools(std::string_view app, const ListContext& context);

  std::string NextId() { return ids_.Next(); }

 private:
  DecisionOutcome Counted(DecisionOutcome outcome, absl::Duration begin, Transport transport);

  AppCache& cache_;
  const PayloadJudge* const judge_;
  DecisionIds ids_;
  const Clock& clock_;
  Metrics& metrics_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_DECISION_CORE_H_
