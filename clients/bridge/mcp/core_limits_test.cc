// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What the limits of a policy do to a call and to the task that comes of it.

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/core_test_util.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// ---- limits ----------------------------------------------------------------------

TEST(Limits, ATimeoutEndsTheCallAndTellsTheServer) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.timeout = absl::Seconds(2);
  h.StartSession(data);
  h.Client(CoreHarness::Call("read", "\"c\""));
  EXPECT_EQ(h.core().next_deadline(), h.clock.SinceBoot() + absl::Seconds(2));
  EXPECT_THAT(h.Pass(absl::Milliseconds(1999)).to_client, IsEmpty());
  const Sent sent = h.Pass(absl::Milliseconds(1));
  ASSERT_THAT(sent.to_server, SizeIs(1));
  EXPECT_EQ(At(sent.to_server[0], "method"), "notifications/cancelled");
  EXPECT_EQ(At(sent.to_server[0], "params/requestId"), "c");
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "id"), "c");
  EXPECT_EQ(At(sent.to_client[0], "result/isError"), "true");
  EXPECT_THAT(At(sent.to_client[0], "result/content/0/text"), HasSubstr("limits.timeout"));
  EXPECT_THAT(h.Server(R"({"jsonrpc":"2.0","id":"c","result":{"content":[]}})").to_client,
              IsEmpty())
      << "too late";
  EXPECT_EQ(h.core().stats().timeouts, 1u);
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
}

TEST(Limits, AnAnswerInTimeEndsTheTimeout) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.timeout = absl::Seconds(2);
  h.StartSession(data);
  h.Client(CoreHarness::Call("read"));
  h.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[]}})");
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
  const Sent sent = h.Pass(absl::Seconds(10));
  EXPECT_THAT(sent.to_client, IsEmpty());
  EXPECT_THAT(sent.to_server, IsEmpty());
}

TEST(Limits, AResultAboveMaxBytesIsKeptBackAndTheLimitNamed) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.max_bytes = 20;
  h.StartSession(data);
  h.Client(CoreHarness::Call("read"));
  const std::string fits = R"({"jsonrpc":"2.0","id":1,"result":{"content":[12345]}})";
  ASSERT_EQ(std::string(R"({"content":[12345]})").size(), 19u);
  EXPECT_THAT(h.Server(fits).to_client, ElementsAre(fits));
  h.Client(CoreHarness::Call("read"));
  const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":1,"result":{"content":[1234567]}})");
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "result/isError"), "true");
  EXPECT_THAT(At(sent.to_client[0], "result/content/0/text"),
              AllOf(HasSubstr("limits.max_bytes"), HasSubstr("21 bytes")));
  EXPECT_THAT(sent.to_client[0], HasSubstr(R"("bridgekeeper/limit":{"limit":"max_bytes")"));
  EXPECT_THAT(sent.to_client[0], Not(HasSubstr("1234567")));
}

TEST(Limits, HoldForResourcesToo) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.max_bytes = 10;
  data.policy.limits.timeout = absl::Seconds(1);
  h.SetPolicy(data);
  h.Client(Request("resources/read", "1"));
  Sent sent = h.Server(R"({"jsonrpc":"2.0","id":1,"result":{"contents":["1234567890"]}})");
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
  h.Client(Request("resources/read", "2"));
  sent = h.Pass(absl::Seconds(1));
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
  EXPECT_EQ(At(sent.to_client.at(0), "id"), "2");
}

TEST(Limits, ThatOnlyABuiltInBackEndKeepsAreADenial) {
  for (const bool rows : {true, false}) {
    CoreHarness h;
    AppData data = CoreHarness::Data();
    if (rows) data.policy.limits.max_rows = 10;
    if (!rows) data.policy.limits.read_only_session = true;
    h.StartSession(data);
    const Sent sent = h.Client(CoreHarness::Call("read"));
    EXPECT_THAT(sent.to_server, IsEmpty());
    EXPECT_THAT(sent.to_client.at(0), HasSubstr(R"("reason_code":"OBLIGATION_UNSUPPORTED")"));
  }
}

// ---- tasks -----------------------------------------------------------------------

struct TaskEra {
  std::string name;
  std::string result;
};

class TaskTest : public ::testing::TestWithParam<TaskEra> {
 protected:
  void CreateTask(CoreHarness& h, AppData data = CoreHarness::Data()) {
    h.StartSession(std::move(data));
    h.Client(CoreHarness::Call("read"));
    const std::string answer = R"({"jsonrpc":"2.0","id":1,"result":)" + GetParam().result + "}";
    EXPECT_THAT(h.Server(answer).to_client, ElementsAre(answer));
  }
};

INSTANTIATE_TEST_SUITE_P(Eras, TaskTest,
                         ::testing::ValuesIn(std::vector<TaskEra>{
                             {"Sessions", R"({"task":{"taskId":"t1","status":"working"}})"},
                             {"Stateless",
                              R"({"resultType":"task","taskId":"t1","status":"working"})"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST_P(TaskTest, OfADecidedCallPasses) {
  CoreHarness h;
  CreateTask(h);
  for (const char* method : {"tasks/get", "tasks/result", "tasks/update", "tasks/cancel"}) {
    const std::string request = Request(method, "2", R"({"taskId":"t1"})");
    EXPECT_THAT(h.Client(request).to_server, ElementsAre(request)) << method;
    h.Server(R"({"jsonrpc":"2.0","id":2,"result":{}})");
  }
}

TEST_P(TaskTest, OfNoDecidedCallDoesNot) {
  CoreHarness h;
  CreateTask(h);
  for (const char* params : {R"({"taskId":"t2"})", R"({"taskId":1})", R"({})"}) {
    const Sent sent = h.Client(Request("tasks/result", "2", params));
    EXPECT_THAT(sent.to_server, IsEmpty()) << params;
    EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32601") << params;
  }
  EXPECT_THAT(h.Client(Request("tasks/list", "2")).to_server, IsEmpty());
}

TEST(Task, WithAnEndlessIdIsNobodys) {
  CoreHarness h;
  h.StartSession();
  const std::string id(kMaxTaskIdBytes + 1, 't');
  h.Client(CoreHarness::Call("read"));
  h.Server(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":")" + id + R"("}})");
  EXPECT_THAT(h.Client(Request("tasks/get", "2", R"({"taskId":")" + id + R"("})")).to_server,
              IsEmpty());
}

TEST_P(TaskTest, ResultsKeepTheLimits) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.max_bytes = 100;
  CreateTask(h, data);
  h.Client(Request("tasks/result", "2", R"({"taskId":"t1"})"));
  const Sent sent = h.Server(R"({"jsonrpc":"2.0","id":2,"result":{"content":[")" +
                             std::string(200, 'x') + R"("]}})");
  EXPECT_EQ(At(sent.to_client.at(0), "error/code"), "-32603");
}

TEST_P(TaskTest, IsCancelledAtTheTimeout) {
  CoreHarness h;
  AppData data = CoreHarness::Data();
  data.policy.limits.timeout = absl::Seconds(2);
  CreateTask(h, data);
  const Sent sent = h.Pass(absl::Seconds(2));
  ASSERT_THAT(sent.to_server, SizeIs(1));
  EXPECT_EQ(At(sent.to_server[0], "method"), "tasks/cancel");
  EXPECT_EQ(At(sent.to_server[0], "params/taskId"), "t1");
  EXPECT_THAT(
      h.Server(R"({"jsonrpc":"2.0","id":")" + At(sent.to_server[0], "id") + R"(","result":{}})")
          .to_client,
      IsEmpty());
  EXPECT_THAT(h.Client(Request("tasks/get", "2", R"({"taskId":"t1"})")).to_server, IsEmpty());
}

// Whatever says that a task has ended ends its time: the limit is for the call, not
// for how long its result is kept.
struct TaskEnd {
  std::string name;
  std::string method;  // asked by the client; empty: the server tells by itself
  std::string result;
};

class TaskEndTest : public ::testing::TestWithParam<TaskEnd> {};

INSTANTIATE_TEST_SUITE_P(
    Table, TaskEndTest,
    ::testing::ValuesIn(std::vector<TaskEnd>{
        {"ItsResult", "tasks/result", R"({"content":[]})"},
        {"StatusCompleted", "tasks/get", R"({"taskId":"t1","status":"completed"})"},
        {"StatusFailed", "tasks/get", R"({"taskId":"t1","status":"failed"})"},
        {"Cancelled", "tasks/cancel", R"({"taskId":"t1","status":"cancelled"})"},
        {"Notification", "", R"({"taskId":"t1","status":"completed"})"},
    }),
    [](const auto& test) { return test.param.name; });

AppData DataWithTimeout() {
  AppData data = CoreHarness::Data();
  data.policy.limits.timeout = absl::Seconds(2);
  return data;
}

void MakeTask(CoreHarness& h, std::string_view status = "working") {
  h.StartSession(DataWithTimeout());
  h.Client(CoreHarness::Call("read"));
  h.Server(absl::StrFormat(
      R"({"jsonrpc":"2.0","id":1,"result":{"task":{"taskId":"t1","status":"%s"}}})", status));
}

TEST_P(TaskEndTest, ATaskThatHasEndedIsNotCancelledAtTheTimeout) {
  CoreHarness h;
  MakeTask(h);
  if (GetParam().method.empty()) {
    h.Server(Notify("notifications/tasks/status", GetParam().result));
  } else {
    h.Client(Request(GetParam().method, "2", R"({"taskId":"t1"})"));
    h.Server(R"({"jsonrpc":"2.0","id":2,"result":)" + GetParam().result + "}");
  }
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
  EXPECT_THAT(h.Pass(absl::Seconds(2)).to_server, IsEmpty());
  EXPECT_THAT(h.Client(Request("tasks/result", "3", R"({"taskId":"t1"})")).to_server, SizeIs(1))
      << "its result may still be asked for";
  EXPECT_EQ(h.core().stats().timeouts, 0u);
}

TEST(TaskTime, OfOneThatWasDoneAtOnceIsOver) {
  CoreHarness h;
  MakeTask(h, "completed");
  EXPECT_EQ(h.core().next_deadline(), absl::InfiniteDuration());
}

TEST(TaskTime, OfOneThatIsStillWorkingGoesOn) {
  CoreHarness h;
  MakeTask(h);
  h.Client(Request("tasks/get", "2", R"({"taskId":"t1"})"));
  h.Server(R"({"jsonrpc":"2.0","id":2,"result":{"taskId":"t1","status":"working"}})");
  EXPECT_EQ(At(h.Pass(absl::Seconds(2)).to_server.at(0), "method"), "tasks/cancel");
}

TEST(TaskTime, EndsTheWaitForItsResultToo) {
  CoreHarness h;
  MakeTask(h);
  h.Client(Request("tasks/result", "2", R"({"taskId":"t1"})"));
  const Sent sent = h.Pass(absl::Seconds(2));
  ASSERT_THAT(sent.to_client, SizeIs(1));
  EXPECT_EQ(At(sent.to_client[0], "id"), "2");
  EXPECT_THAT(At(sent.to_client[0], "error/message"), HasSubstr("limits.timeout"));
  ASSERT_THAT(sent.to_server, SizeIs(2));
  EXPECT_EQ(At(sent.to_server[0], "method"), "notifications/cancelled");
  EXPECT_EQ(At(sent.to_server[1], "method"), "tasks/cancel");
  EXPECT_EQ(h.core().stats().timeouts, 1u) << "one call was ended";
  EXPECT_EQ(h.core().requests_in_flight(), 0u);
}

TEST_P(TaskTest, NotificationsOfADecidedTaskMayBeSubscribedTo) {
  CoreHarness h;
  CreateTask(h);
  EXPECT_THAT(
      h.Client(Request("subscriptions/listen", "2", R"({"notifications":{"taskIds":["t1"]}})"))
          .to_server,
      SizeIs(1));
}

TEST(ClientTask, MayBeAskedForByTheServerThatCausedIt) {
  CoreHarness h;
  const std::string ask = Request("tasks/get", "9", R"({"taskId":"c1"})");
  EXPECT_THAT(h.Server(ask).to_client, IsEmpty()) << "nobody made it";
  h.Server(Request("sampling/createMessage", "8"));
  h.Client(R"({"jsonrpc":"2.0","id":8,"result":{"task":{"taskId":"c1"}}})");
  EXPECT_THAT(h.Server(ask).to_client, ElementsAre(ask));
}

}  // namespace
}  // namespace bridgekeeper::bridge
