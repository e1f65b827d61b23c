// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/request.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::elasticsearch {
namespace {

constexpr std::array<std::string_view, 5> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE"};

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

// Whether `text` holds a percent-encoded byte at `at`.
bool IsEscape(std::string_view text, size_t at) {
  return text[at] == '%' && at + 2 < text.size() && HexDigit(text[at + 1]) >= 0 &&
         HexDigit(text[at + 2]) >= 0;
}

// Decodes once. nullopt: `%` without two digits, a control character, invalid UTF-8, or
// what would decode a second time.
std::optional<std::string> Decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      if (!IsEscape(text, at)) return std::nullopt;
      c = static_cast<char>(HexDigit(text[at + 1]) * 16 + HexDigit(text[at + 2]));
      at += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (IsControl(c)) return std::nullopt;
    out += c;
  }
  for (size_t at = 0; at < out.size(); ++at) {
    if (IsEscape(out, at)) return std::nullopt;
  }
  if (FirstInvalidUtf8(out)) return std::nullopt;
  return out;
}

// Whether a part between (decoded) slashes is one that some reader of paths acts on.
bool IsPathTrick(std::string_view part) {
  return part == "." || part == ".." || part.starts_with('_');
}

// Reads one segment; false: two readers could differ.
bool ReadSegment(std::string_view raw, std::string& out) {
  const auto decoded = Decode(raw, false);
  if (!decoded || decoded->empty() || *decoded == "." || *decoded == "..") return false;
  // `_search` and the like are never written with escapes, so an escaped one is meant
  // for one reader and not for another.
  if (decoded->starts_with('_') && raw != *decoded) return false;
  if (decoded->find('\\') != std::string::npos) return false;
  if (decoded->find('/') != std::string::npos) {
    // A reader that decodes before it splits sees these parts.
    std::string_view rest = *decoded;
    while (true) {
      const size_t end = std::min(rest.find('/'), rest.size());
      if (IsPathTrick(rest.substr(0, end))) return false;
      if (end == rest.size()) break;
      rest.remove_prefix(end + 1);
    }
  }
  out = *decoded;
  return true;
}

std::string ReadPath(std::string_view path, Request& request) {
  if (path.empty()) return "got an empty path";
  if (path.front() == '/') path.remove_prefix(1);
  // Elasticsearch leaves out one empty segment at the end.
  if (path.ends_with('/')) path.remove_suffix(1);
  if (path.empty()) return {};
  while (true) {
    const size_t end = std::min(path.find('/'), path.size());
    std::string segment;
    if (!ReadSegment(path.substr(0, end), segment)) {
      return absl::StrFormat("segment %d of the path can be read in more than one way",
                             request.segments.size() + 1);
    }
    request.segments.push_back(std::move(segment));
    if (end == path.size()) return {};
    path.remove_prefix(end + 1);
  }
}

// No API takes as many.
constexpr size_t kMaxParameters = 64;

std::string ReadQuery(std::string_view query, Request& request) {
  while (!query.empty()) {
    // Elasticsearch takes `;` for `&`.
    const size_t end = std::min(query.find_first_of("&;"), query.size());
    const std::string_view item = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (item.empty()) continue;
    const size_t equals = std::min(item.find('='), item.size());
    const auto name = Decode(item.substr(0, equals), true);
    const auto value = Decode(item.substr(std::min(equals + 1, item.size())), true);
    if (!name || name->empty() || !value) return "a parameter of the query cannot be read";
    if (request.Find(*name)) return "a parameter of the query stands twice";
    if (request.parameters.size() == kMaxParameters) return "got more than 64 parameters";
    request.parameters.push_back({*name, *value});
  }
  return {};
}

}  // namespace

std::optional<std::string_view> Request::Find(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return parameter.value;
  }
  return std::nullopt;
}

std::string ReadRequest(JsonValue object, Request& request) {
  std::optional<std::string_view> path;
  for (const JsonValue member : object) {
    if (member.key() == "body") {
      const bool absent = member.is_null() || (member.is_string() && member.string().empty());
      if (!absent) request.body = member;
    } else if (member.key() == "method" && member.is_string()) {
      request.method = member.string();
      std::transform(request.method.begin(), request.method.end(), request.method.begin(),
                     ToAsciiUpper);
    } else if (member.key() == "path" && member.is_string()) {
      path = member.string();
    } else {
      return "got another member than `method`, `path` and `body`, or one of another type";
    }
  }
  if (!path || request.method.empty()) return "got a request without `method` and `path`";
  if (std::find(kMethods.begin(), kMethods.end(), request.method) == kMethods.end()) {
    return "got a method other than GET, HEAD, POST, PUT and DELETE";
  }
  // Some servers cut a segment off at `;`.
  if (path->substr(0, path->find('?')).find(';') != std::string_view::npos) {
    return "got a path with `;`";
  }
  // URL libraries cut off `#`, turn `\` into `/`, and drop or encode the others.
  if (path->find_first_of("#\\ \"<>^`{|}") != std::string_view::npos ||
      std::any_of(path->begin(), path->end(), IsControl)) {
    return "got a path with characters that have to be percent-encoded";
  }
  const size_t question = std::min(path->find('?'), path->size());
  const std::string_view before = path->substr(0, question);
  if (before.find("//") != std::string_view::npos) return "got a path with an empty segment";
  if (std::string problem = ReadPath(before, request); !problem.empty()) return problem;
  return ReadQuery(path->substr(std::min(question + 1, path->size())), request);
}

}  // namespace bridgekeeper::elasticsearch
