// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/engine/payload.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "policy/base/ascii.h"

namespace bridgekeeper::internal {
namespace {

constexpr std::string_view kNameBytes =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";

// A template is written by people and at most 1,024 bytes long.
constexpr JsonLimits kTemplateLimits = {.max_depth = 16};
// The arguments were bounded when they were read, and a template adds little.
constexpr JsonLimits kFilledLimits = {.max_depth = 512, .max_values = SIZE_MAX};

// Reads `{name}`, in an object also `{name?}`, `{name:json}` and `{name:json?}`, at the
// start of `text`; the bytes that it takes are returned, 0 where there is none.
size_t ReadArgument(std::string_view text, bool in_object, TemplatePiece& piece) {
  if (!text.starts_with('{')) return 0;
  size_t at = text.find_first_not_of(kNameBytes, 1);
  if (at == std::string_view::npos || at == 1) return 0;
  piece = {.is_argument = true, .text = std::string(text.substr(1, at - 1))};
  const auto take = [&](std::string_view word) {
    const bool found = in_object && text.substr(at).starts_with(word);
    if (found) at += word.size();
    return found;
  };
  piece.json = take(":json");
  piece.optional = take("?");
  return text.substr(at).starts_with('}') ? at + 1 : 0;
}

std::vector<TemplatePiece> PiecesOf(std::string_view text, bool in_object) {
  std::vector<TemplatePiece> pieces;
  std::string literal;
  const auto flush = [&] {
    if (!literal.empty()) pieces.push_back({.text = std::exchange(literal, {})});
  };
  for (size_t at = 0; at < text.size();) {
    TemplatePiece piece;
    if (const size_t size = ReadArgument(text.substr(at), in_object, piece)) {
      flush();
      pieces.push_back(std::move(piece));
      at += size;
    } else {
      literal += text[at++];
    }
  }
  flush();
  return pieces;
}

bool IsOneArgument(const std::vector<TemplatePiece>& pieces) {
  return pieces.size() == 1 && pieces[0].is_argument;
}

void CollectArguments(JsonValue value, std::vector<TemplatePiece>& arguments) {
  if (value.is_string()) {
    for (TemplatePiece& piece : PiecesOf(value.string(), true)) {
      if (piece.is_argument) arguments.push_back(std::move(piece));
    }
  }
  for (const JsonValue inner : value) CollectArguments(inner, arguments);
}

// Everything but RFC 3986's unreserved characters, so that what an argument holds is
// part of one segment and nothing else.
void AppendPercentEncoded(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  for (const char c : text) {
    const bool unreserved = IsAsciiAlnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
    if (unreserved) {
      out += c;
    } else {
      const auto byte = static_cast<uint8_t>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
}

// Fills an object template; `out` grows by whole JSON values only.
class ObjectFiller {
 public:
  explicit ObjectFiller(JsonValue arguments) : arguments_(arguments) {}

  enum class Result { kWritten, kLeftOut, kMissing };

  Result Write(JsonValue value, std::string& out) const {
    if (value.is_string()) return WriteString(value.string(), out);
    if (value.is_object() || value.is_array()) return WriteContainer(value, out);
    out += value.raw();
    return Result::kWritten;
  }

 private:
  // Absent and null are the same to most readers of arguments.
  std::optional<JsonValue> Find(const TemplatePiece& piece) const {
    const auto found = arguments_.Find(piece.text);
    return found && !found->is_null() ? found : std::nullopt;
  }

  static Result Absent(const TemplatePiece& piece) {
    return piece.optional ? Result::kLeftOut : Result::kMissing;
  }

  Result WriteString(std::string_view text, std::string& out) const {
    const auto pieces = PiecesOf(text, true);
    if (IsOneArgument(pieces)) return WriteArgument(pieces[0], out);
    std::string filled;
    const bool done = text.starts_with('/') ? FillPath(text, filled) : Fill(pieces, filled);
    if (!done) return Result::kMissing;
    AppendJsonString(filled, out);
    return Result::kWritten;
  }

  Result WriteArgument(const TemplatePiece& piece, std::string& out) const {
    const auto argument = Find(piece);
    if (!argument) return Absent(piece);
    if (!piece.json || !argument->is_string()) {
      out += argument->raw();
      return Result::kWritten;
    }
    const auto inner = JsonText::Parse(std::string(argument->string()), {});
    if (inner == nullptr) return Result::kMissing;
    out += inner->document->root().raw();
    return Result::kWritten;
  }

  // Text around arguments, which are strings; false: one is missing.
  bool Fill(const std::vector<TemplatePiece>& pieces, std::string& out) const {
    for (const TemplatePiece& piece : pieces) {
      if (!piece.is_argument) {
        out += piece.text;
        continue;
      }
      const auto argument = Find(piece);
      if (!argument && piece.optional) continue;
      if (!argument || !argument->is_string()) return false;
      out += argument->string();
    }
    return true;
  }

  // A path: arguments are percent-encoded, and a segment whose optional argument is
  // absent is left out.
  bool FillPath(std::string_view text, std::string& out) const {
    while (!text.empty()) {  // each round takes a `/` and its segment
      const size_t end = std::min(text.find('/', 1), text.size());
      std::string segment = "/";
      bool left_out = false;
      for (const TemplatePiece& piece : PiecesOf(text.substr(1, end - 1), true)) {
        if (!piece.is_argument) {
          segment += piece.text;
          continue;
        }
        const auto argument = Find(piece);
        left_out |= !argument && piece.optional;
        if (!argument && piece.optional) continue;
        if (!argument || !argument->is_string()) return false;
        AppendPercentEncoded(argument->string(), segment);
      }
      // A query is no part of its segment: it cannot be left out with it.
      if (left_out && segment.find('?') != std::string::npos) return false;
      if (!left_out) out += segment;
      text.remove_prefix(end);
    }
    return true;
  }

  Result WriteContainer(JsonValue value, std::string& out) const {
    out += value.is_object() ? '{' : '[';
    bool first = true;
    for (const JsonValue inner : value) {
      const size_t before = out.size();
      if (!first) out += ',';
      if (value.is_object()) {
        AppendJsonString(inner.key(), out);
        out += ':';
      }
      const Result result = Write(inner, out);
      if (result == Result::kMissing) return result;
      if (result == Result::kLeftOut) {
        out.resize(before);
      } else {
        first = false;
      }
    }
    out += value.is_object() ? '}' : ']';
    return Result::kWritten;
  }

  JsonValue arguments_;
};

std::optional<Payload> FillObject(JsonValue object, JsonValue arguments) {
  std::string text;
  if (ObjectFiller(arguments).Write(object, text) != ObjectFiller::Result::kWritten) {
    return std::nullopt;
  }
  auto made = JsonText::Parse(std::move(text), kFilledLimits);
  if (made == nullptr) return std::nullopt;
  const JsonValue root = made->document->root();
  return Payload{.text = {}, .object = root, .made = std::move(made)};
}

}  // namespace

std::unique_ptr<const JsonText> JsonText::Parse(std::string text, const JsonLimits& limits) {
  auto owned = std::make_unique<JsonText>();
  owned->text = std::move(text);
  auto document = JsonDocument::Parse(owned->text, limits);
  if (!document.ok()) return nullptr;
  owned->document = *std::move(document);
  return owned;
}

PayloadTemplate::PayloadTemplate(std::string_view text) {
  auto json = JsonText::Parse(std::string(text), kTemplateLimits);
  if (json != nullptr && json->document->root().is_object()) {
    form_ = Form::kObject;
    object_ = std::move(json);
    CollectArguments(object(), pieces_);
    return;
  }
  pieces_ = PiecesOf(text, false);
  if (text.empty()) form_ = Form::kNothing;
  if (IsOneArgument(pieces_)) form_ = Form::kArgument;
}

bool PayloadTemplate::Takes(std::string_view argument) const {
  return std::any_of(pieces_.begin(), pieces_.end(), [&](const TemplatePiece& piece) {
    return piece.is_argument && piece.text == argument;
  });
}

std::optional<std::string_view> FirstUnknownArgument(const CatalogEntry& entry,
                                                     const PayloadTemplate& payload,
                                                     JsonValue arguments) {
  const auto& harmless = entry.payload_rule->harmless_arguments;
  for (const JsonValue argument : arguments) {
    const std::string_view name = argument.key();
    const bool is_connection =
        !entry.connection_argument.empty() && name == entry.connection_argument;
    if (!is_connection && !payload.Takes(name) && !harmless.contains(std::string(name)))
      return name;
  }
  return std::nullopt;
}

std::optional<Payload> PayloadOf(JsonValue value) {
  if (value.is_string()) return Payload{.text = std::string(value.string())};
  if (value.is_object()) return Payload{.object = value};
  return std::nullopt;
}

std::optional<Payload> FillTemplate(const PayloadTemplate& payload, JsonValue arguments) {
  if (payload.form() == PayloadTemplate::Form::kObject) {
    return FillObject(payload.object(), arguments);
  }
  if (payload.form() == PayloadTemplate::Form::kArgument) {
    const auto argument = arguments.Find(payload.pieces()[0].text);
    return argument ? PayloadOf(*argument) : std::nullopt;
  }
  Payload filled;
  for (const TemplatePiece& piece : payload.pieces()) {
    if (!piece.is_argument) {
      filled.text += piece.text;
      continue;
    }
    const auto argument = arguments.Find(piece.text);
    if (!argument || !argument->is_string()) return std::nullopt;
    filled.text += argument->string();
  }
  return filled;
}

bool SamePayload(const Payload& a, const Payload& b) {
  if (a.object.has_value() != b.object.has_value()) return false;
  return a.object ? CanonicalJson(*a.object) == CanonicalJson(*b.object) : a.text == b.text;
}

}  // namespace bridgekeeper::internal
