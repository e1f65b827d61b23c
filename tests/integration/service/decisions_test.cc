// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// DecisionService over gRPC, but for the watch.

#include <deque>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/decision_table.h"
#include "policy/testing/status_matchers.h"
#include "proto/convert/limits.h"
#include "tests/e2e/keeperd/keeperd_process.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using Decisions = v1::DecisionService::Stub;
using Policies = v1::PolicyService::Stub;

class DecisionsTest : public ::testing::Test {
 protected:
  void Put(const std::string& app, Mode mode, int64_t expected = 0) {
    v1::PutPolicyResponse response;
    ASSERT_THAT(
        Call(*server_.policies, &Policies::PutPolicy, PutRequest(app, mode, expected), &response),
        IsOk());
  }

  absl::StatusOr<v1::Decision> Decide(const v1::ToolCall& call) {
    v1::DecideRequest request;
    *request.mutable_call() = call;
    v1::DecideResponse response;
    absl::Status status =
        Call(*server_.decisions, &Decisions::Decide, request, &response, std::nullopt);
    if (!status.ok()) return status;
    return response.decision();
  }

  RunningServer server_;
};

TEST_F(DecisionsTest, EveryRowOfTheDecisionTableIsAnsweredByUnaryDecide) {
  // An app of its own for each row, filled beside the RPCs: it is Decide that is tested.
  std::vector<store::Mutation> mutations;
  for (const DecisionRow& row : DecisionTable()) {
    const AppId app(absl::StrFormat("row%d", row.line));
    McpPolicy policy = row.policy;
    policy.app = app;
    CatalogEntry entry = row.entry;
    entry.key.app = app;
    mutations.push_back(store::Put(std::move(policy)));
    mutations.push_back(store::Put(std::move(entry)));
  }
  ASSERT_THAT(server_.store().Commit(std::move(mutations), store::By()), IsOk());

  int wrong = 0;
  for (const DecisionRow& row : DecisionTable()) {
    v1::ToolCall call =
        CallOf(absl::StrFormat("row%d", row.line), row.entry.key.tool.value(), row.connection);
    call.set_server(std::string(kDecisionRowServer));
    const auto decision = Decide(call);
    ASSERT_THAT(decision, IsOk()) << row.name;
    EXPECT_FALSE(decision->reason().empty()) << row.name;
    EXPECT_EQ(convert::FromProto(decision->effective_risk()), row.entry.risk) << row.name;
    if (convert::FromProto(decision->verdict()) != row.verdict ||
        convert::FromProto(decision->reason_code()) != row.reason) {
      ADD_FAILURE() << row.name << ": got " << v1::Verdict_Name(decision->verdict()) << " "
                    << v1::ReasonCode_Name(decision->reason_code());
      if (++wrong == 10) FAIL() << "and perhaps more";
    }
  }
  EXPECT_THAT(DecisionTable(), SizeIs(2052));
}

TEST_F(DecisionsTest, AnswerSaysWhatItIsBasedOn) {
  Put("dockit", Mode::kFullAccess);
  const auto first = Decide(CallOf("dockit", "es__delete_index", "prod"));
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(first->verdict(), v1::VERDICT_ASK);
  EXPECT_EQ(first->reason_code(), v1::REASON_CODE_CONFIRM_DESTRUCTIVE);
  EXPECT_EQ(first->effective_risk(), v1::RISK_DESTRUCTIVE);
  EXPECT_EQ(first->ask_mode(), v1::ASK_MODE_CLIENT);
  EXPECT_EQ(first->policy_revision(), 1);
  EXPECT_EQ(first->catalog_revision(), 0);
  EXPECT_FALSE(first->judged());
  EXPECT_THAT(first->decision_id(), SizeIs(32));
  const auto second = Decide(CallOf("dockit", "es__delete_index", "prod"));
  ASSERT_THAT(second, IsOk());
  EXPECT_NE(first->decision_id(), second->decision_id());
}

TEST_F(DecisionsTest, AWriteThatWasAnsweredIsWhatTheNextDecisionIsMadeOn) {
  // Each turn the other way round, so that a stale answer would show.
  for (int64_t revision = 0; revision < 50; ++revision) {
    const bool open = revision % 2 == 0;
    Put("dockit", open ? Mode::kFullAccess : Mode::kReadOnly, revision);
    const auto decision = Decide(CallOf("dockit", "es__delete_index", "prod"));
    ASSERT_THAT(decision, IsOk());
    EXPECT_EQ(decision->verdict(), open ? v1::VERDICT_ASK : v1::VERDICT_DENY) << revision;
    EXPECT_EQ(decision->policy_revision(), revision + 1);
  }
}

TEST_F(DecisionsTest, UnknownAppAndToolAreDeniedNotErrors) {
  const auto app = Decide(CallOf("nobody", "es__search", "prod"));
  ASSERT_THAT(app, IsOk());
  EXPECT_EQ(app->verdict(), v1::VERDICT_DENY);
  EXPECT_EQ(app->reason_code(), v1::REASON_CODE_UNKNOWN_APP);
  EXPECT_EQ(app->policy_revision(), 0);
  Put("dockit", Mode::kReadOnly);
  const auto tool = Decide(CallOf("dockit", "no_such_tool", "prod"));
  ASSERT_THAT(tool, IsOk());
  EXPECT_EQ(tool->reason_code(), v1::REASON_CODE_UNKNOWN_TOOL);
}

TEST_F(DecisionsTest, RequestThatBreaksALimitIsAnError) {
  EXPECT_THAT(Decide(CallOf("", "es__search")), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(Decide(v1::ToolCall()),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::AllOf(HasSubstr("app"), HasSubstr("tool"))));
  v1::ToolCall large = CallOf("dockit", "es__search");
  large.set_arguments_json("{\"a\":\"" + std::string(convert::kMaxArgumentsBytes, 'x') + "\"}");
  EXPECT_THAT(Decide(large),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("arguments_json")));
  large.set_arguments_json("{\"a\":\"" + std::string(convert::kMaxMessageBytes, 'x') + "\"}");
  EXPECT_THAT(Decide(large), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(DecisionsTest, PayloadIsJudgedOnceTheAppIsInMemoryOrNot) {
  Put("sqlkit", Mode::kDataReadWrite);
  v1::PutConnectionRequest connection;
  *connection.mutable_connection() = convert::ToProto(store::SampleConnection("sqlkit", "prod"));
  connection.mutable_connection()->set_type("postgres");
  connection.mutable_options()->set_expected_revision(0);
  v1::PutConnectionResponse put;
  ASSERT_THAT(
      Call(*server_.connections, &v1::ConnectionService::Stub::PutConnection, connection, &put),
      IsOk());
  for (int turn = 0; turn < 2; ++turn) {
    v1::ToolCall call = CallOf("sqlkit", "sqlkit__execute_query", "prod");
    call.set_arguments_json(R"({"connection_id":"prod","sql":"SELECT 1"})");
    auto decision = Decide(call);
    ASSERT_THAT(decision, IsOk());
    EXPECT_TRUE(decision->judged());
    EXPECT_EQ(decision->verdict(), v1::VERDICT_ALLOW) << decision->reason();
    call.set_arguments_json(R"({"connection_id":"prod","sql":"DELETE FROM t"})");
    decision = Decide(call);
    ASSERT_THAT(decision, IsOk());
    EXPECT_TRUE(decision->judged());
    EXPECT_EQ(decision->reason_code(), v1::REASON_CODE_STATEMENT_EXCEEDS_TOOL);
  }
}

TEST_F(DecisionsTest, BatchAnswersEachAsIfAlone) {
  Put("dockit", Mode::kReadOnly);
  v1::DecideBatchRequest request;
  *request.add_calls() = CallOf("dockit", "es__search", "prod");
  *request.add_calls() = CallOf("dockit", "");
  *request.add_calls() = CallOf("dockit", "es__delete_index", "prod");
  *request.add_calls() = CallOf("nobody", "es__search", "prod");
  v1::DecideBatchResponse response;
  ASSERT_THAT(Call(*server_.decisions, &Decisions::DecideBatch, request, &response), IsOk());
  ASSERT_EQ(response.decisions_size(), 4);
  EXPECT_EQ(response.decisions(0).verdict(), v1::VERDICT_ALLOW);
  EXPECT_EQ(response.decisions(1).verdict(), v1::VERDICT_DENY);
  EXPECT_EQ(response.decisions(1).reason_code(), v1::REASON_CODE_INVALID_REQUEST);
  EXPECT_THAT(response.decisions(1).reason(), HasSubstr("tool: got 0 bytes"));
  EXPECT_EQ(response.decisions(2).reason_code(), v1::REASON_CODE_MODE_TOO_LOW);
  EXPECT_EQ(response.decisions(3).reason_code(), v1::REASON_CODE_UNKNOWN_APP);
}

TEST_F(DecisionsTest, BatchOfTheWrongSizeIsAnErrorForTheWholeCall) {
  v1::DecideBatchRequest request;
  v1::DecideBatchResponse response;
  EXPECT_THAT(Call(*server_.decisions, &Decisions::DecideBatch, request, &response),
              StatusIs(absl::StatusCode::kInvalidArgument));
  for (size_t i = 0; i < convert::kMaxBatchItems; ++i) {
    *request.add_calls() = CallOf("nobody", "es__search");
  }
  EXPECT_THAT(Call(*server_.decisions, &Decisions::DecideBatch, request, &response), IsOk());
  EXPECT_EQ(response.decisions_size(), static_cast<int>(convert::kMaxBatchItems));
  *request.add_calls() = CallOf("nobody", "es__search");
  EXPECT_THAT(Call(*server_.decisions, &Decisions::DecideBatch, request, &response),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("at most 1000")));
}

TEST_F(DecisionsTest, StreamAnswersInOrderAndOutlivesAMalformedRequest) {
  Put("dockit", Mode::kReadOnly);
  constexpr int kCalls = 500;
  Context context;
  const auto stream = server_.decisions->DecideStream(&context);
  // Tool names tell which answer is whose: the reason names the tool.
  std::jthread writer([&] {
    for (int i = 0; i < kCalls; ++i) {
      v1::DecideStreamRequest request;
      *request.mutable_call() = CallOf("dockit", absl::StrFormat("tool%d", i), "prod");
      if (i % 10 == 3) request.mutable_call()->set_app("not an id");
      if (i % 10 == 5) request.mutable_call()->set_app(absl::StrFormat("other%d", i));
      if (!stream->Write(request)) return;
    }
    stream->WritesDone();
  });
  v1::DecideStreamResponse response;
  int read = 0;
  for (; stream->Read(&response); ++read) {
    const v1::Decision& decision = response.decision();
    EXPECT_EQ(decision.verdict(), v1::VERDICT_DENY);
    if (read % 10 == 3) {
      EXPECT_EQ(decision.reason_code(), v1::REASON_CODE_INVALID_REQUEST);
    } else if (read % 10 == 5) {
      EXPECT_EQ(decision.reason_code(), v1::REASON_CODE_UNKNOWN_APP);
    } else {
      EXPECT_EQ(decision.reason_code(), v1::REASON_CODE_UNKNOWN_TOOL);
      EXPECT_THAT(decision.reason(), HasSubstr(absl::StrFormat("`tool%d`", read)));
    }
  }
  EXPECT_EQ(read, kCalls);
  EXPECT_THAT(ToAbsl(stream->Finish()), IsOk());
}

TEST_F(DecisionsTest, StreamWhoseReaderIsSlowHoldsItsWriter) {
  Put("dockit", Mode::kReadOnly);
  Context context;
  const auto stream = server_.decisions->DecideStream(&context);
  v1::DecideStreamRequest request;
  *request.mutable_call() = CallOf("dockit", "es__search", "prod");
  constexpr int kCalls = 20'000;
  std::jthread writer([&] {
    for (int i = 0; i < kCalls; ++i) {
      if (!stream->Write(request)) return;
    }
    stream->WritesDone();
  });
  // The server may hold only a bounded number of answers meanwhile; all come in the end.
  v1::DecideStreamResponse response;
  int read = 0;
  while (stream->Read(&response)) ++read;
  EXPECT_EQ(read, kCalls);
  EXPECT_THAT(ToAbsl(stream->Finish()), IsOk());
}

TEST(DecideStreams, ThatAreIdleKeepNobodyOut) {
  RunningServer server({.change = [](service::Options& options) { options.max_in_flight = 2; }});
  v1::DecideStreamRequest request;
  *request.mutable_call() = CallOf("nobody", "es__search", "prod");
  v1::DecideStreamResponse response;
  // Each has its place while it is asked, and none when it is answered.
  std::deque<Context> contexts;
  std::vector<std::unique_ptr<grpc::ClientReaderWriter<v1::DecideStreamRequest,  //
                                                       v1::DecideStreamResponse>>>
      streams;
  for (int i = 0; i < 10; ++i) {
    streams.push_back(server.decisions->DecideStream(&contexts.emplace_back(std::nullopt)));
  }
  for (int round = 0; round < 2; ++round) {
    for (const auto& stream : streams) {
      // The place of the last is given back just after its answer was taken.
      ASSERT_TRUE(support::WaitUntil([&] {
        return HttpGet(server.server().metrics_address(), "/metrics")
                   .find("\nbridgekeeper_requests_in_flight 0\n") != std::string::npos;
      }));
      ASSERT_TRUE(stream->Write(request));
      ASSERT_TRUE(stream->Read(&response));
      EXPECT_EQ(response.decision().reason_code(), v1::REASON_CODE_UNKNOWN_APP);
    }
  }
  EXPECT_TRUE(server.Stop());
  for (const auto& stream : streams) {
    EXPECT_FALSE(stream->Read(&response));
    EXPECT_THAT(ToAbsl(stream->Finish()), StatusIs(absl::StatusCode::kUnavailable));
  }
}

TEST_F(DecisionsTest, ExplainShowsEveryCheckAndAnswersAsDecide) {
  Put("dockit", Mode::kReadOnly);
  v1::ExplainRequest request;
  *request.mutable_call() = CallOf("dockit", "es__delete_index", "prod");
  v1::ExplainResponse response;
  ASSERT_THAT(Call(*server_.decisions, &Decisions::Explain, request, &response), IsOk());
  EXPECT_EQ(response.decision().reason_code(), v1::REASON_CODE_MODE_TOO_LOW);
  EXPECT_EQ(response.entry().key().tool(), "es__delete_index");
  EXPECT_TRUE(response.entry().builtin());
  ASSERT_GE(response.checks_size(), 8);
  int failed = 0;
  for (const v1::CheckOutcome& check : response.checks()) {
    failed += check.result() == v1::CheckOutcome::RESULT_FAILED;
  }
  EXPECT_EQ(failed, 1);
  EXPECT_FALSE(response.has_judgement());
}

TEST_F(DecisionsTest, ListToolsComesInPagesAndSaysWhatIsHidden) {
  Put("dockit", Mode::kReadOnly);
  v1::ListToolsRequest request;
  request.set_app("dockit");
  v1::ListToolsResponse whole;
  ASSERT_THAT(Call(*server_.decisions, &Decisions::ListTools, request, &whole), IsOk());
  EXPECT_GT(whole.tools_size(), 10);
  EXPECT_GT(whole.hidden(), 10);
  EXPECT_EQ(whole.tools_size() + whole.hidden(), 115);
  EXPECT_EQ(whole.policy_revision(), 1);
  EXPECT_FALSE(whole.notice().empty());
  for (const v1::Tool& tool : whole.tools()) {
    EXPECT_TRUE(tool.read_only_hint()) << tool.name();
    EXPECT_FALSE(tool.destructive_hint()) << tool.name();
  }
  std::vector<std::string> names;
  request.set_page_size(7);
  while (true) {
    v1::ListToolsResponse page;
    ASSERT_THAT(Call(*server_.decisions, &Decisions::ListTools, request, &page), IsOk());
    for (const v1::Tool& tool : page.tools()) names.push_back(tool.name());
    EXPECT_EQ(page.hidden(), whole.hidden());
    if (page.next_page_token().empty()) break;
    request.set_page_token(page.next_page_token());
  }
  ASSERT_EQ(names.size(), static_cast<size_t>(whole.tools_size()));
  for (int i = 0; i < whole.tools_size(); ++i) {
    EXPECT_EQ(names[static_cast<size_t>(i)], whole.tools(i).name());
  }
}

TEST_F(DecisionsTest, ListToolsOfAStrangersServerHasNoBuiltInTool) {
  Put("dockit", Mode::kFullAccess);
  v1::ListToolsRequest request;
  request.set_app("dockit");
  request.set_server("stranger");
  v1::ListToolsResponse response;
  ASSERT_THAT(Call(*server_.decisions, &Decisions::ListTools, request, &response), IsOk());
  EXPECT_EQ(response.tools_size(), 0);
  request.set_builtin_catalog(true);
  ASSERT_THAT(Call(*server_.decisions, &Decisions::ListTools, request, &response), IsOk());
  EXPECT_GT(response.tools_size(), 100);
}

}  // namespace
}  // namespace bridgekeeper::tests
