// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// SecretMask takes the credentials of a server's configuration out of what the server says
// that they are wrong with: an error that shows the request it is about would hand them to
// the agent, or to the log.
//
// A server has the credential and can hand it out in a form that nobody sees through. This
// is against the one that means no harm: the value as it was sent, whole or without its
// scheme, however JSON escapes it.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SECRET_MASK_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SECRET_MASK_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "clients/bridge/upstream/http_client.h"
#include "policy/base/json.h"

namespace bridgekeeper::bridge {

// Shortest value that is masked: with a shorter one every text would be full of holes, and
// whoever wants it has tried them all.
inline constexpr size_t kMinSecretBytes = 4;

class SecretMask {
 public:
  // The header fields that are sent from now on. Those before them stay secret: an answer
  // to what was sent with them may be on its way.
  void Add(const HttpFieldList& fields);

  // `text` without them.
  std::string Text(std::string_view text) const;

  // The text of a JSON-RPC message without them in its `error`, `result` and `params`. An
  // object or array below these that has one in a key is masked whole.
  std::string Message(JsonValue envelope) const;

 private:
  bool Has(std::string_view text) const;

  // The longest first, so that none is taken for a part of another. At most kMaxSecrets.
  std::vector<std::string> secrets_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_UPSTREAM_SECRET_MASK_H_
