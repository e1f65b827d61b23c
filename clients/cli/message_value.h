// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What keeper prints of a message with -o json and -o yaml: members in snake case,
// enums by their bare names (`ALLOW`), integers as numbers, durations as `5m`, times
// as RFC 3339. Policies, catalogue entries and connections are the documents that
// can be put again.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_MESSAGE_VALUE_H_
#define BRIDGEKEEPER_CLIENTS_CLI_MESSAGE_VALUE_H_

#include <string>

#include "policy/text/value.h"

namespace google::protobuf {
class Message;
class Timestamp;
}  // namespace google::protobuf

namespace bridgekeeper::cli {

// Fields that have no presence are always written, others where they are set.
Value MessageValue(const google::protobuf::Message& message);

// RFC 3339 in UTC, to the second.
std::string TimeText(const google::protobuf::Timestamp& time);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_MESSAGE_VALUE_H_
