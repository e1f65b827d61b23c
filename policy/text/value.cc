// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/text/value.h"

#include <algorithm>
#include <array>

#include "policy/base/ascii.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// Largest integer that every JSON reader keeps: 2^53 - 1 (RFC 8259, section 6).
constexpr int64_t kLargestExact = (int64_t{1} << 53) - 1;

void AppendScalar(const Value& value, std::string& out) {
  switch (value.kind()) {
    case Value::Kind::kNull:
      out += "null";
      return;
    case Value::Kind::kBool:
      out += value.boolean() ? "true" : "false";
      return;
    case Value::Kind::kInteger: {
      const bool exact = value.integer() >= -kLargestExact && value.integer() <= kLargestExact;
      const std::string digits = std::to_string(value.integer());
      out += exact ? digits : '"' + digits + '"';
      return;
    }
    case Value::Kind::kText:
      AppendQuotedForPeople(value.text(), out);
      return;
    case Value::Kind::kList:
      out += "[]";
      return;
    case Value::Kind::kObject:
      out += "{}";
      return;
  }
}

bool IsContainer(const Value& value) {
  return value.kind() == Value::Kind::kList || value.kind() == Value::Kind::kObject;
}

// `newline` is "\n" or, for one line, empty.
void AppendJson(const Value& value, std::string_view newline, size_t depth, std::string& out) {
  if (!IsContainer(value) || value.empty()) return AppendScalar(value, out);
  const bool object = value.kind() == Value::Kind::kObject;
  const auto line = [&](size_t level) {
    out += newline;
    if (!newline.empty()) out.append(2 * level, ' ');
  };
  out += object ? '{' : '[';
  for (size_t i = 0; i < value.items().size(); ++i) {
    if (i > 0) out += ',';
    line(depth + 1);
    if (object) {
      AppendQuotedForPeople(value.names()[i], out);
      out += newline.empty() ? ":" : ": ";
    }
    AppendJson(value.items()[i], newline, depth + 1, out);
  }
  line(depth);
  out += object ? '}' : ']';
}

// True where YAML readers of any version take `text` for text without quotes: it
// holds only harmless characters, is no word that some reader takes for a null or a
// boolean, and cannot be a number. What starts with a digit and holds an `m`, `s` or
// `h` (a duration) is a number in no version.
bool IsPlainYaml(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kWords = {
      "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf"};
  if (text.empty()) return false;
  if (!IsAsciiLetter(text.front()) &&
      !(IsAsciiDigit(text.front()) && text.find_first_of("msh") != std::string_view::npos)) {
    return false;
  }
  // The beginning of a number that is not decimal: the `0xmas` of a name is none, but a
  // reader says so only when it is through.
  if (text.front() == '0' && text.size() > 1 &&
      std::string_view("xXoObB").find(text[1]) != std::string_view::npos) {
    return false;
  }
  const bool harmless = std::all_of(text.begin(), text.end(), [&](char c) {
    return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '_' || c == '-' || c == '.' || c == '/' ||
           c == '@';
  });
  return harmless && std::find(kWords.begin(), kWords.end(), AsciiLower(text)) == kWords.end();
}

void AppendYamlText(std::string_view text, std::string& out) {
  if (IsPlainYaml(text)) {
    out += text;
  } else {
    AppendQuotedForPeople(text, out);
  }
}

// Writes a container that is not empty, its first line where `out` ends now.
void AppendYaml(const Value& value, size_t indent, std::string& out) {
  const bool object = value.kind() == Value::Kind::kObject;
  for (size_t i = 0; i < value.items().size(); ++i) {
    const Value& item = value.items()[i];
    if (i > 0) out.append(indent, ' ');
    if (object) {
      AppendYamlText(value.names()[i], out);
      out += ':';
    } else {
      out += '-';
    }
    if (IsContainer(item) && !item.empty()) {
      if (object) {
        out += '\n';
        out.append(indent + 2, ' ');
      } else {
        out += ' ';
      }
      AppendYaml(item, indent + 2, out);
      continue;
    }
    out += ' ';
    if (item.kind() == Value::Kind::kText) {
      AppendYamlText(item.text(), out);
    } else {
      AppendScalar(item, out);
    }
    out += '\n';
  }
}

}  // namespace

Value& Value::Add(Value item) {
  BK_CHECK(kind_ == Kind::kList);
  items_.push_back(std::move(item));
  return *this;
}

Value& Value::Set(std::string_view name, Value value) {
  BK_CHECK(kind_ == Kind::kObject);
  names_.emplace_back(name);
  items_.push_back(std::move(value));
  return *this;
}

std::string ToJson(const Value& value) {
  std::string out;
  AppendJson(value, "\n", 0, out);
  out += '\n';
  return out;
}

std::string ToJsonLine(const Value& value) {
  std::string out;
  AppendJson(value, "", 0, out);
  return out;
}

std::string ToYaml(const Value& value) {
  std::string out;
  if (IsContainer(value) && !value.empty()) {
    AppendYaml(value, 0, out);
    return out;
  }
  if (value.kind() == Value::Kind::kText) {
    AppendYamlText(value.text(), out);
  } else {
    AppendScalar(value, out);
  }
  out += '\n';
  return out;
}

}  // namespace bridgekeeper
