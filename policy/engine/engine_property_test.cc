// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What holds for every policy and call: random worlds against the reference engine
// and against each other. BK_TEST_SEED runs a failure again, BK_TEST_CASES more.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "policy/engine/engine.h"
#include "policy/testing/fake_judge.h"
#include "policy/testing/generators.h"
#include "policy/testing/reference_engine.h"

namespace bridgekeeper {
namespace {

int Cases(int standard) {
  const char* factor = std::getenv("BK_TEST_CASES");
  return factor == nullptr ? standard : standard * std::max(1, std::atoi(factor));
}

PolicyView ViewOf(const ReferenceWorld& world, const CompiledPolicy& policy) {
  const bool present = world.state == PolicyView::State::kPresent;
  return {world.state, present ? &policy : nullptr, world.age, world.max_staleness};
}

// A world with what was compiled from it.
struct Compiled {
  explicit Compiled(ReferenceWorld made)
      : world(std::move(made)),
        policy(CompiledPolicy::Compile(world.data)),
        view(ViewOf(world, *policy)) {}
  ReferenceWorld world;
  std::shared_ptr<const CompiledPolicy> policy;
  PolicyView view;
};

std::string Text(const Decision& d) {
  return std::string(Name(d.verdict)) + " " + std::string(Name(d.reason)) + " " +
         std::string(Name(d.effective_risk)) + (d.judged ? " judged" : "") +
         (d.definition_changed ? " changed" : "") + (d.obligations != nullptr ? " obliged" : "") +
         " at `" + std::string(d.connection) + "`";
}

std::string Text(const ReferenceAnswer& a) {
  return std::string(Name(a.verdict)) + " " + std::string(Name(a.reason)) + " " +
         std::string(Name(a.effective_risk)) + (a.judged ? " judged" : "") +
         (a.definition_changed ? " changed" : "") + (a.obligations ? " obliged" : "");
}

bool Same(const Decision& d, const ReferenceAnswer& a) {
  return d.verdict == a.verdict && d.reason == a.reason && d.effective_risk == a.effective_risk &&
         d.judged == a.judged && d.definition_changed == a.definition_changed &&
         (d.obligations != nullptr) == a.obligations.has_value() &&
         (d.obligations == nullptr || *d.obligations == *a.obligations);
}

bool Same(const Decision& a, const Decision& b) {
  return a.verdict == b.verdict && a.reason == b.reason && a.effective_risk == b.effective_risk &&
         a.judged == b.judged && a.definition_changed == b.definition_changed &&
         a.obligations == b.obligations && a.connection == b.connection;
}

class EngineProperty : public ::testing::Test {
 protected:
  FakeJudge judge_;
  Generator generator_{TestSeed()};
};

TEST_F(EngineProperty, AgreesWithTheReferenceEngine) {
  std::vector<int> seen(static_cast<size_t>(ReasonCode::kEvaluationFault) + 1);
  for (int i = 0; i < Cases(4000); ++i) {
    const Compiled c(generator_.World());
    judge_.proven = generator_.Chance(50);
    for (int j = 0; j < 10; ++j) {
      const auto call = generator_.Call();
      const PayloadJudge* judge = generator_.Chance(80) ? &judge_ : nullptr;
      const Decision decision = Decide(c.view, call->call, judge);
      const ReferenceAnswer answer = ReferenceDecide(c.world, call->call, judge);
      ASSERT_TRUE(Same(decision, answer))
          << "got  " << Text(decision) << "\nwant " << Text(answer) << "\n"
          << call->Text() << "\n"
          << WorldText(c.world);
      ++seen[static_cast<size_t>(decision.reason)];
    }
  }
  // A property that never meets a reason says nothing about it.
  for (const CheckInfo& check : Checks()) {
    for (const ReasonCode code : check.codes) {
      EXPECT_GT(seen[static_cast<size_t>(code)], 0) << "never met " << Name(code);
    }
  }
}

TEST_F(EngineProperty, RestrictingNeverLoosens) {
  int changed = 0;
  for (int i = 0; i < Cases(3000); ++i) {
    const Compiled before(generator_.World());
    ReferenceWorld stricter = before.world;
    stricter.data.policy = generator_.Restricted(before.world.data.policy, before.world.data);
    const Compiled after(stricter);
    for (int j = 0; j < 8; ++j) {
      const auto call = generator_.Call();
      const Decision was = Decide(before.view, call->call, &judge_);
      const Decision is = Decide(after.view, call->call, &judge_);
      ASSERT_LE(is.verdict, was.verdict) << "was " << Text(was) << "\nis  " << Text(is) << "\n"
                                         << call->Text() << "\nbefore " << WorldText(before.world)
                                         << "\nafter " << WorldText(after.world);
      changed += is.verdict != was.verdict ? 1 : 0;
    }
  }
  EXPECT_GT(changed, 0);
}

TEST_F(EngineProperty, HiddenToolIsDeniedAndShownToolIsNot) {
  int shown = 0, hidden = 0;
  for (int i = 0; i < Cases(3000); ++i) {
    const Compiled c(generator_.World());
    const auto call = generator_.Call();
    ToolCall plain = call->call;
    plain.arguments.reset();
    plain.payload.reset();
    plain.declared_risk.reset();
    const ListContext context{.server = plain.server,
                              .builtin_catalog = plain.builtin_catalog,
                              .fixed_connection = plain.connection,
                              .read_only = plain.read_only_bridge,
                              .listed_by_server = plain.listed_by_server};
    const ToolToList tools[] = {{plain.tool, plain.definition_digest, plain.read_only_hint}};
    const ToolListing listing = ListTools(c.view, context, tools);
    const std::optional<Risk> want = ReferenceListedRisk(c.world, plain);
    ASSERT_EQ(listing.shown.size(), want ? 1u : 0u) << call->Text() << "\n" << WorldText(c.world);
    ASSERT_EQ(listing.hidden.size(), want ? 0u : 1u);
    if (want) {
      ++shown;
      EXPECT_EQ(Name(listing.shown[0].risk), Name(*want)) << call->Text() << "\n"
                                                          << WorldText(c.world);
      EXPECT_EQ(listing.shown[0].annotations, AnnotationsFor(*want));
      continue;
    }
    ++hidden;
    // L2: whatever the arguments, declared risk and judge.
    for (int j = 0; j < 5; ++j) {
      const auto other = generator_.Call();
      ToolCall full = plain;
      full.arguments = other->call.arguments;
      full.payload = other->call.payload;
      full.declared_risk = other->call.declared_risk;
      if (!context.fixed_connection) full.connection = other->call.connection;
      const Decision decision = Decide(c.view, full, generator_.Chance(50) ? &judge_ : nullptr);
      ASSERT_EQ(decision.verdict, Verdict::kDeny) << Text(decision) << "\n"
                                                  << other->Text() << "\n"
                                                  << call->Text() << "\n"
                                                  << WorldText(c.world);
    }
  }
  EXPECT_GT(shown, 0);
  EXPECT_GT(hidden, 0);
}

TEST_F(EngineProperty, ExplainedDecisionIsTheDecision) {
  for (int i = 0; i < Cases(1500); ++i) {
    const Compiled c(generator_.World());
    for (int j = 0; j < 4; ++j) {
      const auto call = generator_.Call();
      std::optional<Judgement> judgement;
      const Decision decision = Decide(c.view, call->call, &judge_, &judgement);
      const Explanation explanation = Explain(c.view, call->call, &judge_);
      ASSERT_TRUE(Same(decision, explanation.decision)) << Text(decision) << "\n"
                                                        << Text(explanation.decision) << "\n"
                                                        << call->Text() << "\n"
                                                        << WorldText(c.world);
      EXPECT_EQ(decision.judged, judgement.has_value());
      if (judgement) {
        EXPECT_EQ(explanation.judgement, judgement);
      }
      // The first check that failed names the reason; where none did, all were made.
      const auto failed = std::find_if(
          explanation.checks.begin(), explanation.checks.end(),
          [](const auto& check) { return check.result == CheckOutcome::Result::kFailed; });
      ASSERT_EQ(explanation.checks.size(), Checks().size());
      if (failed != explanation.checks.end()) {
        ASSERT_EQ(Name(failed->reason), Name(decision.reason));
      } else {
        ASSERT_NE(decision.verdict, Verdict::kDeny);
      }
      for (auto check = explanation.checks.begin(); check != failed; ++check) {
        ASSERT_EQ(check->result, CheckOutcome::Result::kPassed) << check->name;
      }
    }
  }
}

TEST_F(EngineProperty, EachCallOfABatchIsDecidedAsIfAlone) {
  for (int i = 0; i < Cases(300); ++i) {
    const Compiled c(generator_.World());
    std::vector<std::unique_ptr<OwnedCall>> calls;
    std::vector<Decision> alone;
    for (int j = 0; j < 20; ++j) {
      calls.push_back(generator_.Call());
      const Compiled fresh(c.world);
      alone.push_back(Decide(fresh.view, calls.back()->call, &judge_));
    }
    for (size_t j = calls.size(); j-- > 0;) {
      const Decision together = Decide(c.view, calls[j]->call, &judge_);
      ASSERT_EQ(Text(together), Text(alone[j])) << calls[j]->Text() << "\n" << WorldText(c.world);
    }
  }
}

TEST_F(EngineProperty, ReasonTextsKeepTheirRules) {
  for (int i = 0; i < Cases(1500); ++i) {
    const Compiled c(generator_.World());
    const auto call = generator_.Call();
    const Decision decision = Decide(c.view, call->call, &judge_);
    const std::string text = ReasonText(c.view, call->call, decision);
    ASSERT_LE(text.size(), 1024u) << text;
    ASSERT_EQ(text.find('\n'), std::string::npos) << text;
    if (decision.verdict == Verdict::kDeny) {
      ASSERT_NE(text.find("administrator"), std::string::npos) << text;
      ASSERT_NE(text.find("do not try to lift this yourself"), std::string::npos) << text;
    }
  }
}

// The cell that tells of a concrete call.
struct CellName {
  std::string tool, server, connection;
  Risk risk;
};

class DiffProperty : public EngineProperty {
 protected:
  // What one side answers to a call at a payload's risk, by the reference engine.
  struct Side {
    ReferenceAnswer answer;
    std::optional<Risk> tool_risk;
    bool has_payload = false;
  };

  static Side Ask(const ReferenceWorld& world, const ToolCall& call, Risk payload) {
    Side side;
    side.answer = ReferenceDecide(world, call, nullptr, {.payload_risk = payload});
    const CatalogEntry* entry = ReferenceFind(world, call.tool, call.server, false);
    side.has_payload = entry != nullptr && entry->reviewed && entry->payload_rule &&
                       entry->payload_rule->makes_payload();
    if (entry != nullptr && entry->reviewed) side.tool_risk = entry->risk;
    return side;
  }
};

TEST_F(DiffProperty, CellsAreWhatEveryConcreteCallSees) {
  const std::vector<std::string> tools = {"read_file",        "write_file",
                                          "run_sql",          "sqlkit__execute_query",
                                          "es__delete_index", "unheard_of"};
  const std::vector<std::string> servers = {"", "s1", "s2", "unheard-of"};
  const std::vector<std::string> connections = {"",     "c1", "c2",    "C1",
                                                "prod", "7",  "other", "unheard-of"};
  int differing = 0;
  for (int i = 0; i < Cases(50); ++i) {
    ReferenceWorld before = generator_.World(), after = before;
    before.state = after.state = PolicyView::State::kPresent;
    before.age = after.age = absl::ZeroDuration();
    before.max_staleness = after.max_staleness = std::nullopt;
    if (generator_.Chance(70)) after.data.policy = generator_.Policy();
    if (generator_.Chance(50)) after.data.catalog = generator_.World().data.catalog;
    const auto old_policy = CompiledPolicy::Compile(before.data);
    const auto new_policy = CompiledPolicy::Compile(after.data);
    const std::vector<DiffCell> cells = DiffPolicies(*old_policy, *new_policy).cells;

    std::set<std::string> covered, named_servers, named_ids, known_ids;
    for (const ReferenceWorld* world : {&before, &after}) {
      for (const CatalogEntry& entry : world->data.catalog) {
        if (entry.key.app && entry.key.app->value() != "app") continue;
        covered.insert(entry.key.tool.value() + "@" +
                       (entry.key.server ? entry.key.server->value() : ""));
      }
      for (const auto& id : world->data.policy.allowed_connection_ids) named_ids.insert(id.value());
      for (const auto& [id, entry] : world->data.policy.connection_overrides)
        named_ids.insert(id.value());
      known_ids = named_ids;
      for (const auto& record : world->data.connections) known_ids.insert(record.id.value());
    }
    for (const std::string& tool : tools) {
      for (const std::string& server : servers) {
        for (const std::string& connection : connections) {
          for (const bool hint : {false, true}) {
            for (const Risk payload : {Risk::kSafe, Risk::kElevated, Risk::kDestructive}) {
              ToolCall call;
              call.tool = tool;
              if (!server.empty()) call.server = server;
              call.listed_by_server = !server.empty();
              if (!connection.empty()) call.connection = connection;
              call.read_only_hint = hint;
              // A case twin that neither policy names is left out of the cells.
              if (connection == "C1" && !named_ids.contains("C1")) continue;
              if (connection == "c1" && !named_ids.contains("c1")) continue;

              const Side was = Ask(before, call, payload), is = Ask(after, call, payload);
              if (payload != Risk::kSafe && !was.has_payload && !is.has_payload) continue;
              std::optional<Risk> own = was.tool_risk;
              if (!own || (is.tool_risk && MoreHarmful(*own, *is.tool_risk))) own = is.tool_risk;
              const bool known =
                  covered.contains(tool + "@" + server) || covered.contains(tool + "@");
              // A hint matters to unreviewed tools alone; for one that an entry
              // covers there is the cell without it.
              if (hint && (known || server.empty())) continue;
              if (payload != Risk::kSafe && own && !MoreHarmful(payload, *own)) continue;

              const auto matches = [&](const DiffCell& cell) {
                const std::string want_tool = known || server.empty() ? tool
                                              : hint ? std::string(kUnreviewedReadOnlyTool)
                                                     : std::string(kUnreviewedTool);
                if (cell.tool.value() != want_tool) return false;
                const std::string cell_server = cell.server ? cell.server->value() : "";
                const std::string want_server = server.empty() ? ""
                                                : covered.contains(tool + "@" + server)
                                                    ? server
                                                    : std::string(kOtherServer);
                if (cell_server != want_server) return false;
                const std::string want_connection = connection.empty() ? ""
                                                    : named_ids.contains(connection)
                                                        ? connection
                                                        : std::string(kOtherConnection);
                if (cell.connection != want_connection) return false;
                return payload == Risk::kSafe ? !own || cell.risk == *own : cell.risk == payload;
              };
              const auto found = std::find_if(cells.begin(), cells.end(), matches);
              const bool differs = was.answer.verdict != is.answer.verdict;
              differing += differs ? 1 : 0;
              ASSERT_EQ(found != cells.end(), differs)
                  << tool << " on `" << server << "` at `" << connection << "` payload "
                  << Name(payload) << " hint " << hint << "\nwas " << Text(was.answer) << "\nis  "
                  << Text(is.answer) << "\nbefore " << WorldText(before) << "\nafter "
                  << WorldText(after);
              if (!differs) continue;
              EXPECT_EQ(found->before, was.answer.verdict);
              EXPECT_EQ(found->after, is.answer.verdict);
              EXPECT_EQ(Name(found->before_reason), Name(was.answer.reason));
              EXPECT_EQ(Name(found->after_reason), Name(is.answer.reason));
              EXPECT_EQ(found->loosened, is.answer.verdict > was.answer.verdict);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(differing, 0);
}

TEST_F(DiffProperty, SamePolicyHasNoCells) {
  for (int i = 0; i < Cases(100); ++i) {
    const ReferenceWorld world = generator_.World();
    const auto policy = CompiledPolicy::Compile(world.data);
    EXPECT_TRUE(DiffPolicies(*policy, *policy).cells.empty()) << WorldText(world);
  }
}

}  // namespace
}  // namespace bridgekeeper
