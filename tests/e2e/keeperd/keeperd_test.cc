// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The program: options, exit codes, signals, who may write, and what is kept.

#include <grpc/support/time.h>
#include <grpcpp/create_channel.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "bridgekeeper/v1/decision_service.grpc.pb.h"
#include "bridgekeeper/v1/policy_service.grpc.pb.h"
#include "bridgekeeper/v1/server_service.grpc.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "proto/convert/convert.h"
#include "store/testing/samples.h"
#include "tests/e2e/keeperd/keeperd_process.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kToken[] = "token-of-the-test";

void SetUpCall(grpc::ClientContext& context, const char* token = kToken) {
  context.set_deadline(
      gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(60, GPR_TIMESPAN)));
  if (token != nullptr) context.AddMetadata("authorization", std::string("Bearer ") + token);
}

class Client {
 public:
  explicit Client(const std::string& address)
      : channel_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        policies_(v1::PolicyService::NewStub(channel_)),
        decisions_(v1::DecisionService::NewStub(channel_)),
        info_(v1::ServerService::NewStub(channel_)) {}

  grpc::Status Put(const std::string& app, int64_t expected, const char* token = kToken) {
    grpc::ClientContext context;
    SetUpCall(context, token);
    v1::PutPolicyRequest request;
    *request.mutable_policy() = convert::ToProto(store::SamplePolicy(app));
    request.mutable_options()->set_expected_revision(expected);
    v1::PutPolicyResponse response;
    return policies_->PutPolicy(&context, request, &response);
  }
  bool Has(const std::string& app) {
    grpc::ClientContext context;
    SetUpCall(context);
    v1::GetPolicyRequest request;
    request.set_app(app);
    v1::GetPolicyResponse response;
    return policies_->GetPolicy(&context, request, &response).ok();
  }
  v1::GetServerInfoResponse Info() {
    grpc::ClientContext context;
    SetUpCall(context);
    v1::GetServerInfoResponse response;
    const grpc::Status status = info_->GetServerInfo(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  v1::BackupResponse Backup() {
    grpc::ClientContext context;
    SetUpCall(context);
    v1::BackupResponse response;
    const grpc::Status status = info_->Backup(&context, {}, &response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  v1::DecisionService::Stub& decisions() { return *decisions_; }

 private:
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<v1::PolicyService::Stub> policies_;
  std::unique_ptr<v1::DecisionService::Stub> decisions_;
  std::unique_ptr<v1::ServerService::Stub> info_;
};

// A folder that goes with the test.
class TestFolder {
 public:
  TestFolder() {
    std::string name = ::testing::TempDir() + "keeperd.XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TestFolder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Runs to the end.
struct Ran {
  int code;
  std::string output;
  std::string errors;
};
Ran RunToEnd(std::vector<std::string> arguments,
             std::map<std::string, std::string> environment = {}) {
  KeeperdProcess process({std::move(arguments), std::move(environment), {}});
  const ProcessExit exit = process.WaitForEnd();
  EXPECT_EQ(exit.signal, 0);
  return {exit.code, process.output(), process.errors()};
}

TEST(ConfigurationTest, WrongOptionsAreExitTwoAndAllAreNamed) {
  const Ran ran =
      RunToEnd({"--dev", "--cache-apps=0", "--grpc-adress=x"}, {{"KEEPERD_LOG_LEVEL", "x"}});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.errors,
              AllOf(HasSubstr("--cache-apps"), HasSubstr("did you mean `--grpc-address`?"),
                    HasSubstr("KEEPERD_LOG_LEVEL")));
  EXPECT_EQ(ran.output, "");
}

TEST(ConfigurationTest, StartWithNeitherDevNorDataNamesBoth) {
  const Ran ran = RunToEnd({});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.errors, AllOf(HasSubstr("--dev"), HasSubstr("--data-dir")));
}

TEST(ConfigurationTest, CheckConfigTellsByItsExitCode) {
  TestFolder folder;
  std::ofstream(folder / "good.yaml") << "dev: true\ncache_apps: 5\n";
  std::ofstream(folder / "bad.yaml") << "dev: true\ncache_aps: 5\n";
  EXPECT_EQ(RunToEnd({"--check-config", "--config", folder / "good.yaml"}).code, 0);
  const Ran bad = RunToEnd({"--check-config", "--config", folder / "bad.yaml"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.errors, HasSubstr("bad.yaml:2:1: error: cache_aps: unknown key (did you mean "
                                    "`cache_apps`?)"));
}

TEST(ConfigurationTest, PrintConfigShowsWhereEachValueIsFrom) {
  TestFolder folder;
  std::ofstream(folder / "c.yaml") << "max_in_flight: 7\n";
  const Ran ran = RunToEnd({"--print-config", "--dev", "--config", folder / "c.yaml"},
                           {{"KEEPERD_CACHE_APPS", "9"}});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(
      ran.output,
      AllOf(HasSubstr("dev: true  # flag --dev\n"),
            HasSubstr("cache_apps: 9  # environment KEEPERD_CACHE_APPS\n"),
            HasSubstr(absl::StrFormat("max_in_flight: 7  # file %s:1\n", folder / "c.yaml")),
            HasSubstr("worker_threads: 4  # default\n")));
}

TEST(ConfigurationTest, HelpAndVersionAreExitZero) {
  EXPECT_THAT(RunToEnd({"--help"}).output, HasSubstr("keeperd --dev"));
  EXPECT_THAT(RunToEnd({"--version"}).output, StartsWith("keeperd "));
}

TEST(ConfigurationTest, AddressInUseIsSaidSo) {
  KeeperdProcess first({AnyPorts({"--dev"}), {}});
  ASSERT_TRUE(first.WaitUntilServing()) << first.errors();
  for (const auto& [flag, address] : {std::pair("--grpc-address=", first.grpc_address()),
                                      std::pair("--http-address=", first.http_address()),
                                      std::pair("--metrics-address=", first.metrics_address())}) {
    std::vector<std::string> arguments = {"--dev"};
    for (const char* other : {"--grpc-address=", "--http-address=", "--metrics-address="}) {
      arguments.push_back(std::string(other) +
                          (std::string(other) == flag ? address : std::string("127.0.0.1:0")));
    }
    const Ran second = RunToEnd(arguments);
    EXPECT_EQ(second.code, 2) << flag;
    EXPECT_THAT(second.errors, HasSubstr(address));
  }
}

class SignalTest : public ::testing::TestWithParam<int> {};

TEST_P(SignalTest, EndsAReadyServerCleanly) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {{"KEEPER_TOKEN", kToken}}});
  ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
  EXPECT_THAT(HttpGet(keeperd.http_address(), "/livez"), EndsWith("ok\n"));
  EXPECT_THAT(HttpGet(keeperd.http_address(), "/readyz?verbose"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("[+] serving ok")));
  EXPECT_THAT(HttpGet(keeperd.metrics_address(), "/metrics"),
              HasSubstr("bridgekeeper_build_info{version="));
  Client client(keeperd.grpc_address());
  EXPECT_TRUE(client.Put("dockit", 0).ok());

  // A watch is open: it is told, and holds nothing up.
  grpc::ClientContext context;
  SetUpCall(context);
  v1::WatchPoliciesRequest request;
  request.add_apps("dockit");
  const auto watch = client.decisions().WatchPolicies(&context, request);
  v1::WatchPoliciesResponse message;
  ASSERT_TRUE(watch->Read(&message));

  keeperd.Signal(GetParam());
  const ProcessExit exit = keeperd.WaitForEnd();
  EXPECT_EQ(exit, (ProcessExit{.code = 0})) << exit.ToString();
  while (watch->Read(&message)) {
  }
  EXPECT_EQ(watch->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(keeperd.errors(),
              AllOf(HasSubstr("\"message\":\"stopping\""), EndsWith("\"message\":\"stopped\"}\n")));
}

INSTANTIATE_TEST_SUITE_P(Both, SignalTest, ::testing::Values(SIGTERM, SIGINT),
                         [](const auto& signal) {
                           return signal.param == SIGTERM ? "SIGTERM" : "SIGINT";
                         });

TEST(LogTest, EveryLineIsJsonAndSaysItsModeLoudly) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {{"KEEPER_TOKEN", kToken}}});
  ASSERT_TRUE(keeperd.WaitUntilServing());
  Client client(keeperd.grpc_address());
  EXPECT_TRUE(client.Put("dockit", 0).ok());
  keeperd.Signal(SIGTERM);
  keeperd.WaitForEnd();
  std::istringstream lines(keeperd.errors());
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto document = JsonDocument::Parse(line);
    ASSERT_TRUE(document.ok()) << line;
    EXPECT_TRUE(document->root().Find("time") && document->root().Find("level") &&
                document->root().Find("message"))
        << line;
  }
  EXPECT_GE(count, 4);
  EXPECT_THAT(keeperd.errors(), HasSubstr("dev mode: no identities"));
  EXPECT_THAT(keeperd.errors(), Not(HasSubstr(kToken)));
  EXPECT_THAT(keeperd.errors(), Not(HasSubstr("dockit"))) << "no request is logged";
}

TEST(TokenTest, WithoutATerminalAndWithoutATokenWritesAreRefused) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {}});
  ASSERT_TRUE(keeperd.WaitUntilServing());
  EXPECT_THAT(keeperd.errors(), HasSubstr("writes are refused"));
  Client client(keeperd.grpc_address());
  const grpc::Status status = client.Put("dockit", 0, "anything");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(), HasSubstr("KEEPER_TOKEN"));
}

TEST(TokenTest, AnEmptyTokenIsNone) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {{"KEEPER_TOKEN", ""}}});
  ASSERT_TRUE(keeperd.WaitUntilServing());
  EXPECT_THAT(keeperd.errors(), HasSubstr("writes are refused"));
  Client client(keeperd.grpc_address());
  for (const char* token : {static_cast<const char*>(nullptr), "", "anything"}) {
    EXPECT_EQ(client.Put("dockit", 0, token).error_code(), grpc::StatusCode::PERMISSION_DENIED);
  }
}

TEST(TokenTest, ABlankTokenIsNoStart) {
  for (const char* token : {" ", "\t", "a b", "\u00e9", "secret\n"}) {
    const Ran ran = RunToEnd(AnyPorts({"--dev"}), {{"KEEPER_TOKEN", token}});
    EXPECT_EQ(ran.code, 2) << token;
    EXPECT_THAT(ran.errors, AllOf(HasSubstr("KEEPER_TOKEN"), Not(HasSubstr("secret"))));
  }
}

TEST(TokenTest, TokenOfTheEnvironmentLetsWrite) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {{"KEEPER_TOKEN", kToken}}});
  ASSERT_TRUE(keeperd.WaitUntilServing());
  Client client(keeperd.grpc_address());
  EXPECT_EQ(client.Put("dockit", 0, nullptr).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(client.Put("dockit", 0, "wrong").error_code(), grpc::StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(client.Put("dockit", 0).ok());
}

TEST(TokenTest, TerminalIsShownATokenThatLetsWrite) {
  // script(1) gives it a terminal and hands on what is written there.
  KeeperdProcess keeperd(
      {AnyPorts({"--dev"}), {}, {"script", "--quiet", "--return", "/dev/null", "--command"}});
  ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.output() << keeperd.errors();
  const std::string& shown = keeperd.output();
  const std::string mark = "export KEEPER_TOKEN=";
  const size_t at = shown.find(mark);
  ASSERT_NE(at, std::string::npos) << shown;
  const std::string token = shown.substr(at + mark.size(), 64);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  EXPECT_EQ(shown.find(token, at + mark.size() + 1), std::string::npos) << "shown once";
  Client client(keeperd.grpc_address());
  EXPECT_TRUE(client.Put("dockit", 0, token.c_str()).ok());
}

TEST(TokenTest, LogThatGoesToAFileNeverHoldsTheToken) {
  // Standard error is a file, standard output a terminal.
  TestFolder folder;
  const std::string log = folder / "log";
  KeeperdProcess keeperd({AnyPorts({"--dev", "--log-level=debug"}),
                          {},
                          {"script", "--quiet", "/dev/null", "--command"},
                          " 2>'" + log + "'"});
  std::string logged;
  const auto read_log = [&] {
    std::ifstream in(log);
    std::stringstream text;
    text << in.rdbuf();
    logged = text.str();
    return logged.find("\"serving\"") != std::string::npos;
  };
  EXPECT_TRUE(support::WaitUntil(read_log));
  keeperd.Signal(SIGTERM);
  keeperd.WaitForEnd();
  read_log();
  EXPECT_THAT(logged, HasSubstr("\"serving\""));
  const size_t at = keeperd.output().find("KEEPER_TOKEN=");
  ASSERT_NE(at, std::string::npos) << keeperd.output();
  const std::string token = keeperd.output().substr(at + 13, 64);
  EXPECT_THAT(logged, Not(HasSubstr(token)));
}

TEST(ProcessTest, LeavesNoCoreFile) {
  KeeperdProcess keeperd({AnyPorts({"--dev"}), {}});
  ASSERT_TRUE(keeperd.WaitUntilServing());
  std::ifstream limits(absl::StrFormat("/proc/%d/limits", keeperd.pid()));
  std::string line;
  while (std::getline(limits, line) && line.rfind("Max core file size", 0) != 0) {
  }
  std::istringstream words(line.substr(std::string("Max core file size").size()));
  std::string soft;
  std::string hard;
  words >> soft >> hard;
  EXPECT_EQ(soft, "0");
  EXPECT_EQ(hard, "0");
}

TEST(DataTest, FolderIsMadePrivateAndKeepsPoliciesOverARestart) {
  TestFolder folder;
  const std::string data = folder / "data";
  std::string incarnation;
  {
    KeeperdProcess keeperd({AnyPorts({"--dev", "--data-dir", data}), {{"KEEPER_TOKEN", kToken}}});
    ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
    struct stat made;
    ASSERT_EQ(stat(data.c_str(), &made), 0);
    EXPECT_EQ(made.st_mode & 0777, 0700u);
    Client client(keeperd.grpc_address());
    EXPECT_TRUE(client.Put("dockit", 0).ok());
    incarnation = client.Info().token().incarnation();
    EXPECT_EQ(client.Info().store(), "rocksdb");
    keeperd.Signal(SIGTERM);
    EXPECT_EQ(keeperd.WaitForEnd().code, 0);
  }
  KeeperdProcess keeperd({AnyPorts({"--dev", "--data-dir", data}), {}});
  ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
  Client client(keeperd.grpc_address());
  EXPECT_TRUE(client.Has("dockit"));
  EXPECT_EQ(client.Info().token().incarnation(), incarnation);
  EXPECT_EQ(client.Info().token().revision(), 1);
}

TEST(DataTest, FolderThatIsNotOursAloneIsExitThree) {
  TestFolder folder;
  const std::string open = folder / "open";
  ASSERT_EQ(mkdir(open.c_str(), 0755), 0);
  ASSERT_EQ(chmod(open.c_str(), 0755), 0);
  const Ran shared = RunToEnd(AnyPorts({"--dev", "--data-dir", open}));
  EXPECT_EQ(shared.code, 3);
  EXPECT_THAT(shared.errors, HasSubstr("0700"));

  const std::string foreign = folder / "foreign";
  ASSERT_EQ(mkdir(foreign.c_str(), 0700), 0);
  std::ofstream(foreign + "/notes.txt") << "mine";
  EXPECT_EQ(RunToEnd(AnyPorts({"--dev", "--data-dir", foreign})).code, 3);

  const std::string data = folder / "data";
  KeeperdProcess first({AnyPorts({"--dev", "--data-dir", data}), {}});
  ASSERT_TRUE(first.WaitUntilServing()) << first.errors();
  const Ran second = RunToEnd(AnyPorts({"--dev", "--data-dir", data}));
  EXPECT_EQ(second.code, 3) << second.errors;
}

TEST(DataTest, KilledAtAnyMomentItKeepsWhatItAcknowledged) {
  TestFolder folder;
  const std::string data = folder / "data";
  std::vector<std::string> acknowledged;
  for (int round = 0; round < 4; ++round) {
    KeeperdProcess keeperd({AnyPorts({"--dev", "--data-dir", data}), {{"KEEPER_TOKEN", kToken}}});
    ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
    Client client(keeperd.grpc_address());
    for (const std::string& app : acknowledged) EXPECT_TRUE(client.Has(app)) << app;
    EXPECT_GE(client.Info().token().revision(), static_cast<int64_t>(acknowledged.size()));
    // Killed while a write may be under way.
    const int enough = 10 + 3 * round;
    std::latch written(enough);
    std::jthread killer([&] {
      written.wait();
      keeperd.Signal(SIGKILL);
    });
    int count = 0;
    for (; client.Put(absl::StrFormat("app-%d-%d", round, count), 0).ok(); ++count) {
      acknowledged.push_back(absl::StrFormat("app-%d-%d", round, count));
      if (count < enough) written.count_down();
    }
    EXPECT_GE(count, enough);
    if (count < enough) written.count_down(enough - count);
    EXPECT_EQ(keeperd.WaitForEnd().signal, SIGKILL);
  }
}

TEST(DataTest, RestoreMakesAStoreOfAnotherIncarnation) {
  TestFolder folder;
  const std::string data = folder / "data";
  v1::BackupResponse backup;
  {
    KeeperdProcess keeperd({AnyPorts({"--dev", "--data-dir", data}), {{"KEEPER_TOKEN", kToken}}});
    ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
    Client client(keeperd.grpc_address());
    EXPECT_TRUE(client.Put("dockit", 0).ok());
    backup = client.Backup();
    EXPECT_TRUE(client.Put("later", 0).ok());
  }
  const std::string restored = folder / "restored";
  const Ran ran = RunToEnd({"restore", "--from", backup.path(), "--data-dir", restored});
  EXPECT_EQ(ran.code, 0) << ran.errors;
  EXPECT_THAT(ran.output, HasSubstr("revision 1"));
  EXPECT_EQ(RunToEnd({"restore", "--from", backup.path(), "--data-dir", restored}).code, 3)
      << "there is a store already";
  EXPECT_EQ(RunToEnd({"restore", "--from", folder / "nothing", "--data-dir", folder / "x"}).code,
            3);

  KeeperdProcess keeperd({AnyPorts({"--dev", "--data-dir", restored}), {}});
  ASSERT_TRUE(keeperd.WaitUntilServing()) << keeperd.errors();
  Client client(keeperd.grpc_address());
  EXPECT_TRUE(client.Has("dockit"));
  EXPECT_FALSE(client.Has("later"));
  EXPECT_NE(client.Info().token().incarnation(), backup.token().incarnation());
}

}  // namespace
}  // namespace bridgekeeper::tests
