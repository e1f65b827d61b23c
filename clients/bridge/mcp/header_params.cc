// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/header_params.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

constexpr std::string_view kMark = "x-mcp-header";
constexpr std::string_view kHeaderPrefix = "Mcp-Param-";
constexpr std::string_view kBase64Begin = "=?base64?";
constexpr std::string_view kBase64End = "?=";
// Whole numbers that every reader of JSON has exactly.
constexpr int64_t kMaxSafeInteger = (int64_t{1} << 53) - 1;

// RFC 9110 section 5.6.2.
bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool IsEncoded(std::string_view value) {
  return value.size() >= kBase64Begin.size() + kBase64End.size() &&
         value.starts_with(kBase64Begin) && value.ends_with(kBase64End);
}

// Marks anywhere below `value`, those of properties that can be reached left out.
size_t CountMarks(JsonValue value) {
  // The document's own limit bounds the depth.
  size_t marks = 0;
  for (const JsonValue member : value) {
    if (value.is_object() && member.key() == kMark) ++marks;
    if (member.is_object() || member.is_array()) marks += CountMarks(member);
  }
  return marks;
}

class SchemaReader {
 public:
  absl::Status Read(JsonValue schema) {
    for (const JsonValue member : schema) {
      if (member.key() != "properties" || !member.is_object()) continue;
      for (const JsonValue property : member) {
        path_.emplace_back(property.key());
        if (const absl::Status status = ReadProperty(property); !status.ok()) return status;
        path_.pop_back();
      }
    }
    return absl::OkStatus();
  }

  std::vector<HeaderParam> params;

 private:
  absl::Status ReadProperty(JsonValue property) {
    if (!property.is_object()) return absl::OkStatus();
    if (const auto mark = property.Find(kMark)) {
      const auto refuse = [&](std::string_view want) {
        return absl::InvalidArgumentError(absl::StrFormat("`%s` of `%s`: got `%s`, want %s", kMark,
                                                          EscapeForPeople(path_.back(), 128),
                                                          EscapeForPeople(mark->raw(), 128), want));
      };
      const std::string_view name = TextOf(mark);
      if (name.empty() || name.size() > kMaxHeaderParamBytes ||
          !std::all_of(name.begin(), name.end(), IsTokenCharacter)) {
        return refuse("the name of a header");
      }
      const std::string_view type = TextOf(property.Find("type"));
      if (type != "string" && type != "integer" && type != "boolean") {
        return refuse("one of a property of type string, integer or boolean");
      }
      const std::string header = std::string(kHeaderPrefix) + std::string(name);
      for (const HeaderParam& other : params) {
        if (AsciiLower(other.header) == AsciiLower(header)) return refuse("one that occurs once");
      }
      if (params.size() >= kMaxHeaderParams) return refuse("fewer of them");
      params.push_back({.header = header, .path = path_});
    }
    return Read(property);
  }

  std::vector<std::string> path_;
};

}  // namespace

absl::StatusOr<std::vector<HeaderParam>> HeaderParamsOf(const std::optional<JsonValue>& schema) {
  if (!schema || !schema->is_object() || schema->raw().find(kMark) == std::string_view::npos) {
    return std::vector<HeaderParam>();
  }
  SchemaReader reader;
  if (absl::Status status = reader.Read(*schema); !status.ok()) return status;
  // An argument may have the mark's own name.
  size_t named = 0;
  const auto properties = schema->Find("properties");
  if (properties && properties->Find(kMark)) ++named;
  if (CountMarks(*schema) != reader.params.size() + named) {
    return absl::InvalidArgumentError(
        absl::StrFormat("`%s`: got one that `properties` alone do not lead to", kMark));
  }
  return std::move(reader.params);
}

std::optional<std::string> HeaderParamValue(const std::optional<JsonValue>& arguments,
                                            const HeaderParam& param) {
  std::optional<JsonValue> value = arguments;
  for (const std::string& step : param.path) value = Member(value, step);
  if (!value) return std::nullopt;
  switch (value->kind()) {
    case JsonKind::kString:
      return std::string(value->string());
    case JsonKind::kBool:
      return value->boolean() ? "true" : "false";
    case JsonKind::kNumber: {
      const auto number = value->integer();
      // Anything else is no argument of this type: the server says so.
      if (!number || *number > kMaxSafeInteger || *number < -kMaxSafeInteger) return std::nullopt;
      return std::to_string(*number);
    }
    case JsonKind::kNull:
    case JsonKind::kArray:
    case JsonKind::kObject:
      return std::nullopt;
  }
  return std::nullopt;
}

bool HeaderParamAgrees(std::string_view header, std::string_view body) {
  if (header == body) return true;
  int64_t number = 0;
  if (!absl::SimpleAtoi(AsAbsl(body), &number) || std::to_string(number) != body) return false;
  // `42.0` is 42.
  const size_t dot = header.find('.');
  if (dot == std::string_view::npos || dot + 1 == header.size()) return false;
  const std::string_view fraction = header.substr(dot + 1);
  return header.substr(0, dot) == body &&
         std::all_of(fraction.begin(), fraction.end(), [](char c) { return c == '0'; });
}

std::string EncodeHeaderValue(std::string_view value) {
  const bool is_plain =
      !value.empty() && value.front() != ' ' && value.back() != ' ' && !IsEncoded(value) &&
      std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; });
  if (is_plain) return std::string(value);
  return std::string(kBase64Begin) + absl::Base64Escape(AsAbsl(value)) + std::string(kBase64End);
}

std::optional<std::string> DecodeHeaderValue(std::string_view value) {
  if (!IsEncoded(value)) return std::string(value);
  value.remove_prefix(kBase64Begin.size());
  value.remove_suffix(kBase64End.size());
  std::string decoded;
  if (!absl::Base64Unescape(AsAbsl(value), &decoded)) return std::nullopt;
  return decoded;
}

}  // namespace bridgekeeper::bridge
