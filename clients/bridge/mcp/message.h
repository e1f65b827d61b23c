// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reads one JSON-RPC message of MCP, strictly: what two readers could read
// differently is refused, so that what is judged is what runs.
//
// Refused, besides what JsonDocument refuses anywhere (twin keys, U+0000 in a key, invalid
// UTF-8, a byte order mark, lone surrogates):
//   - anything that is not one object: batches exist in no revision but 2025-03-26,
//     and there too a client need not send one;
//   - in the envelope, in `params` and in its `arguments`, `ref` and `notifications`:
//     two keys that are equal after Unicode simple case folding;
//   - in the envelope and in `params`: a key that folds to one that is read there without
//     being it;
//   - `jsonrpc` other than "2.0", an id that is neither a string nor an integer that every
//     reader keeps apart from its neighbours, or is too long, a `method` that is no string,
//     `params` that is no object, `method` beside `result` or `error`, both or neither of
//     these without `method`.
//
// Numbers elsewhere pass as they are written: nothing is decided by what one is.
//
// Thread safety: free functions and values without shared state.
// Source: JSON-RPC 2.0; MCP 2024-11-05 to 2026-07-28, basic protocol.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_MESSAGE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_MESSAGE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "policy/base/json.h"

namespace bridgekeeper::bridge {

// Error codes. Source: JSON-RPC 2.0 section 5.1; MCP 2026-07-28 leaves -32000 to
// -32019 to implementations.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kOverloaded = -32000;
// What is wrong with a request of 2026-07-28. Source: its error codes.
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;

// The revision whose requests carry all they need.
inline constexpr std::string_view kStatelessVersion = "2026-07-28";

// Deepest nesting of a message.
inline constexpr int kMaxMessageDepth = 128;
// Values in one message: about 56 MB while it is read.
inline constexpr size_t kMaxMessageValues = 1'000'000;

// Members of one object whose keys decide whether a message passes: these are compared
// with each other by what readers may take them for.
inline constexpr size_t kMaxDecisiveKeys = 10'000;

// Longest id, in bytes as it is written.
inline constexpr size_t kMaxIdTokenBytes = 1024;

// Members of `params._meta` that the bridge reads.
inline constexpr std::string_view kMetaPrefix = "io.modelcontextprotocol/";
inline constexpr std::string_view kMetaVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaSubscription = "io.modelcontextprotocol/subscriptionId";

// An id as requests are matched with answers: "7" and 7 differ, `"\u0037"` and "7"
// do not.
using IdKey = std::string;

struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResult, kError };

  // Behind a pointer, so that values stay valid when the message is moved.
  std::unique_ptr<const JsonDocument> document;
  Kind kind = Kind::kRequest;
  // The id as it was written. Empty: none, or null in an error.
  std::string_view id_token;
  IdKey id;
  std::string_view method;          // requests and notifications
  std::optional<JsonValue> params;  // an object where it is there
  std::optional<JsonValue> body;    // `result` or `error`

  // The member `name` of params.
  std::optional<JsonValue> Param(std::string_view name) const;
  // The member `name` of params._meta.
  std::optional<JsonValue> Meta(std::string_view name) const;
};

// Why a message was refused.
struct Refusal {
  int code = kInvalidRequest;
  std::string message;  // text of the message escaped
  // The id of the message as far as it could be made out; empty: it could not.
  std::string id_token;
  IdKey id;
  // Whether it seems to be a request or notification rather than an answer.
  bool has_method = false;
};

std::variant<Message, Refusal> ReadMessage(std::string_view line);

// What can be made out of a message that is not read: its id, where the text begins
// like an object that has exactly one, and whether it names a method. The text may
// be cut at its end.
struct Outline {
  std::string_view id_token;
  IdKey id;
  bool has_method = false;
  bool complete = false;  // the object ends, and the text with it
};
Outline OutlineOf(std::string_view text);

// The id at the end of a message whose beginning is gone: some servers write it
// last. Empty where there is none.
std::string_view IdAtEnd(std::string_view text);

// The largest integer that readers with doubles keep apart from the next one. Source: RFC
// 7493 section 2.2.
inline constexpr int64_t kMaxExactInteger = (int64_t{1} << 53) - 1;

// The key of an id, or of its token; nullopt where it is neither a string without U+0000 nor
// an integer of at most kMaxExactInteger in magnitude, or longer than kMaxIdTokenBytes.
std::optional<IdKey> KeyOfId(JsonValue id);
std::optional<IdKey> KeyOfIdToken(std::string_view token);

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_MESSAGE_H_
