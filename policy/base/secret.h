// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Secret holds a token, a key or a password, and prints as "***" wherever it is
// printed. Reveal() is the one way out, so that a search finds every use.

#ifndef BRIDGEKEEPER_POLICY_BASE_SECRET_H_
#define BRIDGEKEEPER_POLICY_BASE_SECRET_H_

#include <ostream>
#include <string>
#include <utility>

namespace bridgekeeper {

class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}

  const std::string& Reveal() const { return value_; }
  bool empty() const { return value_.empty(); }

  friend std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

 private:
  std::string value_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_SECRET_H_
