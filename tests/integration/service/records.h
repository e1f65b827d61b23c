// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Messages that the tests of the services send.

#ifndef BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RECORDS_H_
#define BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RECORDS_H_

#include <optional>
#include <string>

#include "bridgekeeper/v1/catalog_service.pb.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "proto/convert/convert.h"
#include "store/testing/samples.h"

namespace bridgekeeper::tests {

inline v1::PutPolicyRequest PutRequest(const McpPolicy& policy,
                                       std::optional<int64_t> expected_revision) {
  v1::PutPolicyRequest request;
  *request.mutable_policy() = convert::ToProto(policy);
  if (expected_revision) request.mutable_options()->set_expected_revision(*expected_revision);
  return request;
}

inline v1::PutPolicyRequest PutRequest(const std::string& app, Mode mode,
                                       std::optional<int64_t> expected_revision) {
  return PutRequest(store::SamplePolicy(app, mode), expected_revision);
}

inline v1::ToolCall CallOf(const std::string& app, const std::string& tool,
                           std::optional<std::string> connection = std::nullopt) {
  v1::ToolCall call;
  call.set_app(app);
  call.set_tool(tool);
  if (connection) call.set_connection_id(*connection);
  return call;
}

}  // namespace bridgekeeper::tests

#endif  // BRIDGEKEEPER_TESTS_INTEGRATION_SERVICE_RECORDS_H_
