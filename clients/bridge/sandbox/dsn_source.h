// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DsnSource is where the credential of a connection comes from: a file that is nobody
// else's to change, read again for each session, so that a rotated one is taken up; or a
// variable of the environment.
//
// Thread safety: immutable.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DSN_SOURCE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DSN_SOURCE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "policy/base/secret.h"

namespace bridgekeeper::bridge {

// Largest connection string.
inline constexpr size_t kMaxDsnBytes = 16 << 10;

class DsnSource {
 public:
  static DsnSource File(std::string path) { return {std::move(path), {}}; }
  // Takes over the variable's value as it is now.
  //
  // Errors:
  //   kNotFound - there is no such variable, or it is empty.
  static absl::StatusOr<DsnSource> Variable(const std::string& name);

  // The connection string, without the white space around it.
  //
  // Errors: those of ReadGuardedFile(); kInvalidArgument: it is empty.
  absl::StatusOr<Secret> Read() const;

 private:
  DsnSource(std::string path, Secret value) : path_(std::move(path)), value_(std::move(value)) {}

  std::string path_;  // empty: value_ holds it
  Secret value_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_DSN_SOURCE_H_
