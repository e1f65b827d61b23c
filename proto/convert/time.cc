// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "proto/convert/convert.h"

namespace bridgekeeper::convert {
namespace {

// What the messages can hold: google/protobuf/duration.proto (10,000 years) and
// timestamp.proto (years 1 to 9999).
constexpr int64_t kMaxDurationSeconds = 315'576'000'000;
constexpr int64_t kMinTimeSeconds = -62'135'596'800;
constexpr int64_t kMaxTimeSeconds = 253'402'300'799;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

}  // namespace

google::protobuf::Duration ToProto(absl::Duration duration) {
  const absl::Duration limit = absl::Seconds(kMaxDurationSeconds);
  duration = std::clamp(duration, -limit, limit);
  google::protobuf::Duration out;
  absl::Duration rest;
  out.set_seconds(absl::IDivDuration(duration, absl::Seconds(1), &rest));
  out.set_nanos(static_cast<int32_t>(absl::ToInt64Nanoseconds(rest)));
  return out;
}

absl::Duration FromProto(const google::protobuf::Duration& duration) {
  return absl::Seconds(duration.seconds()) + absl::Nanoseconds(duration.nanos());
}

google::protobuf::Timestamp ToProto(absl::Time time) {
  const absl::Time earliest = absl::FromUnixSeconds(kMinTimeSeconds);
  const absl::Time latest =
      absl::FromUnixSeconds(kMaxTimeSeconds) + absl::Nanoseconds(kNanosPerSecond - 1);
  time = std::clamp(time, earliest, latest);
  google::protobuf::Timestamp out;
  // ToUnixSeconds rounds down, so nanos is never negative, as the message wants.
  const int64_t seconds = absl::ToUnixSeconds(time);
  out.set_seconds(seconds);
  out.set_nanos(
      static_cast<int32_t>(absl::ToInt64Nanoseconds(time - absl::FromUnixSeconds(seconds))));
  return out;
}

absl::Time FromProto(const google::protobuf::Timestamp& time) {
  return absl::FromUnixSeconds(time.seconds()) + absl::Nanoseconds(time.nanos());
}

}  // namespace bridgekeeper::convert
