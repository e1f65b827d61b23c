// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <map>
#include <set>
#include <string>

#include "bridgekeeper/v1/bridge_service.pb.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "bridgekeeper/v1/server_service.pb.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "service/auth/authorizer.h"
#include "service/auth/rpc_table.h"

namespace bridgekeeper::service {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RpcType TypeOf(const google::protobuf::MethodDescriptor& method) {
  if (method.client_streaming()) return RpcType::kBidiStream;
  return method.server_streaming() ? RpcType::kServerStream : RpcType::kUnary;
}

// Every service of the package, as the compiler saw it.
std::map<std::string, RpcType> MethodsOfThePackage() {
  std::map<std::string, RpcType> methods;
  for (const google::protobuf::FileDescriptor* file :
       {v1::GetPolicyRequest::descriptor()->file(), v1::ToolCall::descriptor()->file(),
        v1::CatalogRecord::descriptor()->file(), v1::ConnectionInfo::descriptor()->file(),
        v1::Bridge::descriptor()->file(), v1::BackupRequest::descriptor()->file()}) {
    EXPECT_EQ(file->package(), kProtoPackage);
    EXPECT_GE(file->service_count(), 1) << file->name();
    for (int s = 0; s < file->service_count(); ++s) {
      const auto* service = file->service(s);
      for (int m = 0; m < service->method_count(); ++m) {
        methods[service->name() + "/" + service->method(m)->name()] = TypeOf(*service->method(m));
      }
    }
  }
  return methods;
}

TEST(RpcTableTest, HasOneRowForEveryRpcAndNoOther) {
  std::map<std::string, RpcType> rows;
  for (const RpcRow& row : RpcTable()) {
    EXPECT_TRUE(
        rows.emplace(std::string(row.service) + "/" + std::string(row.method), row.type).second)
        << row.method;
    EXPECT_EQ(RowOf(row.rpc).method, row.method);
  }
  EXPECT_EQ(rows, MethodsOfThePackage());
}

// What changes something, by its name, must not be open by an oversight.
TEST(RpcTableTest, RpcsThatChangeSomethingNeedTheRightToWrite) {
  const std::set<std::string> verbs = {"Put",     "BatchPut", "Delete", "Rollback",
                                       "Suspend", "Resume",   "Backup"};
  for (const RpcRow& row : RpcTable()) {
    bool changes = false;
    for (const std::string& verb : verbs) changes |= row.method.substr(0, verb.size()) == verb;
    EXPECT_EQ(row.access == Access::kWrite, changes) << row.method;
  }
}

TEST(AuthorizerTest, DecisionsReadsAndReportsAreOpen) {
  const Authorizer with_token("secret");
  const Authorizer without_token(std::nullopt);
  for (const Access access : {Access::kDecide, Access::kReport, Access::kRead}) {
    EXPECT_THAT(with_token.Check(access, std::nullopt), IsOk());
    EXPECT_THAT(with_token.Check(access, "wrong"), IsOk());
    EXPECT_THAT(without_token.Check(access, std::nullopt), IsOk());
  }
}

TEST(AuthorizerTest, WritesNeedTheToken) {
  const Authorizer authorizer("secret");
  EXPECT_THAT(authorizer.Check(Access::kWrite, "secret"), IsOk());
  EXPECT_THAT(authorizer.Check(Access::kWrite, std::nullopt),
              StatusIs(absl::StatusCode::kUnauthenticated, HasSubstr("KEEPER_TOKEN")));
  for (const char* wrong : {"", "Secret", "secret ", "secre", "secrett"}) {
    EXPECT_THAT(authorizer.Check(Access::kWrite, wrong),
                StatusIs(absl::StatusCode::kUnauthenticated, Not(HasSubstr("secret"))))
        << wrong;
  }
}

TEST(AuthorizerTest, WithoutATokenEveryWriteIsRefusedAndSaysWhatToDo) {
  const Authorizer authorizer(std::nullopt);
  for (const std::optional<std::string_view> token :
       {std::optional<std::string_view>(), std::optional<std::string_view>(""),
        std::optional<std::string_view>("anything")}) {
    EXPECT_THAT(authorizer.Check(Access::kWrite, token),
                StatusIs(absl::StatusCode::kPermissionDenied, HasSubstr("KEEPER_TOKEN")));
  }
}

}  // namespace
}  // namespace bridgekeeper::service
