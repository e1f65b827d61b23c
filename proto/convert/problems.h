// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Problems collects everything that is wrong with one message, so that its sender
// hears of all of it at once. Costs nothing while there is nothing to say.
//
// Thread safety: none; lives on the stack of one conversion.

#ifndef BRIDGEKEEPER_PROTO_CONVERT_PROBLEMS_H_
#define BRIDGEKEEPER_PROTO_CONVERT_PROBLEMS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace bridgekeeper::convert {

class Problems {
 public:
  // Problems that are written out; the rest are counted. A hostile message could
  // hold ten thousand of them.
  static constexpr size_t kMaxListed = 20;

  // `field` is outside its documented range or form: "got X, want Y".
  void Invalid(std::string_view field, std::string_view what);

  // `field` passes a limit of limits.h, named in the text.
  void OverLimit(std::string_view field, size_t got, size_t limit, std::string_view unit);

  // What parsing a part of `field` answered.
  void Add(std::string_view field, const absl::Status& status);

  // The checks that several messages share.
  void CheckId(std::string_view field, std::string_view id);
  void CheckOptionalId(std::string_view field, std::string_view id);  // empty is fine
  void CheckText(std::string_view field, std::string_view text, size_t max_bytes);
  void CheckDigest(std::string_view field, std::string_view digest);
  // Returns false, with a problem, where there are more than `limit`.
  bool CheckCount(std::string_view field, size_t got, size_t limit);

  bool empty() const { return count_ == 0; }

  // OK where there is none. kResourceExhausted where every problem is a passed
  // limit, else kInvalidArgument.
  absl::Status ToStatus() const;

 private:
  void Append(std::string_view field, std::string_view what);

  std::string text_;
  size_t count_ = 0;
  bool only_limits_ = true;
};

}  // namespace bridgekeeper::convert

#endif  // BRIDGEKEEPER_PROTO_CONVERT_PROBLEMS_H_
