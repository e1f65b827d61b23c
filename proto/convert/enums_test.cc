// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <cctype>
#include <string>

#include "google/protobuf/descriptor.h"
#include "gtest/gtest.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::convert {
namespace {

// A number that no version of the wire has given a meaning.
constexpr int kFromTheFuture = 77;

// Every model value has a wire value of the same name, and comes back from it.
template <typename Model, typename Wire>
void ExpectSameNames(const std::string& prefix) {
  const google::protobuf::EnumDescriptor* wire = google::protobuf::GetEnumDescriptor<Wire>();
  const auto names = NamesOf<Model>();
  for (size_t i = 0; i < names.size(); ++i) {
    const Wire value = ToProto(static_cast<Model>(i));
    const auto* descriptor = wire->FindValueByNumber(value);
    ASSERT_NE(descriptor, nullptr) << prefix << names[i];
    EXPECT_EQ(descriptor->name(), prefix + std::string(names[i]));
    EXPECT_EQ(FromProto(value), static_cast<Model>(i)) << descriptor->name();
  }
}

TEST(EnumsTest, BothSidesHaveTheSameNames) {
  ExpectSameNames<Verdict, v1::Verdict>("VERDICT_");
  ExpectSameNames<Risk, v1::Risk>("RISK_");
  ExpectSameNames<Action, v1::Action>("ACTION_");
  ExpectSameNames<Mode, v1::Mode>("MODE_");
  ExpectSameNames<AskMode, v1::AskMode>("ASK_MODE_");
  ExpectSameNames<UnreviewedTools, v1::UnreviewedTools>("UNREVIEWED_TOOLS_");
  ExpectSameNames<Pinning, v1::Pinning>("PINNING_");
  ExpectSameNames<Passage, v1::Passage>("PASSAGE_");
  ExpectSameNames<ReasonCode, v1::ReasonCode>("REASON_CODE_");
}

TEST(EnumsTest, NeedsConnectionComesBack) {
  for (const NeedsConnection value :
       {NeedsConnection::kUnknown, NeedsConnection::kYes, NeedsConnection::kNo}) {
    EXPECT_EQ(FromProto(ToProto(value)), value) << Name(value);
  }
  EXPECT_EQ(ToProto(NeedsConnection::kYes), v1::NEEDS_CONNECTION_YES);
  EXPECT_EQ(ToProto(NeedsConnection::kNo), v1::NEEDS_CONNECTION_NO);
}

TEST(EnumsTest, UnsetAndUnknownValuesReadAsTheStrictest) {
  for (const int number : {0, kFromTheFuture, -1}) {
    SCOPED_TRACE(number);
    EXPECT_EQ(FromProto(static_cast<v1::Verdict>(number)), Verdict::kDeny);
    EXPECT_EQ(FromProto(static_cast<v1::Risk>(number)), Risk::kDestructive);
    EXPECT_EQ(FromProto(static_cast<v1::Mode>(number)), Mode::kReadOnly);
    EXPECT_EQ(FromProto(static_cast<v1::AskMode>(number)), AskMode::kApproval);
    EXPECT_EQ(FromProto(static_cast<v1::UnreviewedTools>(number)), UnreviewedTools::kDeny);
    EXPECT_EQ(FromProto(static_cast<v1::Pinning>(number)), Pinning::kEnforce);
    EXPECT_EQ(FromProto(static_cast<v1::ReasonCode>(number)), ReasonCode::kUnspecified);
    EXPECT_EQ(FromProto(static_cast<v1::Action>(number)), std::nullopt);
  }
  EXPECT_EQ(FromProto(static_cast<v1::Passage>(kFromTheFuture)), Passage::kDeny);
  EXPECT_EQ(FromProto(v1::PASSAGE_UNSPECIFIED), std::nullopt);
  EXPECT_EQ(FromProto(static_cast<v1::NeedsConnection>(kFromTheFuture)), NeedsConnection::kYes);
  EXPECT_EQ(FromProto(v1::NEEDS_CONNECTION_UNSPECIFIED), NeedsConnection::kUnknown);
}

TEST(EnumsTest, PolicyOfUnknownEnumsIsTheStrictestPolicy) {
  v1::Policy policy;
  policy.set_app("dockit");
  policy.set_mode(static_cast<v1::Mode>(kFromTheFuture));
  policy.set_ask_mode(static_cast<v1::AskMode>(kFromTheFuture));
  policy.set_unreviewed_tools(static_cast<v1::UnreviewedTools>(kFromTheFuture));
  policy.set_pinning(static_cast<v1::Pinning>(kFromTheFuture));
  policy.set_resources(static_cast<v1::Passage>(kFromTheFuture));
  auto& actions = *(*policy.mutable_connection_overrides())["prod"].mutable_allowed_actions();
  actions.add_actions(static_cast<v1::Action>(kFromTheFuture));

  const absl::StatusOr<McpPolicy> read = FromProto(policy);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->mode, Mode::kReadOnly);
  EXPECT_EQ(read->ask_mode, AskMode::kApproval);
  EXPECT_EQ(read->unreviewed_tools, UnreviewedTools::kDeny);
  EXPECT_EQ(read->pinning, Pinning::kEnforce);
  EXPECT_EQ(read->resources, Passage::kDeny);
  // The set is there and allows nothing: an unknown action never widens it.
  ASSERT_TRUE(read->connection_overrides.at(ConnectionId("prod")).allowed_actions.has_value());
  EXPECT_TRUE(read->connection_overrides.at(ConnectionId("prod")).allowed_actions->empty());
}

TEST(EnumsTest, UnknownCapIsTheLowestAndUnsetIsNone) {
  v1::CatalogEntry entry;
  entry.mutable_key()->set_tool("execute_query");
  entry.set_risk(v1::RISK_SAFE);
  EXPECT_EQ(FromProto(entry)->cap, std::nullopt);
  entry.set_cap(static_cast<v1::Risk>(kFromTheFuture));
  EXPECT_EQ(FromProto(entry)->cap, Risk::kSafe);
  entry.set_cap(v1::RISK_ELEVATED);
  EXPECT_EQ(FromProto(entry)->cap, Risk::kElevated);
}

TEST(EnumsTest, UnknownDeclaredRiskIsDestructiveAndUnsetIsNone) {
  v1::ToolCall call;
  call.set_app("dockit");
  call.set_tool("es__search");
  CheckedCall checked;
  ASSERT_TRUE(CheckedCall::Read(call, checked).ok());
  EXPECT_EQ(checked.call().declared_risk, std::nullopt);
  call.set_declared_risk(static_cast<v1::Risk>(kFromTheFuture));
  ASSERT_TRUE(CheckedCall::Read(call, checked).ok());
  EXPECT_EQ(checked.call().declared_risk, Risk::kDestructive);
}

}  // namespace
}  // namespace bridgekeeper::convert
