// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/decision_vectors.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"
#include "policy/testing/source_file.h"
#include "policy/text/document.h"

namespace bridgekeeper {
namespace {

constexpr std::string_view kFolder = "tests/vectors/decision";
constexpr char kApp[] = "app";

// Reads one file. Each method ends the process where the text is not as documented.
class Reader {
 public:
  Reader(std::string path, JsonValue root) : path_(std::move(path)), root_(root) {}

  void Read(std::vector<std::unique_ptr<DecisionVector>>& out) {
    Want(root_.is_object() && root_.Find("cases"), root_, "an object with `cases`");
    for (const JsonValue member : root_) {
      Want(member.key() == "cases" || member.key() == "setup", member, "`setup` or `cases`");
    }
    std::set<std::string> names;
    const JsonValue cases = *root_.Find("cases");
    for (const JsonValue item : cases) {
      out.push_back(std::make_unique<DecisionVector>());
      ReadCase(item, *out.back());
      Want(names.insert(out.back()->name).second, item, "a name of its own");
    }
  }

 private:
  void Want(bool condition, JsonValue at, std::string_view what) const {
    if (condition) return;
    std::cerr << path_ << ": byte " << at.offset() << ": want " << what << ", got "
              << EscapeForPeople(at.raw(), 200) << "\n";
    std::abort();
  }

  std::string Text(JsonValue value) const {
    Want(value.is_string(), value, "a string");
    return std::string(value.string());
  }

  bool Bool(JsonValue value) const {
    Want(value.kind() == JsonKind::kBool, value, "true or false");
    return value.boolean();
  }

  template <typename Enum>
  Enum Value(JsonValue value) const {
    const auto parsed = ParseEnum<Enum>(Text(value));
    Want(parsed.has_value(), value, "a name of that enum");
    return *parsed;
  }

  absl::Duration Time(JsonValue value) const {
    absl::Duration duration;
    Want(absl::ParseDuration(Text(value), &duration), value, "a duration");
    return duration;
  }

  template <typename T>
  std::vector<T> Documents(JsonValue value, bridgekeeper::Documents<T> documents) const {
    for (const Issue& issue : documents.issues) {
      if (issue.severity != Issue::Severity::kError) continue;
      std::cerr << FormatIssue(issue,
                               path_ + ": document at byte " + std::to_string(value.offset()))
                << "\n";
    }
    Want(!HasErrors(documents.issues), value, "a valid document");
    return std::move(documents.values);
  }

  McpPolicy Policy(JsonValue value) const {
    auto policies = Documents(value, ParsePolicyDocument(value.raw(), {.default_app = kApp}));
    Want(policies.size() == 1, value, "one policy");
    return std::move(policies[0]);
  }

  void ReadWords(JsonValue value, std::vector<std::string>& words) const {
    std::string text = Text(value) + " ";
    for (size_t end; (end = text.find(' ')) != std::string::npos; text.erase(0, end + 1)) {
      words.push_back(text.substr(0, end));
    }
  }

  void ReadCall(JsonValue object, OwnedCall& call) const {
    for (const JsonValue member : object) {
      const std::string_view key = member.key();
      if (key == "tool") {
        call.tool = Text(member);
      } else if (key == "server") {
        call.server = Text(member);
      } else if (key == "builtin_catalog") {
        call.call.builtin_catalog = Bool(member);
      } else if (key == "connection") {
        call.connection = Text(member);
      } else if (key == "connection_type") {
        call.connection_type = Text(member);
      } else if (key == "arguments") {
        call.arguments_json = std::string(member.raw());
      } else if (key == "payload") {
        call.payload_json = std::string(member.raw());
      } else if (key == "declared_risk") {
        call.call.declared_risk = Value<Risk>(member);
      } else if (key == "definition_digest") {
        call.digest = Text(member);
      } else if (key == "read_only_hint") {
        call.call.read_only_hint = Bool(member);
      } else if (key == "listed_by_server") {
        call.call.listed_by_server = Bool(member);
      } else if (key == "read_only_bridge") {
        call.call.read_only_bridge = Bool(member);
      } else {
        Want(false, member, "a documented member of a call");
      }
    }
    Want(call.Bind(), object, "readable JSON");
  }

  void ReadMember(JsonValue member, DecisionVector& vector) const {
    const std::string_view key = member.key();
    if (key == "name") {
      vector.name = Text(member);
    } else if (key == "clause") {
      ReadWords(member, vector.clauses);
    } else if (key == "report") {
      Text(member);  // for people
    } else if (key == "state") {
      const std::string state = Text(member);
      using State = PolicyView::State;
      if (state == "NOT_RECEIVED") {
        vector.world.state = State::kNotReceived;
      } else if (state == "UNKNOWN_APP") {
        vector.world.state = State::kUnknownApp;
      } else if (state == "UNREADABLE") {
        vector.world.state = State::kUnreadable;
      } else {
        Want(state == "NOT_AUTHORIZED", member, "a state");
        vector.world.state = State::kNotAuthorized;
      }
    } else if (key == "age") {
      vector.world.age = Time(member);
    } else if (key == "bound") {
      vector.world.max_staleness = Time(member);
    } else if (key == "policy") {
      vector.world.data.policy = Policy(member);
    } else if (key == "catalog") {
      vector.world.data.catalog = Documents(member, ParseCatalogDocument(member.raw()));
    } else if (key == "connections") {
      vector.world.data.connections =
          Documents(member, ParseConnectionDocument(member.raw(), {.default_app = kApp}));
    } else if (key == "call") {
      ReadCall(member, vector.call);
    } else if (key == "judge") {
      vector.judge = Bool(member);
    } else if (key == "proven") {
      vector.proven = Bool(member);
    } else if (key == "verdict") {
      vector.verdict = Value<Verdict>(member);
    } else if (key == "reason_code") {
      vector.reason = Value<ReasonCode>(member);
    } else if (key == "effective_risk") {
      vector.effective_risk = Value<Risk>(member);
    } else if (key == "judged") {
      vector.judged = Bool(member);
    } else if (key == "definition_changed") {
      vector.definition_changed = Bool(member);
    } else if (key == "obligations") {
      // Read as the limits of a policy.
      const std::string document = "{\"limits\":" + std::string(member.raw()) + "}";
      auto policies = Documents(member, ParsePolicyDocument(document, {.default_app = kApp}));
      vector.obligations = policies.at(0).limits;
    } else if (key == "listed") {
      vector.says_listed = true;
      if (Text(member) != "HIDDEN") vector.listed = Value<Risk>(member);
    } else if (key == "text_has") {
      for (const JsonValue fragment : member) vector.text_has.push_back(Text(fragment));
    } else {
      Want(false, member, "a documented member of a case");
    }
  }

  void ReadCase(JsonValue item, DecisionVector& vector) const {
    vector.file = path_.substr(path_.rfind('/') + 1);
    vector.file.resize(vector.file.rfind('.'));
    vector.world.data.policy.app = AppId(kApp);
    if (const auto setup = root_.Find("setup")) {
      for (const JsonValue member : *setup) {
        if (!item.Find(member.key())) ReadMember(member, vector);
      }
    }
    for (const JsonValue member : item) ReadMember(member, vector);
    Want(!vector.name.empty() && !vector.clauses.empty(), item, "`name` and `clause`");
    Want(item.Find("verdict") && item.Find("reason_code"), item, "`verdict` and `reason_code`");
    Want(item.Find("call").has_value() || root_.Find("setup")->Find("call"), item, "a `call`");
  }

  const std::string path_;
  const JsonValue root_;
};

}  // namespace

const std::vector<std::unique_ptr<DecisionVector>>& DecisionVectors() {
  static const auto& vectors = *[] {
    auto* all = new std::vector<std::unique_ptr<DecisionVector>>;
    for (const std::string& path : ListSourceFiles(kFolder, ".json")) {
      const std::string text = ReadSourceFile(path);
      const auto document = JsonDocument::Parse(text);
      if (!document.ok()) {
        std::cerr << path << ": " << document.status().message() << "\n";
        std::abort();
      }
      Reader(path, document->root()).Read(*all);
    }
    return all;
  }();
  return vectors;
}

}  // namespace bridgekeeper
