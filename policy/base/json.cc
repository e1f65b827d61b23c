// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/base/json.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper {

// One pass over the text with an explicit stack of open containers.
class JsonParser {
 public:
  JsonParser(std::string_view text, const JsonLimits& limits)
      : text_(text), limits_(limits), document_(text) {}

  absl::StatusOr<JsonDocument> Run() {
    if (text_.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
      return absl::ResourceExhaustedError("JSON text: got more than 2 GiB");
    }
    if (text_.substr(0, 3) == "\xEF\xBB\xBF") return Error(0, "a byte order mark");
    if (const auto bad = FirstInvalidUtf8(text_)) return Error(*bad, "invalid UTF-8");
    document_.nodes_.reserve(std::min<size_t>(text_.size() / 8 + 4, 4096));
    SkipSpace();
    BK_RETURN_IF_ERROR(ReadValue({}));
    while (!open_.empty()) BK_RETURN_IF_ERROR(ReadNextChild());
    SkipSpace();
    if (at_ < text_.size()) return Error(at_, "text after the value");
    return std::move(document_);
  }

 private:
  struct Open {
    uint32_t node;
    size_t first_child;  // index into names_ where this object's own start
  };

  absl::Status Error(size_t offset, std::string_view got) const {
    return absl::InvalidArgumentError(absl::StrFormat("JSON at byte %d: got %s", offset, got));
  }
  absl::Status Expected(std::string_view want) const {
    if (at_ >= text_.size()) {
      return absl::InvalidArgumentError(
          absl::StrFormat("JSON at byte %d: got the end of the text, want %s", at_, want));
    }
    size_t size = 1;  // of one character; the text is valid UTF-8
    while (at_ + size < text_.size() && (static_cast<uint8_t>(text_[at_ + size]) & 0xC0) == 0x80) {
      ++size;
    }
    return absl::InvalidArgumentError(absl::StrFormat(
        "JSON at byte %d: got `%s`, want %s", at_, EscapeForPeople(text_.substr(at_, size)), want));
  }

  bool AtEnd() const { return at_ >= text_.size(); }
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  // Reads the start of a value: a whole scalar, or the opening bracket.
  absl::Status ReadValue(std::string_view key) {
    if (document_.nodes_.size() >= limits_.max_values) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("JSON text: got more than %d values", limits_.max_values));
    }
    const auto begin = static_cast<uint32_t>(at_);
    JsonDocument::Node node{JsonKind::kNull, begin, begin, 0, 0, key, {}};
    switch (Peek()) {
      case '{':
      case '[': {
        if (open_.size() >= static_cast<size_t>(limits_.max_depth)) {
          return absl::ResourceExhaustedError(absl::StrFormat(
              "JSON at byte %d: got nesting deeper than %d", at_, limits_.max_depth));
        }
        node.kind = Peek() == '{' ? JsonKind::kObject : JsonKind::kArray;
        ++at_;
        open_.push_back({static_cast<uint32_t>(document_.nodes_.size()), names_.size()});
        document_.nodes_.push_back(node);
        fresh_ = true;
        return absl::OkStatus();
      }
      case '"': {
        node.kind = JsonKind::kString;
        BK_ASSIGN_OR_RETURN(node.text, ReadString());
        break;
      }
      case 't':
        node.kind = JsonKind::kBool;
        BK_RETURN_IF_ERROR(ReadWord("true"));
        break;
      case 'f':
        node.kind = JsonKind::kBool;
        BK_RETURN_IF_ERROR(ReadWord("false"));
        break;
      case 'n':
        BK_RETURN_IF_ERROR(ReadWord("null"));
        break;
      default:
        node.kind = JsonKind::kNumber;
        BK_RETURN_IF_ERROR(ReadNumber());
    }
    node.end = static_cast<uint32_t>(at_);
    node.next = static_cast<uint32_t>(document_.nodes_.size() + 1);
    document_.nodes_.push_back(node);
    fresh_ = false;
    return absl::OkStatus();
  }

  // In an open container: closes it, or reads the next member or element.
  absl::Status ReadNextChild() {
    const Open open = open_.back();
    const bool is_object = document_.nodes_[open.node].kind == JsonKind::kObject;
    const char close = is_object ? '}' : ']';
    SkipSpace();
    if (Peek() == close && !AtEnd()) {
      ++at_;
      if (is_object) BK_RETURN_IF_ERROR(CheckNames(open.first_child));
      names_.resize(open.first_child);
      JsonDocument::Node& node = document_.nodes_[open.node];
      node.end = static_cast<uint32_t>(at_);
      node.next = static_cast<uint32_t>(document_.nodes_.size());
      open_.pop_back();
      fresh_ = false;
      return absl::OkStatus();
    }
    if (!fresh_) {
      if (Peek() != ',') return Expected(is_object ? "`,` or `}`" : "`,` or `]`");
      ++at_;
      SkipSpace();
    }
    std::string_view key;
    if (is_object) {
      if (Peek() != '"') return Expected("a member name in double quotes");
      const size_t offset = at_;
      BK_ASSIGN_OR_RETURN(key, ReadString());
      // A reader that keeps names as C strings sees what is before it.
      if (key.find('\0') != std::string_view::npos) {
        at_ = offset;
        return Expected("a member name without U+0000");
      }
      names_.push_back({key, offset});
      SkipSpace();
      if (Peek() != ':') return Expected("`:`");
      ++at_;
      SkipSpace();
    }
    ++document_.nodes_[open.node].count;
    return ReadValue(key);
  }

  absl::Status CheckNames(size_t first) {
    const size_t count = names_.size() - first;
    const auto twin = [&](const Name& name) {
      return Error(name.offset, absl::StrFormat("a second member `%s` in one object",
                                                EscapeForPeople(name.text, 64)));
    };
    // Small objects are the rule: comparing each pair beats building a set.
    constexpr size_t kSmall = 12;
    if (count <= kSmall) {
      for (size_t i = first + 1; i < names_.size(); ++i) {
        for (size_t j = first; j < i; ++j) {
          if (names_[i].text == names_[j].text) return twin(names_[i]);
        }
      }
      return absl::OkStatus();
    }
    absl::flat_hash_set<std::string_view, StringHash, std::equal_to<>> seen;
    seen.reserve(count);
    for (size_t i = first; i < names_.size(); ++i) {
      if (!seen.insert(names_[i].text).second) return twin(names_[i]);
    }
    return absl::OkStatus();
  }

  absl::Status ReadWord(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return Expected("a JSON value");
    at_ += word.size();
    return absl::OkStatus();
  }

  bool ReadDigits() {
    const size_t begin = at_;
    while (Peek() >= '0' && Peek() <= '9') ++at_;
    return at_ > begin;
  }

  absl::Status ReadNumber() {
    if (Peek() == '-') ++at_;
    if (Peek() == '0') {
      ++at_;
    } else if (!ReadDigits()) {
      return Expected("a JSON value");
    }
    if (Peek() == '.') {
      ++at_;
      if (!ReadDigits()) return Expected("a digit");
    }
    if (Peek() == 'e' || Peek() == 'E') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!ReadDigits()) return Expected("a digit");
    }
    return absl::OkStatus();
  }

  absl::StatusOr<uint32_t> ReadHex4() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      const char c = Peek();
      if (c >= '0' && c <= '9') {
        value = value * 16 + static_cast<uint32_t>(c - '0');
      } else if (c >= 'a' && c <= 'f') {
        value = value * 16 + static_cast<uint32_t>(c - 'a' + 10);
      } else if (c >= 'A' && c <= 'F') {
        value = value * 16 + static_cast<uint32_t>(c - 'A' + 10);
      } else {
        return Expected("four hexadecimal digits after `\\u`");
      }
    }
    return value;
  }

  static void AppendUtf8(uint32_t c, std::string& out) {
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xC0 | (c >> 6));
      out += static_cast<char>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      out += static_cast<char>(0xE0 | (c >> 12));
      out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (c & 0x3F));
    } else {
      out += static_cast<char>(0xF0 | (c >> 18));
      out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
      out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
      out += static_cast<char>(0x80 | (c & 0x3F));
    }
  }

  // Reads a string; the result points into the text where nothing is escaped.
  absl::StatusOr<std::string_view> ReadString() {
    ++at_;  // the opening quote
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\' &&
           static_cast<uint8_t>(text_[at_]) >= 0x20) {
      ++at_;
    }
    if (Peek() == '"') return text_.substr(begin, at_++ - begin);

    size_t end = at_;  // of the string, or more where it is not well formed
    while (end < text_.size() && text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    std::string& out = document_.unescaped_.emplace_back();
    out.reserve(std::min(end, text_.size()) - begin);
    out.append(text_, begin, at_ - begin);
    while (true) {
      if (AtEnd()) return Expected("the `\"` that ends the string");
      const char c = text_[at_];
      if (c == '"') break;
      if (static_cast<uint8_t>(c) < 0x20) return Error(at_, "a raw control character in a string");
      if (c != '\\') {
        const size_t run = at_;
        while (!AtEnd() && text_[at_] != '"' && text_[at_] != '\\' &&
               static_cast<uint8_t>(text_[at_]) >= 0x20) {
          ++at_;
        }
        out.append(text_, run, at_ - run);
        continue;
      }
      const size_t escape = at_++;
      switch (Peek()) {
        case '"':
          out += '"';
          break;
        case '\\':
          out += '\\';
          break;
        case '/':
          out += '/';
          break;
        case 'b':
          out += '\b';
          break;
        case 'f':
          out += '\f';
          break;
        case 'n':
          out += '\n';
          break;
        case 'r':
          out += '\r';
          break;
        case 't':
          out += '\t';
          break;
        case 'u': {
          ++at_;
          BK_ASSIGN_OR_RETURN(uint32_t unit, ReadHex4());
          if (unit >= 0xDC00 && unit <= 0xDFFF) return Error(escape, "a lone surrogate");
          if (unit >= 0xD800 && unit <= 0xDBFF) {
            if (text_.substr(at_, 2) != "\\u") return Error(escape, "a lone surrogate");
            at_ += 2;
            BK_ASSIGN_OR_RETURN(const uint32_t low, ReadHex4());
            if (low < 0xDC00 || low > 0xDFFF) return Error(escape, "a lone surrogate");
            unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
          }
          AppendUtf8(unit, out);
          continue;
        }
        default:
          return Expected("an escape of RFC 8259 after `\\`");
      }
      ++at_;
    }
    ++at_;
    return std::string_view(out);
  }

  struct Name {
    std::string_view text;
    size_t offset;
  };

  std::string_view text_;
  const JsonLimits limits_;
  JsonDocument document_;
  size_t at_ = 0;
  // Room for what nearly every message needs, without an allocation.
  absl::InlinedVector<Open, 16> open_;
  absl::InlinedVector<Name, 32> names_;  // of the open objects, innermost last
  bool fresh_ = false;                   // the innermost container has no child yet
};

absl::StatusOr<JsonDocument> JsonDocument::Parse(std::string_view text, const JsonLimits& limits) {
  return JsonParser(text, limits).Run();
}

JsonKind JsonValue::kind() const { return document_->nodes_[index_].kind; }

std::string_view JsonValue::raw() const {
  const JsonDocument::Node& node = document_->nodes_[index_];
  return document_->text_.substr(node.begin, node.end - node.begin);
}

size_t JsonValue::offset() const { return document_->nodes_[index_].begin; }

std::string_view JsonValue::string() const {
  BK_CHECK(is_string());
  return document_->nodes_[index_].text;
}

bool JsonValue::boolean() const {
  BK_CHECK(kind() == JsonKind::kBool);
  return raw() == "true";
}

std::optional<int64_t> JsonValue::integer() const {
  BK_CHECK(is_number());
  const std::string_view token = raw();
  int64_t value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  if (error != std::errc() || end != token.data() + token.size()) return std::nullopt;
  return value;
}

size_t JsonValue::size() const { return document_->nodes_[index_].count; }

std::optional<JsonValue> JsonValue::Find(std::string_view name) const {
  if (!is_object()) return std::nullopt;
  for (const JsonValue member : *this) {
    if (member.key() == name) return member;
  }
  return std::nullopt;
}

std::string_view JsonValue::key() const { return document_->nodes_[index_].key; }

JsonValue::Iterator JsonValue::begin() const {
  return {document_, size() > 0 ? index_ + 1 : document_->nodes_[index_].next};
}

JsonValue::Iterator JsonValue::end() const { return {document_, document_->nodes_[index_].next}; }

JsonValue::Iterator& JsonValue::Iterator::operator++() {
  index_ = document_->nodes_[index_].next;
  return *this;
}

void AppendJsonString(std::string_view text, std::string& out) {
  out += '"';
  size_t copied = 0;  // text before this stands in `out`
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<uint8_t>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out += text.substr(copied, i - copied);
    copied = i + 1;
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += absl::StrFormat("\\u%04x", static_cast<int>(c));
    }
  }
  out += text.substr(copied);
  out += '"';
}

std::string CanonicalJson(JsonValue value) {
  // An explicit stack: a document may be as deep as its limits allowed.
  struct Frame {
    std::vector<JsonValue> children;
    size_t next;
    bool is_object;
  };
  std::string out;
  std::vector<Frame> stack;
  const auto write = [&](JsonValue v) {
    switch (v.kind()) {
      case JsonKind::kString:
        AppendJsonString(v.string(), out);
        return;
      case JsonKind::kArray:
      case JsonKind::kObject: {
        Frame frame{{}, 0, v.is_object()};
        for (const JsonValue child : v) frame.children.push_back(child);
        if (frame.is_object) {
          std::sort(frame.children.begin(), frame.children.end(),
                    [](JsonValue a, JsonValue b) { return a.key() < b.key(); });
        }
        out += frame.is_object ? '{' : '[';
        stack.push_back(std::move(frame));
        return;
      }
      case JsonKind::kNull:
      case JsonKind::kBool:
      case JsonKind::kNumber:
        out += v.raw();
        return;
    }
  };
  write(value);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (frame.next == frame.children.size()) {
      out += frame.is_object ? '}' : ']';
      stack.pop_back();
      continue;
    }
    if (frame.next > 0) out += ',';
    const JsonValue child = frame.children[frame.next++];
    if (frame.is_object) {
      AppendJsonString(child.key(), out);
      out += ':';
    }
    write(child);
  }
  return out;
}

}  // namespace bridgekeeper
