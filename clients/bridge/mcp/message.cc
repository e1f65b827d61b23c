// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/message.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/fold.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// Keys that the envelope or `params` is read by, as folding leaves them.
constexpr std::string_view kReservedKeys[] = {"jsonrpc", "id",   "method",    "params", "result",
                                              "error",   "name", "arguments", "_meta",  "task",
                                              "uri",     "ref",  "cursor"};
constexpr size_t kMaxQuotedBytes = 64;

// Members of `params` that are objects and decide whether a message passes.
struct DecisiveParam {
  std::string_view name;
  std::string_view where;
};
constexpr DecisiveParam kDecisiveParams[] = {
    {"arguments", "`arguments`"}, {"ref", "`ref`"}, {"notifications", "`notifications`"}};

// True where folding leaves `key` as it is. Nearly every key of the protocol is of
// this kind or has capitals of ASCII.
bool IsLowerAscii(std::string_view key) {
  return std::all_of(key.begin(), key.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x80 && (c < 'A' || c > 'Z');
  });
}

// Says what is wrong with the keys of `object`; empty: nothing.
std::string KeyProblem(std::string_view where, JsonValue object, bool has_reserved_keys) {
  if (object.size() > kMaxDecisiveKeys) {
    return absl::StrFormat("%s: got %d members, want at most %d", where, object.size(),
                           kMaxDecisiveKeys);
  }
  bool folds_nothing = true;
  for (const JsonValue member : object) folds_nothing = folds_nothing && IsLowerAscii(member.key());
  // Twins that folding does not make were refused when the text was read.
  if (folds_nothing) return "";
  std::vector<std::string> folded;
  folded.reserve(object.size());
  for (const JsonValue member : object) {
    const std::string_view key = member.key();
    if (IsLowerAscii(key)) {
      folded.emplace_back(key);
      continue;
    }
    folded.push_back(SimpleFold(key));
    const bool is_disguised =
        has_reserved_keys && std::find(std::begin(kReservedKeys), std::end(kReservedKeys),
                                       folded.back()) != std::end(kReservedKeys);
    if (is_disguised && folded.back() != key) {
      return absl::StrFormat("%s: got the key `%s`, which some readers take for `%s`", where,
                             EscapeForPeople(key, kMaxQuotedBytes), folded.back());
    }
  }
  std::sort(folded.begin(), folded.end());
  const auto twin = std::adjacent_find(folded.begin(), folded.end());
  if (twin == folded.end()) return "";
  return absl::StrFormat("%s: got two keys that are equal but for case, `%s`", where,
                         EscapeForPeople(*twin, kMaxQuotedBytes));
}

// Says what is wrong with the members of an envelope; empty: nothing. Fills what of
// `message` is right.
std::string EnvelopeProblem(JsonValue envelope, Message& message) {
  const auto version = envelope.Find("jsonrpc");
  if (!version || !version->is_string() || version->string() != "2.0") {
    return "`jsonrpc`: want \"2.0\"";
  }
  const auto method = envelope.Find("method");
  const auto result = envelope.Find("result");
  const auto error = envelope.Find("error");
  if (const auto id = envelope.Find("id")) {
    auto key = KeyOfId(*id);
    if (key) {
      message.id_token = id->raw();
      message.id = *std::move(key);
    } else if (!(id->is_null() && error)) {
      return absl::StrFormat(
          "`id`: want a string without U+0000 of at most %d bytes, or an integer from -(2^53-1) to "
          "2^53-1",
          kMaxIdTokenBytes);
    }
  }

  if (method) {
    if (result || error) return "got `method` beside `result` or `error`";
    if (!method->is_string()) return "`method`: want a string";
    message.method = method->string();
    message.params = envelope.Find("params");
    if (message.params && !message.params->is_object()) return "`params`: want an object";
    message.kind = message.id.empty() ? Message::Kind::kNotification : Message::Kind::kRequest;
    return "";
  }
  if (!result && !error) return "got none of `method`, `result` and `error`";
  if (result && error) return "got both `result` and `error`";
  if (error && !error->is_object()) return "`error`: want an object";
  message.kind = result ? Message::Kind::kResult : Message::Kind::kError;
  message.body = result ? result : error;
  if (result && message.id.empty()) return "got `result` without `id`";
  return "";
}

std::string Problem(Message& message) {
  const JsonValue envelope = message.document->root();
  if (envelope.is_array()) return "got an array: a message is sent by itself, not in a batch";
  if (!envelope.is_object()) return "want an object";
  if (std::string problem = KeyProblem("message", envelope, true); !problem.empty()) {
    return problem;
  }
  if (std::string problem = EnvelopeProblem(envelope, message); !problem.empty()) return problem;
  if (!message.params) return "";
  if (std::string problem = KeyProblem("`params`", *message.params, true); !problem.empty()) {
    return problem;
  }
  // Decided by what is in them: a call by its arguments, a completion by its `ref`, a
  // subscription by its `notifications`.
  for (const auto& [name, where] : kDecisiveParams) {
    const auto param = message.Param(name);
    if (!param || !param->is_object()) continue;
    if (std::string problem = KeyProblem(where, *param, false); !problem.empty()) return problem;
  }
  return "";
}

// Walks over JSON without judging it.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  char Peek() {
    while (at_ < text_.size() && IsJsonSpace(text_[at_])) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  // Whether nothing but white space is left. A NUL is something.
  bool AtEnd() {
    Peek();
    return at_ == text_.size();
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }
  // The next string with its quotes, or empty where none is whole.
  std::string_view String() {
    if (Peek() != '"') return {};
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) return {};
    ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // The next value as it is written, or empty where it is not whole.
  std::string_view Value() {
    const char first = Peek();
    const size_t begin = at_;
    if (first == '"') return String();
    if (first != '{' && first != '[') {
      while (at_ < text_.size() && !IsJsonSpace(text_[at_]) && text_[at_] != ',' &&
             text_[at_] != '}' && text_[at_] != ']') {
        ++at_;
      }
      return at_ < text_.size() ? text_.substr(begin, at_ - begin) : std::string_view();
    }
    size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (String().empty()) return {};
        continue;
      }
      ++at_;
      if (c == '{' || c == '[') ++depth;
      if ((c == '}' || c == ']') && --depth == 0) return text_.substr(begin, at_ - begin);
    }
    return {};
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::optional<JsonValue> Message::Param(std::string_view name) const {
  return params ? params->Find(name) : std::nullopt;
}

std::optional<JsonValue> Message::Meta(std::string_view name) const {
  const auto meta = Param("_meta");
  return meta ? meta->Find(name) : std::nullopt;
}

std::optional<IdKey> KeyOfId(JsonValue id) {
  if (id.raw().size() > kMaxIdTokenBytes) return std::nullopt;
  if (id.is_string()) {
    // One who keeps it as a C string answers with what is before it.
    if (id.string().find('\0') != std::string_view::npos) return std::nullopt;
    return "s" + std::string(id.string());
  }
  const auto number = id.is_number() ? id.integer() : std::nullopt;
  if (!number || *number > kMaxExactInteger || *number < -kMaxExactInteger) return std::nullopt;
  return "n" + std::to_string(*number);
}

std::optional<IdKey> KeyOfIdToken(std::string_view token) {
  const auto document = JsonDocument::Parse(token, {.max_depth = 0, .max_values = 1});
  return document.ok() ? KeyOfId(document->root()) : std::nullopt;
}

Outline OutlineOf(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Walker walker(text);
  Outline outline;
  if (!walker.Take('{')) return outline;
  int ids = 0;
  if (!walker.Take('}')) {
    do {
      const std::string_view key = walker.String();
      if (key.empty() || !walker.Take(':')) return ids > 1 ? Outline{} : outline;
      const std::string_view value = walker.Value();
      if (key == "\"method\"") outline.has_method = true;
      if (key == "\"id\"") {
        ++ids;
        const auto id = KeyOfIdToken(value);
        outline.id_token = id && ids == 1 ? value : std::string_view();
        outline.id = id && ids == 1 ? *id : IdKey();
      }
      if (value.empty()) return outline;
    } while (walker.Take(','));
    if (!walker.Take('}')) return outline;
  }
  outline.complete = walker.AtEnd();
  return outline;
}

std::string_view IdAtEnd(std::string_view text) {
  constexpr std::string_view kKey = "\"id\"";
  const size_t found = text.rfind(kKey);
  if (found == std::string_view::npos) return {};
  Walker walker(text.substr(found + kKey.size()));
  if (!walker.Take(':')) return {};
  const std::string_view token = walker.Value();
  // Whatever may follow, it is no deeper: an id inside the result has more behind it.
  if (!walker.Take('}') || !walker.AtEnd()) return {};
  return KeyOfIdToken(token) ? token : std::string_view();
}

std::variant<Message, Refusal> ReadMessage(std::string_view line) {
  const auto refuse = [&](int code, std::string why) {
    Outline outline = OutlineOf(line);
    return Refusal{code, std::move(why), std::string(outline.id_token), std::move(outline.id),
                   outline.has_method};
  };
  auto document =
      JsonDocument::Parse(line, {.max_depth = kMaxMessageDepth, .max_values = kMaxMessageValues});
  if (!document.ok()) {
    // What looks like a whole object was refused for what is in it.
    const int code = OutlineOf(line).complete ? kInvalidRequest : kParseError;
    return refuse(code, std::string(document.status().message()));
  }
  Message message{.document = std::make_unique<JsonDocument>(*std::move(document))};
  std::string problem = Problem(message);
  if (!problem.empty()) return refuse(kInvalidRequest, std::move(problem));
  return message;
}

}  // namespace bridgekeeper::bridge
