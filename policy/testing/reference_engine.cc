// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/reference_engine.h"

#include <cctype>
#include <cstdio>
#include <regex>
#include <set>
#include <vector>

#include "policy/catalog/catalog.h"

namespace bridgekeeper {
namespace {

using enum ReasonCode;

// I1 and I2.
bool IsId(std::string_view id) {
  static const std::regex& pattern = *new std::regex("[A-Za-z0-9._:@/-]{1,128}");
  return std::regex_match(id.begin(), id.end(), pattern);
}

std::string Lower(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += (c >= 'A' && c <= 'Z') ? static_cast<char>(std::tolower(c)) : c;
  }
  return out;
}

// N4: also the two letters outside ASCII.
std::string Folded(std::string_view text) {
  std::string out(text);
  out = std::regex_replace(out, std::regex("\xC5\xBF"), "s");
  out = std::regex_replace(out, std::regex("\xE2\x84\xAA"), "k");
  return Lower(out);
}

// D1: 0 for SAFE, 1 for ELEVATED, 2 for DESTRUCTIVE.
int Harm(Risk risk) {
  if (risk == Risk::kSafe) return 0;
  if (risk == Risk::kElevated) return 1;
  return 2;
}

Risk WorseOf(Risk a, Risk b) { return Harm(a) >= Harm(b) ? a : b; }

// N6.
std::set<std::string> NamedIds(const AppData& data) {
  std::set<std::string> ids;
  for (const auto& id : data.policy.allowed_connection_ids) ids.insert(id.value());
  for (const auto& [id, entry] : data.policy.connection_overrides) ids.insert(id.value());
  for (const auto& record : data.connections) ids.insert(record.id.value());
  return ids;
}

bool IsObject(const std::string& rule) {
  const auto read = JsonDocument::Parse(rule);
  return read.ok() && read->root().is_object();
}

// C7 and C8: the arguments that a template takes.
std::set<std::string> ArgumentsOf(const std::string& rule) {
  static const std::regex& plain = *new std::regex(R"(\{([A-Za-z0-9_.-]+)\})");
  static const std::regex& in_object = *new std::regex(R"(\{([A-Za-z0-9_.-]+)(?::json)?\??\})");
  const std::regex& pattern = IsObject(rule) ? in_object : plain;
  std::set<std::string> names;
  for (auto it = std::sregex_iterator(rule.begin(), rule.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

bool IsOneArgument(const std::string& rule) {
  return std::regex_match(rule, std::regex(R"(\{[A-Za-z0-9_.-]+\})"));
}

// C7, D12: the text of a template with several pieces.
std::optional<std::string> Substitute(const std::string& rule, JsonValue arguments) {
  static const std::regex& pattern = *new std::regex(R"(\{([A-Za-z0-9_.-]+)\})");
  std::string out;
  size_t at = 0;
  for (auto it = std::sregex_iterator(rule.begin(), rule.end(), pattern);
       it != std::sregex_iterator(); ++it) {
    out += rule.substr(at, static_cast<size_t>(it->position()) - at);
    at = static_cast<size_t>(it->position() + it->length());
    const auto value = arguments.Find((*it)[1].str());
    if (!value || value->kind() != JsonKind::kString) return std::nullopt;
    out += value->string();
  }
  return out + rule.substr(at);
}

// C8: a string of an object template with text around the arguments.
std::optional<std::string> ObjectString(std::string text, JsonValue arguments) {
  static const std::regex& argument = *new std::regex(R"(\{([A-Za-z0-9_.-]+)(\??)\})");
  const bool path = !text.empty() && text[0] == '/';
  std::string out;
  for (std::smatch match; std::regex_search(text, match, argument); text = match.suffix()) {
    out += match.prefix();
    const auto value = arguments.Find(match[1].str());
    if (!value || value->is_null()) {
      if (match[2].length() == 0) return std::nullopt;
      if (path) {
        const std::string rest = std::regex_replace(match.suffix().str(), argument, "");
        const std::string segment = out.substr(out.rfind('/')) + rest.substr(0, rest.find('/'));
        if (segment.find('?') != std::string::npos) return std::nullopt;
        out.resize(out.rfind('/'));
      }
      continue;
    }
    if (!value->is_string()) return std::nullopt;
    for (const char c : value->string()) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' ||
                         c == '~' || c == '-';
      char encoded[4];
      std::snprintf(encoded, sizeof(encoded), "%%%02X", static_cast<unsigned char>(c));
      out += plain || !path ? std::string(1, c) : encoded;
    }
  }
  return out + text;
}

// C8: the JSON text of an object template. nullopt: an argument is missing; empty: an
// optional one is, so its place goes.
std::optional<std::string> ObjectText(JsonValue part, JsonValue arguments) {
  if (part.is_string()) {
    static const std::regex& whole = *new std::regex(R"(\{([A-Za-z0-9_.-]+)(:json)?(\??)\})");
    const std::string text(part.string());
    std::smatch match;
    if (!std::regex_match(text, match, whole)) {
      const auto filled = ObjectString(text, arguments);
      if (!filled) return std::nullopt;
      std::string quoted;
      AppendJsonString(*filled, quoted);
      return quoted;
    }
    const auto value = arguments.Find(match[1].str());
    if (!value || value->is_null()) {
      return match[3].length() > 0 ? std::optional(std::string()) : std::nullopt;
    }
    if (match[2].length() == 0 || !value->is_string()) return std::string(value->raw());
    const std::string json(value->string());
    const auto read = JsonDocument::Parse(json);
    return read.ok() ? std::optional(std::string(read->root().raw())) : std::nullopt;
  }
  if (part.size() == 0) return std::string(part.raw());
  std::string out;
  for (const JsonValue inner : part) {
    const auto text = ObjectText(inner, arguments);
    if (!text) return std::nullopt;
    if (text->empty()) continue;
    if (!out.empty()) out += ",";
    if (part.is_object()) {
      AppendJsonString(inner.key(), out);
      out += ":";
    }
    out += *text;
  }
  return part.is_object() ? "{" + out + "}" : "[" + out + "]";
}

// The state of one decision; each function below is a check of D3.
struct Reference {
  const ReferenceWorld& world;
  const ToolCall& call;
  const PayloadJudge* judge;
  const ReferenceOptions& options;

  const CatalogEntry* entry = nullptr;
  bool reviewed = false;
  Risk tool_risk = Risk::kDestructive;
  std::optional<std::string> connection;
  std::set<Risk> risks;  // D14: what the effective risk is the worst of
  ReferenceAnswer answer;

  const McpPolicy& policy() const { return world.data.policy; }
  bool has_rule() const { return reviewed && entry->payload_rule.has_value(); }
  // What an object template was filled to; `object` below is a view of it.
  std::string made_text;
  std::optional<JsonDocument> made;

  ReasonCode Request() {  // D4
    if (!IsId(call.tool)) return kInvalidRequest;
    if (call.server && !IsId(*call.server)) return kInvalidRequest;
    if (call.arguments && call.arguments->kind() != JsonKind::kObject) return kInvalidRequest;
    if (call.payload && call.payload->kind() != JsonKind::kObject &&
        call.payload->kind() != JsonKind::kString) {
      return kInvalidRequest;
    }
    return kAllowed;
  }

  ReasonCode Policy() {  // D5
    if (world.state == PolicyView::State::kUnknownApp) return kUnknownApp;
    if (world.state == PolicyView::State::kNotReceived) return kPolicyMissing;
    if (world.state == PolicyView::State::kNotAuthorized) return kNotAuthorized;
    if (world.state == PolicyView::State::kUnreadable) return kPolicyUnsupported;
    if (policy().suspended) return kSuspended;
    for (const auto& feature : policy().requires_features) {
      if (!IsKnownFeature(feature)) return kPolicyUnsupported;
    }
    if (world.age > policy().max_staleness) return kPolicyStale;
    if (world.max_staleness && world.age > *world.max_staleness) return kPolicyStale;
    return kAllowed;
  }

  ReasonCode Tool() {  // D6
    entry = ReferenceFind(world, call.tool, call.server, call.builtin_catalog);
    if (entry == nullptr && !call.listed_by_server) return kUnknownTool;
    reviewed = entry != nullptr && entry->reviewed;
    const bool trusted = policy().trust_read_only_hint && call.read_only_hint;
    if (reviewed) {
      tool_risk = entry->risk;
    } else if (trusted) {
      tool_risk = entry == nullptr ? Risk::kSafe : entry->risk;
    } else {
      tool_risk = Risk::kDestructive;
      risks = {Risk::kSafe, Risk::kElevated, Risk::kDestructive};
    }
    risks.insert(tool_risk);
    answer.effective_risk = tool_risk;
    if (call.declared_risk) {
      answer.effective_risk = WorseOf(tool_risk, *call.declared_risk);
      risks.insert(*call.declared_risk);
    }

    const bool changed = reviewed && !entry->pin.empty() && call.definition_digest &&
                         *call.definition_digest != entry->pin;
    answer.definition_changed = changed && policy().pinning == Pinning::kWarn;

    if (entry != nullptr && entry->disabled) return kToolDisabled;
    if (!reviewed && !trusted && policy().unreviewed_tools == UnreviewedTools::kDeny) {
      return kToolUnreviewed;
    }
    if (changed && policy().pinning == Pinning::kEnforce) return kToolChanged;
    return kAllowed;
  }

  ReasonCode Connection() {  // N2 to N8
    std::optional<std::string> by_argument;
    if (reviewed && call.arguments && !entry->connection_argument.empty()) {
      for (const JsonValue member : *call.arguments) {
        if (member.key() != entry->connection_argument &&
            Folded(member.key()) == Folded(entry->connection_argument)) {
          return kConnectionAmbiguous;
        }
        if (member.key() != entry->connection_argument) continue;
        if (member.kind() == JsonKind::kNull) continue;
        if (member.kind() == JsonKind::kString) {
          by_argument = std::string(member.string());
          continue;
        }
        static const std::regex& integer = *new std::regex("-?[0-9]{1,16}");
        const std::string token(member.raw());
        if (member.kind() != JsonKind::kNumber || !std::regex_match(token, integer) ||
            token == "-0" || std::abs(std::stoll(token)) > 9007199254740991) {
          return kConnectionInvalid;
        }
        by_argument = token;
      }
    }
    if (by_argument && call.connection && *by_argument != *call.connection) {
      return kConnectionAmbiguous;
    }
    if (by_argument) connection = by_argument;
    if (!connection && call.connection) connection = std::string(*call.connection);
    if (!connection) {
      const NeedsConnection needs = reviewed ? entry->needs_connection : NeedsConnection::kUnknown;
      const bool restricted =
          !policy().allowed_connection_ids.empty() || !policy().connection_overrides.empty();
      const bool needed =
          needs == NeedsConnection::kYes || (needs == NeedsConnection::kUnknown && restricted);
      return needed && !options.no_connection_needed ? kConnectionRequired : kAllowed;
    }
    if (!IsId(*connection)) return kConnectionInvalid;
    const std::set<std::string> named = NamedIds(world.data);
    if (named.contains(*connection)) return kAllowed;
    for (const std::string& id : named) {
      if (Lower(id) == Lower(*connection)) return kConnectionAmbiguous;
    }
    return kAllowed;
  }

  ReasonCode Allowlist() {  // D8
    if (policy().allowed_connection_ids.empty() || !connection) return kAllowed;
    const bool found = policy().allowed_connection_ids.contains(ConnectionId(*connection));
    return found ? kAllowed : kConnectionNotAllowed;
  }

  Risk Cap() const {  // C6, D13
    if (!reviewed) return Risk::kDestructive;
    return entry->cap ? *entry->cap : entry->risk;
  }

  ReasonCode Weigh(Risk risk) {
    answer.effective_risk = WorseOf(answer.effective_risk, risk);
    risks.insert(risk);
    if (Harm(risk) <= Harm(Cap())) return kAllowed;
    return reviewed && entry->raise ? kAllowed : kStatementExceedsTool;
  }

  const ConnectionRecord* Record() const {
    for (const auto& record : world.data.connections) {
      if (connection && record.id.value() == *connection) return &record;
    }
    return nullptr;
  }

  ReasonCode Payload() {  // D9 to D13
    if (options.payload_risk)
      return has_rule() && !entry->payload_rule->payload.empty() ? Weigh(*options.payload_risk)
                                                                 : kAllowed;
    const bool by_rule = has_rule() && call.arguments.has_value();
    if (judge == nullptr || (!call.payload && !by_rule)) return kAllowed;

    // D10 and D12: what the template makes of the arguments.
    std::optional<std::string> text;
    std::optional<JsonValue> object;
    bool missing = false;
    if (by_rule) {
      const std::string& rule = entry->payload_rule->payload;
      const std::set<std::string> taken = ArgumentsOf(rule);
      for (const JsonValue member : *call.arguments) {
        const std::string name(member.key());
        const bool known =
            taken.contains(name) || entry->payload_rule->harmless_arguments.contains(name) ||
            (!entry->connection_argument.empty() && name == entry->connection_argument);
        if (!known) return kInvalidRequest;
      }
      if (rule.empty()) {
        if (!call.payload) return kAllowed;
        if (call.payload->kind() == JsonKind::kString) text = std::string(call.payload->string());
        if (call.payload->kind() == JsonKind::kObject) object = *call.payload;
      } else if (IsObject(rule)) {
        const auto written = ObjectText(JsonDocument::Parse(rule)->root(), *call.arguments);
        missing = !written.has_value();
        if (!missing) {
          made_text = *written;
          made = *JsonDocument::Parse(made_text);
          object = made->root();
        }
      } else if (IsOneArgument(rule)) {
        const auto value = call.arguments->Find(*taken.begin());
        missing =
            !value || (value->kind() != JsonKind::kString && value->kind() != JsonKind::kObject);
        if (!missing && value->kind() == JsonKind::kString) text = std::string(value->string());
        if (!missing && value->kind() == JsonKind::kObject) object = *value;
      } else {
        text = Substitute(rule, *call.arguments);
        missing = !text.has_value();
      }
    }
    if (call.payload && by_rule && !missing) {
      const bool same = call.payload->kind() == JsonKind::kString
                            ? text && *text == call.payload->string()
                            : object && CanonicalJson(*object) == CanonicalJson(*call.payload);
      if (!same) return kInvalidRequest;
    }
    if (call.payload && !by_rule) {
      if (call.payload->kind() == JsonKind::kString) text = std::string(call.payload->string());
      if (call.payload->kind() == JsonKind::kObject) object = *call.payload;
    }

    // D11.
    std::string dialect;
    if (has_rule()) dialect = entry->payload_rule->dialect;
    if (dialect.empty() && Record() != nullptr) dialect = Record()->type;
    if (dialect.empty() && Record() == nullptr && call.connection && call.connection_type) {
      dialect = std::string(*call.connection_type);
    }
    if (dialect.empty() || !judge->Knows(dialect)) return kDialectUnknown;
    if (missing) return kPayloadMissing;

    // D13.
    const JudgeOptions judge_options =
        Record() == nullptr ? JudgeOptions() : JudgeOptions::From(*Record());
    const Judgement judgement = object ? judge->JudgeObject(dialect, *object, judge_options)
                                       : judge->JudgeText(dialect, *text, judge_options);
    answer.judged = true;
    if (judgement.error != Judgement::Error::kNone) {
      answer.effective_risk = Risk::kDestructive;
      if (judgement.error == Judgement::Error::kEmpty) return kStatementEmpty;
      if (judgement.error == Judgement::Error::kMultiple) return kStatementMultiple;
      return kStatementUnreadable;
    }
    Risk risk = judgement.risk;
    risks.insert(risk);
    if (policy().require_proven && !judgement.proven) risk = WorseOf(risk, Risk::kElevated);
    const ReasonCode weighed = Weigh(risk);
    for (const Effect& effect : judgement.effects) {
      if (effect.kind == "OTHER_CONNECTION") return kConnectionNotAllowed;
    }
    return weighed;
  }

  ReasonCode Override() {  // D14, P2
    if (!connection) return kAllowed;
    const auto it = policy().connection_overrides.find(ConnectionId(*connection));
    if (it == policy().connection_overrides.end()) return kAllowed;
    for (const Risk risk : risks) {
      const Action action = risk == Risk::kSafe       ? Action::kRead
                            : risk == Risk::kElevated ? Action::kWrite
                                                      : Action::kDelete;
      const bool allowed = it->second.allowed_actions
                               ? it->second.allowed_actions->contains(action)
                               : !it->second.read_only || action == Action::kRead;
      if (!allowed) return kConnectionActionNotAllowed;
    }
    return kAllowed;
  }

  ReasonCode Destructive() {  // D15
    const bool off = !policy().confirm_destructive;
    return off && answer.effective_risk == Risk::kDestructive ? kDestructiveDisabled : kAllowed;
  }

  ReasonCode ModeReaches() {  // D16
    const int reach = policy().mode == Mode::kReadOnly        ? 0
                      : policy().mode == Mode::kDataReadWrite ? 1
                                                              : 2;
    return Harm(answer.effective_risk) > reach ? kModeTooLow : kAllowed;
  }

  ReasonCode ReadOnlyBridge() {  // D17
    return call.read_only_bridge && answer.effective_risk != Risk::kSafe ? kReadOnlyBridge
                                                                         : kAllowed;
  }

  ReferenceAnswer Decide() {  // D3, D18, D19
    using Check = ReasonCode (Reference::*)();
    for (const Check check :
         {&Reference::Request, &Reference::Policy, &Reference::Tool, &Reference::Connection,
          &Reference::Allowlist, &Reference::Payload, &Reference::Override, &Reference::Destructive,
          &Reference::ModeReaches, &Reference::ReadOnlyBridge}) {
      answer.reason = (this->*check)();
      if (answer.reason != kAllowed) return answer;
    }
    answer.verdict = Verdict::kAllow;
    if (answer.effective_risk == Risk::kDestructive) {
      answer.verdict = Verdict::kAsk;
      answer.reason = kConfirmDestructive;
    }
    if (!policy().limits.empty()) answer.obligations = policy().limits;
    return answer;
  }
};

}  // namespace

const CatalogEntry* ReferenceFind(const ReferenceWorld& world, std::string_view tool,
                                  std::optional<std::string_view> server, bool builtin_catalog) {
  // C2: from the most to the least specific.
  for (const bool with_app : {true, false}) {
    for (const bool with_server : {true, false}) {
      for (const CatalogEntry& entry : world.data.catalog) {
        if (entry.key.tool.value() != tool) continue;
        if (entry.key.app.has_value() != with_app) continue;
        if (entry.key.server.has_value() != with_server) continue;
        if (with_app && *entry.key.app != world.data.policy.app) continue;
        if (with_server && (!server || entry.key.server->value() != *server)) continue;
        return &entry;
      }
    }
  }
  // C3.
  if (server && !builtin_catalog) return nullptr;
  for (const CatalogEntry& entry : BuiltinCatalog()) {
    if (entry.key.tool.value() == tool) return &entry;
  }
  return nullptr;
}

ReferenceAnswer ReferenceDecide(const ReferenceWorld& world, const ToolCall& call,
                                const PayloadJudge* judge, const ReferenceOptions& options) {
  return Reference{world, call, judge, options}.Decide();
}

std::optional<Risk> ReferenceListedRisk(const ReferenceWorld& world, const ToolCall& call) {
  const ReferenceOptions options{.no_connection_needed = !call.connection.has_value()};
  const ReferenceAnswer answer = ReferenceDecide(world, call, nullptr, options);
  if (answer.verdict == Verdict::kDeny) return std::nullopt;
  const CatalogEntry* entry = ReferenceFind(world, call.tool, call.server, call.builtin_catalog);
  Risk listed = answer.effective_risk;
  if (entry == nullptr || !entry->reviewed || !entry->raise) return listed;
  for (const Risk risk : {Risk::kElevated, Risk::kDestructive}) {
    ToolCall raised = call;
    raised.declared_risk = risk;
    const ReferenceAnswer at = ReferenceDecide(world, raised, nullptr, options);
    if (at.verdict != Verdict::kDeny) listed = WorseOf(listed, at.effective_risk);
  }
  return listed;
}

}  // namespace bridgekeeper
