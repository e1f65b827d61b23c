// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Authorizer says whether a caller may call an RPC. Until identities exist keeperd
// runs with --dev only: on loopback, decisions, reads and reports are open, and
// writes need the admin token.
//
// Thread safety: immutable; safe to share between threads.

#ifndef BRIDGEKEEPER_SERVICE_AUTH_AUTHORIZER_H_
#define BRIDGEKEEPER_SERVICE_AUTH_AUTHORIZER_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "service/auth/rpc_table.h"

namespace bridgekeeper::service {

class Authorizer {
 public:
  // Keeps the token's SHA-256, not the token. nullopt: there is none, and every
  // write is refused.
  explicit Authorizer(std::optional<std::string_view> admin_token);

  bool has_admin_token() const { return admin_digest_.has_value(); }

  // `token`: what the caller sent as `authorization: Bearer TOKEN`; nullopt: nothing.
  //
  // Errors:
  //   kUnauthenticated  - a token is needed and none, or a wrong one, was sent.
  //   kPermissionDenied - a token is needed and this server has none.
  absl::Status Check(Access access, std::optional<std::string_view> token) const;

 private:
  std::optional<std::array<uint8_t, 32>> admin_digest_;
};

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_AUTH_AUTHORIZER_H_
