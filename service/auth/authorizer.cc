// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/auth/authorizer.h"

#include <cstddef>

#include "runtime/sha256.h"

namespace bridgekeeper::service {
namespace {

// Looks at every byte whatever it finds, and compares digests: neither the time nor
// the place of the first difference says anything about the token.
bool Equal(const std::array<uint8_t, 32>& a, const std::array<uint8_t, 32>& b) {
  unsigned difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Authorizer::Authorizer(std::optional<std::string_view> admin_token) {
  if (admin_token) admin_digest_ = Sha256(*admin_token);
}

absl::Status Authorizer::Check(Access access, std::optional<std::string_view> token) const {
  switch (access) {
    case Access::kDecide:
    case Access::kReport:
    case Access::kRead:
      return absl::OkStatus();
    case Access::kWrite:
      break;
  }
  if (!admin_digest_) {
    return absl::PermissionDeniedError(
        "writes are refused: this server was started with neither a terminal to print an admin "
        "token to nor `KEEPER_TOKEN` in its environment; start it with one of them");
  }
  if (!token) {
    return absl::UnauthenticatedError(
        "writes need the admin token that keeperd printed to its terminal at the start; set "
        "`KEEPER_TOKEN` to it");
  }
  if (!Equal(Sha256(*token), *admin_digest_)) {
    return absl::UnauthenticatedError(
        "the token is not the admin token of this server; a new one is made at each start that "
        "has no `KEEPER_TOKEN`");
  }
  return absl::OkStatus();
}

}  // namespace bridgekeeper::service
