// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/engine/evaluation.h"

namespace bridgekeeper {
namespace {

using internal::Evaluation;

// The call of a cell, and how the cell names it.
struct Question {
  std::string_view tool;
  std::optional<std::string_view> server;
  bool read_only_hint = false;
  std::optional<std::string_view> connection;
  // What a payload does, where the tool has one.
  Risk payload_risk = Risk::kSafe;
};

// One side's answer.
struct Answer {
  Decision decision;
  std::optional<Risk> tool_risk;  // nullopt: the side does not know the tool
  bool has_payload = false;
};

Answer Ask(const PolicyView& view, const Question& question) {
  ToolCall call;
  call.tool = question.tool;
  call.server = question.server;
  call.connection = question.connection;
  call.read_only_hint = question.read_only_hint;
  call.listed_by_server = question.server.has_value();
  Evaluation e{.view = view, .call = call};
  // Asked of the catalogue, since the evaluation of a suspended app ends before it.
  const CatalogEntry* entry = view.policy->catalog().Find(call.tool, call.server, false);
  const bool reviewed = entry != nullptr && entry->reviewed;
  Answer answer;
  answer.has_payload = reviewed && entry->payload_rule && entry->payload_rule->makes_payload();
  if (answer.has_payload) e.hypothesis.payload_risk = question.payload_risk;
  answer.decision = internal::Run(e);
  if (reviewed) {
    answer.tool_risk = entry->risk;
  } else if ((e.facts & internal::kTool) != 0) {
    answer.tool_risk = e.tool_risk;
  }
  return answer;
}

// The tool's own risk: of two that differ, the less harmful.
Risk OwnRisk(const Answer& before, const Answer& after) {
  if (!before.tool_risk) return after.tool_risk.value_or(Risk::kDestructive);
  if (!after.tool_risk) return *before.tool_risk;
  return MoreHarmful(*before.tool_risk, *after.tool_risk) ? *after.tool_risk : *before.tool_risk;
}

// A valid id that is not in `taken` and differs from all of it by more than case.
std::string UnusedId(std::string_view stem, const std::set<std::string>& taken) {
  std::set<std::string> lower;
  for (const std::string& id : taken) lower.insert(AsciiLower(id));
  std::string id(stem);
  for (int i = 0; lower.contains(id); ++i) id = absl::StrFormat("%s-%d", stem, i);
  return id;
}

// The servers that calls of one tool can be told apart by; nullopt: none named.
struct Servers {
  std::set<std::string> named;
  bool others = false;  // an entry covers the tool on servers that are not named
};

// Counts cells and keeps as many as are wanted, those that loosen before the rest.
class Cells {
 public:
  explicit Cells(size_t max) : max_(max) {}

  void Add(DiffCell cell) {
    const size_t place = total_++;
    if (cell.loosened) ++loosened_count_;
    std::vector<Placed>& kept = cell.loosened ? loosened_ : rest_;
    if (kept.size() < max_) kept.push_back({place, std::move(cell)});
  }

  PolicyDiff Take() {
    PolicyDiff diff{.total = total_, .loosened = loosened_count_};
    rest_.resize(std::min(rest_.size(), max_ - loosened_.size()));
    loosened_.insert(loosened_.end(), std::move_iterator(rest_.begin()),
                     std::move_iterator(rest_.end()));
    std::sort(loosened_.begin(), loosened_.end(),
              [](const Placed& a, const Placed& b) { return a.place < b.place; });
    diff.cells.reserve(loosened_.size());
    for (Placed& placed : loosened_) diff.cells.push_back(std::move(placed.cell));
    return diff;
  }

 private:
  struct Placed {
    size_t place;  // among all cells
    DiffCell cell;
  };

  const size_t max_;
  size_t total_ = 0;
  size_t loosened_count_ = 0;
  std::vector<Placed> loosened_;
  std::vector<Placed> rest_;
};

class Differ {
 public:
  Differ(const CompiledPolicy& before, const CompiledPolicy& after, size_t max_cells)
      : before_(PolicyView::Of(before)), after_(PolicyView::Of(after)), cells_(max_cells) {
    std::set<std::string> known_ids;
    for (const CompiledPolicy* side : {&before, &after}) {
      for (const CatalogEntry* entry : side->catalog().Entries()) {
        Servers& servers = tools_[entry->key.tool.value()];
        if (entry->key.server) {
          servers.named.insert(entry->key.server->value());
        } else if (!entry->builtin) {
          servers.others = true;
        }
      }
      for (const ConnectionId& id : side->policy().allowed_connection_ids) {
        connections_.insert(id.value());
      }
      for (const auto& [id, entry] : side->policy().connection_overrides) {
        connections_.insert(id.value());
      }
      for (const auto& [id, known] : side->rep().connections) known_ids.insert(id);
    }
    std::set<std::string> tool_names, server_names;
    for (const auto& [tool, servers] : tools_) {
      tool_names.insert(tool);
      server_names.insert(servers.named.begin(), servers.named.end());
    }
    other_tool_ = UnusedId("other-tool", tool_names);
    other_server_ = UnusedId("other-server", server_names);
    other_connection_ = UnusedId("other-connection", known_ids);
  }

  PolicyDiff Run() {
    for (const auto& [tool, servers] : tools_) {
      Compare({.tool = tool}, tool, std::nullopt);
      for (const std::string& server : servers.named) {
        Compare({.tool = tool, .server = server}, tool, server);
      }
      if (servers.others) Compare({.tool = tool, .server = other_server_}, tool, kOtherServer);
    }
    Compare({.tool = other_tool_, .server = other_server_}, kUnreviewedTool, kOtherServer);
    Compare({.tool = other_tool_, .server = other_server_, .read_only_hint = true},
            kUnreviewedReadOnlyTool, kOtherServer);
    return cells_.Take();
  }

 private:
  // Compares one tool on one server at every connection and risk.
  void Compare(Question question, std::string_view tool, std::optional<std::string_view> server) {
    const auto at = [&](std::string_view connection) {
      CompareRisks(question, tool, server, connection);
    };
    at("");
    question.connection = other_connection_;
    at(kOtherConnection);
    for (const std::string& id : connections_) {
      question.connection = id;
      at(id);
    }
  }

  void CompareRisks(Question question, std::string_view tool,
                    std::optional<std::string_view> server, std::string_view connection) {
    Risk own = Risk::kSafe;
    for (const Risk payload : {Risk::kSafe, Risk::kElevated, Risk::kDestructive}) {
      question.payload_risk = payload;
      const Answer before = Ask(before_, question);
      const Answer after = Ask(after_, question);
      if (payload == Risk::kSafe) {
        own = OwnRisk(before, after);
      } else if (!before.has_payload && !after.has_payload) {
        return;
      } else if (!MoreHarmful(payload, own)) {
        continue;  // the cell of the tool's own risk
      }
      if (before.decision.verdict == after.decision.verdict) continue;
      cells_.Add({
          .tool = ToolName(tool),
          .server = server ? std::optional(ServerId(*server)) : std::nullopt,
          .risk = Worst(payload, own),
          .connection = std::string(connection),
          .before = before.decision.verdict,
          .before_reason = before.decision.reason,
          .after = after.decision.verdict,
          .after_reason = after.decision.reason,
          .loosened = after.decision.verdict > before.decision.verdict,
      });
    }
  }

  const PolicyView before_;
  const PolicyView after_;
  std::map<std::string, Servers> tools_;
  std::set<std::string> connections_;
  std::string other_tool_, other_server_, other_connection_;
  Cells cells_;
};

}  // namespace

PolicyDiff DiffPolicies(const CompiledPolicy& before, const CompiledPolicy& after,
                        size_t max_cells) {
  return Differ(before, after, max_cells).Run();
}

}  // namespace bridgekeeper
