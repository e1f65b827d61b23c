// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/text/node_values.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::text_internal {
namespace {

constexpr size_t kShownBytes = 64;  // of a value in a message

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsAsciiDigit);
}

}  // namespace

std::string Show(std::string_view text) { return EscapeForPeople(text, kShownBytes); }

std::string Listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

std::string NearestHelp(std::string_view name, std::span<const std::string_view> names) {
  const auto nearest = NearestName(name, names);
  return nearest ? absl::StrFormat("did you mean `%s`?", *nearest) : "known: " + Listed(names);
}

std::optional<bool> AsBool(const Node& node) {
  if (node.kind != Node::Kind::kScalar || !node.plain) return std::nullopt;
  if (node.text == "true" || node.text == "True" || node.text == "TRUE") return true;
  if (node.text == "false" || node.text == "False" || node.text == "FALSE") return false;
  return std::nullopt;
}

std::optional<int64_t> AsInteger(const Node& node) {
  if (node.kind != Node::Kind::kScalar || !node.plain) return std::nullopt;
  const std::string_view text = node.text;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (!IsDigits(digits) || (digits.size() > 1 && digits.front() == '0')) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool LooksLikeNumber(std::string_view text) {
  const std::string_view body = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  if (body.empty()) return false;
  if (body == ".inf" || body == ".Inf" || body == ".INF" || text == ".nan" || text == ".NaN" ||
      text == ".NAN") {
    return true;
  }
  if (body.starts_with("0x") || body.starts_with("0o")) return true;
  const bool starts = IsAsciiDigit(body[0]) || (body[0] == '.' && body.size() > 1);
  return starts && std::all_of(body.begin(), body.end(), [](char c) {
           return IsAsciiDigit(c) || c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-' ||
                  c == '_';
         });
}

std::optional<std::string_view> AsText(const Node& node) {
  if (node.kind != Node::Kind::kScalar) return std::nullopt;
  if (node.plain && (AsBool(node) || LooksLikeNumber(node.text))) return std::nullopt;
  return node.text;
}

std::string Describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a mapping";
    case Node::Kind::kScalar:
      break;
  }
  if (!node.plain) return absl::StrFormat("the text `%s`", Show(node.text));
  if (LooksLikeNumber(node.text)) return absl::StrFormat("the number `%s`", Show(node.text));
  return absl::StrFormat("`%s`", Show(node.text));
}

void Report::Error(const Node& at, std::string path, std::string message, std::string help) {
  Add(Issue::Severity::kError, at, std::move(path), std::move(message), std::move(help));
}

void Report::Warning(const Node& at, std::string path, std::string message, std::string help) {
  Add(Issue::Severity::kWarning, at, std::move(path), std::move(message), std::move(help));
}

int Report::LineOf(const Node& node) {
  Issue place;
  lines_.Place(node.offset, place);
  return place.line;
}

std::vector<Issue> Report::Take() {
  std::stable_sort(issues_.begin(), issues_.end(), [](const Issue& a, const Issue& b) {
    return std::pair(a.line, a.column) < std::pair(b.line, b.column);
  });
  if (more_ > 0) {
    Issue rest;
    rest.message = absl::StrFormat("%d more problems are not listed", more_);
    issues_.push_back(std::move(rest));
  }
  return std::move(issues_);
}

void Report::Add(Issue::Severity severity, const Node& at, std::string path, std::string message,
                 std::string help) {
  if (issues_.size() >= max_issues_) {
    ++more_;
    return;
  }
  Issue issue;
  issue.severity = severity;
  lines_.Place(at.offset, issue);
  issue.path = std::move(path);
  issue.message = std::move(message);
  issue.help = std::move(help);
  issues_.push_back(std::move(issue));
}

}  // namespace bridgekeeper::text_internal
