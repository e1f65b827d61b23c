// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The one file that knows yaml-cpp, and the one in which its exceptions stop.

#include "policy/text/yaml_tree.h"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <sstream>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/parser.h"

namespace bridgekeeper::text_internal {
namespace {

class Issues {
 public:
  Issues(LineIndex& lines, std::vector<Issue>& issues) : lines_(lines), issues_(issues) {}

  void Add(size_t offset, std::string message, std::string help) {
    Issue issue;
    lines_.Place(offset, issue);
    issue.message = std::move(message);
    issue.help = std::move(help);
    issues_.push_back(std::move(issue));
  }

 private:
  LineIndex& lines_;
  std::vector<Issue>& issues_;
};

// Refuses what no document may hold, and what YAML readers do not agree on.
bool CheckCharacters(std::string_view text, Issues& issues) {
  if (text.size() > kMaxDocumentBytes) {
    issues.Add(0, absl::StrFormat("got %d bytes, want at most %d", text.size(), kMaxDocumentBytes),
               "split it into several documents");
    return false;
  }
  if (text.substr(0, 3) == "\xEF\xBB\xBF") {
    issues.Add(0, "got a byte order mark, want none", "save the file as UTF-8 without one");
    return false;
  }
  if (const auto bad = FirstInvalidUtf8(text)) {
    issues.Add(*bad,
               absl::StrFormat("got the byte 0x%02x, want UTF-8", static_cast<uint8_t>(text[*bad])),
               "save the file as UTF-8");
    return false;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<uint8_t>(text[i]);
    const auto next = static_cast<uint8_t>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == '\r' && next != '\n') {
      issues.Add(i, "got a carriage return inside a line", "end lines with LF or CRLF");
      return false;
    }
    const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    const bool c1 = c == 0xC2 && next >= 0x80 && next < 0xA0;
    if (control || c1) {
      issues.Add(i, absl::StrFormat("got the control character U+%04X", c1 ? next : c),
                 "remove it, or write it as an escape inside double quotes");
      return false;
    }
  }
  return true;
}

void AddTooManyValues(size_t offset, Issues& issues) {
  issues.Add(offset, absl::StrFormat("got more than %d values", kMaxDocumentValues),
             "split it into several documents");
}

// Builds the tree from yaml-cpp's events. Holds at most kMaxDocumentDepth levels.
class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, Issues& issues) : text_(text), issues_(issues) {}

  std::optional<Node> TakeRoot() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Check(mark, "", anchor);
    // A value that is not written has the mark of whatever comes next: its key says better where it
    // is.
    Node* const parent = open_.empty() ? nullptr : open_.back();
    Node* const node = Add(mark, Node::Kind::kNull);
    const bool is_value =
        parent != nullptr && parent->kind == Node::Kind::kMap && parent->items.size() % 2 == 0;
    if (node != nullptr && is_value &&
        !IsWrittenNull(text_.substr(std::min(node->offset, text_.size())))) {
      node->offset = parent->items[parent->items.size() - 2].offset;
    }
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    issues_.Add(At(mark), "got an alias, want the value itself",
                "write the value out at each place");
    Add(mark, Node::Kind::kNull);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    Check(mark, tag, anchor);
    if (Node* node = Add(mark, Node::Kind::kScalar)) {
      node->plain = tag != "!";  // yaml-cpp's tag of a quoted or block scalar
      node->text = value;
    }
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Check(mark, tag, anchor);
    Open(mark, Node::Kind::kList);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Check(mark, tag, anchor);
    Open(mark, Node::Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

 private:
  // The text is UTF-8 without a byte order mark, so yaml-cpp's position is ours.
  static size_t At(const YAML::Mark& mark) { return static_cast<size_t>(std::max(mark.pos, 0)); }

  static bool IsWrittenNull(std::string_view rest) {
    return rest.starts_with('~') || rest.starts_with("null") || rest.starts_with("Null") ||
           rest.starts_with("NULL");
  }

  void Check(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    if (anchor != 0)
      issues_.Add(At(mark), "got an anchor, want none", "write the value out at each place");
    if (!tag.empty() && tag != "?" && tag != "!") {
      issues_.Add(At(mark),
                  absl::StrFormat("got the tag `%s`, want none", EscapeForPeople(tag, 64)),
                  "types follow from the field");
    }
  }

  Node* Add(const YAML::Mark& mark, Node::Kind kind) {
    if (skipped_ > 0) return nullptr;
    if (++values_ > kMaxDocumentValues) {
      if (values_ == kMaxDocumentValues + 1) AddTooManyValues(At(mark), issues_);
      return nullptr;
    }
    Node node;
    node.kind = kind;
    node.offset = At(mark);
    if (open_.empty()) {
      root_ = std::move(node);
      return &*root_;
    }
    // INVARIANT: only the innermost open node grows, so pointers to the outer ones stay good.
    open_.back()->items.push_back(std::move(node));
    return &open_.back()->items.back();
  }

  void Open(const YAML::Mark& mark, Node::Kind kind) {
    if (skipped_ == 0 && open_.size() >= kMaxDocumentDepth) {
      issues_.Add(At(mark),
                  absl::StrFormat("got more than %d levels of nesting", kMaxDocumentDepth),
                  "a policy needs four");
      Add(mark, Node::Kind::kNull);
      skipped_ = 1;
      return;
    }
    if (skipped_ > 0) {
      ++skipped_;
      return;
    }
    if (Node* const node = Add(mark, kind)) {
      open_.push_back(node);
    } else {
      skipped_ = 1;
    }
  }

  void Close() {
    if (skipped_ > 0) {
      --skipped_;
      return;
    }
    open_.pop_back();
  }

  std::string_view text_;
  Issues& issues_;
  std::optional<Node> root_;
  std::vector<Node*> open_;
  size_t skipped_ = 0;  // levels below the last that is kept
  size_t values_ = 0;
};

// yaml-cpp's texts are written for readers of its source; say the common ones plainly.
std::string HelpFor(std::string_view message, std::string_view text, size_t offset) {
  struct Row {
    std::string_view part;
    std::string_view help;
  };
  static constexpr Row kRows[] = {
      {"illegal map value",
       "put the value of a key on the key's own line, or indent it below; quote text that holds `: "
       "`"},
      {"end of map", "close the bracket, or check the indentation"},
      {"end of sequence", "close the bracket, or check the indentation"},
      {"invalid unicode", "write the character itself instead of an escape"},
      {"anchor", "anchors and aliases are not read: write the value out at each place"},
      {"unknown escape", "double quotes read backslash escapes; single quotes do not"},
  };
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const size_t indentation = std::min(line.find_first_not_of(" \t"), line.size());
  if (line.substr(0, indentation).find('\t') != std::string_view::npos)
    return "indent with spaces, not tabs";
  for (const Row& row : kRows) {
    if (message.find(row.part) != std::string_view::npos) return std::string(row.help);
  }
  return "check quotes, brackets and indentation";
}

std::optional<Node> ReadYaml(std::string_view text, Issues& issues) {
  TreeBuilder builder(text, issues);
  try {
    std::istringstream in{std::string(text)};
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) {
      issues.Add(0, "got an empty document", "");
      return std::nullopt;
    }
    std::optional<Node> root = builder.TakeRoot();
    TreeBuilder rest(text, issues);
    if (parser.HandleNextDocument(rest)) {
      const std::optional<Node> second = rest.TakeRoot();
      issues.Add(second ? second->offset : text.size(), "got a second document, want one",
                 "write the policies as one list");
    }
    return root;
  } catch (const YAML::Exception& e) {
    const size_t offset = std::min(static_cast<size_t>(std::max(e.mark.pos, 0)), text.size());
    issues.Add(offset, absl::StrFormat("not YAML or JSON: %s", EscapeForPeople(e.msg, 200)),
               HelpFor(e.msg, text, offset));
  } catch (const std::exception&) {
    issues.Add(0, "the document could not be read", "");
  }
  return std::nullopt;
}

// Where a member's name stands; its value's place where the name was unescaped into memory of its
// own.
size_t KeyOffset(std::string_view text, JsonValue member) {
  const char* const key = member.key().data();
  const bool inside =
      std::less_equal<>()(text.data() + 1, key) && std::less<>()(key, text.data() + text.size());
  return inside ? static_cast<size_t>(key - text.data()) - 1 : member.offset();
}

// Counts the tree's values in `values`, and adds none once there are too many.
Node FromJson(std::string_view text, JsonValue value, size_t& values) {
  Node node;
  if (++values > kMaxDocumentValues) return node;
  node.offset = value.offset();
  switch (value.kind()) {
    case JsonKind::kNull:
      break;
    case JsonKind::kBool:
    case JsonKind::kNumber:
      node.kind = Node::Kind::kScalar;
      node.plain = true;
      node.text = value.raw();
      break;
    case JsonKind::kString:
      node.kind = Node::Kind::kScalar;
      node.text = value.string();
      break;
    case JsonKind::kArray:
      node.kind = Node::Kind::kList;
      for (const JsonValue element : value) {
        if (values > kMaxDocumentValues) break;
        node.items.push_back(FromJson(text, element, values));
      }
      break;
    case JsonKind::kObject:
      node.kind = Node::Kind::kMap;
      for (const JsonValue member : value) {
        if (++values > kMaxDocumentValues) break;
        Node key;
        key.kind = Node::Kind::kScalar;
        key.offset = KeyOffset(text, member);
        key.text = member.key();
        node.items.push_back(std::move(key));
        node.items.push_back(FromJson(text, member, values));
      }
      break;
  }
  return node;
}

}  // namespace

void LineIndex::Place(size_t offset, Issue& issue) {
  offset = std::min(offset, text_.size());
  if (offset < offset_) {
    offset_ = 0;
    line_ = 1;
    column_ = 1;
  }
  for (; offset_ < offset; ++offset_) {
    const auto c = static_cast<uint8_t>(text_[offset_]);
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if (const auto next =
                   static_cast<uint8_t>(offset_ + 1 < text_.size() ? text_[offset_ + 1] : 0);
               (next & 0xC0) != 0x80) {
      ++column_;  // a character ends where no continuation byte follows
    }
  }
  issue.line = line_;
  issue.column = column_;
}

std::optional<Node> ReadTree(std::string_view text, LineIndex& lines, std::vector<Issue>& issues) {
  Issues found(lines, issues);
  if (!CheckCharacters(text, found)) return std::nullopt;

  // Strict JSON goes the short way: it is faster, and reads surrogate pairs. What
  // our JSON reader refuses is YAML or gets its place and text from the YAML reader.
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '{' || text[first] == '[')) {
    const JsonLimits limits = {.max_depth = static_cast<int>(kMaxDocumentDepth)};
    if (const auto json = JsonDocument::Parse(text, limits); json.ok()) {
      size_t values = 0;
      Node tree = FromJson(text, json->root(), values);
      if (values <= kMaxDocumentValues) return tree;
      AddTooManyValues(0, found);
      return std::nullopt;
    }
  }
  return ReadYaml(text, found);
}

}  // namespace bridgekeeper::text_internal
