// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/generators.h"

#include <cstdlib>
#include <iostream>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"

namespace bridgekeeper {
namespace {

constexpr char kPinA[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
constexpr char kPinB[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

// True where naming `id` would make known what clause N6 refuses now.
bool HasTwin(const std::string& id, const AppData& data) {
  const auto twin = [&](const std::string& other) {
    return other != id && AsciiLower(other) == AsciiLower(id);
  };
  for (const auto& other : data.policy.allowed_connection_ids) {
    if (twin(other.value())) return true;
  }
  for (const auto& [other, entry] : data.policy.connection_overrides) {
    if (twin(other.value())) return true;
  }
  for (const auto& record : data.connections) {
    if (twin(record.id.value())) return true;
  }
  return false;
}

}  // namespace

Generator::Generator(uint64_t seed)
    : below_([random = std::mt19937_64(seed)](int end) mutable {
        return std::uniform_int_distribution<int>(0, end - 1)(random);
      }) {}

std::string Generator::ConnectionName() { return Pick({"c1", "c2", "C1", "prod", "7", "other"}); }

std::string Generator::ToolNameText() {
  return Pick({"read_file", "write_file", "drop_all", "run_sql", "sqlkit__execute_query",
               "sqlkit__grant_privilege", "es__delete_index", "mongo__aggregate",
               "sqlkit__list_connections", "nobody_knows"});
}

McpPolicy Generator::Policy() {
  McpPolicy policy;
  policy.app = AppId("app");
  policy.mode = Pick({Mode::kReadOnly, Mode::kDataReadWrite, Mode::kFullAccess});
  if (Chance(50)) {
    for (int i = Below(4); i >= 0; --i) policy.allowed_connection_ids.emplace(ConnectionName());
  }
  if (Chance(50)) {
    for (int i = Below(3); i >= 0; --i) {
      ConnectionOverride entry;
      entry.read_only = Chance(40);
      if (Chance(60)) {
        entry.allowed_actions.emplace();
        for (const Action action : {Action::kRead, Action::kWrite, Action::kDelete}) {
          if (Chance(60)) entry.allowed_actions->insert(action);
        }
      }
      policy.connection_overrides[ConnectionId(ConnectionName())] = entry;
    }
  }
  policy.confirm_destructive = Chance(70);
  policy.ask_mode = Pick({AskMode::kApproval, AskMode::kElicit, AskMode::kClient});
  policy.suspended = Chance(4);
  policy.unreviewed_tools = Pick({UnreviewedTools::kDeny, UnreviewedTools::kAsDestructive});
  policy.trust_read_only_hint = Chance(40);
  policy.pinning = Pick({Pinning::kEnforce, Pinning::kWarn, Pinning::kOff});
  if (Chance(30)) policy.limits.max_rows = 100;
  if (Chance(10)) policy.limits.read_only_session = true;
  policy.max_staleness = absl::Seconds(Pick({10, 60, 300}));
  policy.require_proven = Chance(20);
  if (Chance(3)) policy.requires_features.insert("feature-of-tomorrow");
  return policy;
}

CatalogEntry Generator::Entry() {
  CatalogEntry entry;
  if (Chance(60)) entry.key.app = AppId(Chance(90) ? "app" : "another");
  if (Chance(50)) entry.key.server = ServerId(Pick({"s1", "s2"}));
  entry.key.tool = ToolName(ToolNameText());
  entry.risk = Pick({Risk::kSafe, Risk::kElevated, Risk::kDestructive});
  entry.needs_connection =
      Pick({NeedsConnection::kUnknown, NeedsConnection::kYes, NeedsConnection::kNo});
  if (Chance(60)) entry.connection_argument = Pick({"connection_id", "desk"});
  if (Chance(60)) {
    PayloadRule rule;
    rule.payload =
        Pick({"{sql}", "{sql}", "GRANT {what} ON {object} TO {who}", "SELECT 1", "{open {sql}",
              "SELECT lower(1) FROM {object}", "", R"j({"does": "{what}"})j",
              R"j({"does": "{risk}", "in": [1, "{limit?}", {"a": "x{whom}"}]})j"});
    if (Chance(40)) rule.dialect = Pick({"postgres", "fake", "klingon"});
    if (Chance(30)) rule.harmless_arguments = {"limit"};
    entry.payload_rule = rule;
  }
  if (Chance(40)) entry.cap = Pick({Risk::kSafe, Risk::kElevated, Risk::kDestructive});
  entry.raise = Chance(30);
  entry.disabled = Chance(6);
  entry.reviewed = Chance(85);
  if (Chance(30)) entry.pin = kPinA;
  return entry;
}

ConnectionRecord Generator::Record() {
  ConnectionRecord record;
  record.app = AppId("app");
  record.id = ConnectionId(ConnectionName());
  record.type = Pick({"postgres", "PostgreSQL", "fake", "klingon", ""});
  if (Chance(30)) record.safe_functions = {"public.f(integer)"};
  if (Chance(30)) record.databases = {"main"};
  return record;
}

ReferenceWorld Generator::World() {
  ReferenceWorld world;
  if (Chance(4)) {
    world.state = Pick({PolicyView::State::kNotReceived, PolicyView::State::kUnknownApp,
                        PolicyView::State::kNotAuthorized, PolicyView::State::kUnreadable});
  }
  world.data.policy = Policy();
  for (int i = Below(8); i > 0; --i) {
    CatalogEntry entry = Entry();
    bool taken = false;  // keys of stored entries differ
    for (const CatalogEntry& other : world.data.catalog) taken |= other.key == entry.key;
    if (!taken) world.data.catalog.push_back(std::move(entry));
  }
  for (int i = Below(4); i > 0; --i) {
    ConnectionRecord record = Record();
    bool taken = false;
    for (const ConnectionRecord& other : world.data.connections) taken |= other.id == record.id;
    if (!taken) world.data.connections.push_back(std::move(record));
  }
  world.data.policy_revision = {Below(100) + 1};
  world.age = absl::Seconds(Pick({0, 0, 0, 10, 11, 61}));
  if (Chance(20)) world.max_staleness = absl::Seconds(Pick({5, 30, 600}));
  return world;
}

std::string Generator::Payload() {
  return Pick({R"j("SELECT 1")j", R"j("SELECT f(1)")j", R"j("INSERT INTO t VALUES (2)")j",
               R"j("DELETE FROM t")j", R"j("DROP TABLE t")j", R"j("")j", R"j("  ;")j",
               R"j("SELECT 1; DROP TABLE t")j", R"j("EXEC x")j", R"j("SELECT * FROM other.s.t")j",
               R"j({"does": "SAFE"})j", R"j({"does": "DESTRUCTIVE"})j", R"j({"do": 1})j", "17",
               "null", "[]"});
}

std::string Generator::ArgumentsJson() {
  if (Chance(2)) return Pick({"[]", "\"text\"", "7"});
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    out += absl::StrFormat("%s\"%s\": %s", out.empty() ? "{" : ", ", name, value);
  };
  if (Chance(60)) add("sql", Payload());
  if (Chance(30)) {
    add("what", Pick({R"j("SELECT")j", R"j("ALL; DROP TABLE t")j", "7"}));
    add("object", Pick({R"j("t")j", R"j("main.public.t")j", "{}"}));
    if (Chance(90)) add("who", R"j("bob")j");
  }
  if (Chance(50)) {
    add(Pick({"connection_id", "connection_id", "desk", "Connection_ID", "de\xC5\xBFk"}),
        Pick({R"j("c1")j", R"j("c2")j", R"j("C1")j", R"j("prod")j", R"j("pRod")j", "7", "-0", "7.0",
              "null", "9007199254740993", "[\"c1\"]", R"j("no id")j", R"j("")j", "true"}));
  }
  if (Chance(30)) {
    add("risk", Pick({R"j("SAFE")j", R"j("ELEVATED")j", R"j("DESTRUCTIVE")j", "null", "7"}));
    if (Chance(50)) add("whom", Pick({R"j("\"bob")j", "1"}));
  }
  if (Chance(15)) add("limit", Pick({"10", "null", "{\"does\": [\"SAFE\"]}"}));
  if (Chance(5)) add("stray", "true");
  return out.empty() ? "{}" : out + "}";
}

std::unique_ptr<OwnedCall> Generator::Call() {
  auto made = std::make_unique<OwnedCall>();
  OwnedCall& g = *made;
  g.tool = Chance(2) ? Pick({"", "bad name", "\xFF"}) : ToolNameText();
  if (Chance(60)) g.server = Chance(2) ? "no server" : Pick({"s1", "s2", "s3"});
  if (Chance(50)) g.connection = Chance(3) ? Pick({"", "no id", "c1 "}) : ConnectionName();
  if (Chance(30)) g.connection_type = Pick({"postgres", "fake", "klingon"});
  if (Chance(40)) g.digest = Pick({kPinA, kPinB});
  if (Chance(60)) g.arguments_json = ArgumentsJson();
  if (Chance(15)) g.payload_json = Payload();

  BK_CHECK(g.Bind());
  g.call.builtin_catalog = Chance(30);
  if (Chance(20)) {
    g.call.declared_risk = Pick({Risk::kSafe, Risk::kElevated, Risk::kDestructive});
  }
  g.call.read_only_hint = Chance(30);
  g.call.listed_by_server = Chance(50);
  g.call.read_only_bridge = Chance(10);
  return made;
}

McpPolicy Generator::Restricted(const McpPolicy& policy, const AppData& data) {
  McpPolicy stricter = policy;
  switch (Below(11)) {
    case 0:
      stricter.mode = policy.mode == Mode::kFullAccess ? Mode::kDataReadWrite : Mode::kReadOnly;
      break;
    case 1:
      if (const auto& ids = policy.allowed_connection_ids; ids.size() > 1) {
        const auto one = std::next(ids.begin(), Below(static_cast<int>(ids.size())));
        stricter.allowed_connection_ids.erase(*one);
      }
      break;
    case 2: {
      const std::string id = ConnectionName();
      if (policy.allowed_connection_ids.empty() && !HasTwin(id, data)) {
        stricter.allowed_connection_ids.emplace(id);
      }
      break;
    }
    case 3:
      for (auto& [id, entry] : stricter.connection_overrides) {
        if (entry.allowed_actions && !entry.allowed_actions->empty()) {
          entry.allowed_actions->erase(entry.allowed_actions->begin());
        }
      }
      break;
    case 4: {
      // An action set that is there stays in force.
      const std::string id = ConnectionName();
      if (!HasTwin(id, data)) stricter.connection_overrides[ConnectionId(id)].read_only = true;
      break;
    }
    case 5:
      stricter.confirm_destructive = false;
      break;
    case 6:
      stricter.suspended = true;
      break;
    case 7:
      stricter.unreviewed_tools = UnreviewedTools::kDeny;
      break;
    case 8:
      stricter.trust_read_only_hint = false;
      break;
    case 9:
      stricter.pinning = policy.pinning == Pinning::kOff ? Pinning::kWarn : Pinning::kEnforce;
      break;
    case 10:
      stricter.require_proven = true;
      stricter.max_staleness = absl::Seconds(10);
      break;
  }
  return stricter;
}

std::string WorldText(const ReferenceWorld& world) {
  std::string text =
      absl::StrFormat("state %d age %s bound %s\npolicy %s\n", static_cast<int>(world.state),
                      absl::FormatDuration(world.age),
                      world.max_staleness ? absl::FormatDuration(*world.max_staleness) : "-",
                      ToJsonLine(ToValue(world.data.policy)));
  for (const CatalogEntry& entry : world.data.catalog) {
    text += absl::StrFormat("entry %s\n", ToJsonLine(ToValue(entry)));
  }
  for (const ConnectionRecord& record : world.data.connections) {
    text += absl::StrFormat("connection %s\n", ToJsonLine(ToValue(record)));
  }
  return text;
}

uint64_t TestSeed() {
  const char* given = std::getenv("BK_TEST_SEED");
  const uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device()();
  std::cout << "seed " << seed << " (BK_TEST_SEED=" << seed << " runs it again)\n";
  return seed;
}

}  // namespace bridgekeeper
