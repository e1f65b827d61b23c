// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The bridge with real pipes, a real server process and a client that is this test.

#include "clients/bridge/stdio/stdio_bridge.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/sdk/testing/fake_policy_source.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/status_matchers.h"
#include "runtime/clock.h"
#include "runtime/signals.h"
#include "runtime/testing/fake_logger.h"
#include "tests/support/wait.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr int kDeadlineMs = 30'000;

std::string FakeServer() {
  const char* folder = getenv("BK_BIN_DIR");
  return std::string(folder == nullptr ? "build/release/bin" : folder) + "/tests/fake_mcp_server";
}

AppData Data() {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.mode = Mode::kFullAccess;
  for (const auto& [name, risk] :
       {std::pair("do", Risk::kSafe), std::pair("drop", Risk::kDestructive)}) {
    CatalogEntry entry;
    entry.key = {AppId("app"), ServerId("stdio"), ToolName(name)};
    entry.risk = risk;
    entry.needs_connection = NeedsConnection::kNo;
    data.catalog.push_back(entry);
  }
  return data;
}

std::string Call(std::string_view act, int64_t n = 0, std::string_view id = "1") {
  return absl::StrFormat(
      R"({"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"do","arguments":{"act":"%s","n":%d}}})",
      id, act, n);
}

// The text that an answer of `do` carries; the whole line where it carries none.
std::string TextIn(const std::string& line) {
  const auto document = JsonDocument::Parse(line);
  if (!document.ok()) return line;
  const auto result = document->root().Find("result");
  const auto content = result ? result->Find("content") : std::nullopt;
  if (!content || content->size() == 0) return line;
  return std::string((*content->begin()).Find("text")->string());
}

// A bridge in a thread, and a client that plays with it.
class Session {
 public:
  explicit Session(std::vector<std::string> flags = {}, AppData data = Data())
      : Session(Command(std::move(flags)), std::move(data)) {}

  struct Command {
    explicit Command(std::vector<std::string> flags) : words({FakeServer()}) {
      words.insert(words.end(), flags.begin(), flags.end());
    }
    std::vector<std::string> words;
  };

  Session(Command command, AppData data) {
    policies.SetPolicy(std::move(data));
    int in[2];
    int out[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC), 0);
    EXPECT_EQ(pipe2(out, O_CLOEXEC), 0);
    in_ = UniqueFd(in[1]);
    out_ = UniqueFd(out[0]);
    StdioOptions options;
    options.core = {.app = AppId("app"), .server = ServerId("stdio")};
    options.server = {.command = command.words, .environment = {"PATH=/usr/bin:/bin", "A=1"}};
    options.client_in = UniqueFd(in[0]);
    options.client_out = UniqueFd(out[1]);
    options.handle_signals = false;
    options.metrics_address = "127.0.0.1:0";
    options.metrics_page = [](const CoreStats&, size_t) { return std::string("page"); };
    auto bridge = StdioBridge::Create(std::move(options), {.policies = policies,
                                                           .judge = nullptr,
                                                           .clock = clock,
                                                           .ids = ids,
                                                           .log = log,
                                                           .observers = {}});
    EXPECT_THAT(bridge, IsOk());
    if (!bridge.ok()) return;
    bridge_ = *std::move(bridge);
    server_pid_ = bridge_->server_pid();
    thread_ = std::jthread([this] {
      end_ = bridge_->Run();
      ended_ = true;
    });
  }

  ~Session() {
    if (bridge_ != nullptr && !ended_) bridge_->Stop();
  }

  void Send(const std::string& line) { SendBytes(line + "\n"); }
  void SendBytes(std::string_view bytes) {
    while (!bytes.empty()) {
      pollfd ready = {.fd = in_.get(), .events = POLLOUT, .revents = 0};
      ASSERT_EQ(poll(&ready, 1, kDeadlineMs), 1) << "the bridge does not read";
      const ssize_t n = write(in_.get(), bytes.data(), std::min<size_t>(bytes.size(), 4096));
      ASSERT_GT(n, 0);
      bytes.remove_prefix(static_cast<size_t>(n));
    }
  }

  // The next line; "<end>" where the bridge closed, "<late>" where none came.
  std::string Read() {
    while (buffer_.find('\n') == std::string::npos) {
      pollfd ready = {.fd = out_.get(), .events = POLLIN, .revents = 0};
      if (poll(&ready, 1, kDeadlineMs) != 1) return "<late>";
      char bytes[65536];
      const ssize_t n = read(out_.get(), bytes, sizeof bytes);
      if (n <= 0) return "<end>";
      buffer_.append(bytes, static_cast<size_t>(n));
    }
    const size_t end = buffer_.find('\n');
    std::string line = buffer_.substr(0, end);
    buffer_.erase(0, end + 1);
    return line;
  }
  // Whether anything comes within `time`.
  bool IsQuiet(int ms = 50) {
    pollfd ready = {.fd = out_.get(), .events = POLLIN, .revents = 0};
    return buffer_.empty() && poll(&ready, 1, ms) == 0;
  }

  std::string Ask(const std::string& line) {
    Send(line);
    return Read();
  }

  void CloseInput() { in_.Reset(); }
  void CloseOutput() { out_.Reset(); }
  void Stop() { bridge_->Stop(); }

  // How Run() ended; nullopt where it has not within the deadline.
  std::optional<BridgeEnd> End() {
    if (!support::WaitUntil([&] { return ended_.load(); })) return std::nullopt;
    return end_;
  }
  bool ended() const { return ended_; }
  pid_t server_pid() const { return server_pid_; }
  std::string metrics_address() const { return bridge_->metrics_address(); }
  std::thread::native_handle_type thread() { return thread_.native_handle(); }

  clients::FakePolicySource policies;
  RealClock clock;
  RandomIdSource ids;
  FakeLogger log;

 private:
  UniqueFd in_;
  UniqueFd out_;
  std::string buffer_;
  std::unique_ptr<StdioBridge> bridge_;
  pid_t server_pid_ = 0;
  std::atomic<bool> ended_ = false;
  BridgeEnd end_ = BridgeEnd::kClient;
  std::jthread thread_;  // joined first
};

class StdioBridgeTest : public ::testing::Test {
 protected:
  void SetUp() override { IgnoreSigpipe(); }
};

// ---- the way through --------------------------------------------------------------

TEST_F(StdioBridgeTest, ACallGoesThroughAndComesBack) {
  Session s;
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize"})"),
              HasSubstr(R"("tools":{"listChanged":true})"));
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 7))), R"({"act":"echo","n":7})");
}

TEST_F(StdioBridgeTest, AServerMayAskAndProgressComesBeforeTheResult) {
  Session s;
  s.Send(Call("ask"));
  EXPECT_THAT(s.Read(), HasSubstr("elicitation/create"));
  const std::string answer = R"({"jsonrpc":"2.0","id":"q","result":{"action":"accept"}})";
  EXPECT_EQ(TextIn(s.Ask(answer)), answer);
  s.Send(Call("progress", 3));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(s.Read(), HasSubstr("notifications/progress"));
  EXPECT_THAT(s.Read(), HasSubstr(R"("id":1)"));
}

TEST_F(StdioBridgeTest, TheUserOfTheClientIsAskedAndTheCallRunsOnce) {
  AppData data = Data();
  data.policy.ask_mode = AskMode::kElicit;
  Session s({}, std::move(data));
  s.Ask(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}})");
  const std::string call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop","arguments":{"act":"echo","n":3}}})";
  for (const std::string_view action : {"decline", "accept"}) {
    const std::string question = s.Ask(call);
    EXPECT_THAT(question, HasSubstr("elicitation/create"));
    const auto document = JsonDocument::Parse(question);
    ASSERT_TRUE(document.ok());
    const std::string answer =
        absl::StrFormat(R"({"jsonrpc":"2.0","id":%s,"result":{"action":"%s"}})",
                        document->root().Find("id")->raw(), action);
    EXPECT_THAT(s.Ask(answer),
                HasSubstr(action == "accept" ? R"({\"act\":\"echo\",\"n\":3})" : "ASK_DECLINED"));
    s.Send(answer);
  }
  EXPECT_TRUE(s.IsQuiet()) << "the second answer ran it again";
}

TEST_F(StdioBridgeTest, AQuestionDoesNotHoldUpTheEnd) {
  AppData data = Data();
  data.policy.ask_mode = AskMode::kElicit;
  Session s({}, std::move(data));
  s.Ask(
      R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}})");
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop"}})"),
              HasSubstr("elicitation/create"));
  s.CloseInput();
  EXPECT_THAT(s.Read(), HasSubstr("ASK_DECLINED"));
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
}

TEST_F(StdioBridgeTest, ADeniedCallDoesNotReachTheServer) {
  Session s;
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hidden"}})"),
              HasSubstr("TOOL_UNREVIEWED"));
}

TEST_F(StdioBridgeTest, AChangeOfThePolicyIsToldWhileItRuns) {
  Session s;
  s.Send(R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), HasSubstr("\"drop\""));
  AppData data = Data();
  data.policy.mode = Mode::kReadOnly;
  s.policies.SetPolicy(std::move(data));
  EXPECT_EQ(s.Read(), R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":2,"method":"tools/list"})"),
              Not(HasSubstr("\"drop\"")));
}

TEST_F(StdioBridgeTest, ATimeoutEndsACallThatIsNotAnswered) {
  AppData data = Data();
  data.policy.limits.timeout = absl::Milliseconds(50);
  Session s({}, std::move(data));
  EXPECT_THAT(s.Ask(Call("no_answer")), HasSubstr("limits.timeout"));
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1, "2"))), R"({"act":"echo","n":1})");
}

// ---- framing ----------------------------------------------------------------------

TEST_F(StdioBridgeTest, CharactersThatArriveByteByByteAreIntact) {
  Session s({"--byte-by-byte"});
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":0,"method":"initialize"})"), HasSubstr("fäke"));
}

TEST_F(StdioBridgeTest, CrLfAndBlankLinesAreTakenAndOnlyLfIsWritten) {
  Session s({"--crlf"});
  const std::string line = s.Ask(R"({"jsonrpc":"2.0","id":0,"method":"ping"})"
                                 "\r");
  EXPECT_EQ(line, R"({"result":{},"jsonrpc":"2.0","id":0})");
  EXPECT_TRUE(s.IsQuiet());
}

TEST_F(StdioBridgeTest, ABannerOnStandardOutputIsSkippedAndLogged) {
  Session s({"--banner"});
  EXPECT_EQ(s.Ask(R"({"jsonrpc":"2.0","id":0,"method":"ping"})"),
            R"({"result":{},"jsonrpc":"2.0","id":0})");
  EXPECT_THAT(s.log.EventsOf("message of the server refused"), SizeIs(1));
}

TEST_F(StdioBridgeTest, AResultOfAMebibyteIsIntact) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("big", 1 << 20))), std::string(1 << 20, 'x'));
}

// From the server, with its id behind 17 MiB.
TEST_F(StdioBridgeTest, AnAnswerAboveTheLimitIsAnErrorAndTheNextIsServed) {
  Session s;
  const std::string line = s.Ask(Call("big", 17 << 20));
  EXPECT_THAT(line, HasSubstr("16777216 bytes"));
  EXPECT_THAT(line, HasSubstr(R"("id":1)"));
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1, "2"))), R"({"act":"echo","n":1})");
}

// From the client.
TEST_F(StdioBridgeTest, ARequestAboveTheLimitIsAnErrorAndTheNextIsServed) {
  Session s;
  s.SendBytes(R"({"jsonrpc":"2.0","id":9,"method":"ping","x":")");
  s.SendBytes(std::string(kMaxLineBytes, 'x'));
  EXPECT_THAT(s.Read(), HasSubstr(R"("id":9,"error":{"code":-32600)"))
      << "told before the line ends";
  s.SendBytes("\"}\n");
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1))), R"({"act":"echo","n":1})");
}

int64_t ResidentKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    int64_t kilobytes = 0;
    if (line.starts_with("VmRSS:") &&
        absl::SimpleAtoi(line.substr(6, line.size() - 6 - 3), &kilobytes)) {
      return kilobytes;
    }
  }
  ADD_FAILURE() << "no VmRSS";
  return 0;
}

// A line of 100 MB takes no more room than the limit allows.
TEST_F(StdioBridgeTest, ALineOfAHundredMegabytesIsNotKept) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1))), R"({"act":"echo","n":1})");
  const int64_t before = ResidentKilobytes();
  const std::string line = s.Ask(Call("endless", 100 << 20, "2"));
  EXPECT_EQ(TextIn(line), absl::StrFormat(R"({"act":"endless","n":%d})", 100 << 20));
  EXPECT_LT(ResidentKilobytes() - before, 64 << 10);
  EXPECT_THAT(s.log.EventsOf("message of the server refused"), SizeIs(1));
}

// Whatever two readers could read differently: none of it is forwarded, also not to a
// server that ends a line at each CR, which would find whole messages inside of others.
TEST_F(StdioBridgeTest, NothingOfARefusedMessageReachesTheServer) {
  Session s({"--universal-newlines"});
  EXPECT_EQ(TextIn(s.Ask(Call("lines"))), "2") << "the list of tools, and this";
  const std::string inner =
      R"({"jsonrpc":"2.0","id":66,"method":"tools/call","params":{"name":"drop"}})";
  const std::string call =
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"do","arguments":)";
  const std::vector<std::string> refused = {
      R"({"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":)"
      "\r" +
          inner + "\r}}",
      "\r" + inner + "\r",
      inner + "\r" + inner,
      "\xEF\xBB\xBF" + inner,
      std::string("\xFF\xFE{\0\"\0", 6),
      call + R"({"act":"echo","act":"drop"}}})",
      call + R"({"act":"echo","ACT":"drop"}}})",
      call + R"({"act":"echo","\u0061ct":"drop"}}})",
      call + "{\"task\":1,\"tas\u212A\":2}}}",
      call + R"({"s":1,"\u017f":2}}})",
      call + R"({"x":"\ud800"}}})",
      call + R"({"n":01}}})",
      call + R"({}},"Method":"tools/list"})",
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"do","Name":"drop"}})",
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":["do"]}})",
      R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":{"a":"do"}}})",
      R"({"jsonrpc":"2.0","id":7.0,"method":"tools/call","params":{"name":"do"}})",
      R"({"jsonrpc":"2.0","id":18446744073709551616,"method":"tools/call","params":{"name":"do"}})",
      call + std::string(200, '[') + std::string(200, ']') + "}}",
      "[" + inner + "]",
  };
  for (const std::string& line : refused) {
    EXPECT_THAT(s.Ask(line), HasSubstr("\"error\"")) << line;
  }
  EXPECT_EQ(TextIn(s.Ask(Call("lines", 0, "8"))), "3");
}

// ---- standard error -----------------------------------------------------------------

TEST_F(StdioBridgeTest, AServerMayCloseItsStandardError) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("close_stderr"))), R"({"act":"close_stderr","n":0})");
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1, "2"))), R"({"act":"echo","n":1})");
  s.CloseInput();
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
}

TEST_F(StdioBridgeTest, AFloodOnStandardErrorHoldsNobodyUp) {
  Session s({"--stderr-flood", "10485760"});
  EXPECT_EQ(TextIn(s.Ask(Call("echo", 1))), R"({"act":"echo","n":1})");
  EXPECT_EQ(TextIn(s.Ask(Call("stderr_lines", 20'000, "2"))),
            R"({"act":"stderr_lines","n":20000})");
  EXPECT_LT(s.log.EventsOf("the server says").size(), 1000u) << "bounded in rate";
  EXPECT_GT(s.log.EventsOf("the server says").size(), 10u);
  EXPECT_LE(s.log.EventsOf("the server says").at(0).fields.at("text").size(), kMaxLogFieldBytes);
}

// ---- the server ends ------------------------------------------------------------------

struct ServerEndCase {
  std::string name;
  std::string act;
  int64_t n;
  std::string how;
};

class ServerEndTest : public ::testing::TestWithParam<ServerEndCase> {
 protected:
  void SetUp() override { IgnoreSigpipe(); }
};

// In the middle of a call, with others waiting.
TEST_P(ServerEndTest, EveryCallIsAnsweredAndTheBridgeEnds) {
  Session s;
  s.Send(Call("no_answer", 0, "7"));
  s.Send(Call(GetParam().act, GetParam().n, "8"));
  std::vector<std::string> lines = {s.Read(), s.Read()};
  EXPECT_THAT(lines,
              ::testing::UnorderedElementsAre(HasSubstr(R"("id":7)"), HasSubstr(R"("id":8)")));
  for (const std::string& line : lines) {
    EXPECT_THAT(line, HasSubstr("-32603"));
    EXPECT_THAT(line, HasSubstr(GetParam().how));
  }
  EXPECT_EQ(s.End(), BridgeEnd::kServer);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

INSTANTIATE_TEST_SUITE_P(Table, ServerEndTest,
                         ::testing::ValuesIn(std::vector<ServerEndCase>{
                             {"ExitsWithACode", "exit", 1, "exit code 1"},
                             {"ExitsWithZero", "exit", 0, "exit code 0"},
                             {"IsKilled", "kill", SIGKILL, "signal 9 (KILL)"},
                             {"Crashes", "kill", SIGSEGV, "signal 11 (SEGV)"},
                             {"ClosesItsOutput", "close_stdout", 0, "closed its standard output"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST_F(StdioBridgeTest, AServerThatClosesItsInputHasEnded) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("close_stdin"))), "closed");
  EXPECT_THAT(s.Ask(Call("echo", 1, "2")), HasSubstr("closed its standard input"));
  EXPECT_EQ(s.End(), BridgeEnd::kServer);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

// A server that never says a word; what the bridge answers itself still comes.
TEST_F(StdioBridgeTest, AServerThatAnswersNothingHoldsUpNoEnd) {
  Session s({"--silent", "--ignore-end", "--ignore-term"});
  s.Send(R"({"jsonrpc":"2.0","id":0,"method":"initialize"})");
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":1,"method":"admin/shutdown"})"), HasSubstr("-32601"));
  EXPECT_TRUE(s.IsQuiet());
  s.Stop();
  EXPECT_THAT(s.Read(), HasSubstr(R"("id":0,"error")"));
  EXPECT_EQ(s.End(), BridgeEnd::kSignal);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, AServerThatCannotBeStartedIsAnError) {
  clients::FakePolicySource policies;
  RealClock clock;
  RandomIdSource ids;
  FakeLogger log;
  StdioOptions options;
  options.server.command = {"no-such-server"};
  options.client_in = UniqueFd(open("/dev/null", O_RDONLY));
  options.client_out = UniqueFd(open("/dev/null", O_WRONLY));
  EXPECT_THAT(StdioBridge::Create(std::move(options), {.policies = policies,
                                                       .judge = nullptr,
                                                       .clock = clock,
                                                       .ids = ids,
                                                       .log = log,
                                                       .observers = {}}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("no-such-server")));
}

// ---- the client ends --------------------------------------------------------------------

TEST_F(StdioBridgeTest, AClientThatClosesItsInputGetsItsLastAnswers) {
  Session s;
  s.Send(Call("big", 100'000, "1"));
  s.Send(Call("echo", 1, "2"));
  s.CloseInput();
  EXPECT_EQ(TextIn(s.Read()).size(), 100'000u);
  EXPECT_EQ(TextIn(s.Read()), R"({"act":"echo","n":1})");
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, AnIdleClientThatClosesItsInputEndsItAll) {
  Session s;
  const absl::Duration begin = s.clock.SinceBoot();
  s.CloseInput();
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
  EXPECT_LT(s.clock.SinceBoot() - begin, absl::Seconds(10));
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

// A client that leaves in the middle of a large answer.
TEST_F(StdioBridgeTest, AClientThatIsGoneEndsItAllAtOnce) {
  Session s;
  s.Send(Call("big", 8 << 20));
  s.Send(Call("no_answer", 0, "2"));
  EXPECT_FALSE(s.IsQuiet(kDeadlineMs));
  s.CloseOutput();
  s.CloseInput();
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, AClientThatIsGoneIsNoticedWhileNothingIsWritten) {
  Session s;
  s.Send(Call("no_answer"));
  s.CloseOutput();
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, AClientThatDoesNotReadLosesNothing) {
  Session s;
  constexpr int kCalls = 60;
  std::thread writer([&] {
    for (int i = 0; i < kCalls; ++i) s.Send(Call("big", 1 << 20, std::to_string(i)));
  });
  // More than the bridge and the pipes hold: the server is held up, nothing is lost.
  writer.join();
  for (int i = 0; i < kCalls; ++i) {
    const std::string line = s.Read();
    ASSERT_EQ(TextIn(line).size(), 1u << 20) << i;
    EXPECT_THAT(line.substr(line.size() - 10), HasSubstr(absl::StrFormat("\"id\":%d}", i)));
  }
}

// ---- stopping -----------------------------------------------------------------------------

TEST_F(StdioBridgeTest, StoppingAnswersWhatIsInFlight) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("echo"))), R"({"act":"echo","n":0})");
  s.Send(Call("no_answer", 0, "5"));
  EXPECT_TRUE(s.IsQuiet());
  s.Stop();
  EXPECT_THAT(s.Read(), HasSubstr(R"("id":5,"error")"));
  EXPECT_EQ(s.End(), BridgeEnd::kSignal);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

// A server that stops reading.
TEST_F(StdioBridgeTest, AServerThatStopsReadingHoldsUpNothingElse) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("stop_reading"))), "stopped");
  for (int i = 0; i < 4; ++i) {
    s.Send(absl::StrFormat(
        R"({"jsonrpc":"2.0","id":"%d","method":"tools/call","params":{"name":"do","arguments":{"a":"%s"}}})",
        i, std::string(1'000'000, 'x')));
  }
  EXPECT_THAT(s.Ask(R"({"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"hidden"}})"),
              HasSubstr("TOOL_UNREVIEWED"))
      << "what the bridge answers itself still comes";
  const absl::Duration begin = s.clock.SinceBoot();
  s.Stop();
  EXPECT_EQ(s.End(), BridgeEnd::kSignal);
  EXPECT_LT(s.clock.SinceBoot() - begin, absl::Seconds(10));
}

TEST_F(StdioBridgeTest, AServerThatIgnoresTermIsKilled) {
  Session s({"--ignore-term"});
  EXPECT_EQ(TextIn(s.Ask(Call("stop_reading"))), "stopped");
  s.Stop();
  EXPECT_EQ(s.End(), BridgeEnd::kSignal);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, ASecondStopKillsAtOnce) {
  Session s({"--ignore-term"});
  EXPECT_EQ(TextIn(s.Ask(Call("stop_reading"))), "stopped");
  s.Stop();
  s.Stop();
  EXPECT_EQ(s.End(), BridgeEnd::kSignal);
  EXPECT_FALSE(support::IsRunning(s.server_pid()));
}

TEST_F(StdioBridgeTest, NoGrandchildIsLeft) {
  Session s;
  const std::string text = TextIn(s.Ask(Call("grandchild")));
  pid_t grandchild = 0;
  ASSERT_TRUE(absl::SimpleAtoi(text, &grandchild)) << text;
  ASSERT_TRUE(support::IsRunning(grandchild));
  s.CloseInput();
  EXPECT_EQ(s.End(), BridgeEnd::kClient);
  EXPECT_TRUE(support::WaitUntil([&] { return !support::IsRunning(grandchild); }));
}

TEST_F(StdioBridgeTest, NoGrandchildIsLeftWhenTheServerExits) {
  Session s({"--grandchild"});
  EXPECT_THAT(s.Ask(Call("exit", 3)), HasSubstr("exit code 3"))
      << "though the grandchild holds the pipe open";
  EXPECT_EQ(s.End(), BridgeEnd::kServer);
}

// ---- nothing leaks --------------------------------------------------------------------------

int OpenDescriptors() {
  int count = 0;
  DIR* folder = opendir("/proc/self/fd");
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

TEST_F(StdioBridgeTest, AHundredSessionsLeakNoDescriptorNoProcessAndNoMemory) {
  const auto run = [] {
    Session s;
    EXPECT_EQ(TextIn(s.Ask(Call("echo", 1))), R"({"act":"echo","n":1})");
    s.CloseOutput();
    EXPECT_EQ(s.End(), BridgeEnd::kClient);
    EXPECT_FALSE(support::IsRunning(s.server_pid()));
  };
  for (int i = 0; i < 20; ++i) run();  // until the allocator has what it needs
  const int descriptors = OpenDescriptors();
  const int64_t kilobytes = ResidentKilobytes();
  for (int i = 0; i < 100; ++i) run();
  EXPECT_EQ(OpenDescriptors(), descriptors);
  // One that kept its buffers would keep two of kReadBytes and more: 12 MB in all.
  EXPECT_LT(ResidentKilobytes() - kilobytes, 8 << 10);
  EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) << "a child is left";
}

// A bridge that waits uses no processor time.
TEST_F(StdioBridgeTest, AnIdleBridgeIsIdle) {
  Session s;
  EXPECT_EQ(TextIn(s.Ask(Call("stop_reading"))), "stopped");
  s.Send(Call("echo", 1, "2"));
  const absl::Duration before = support::CpuTimeOf(s.thread());
  EXPECT_TRUE(s.IsQuiet(300));
  EXPECT_LT(support::CpuTimeOf(s.thread()) - before, absl::Milliseconds(50));
}

}  // namespace
}  // namespace bridgekeeper::bridge
