// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Every server at once: whose a name is, what is listed, and what a client is told.

#include "clients/bridge/http/all_servers.h"

#include <atomic>
#include <string>
#include <vector>

#include "clients/bridge/config/config.h"
#include "clients/bridge/http/bridge_server_test_util.h"

namespace bridgekeeper::bridge {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

constexpr std::string_view kAll = "/mcp";
constexpr std::string_view kToolsChanged =
    R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})";

// A policy in which these tools of `server` are SAFE.
AppData SafeTools(const std::string& server, const std::vector<std::string>& tools) {
  AppData data = Policy({});
  for (const std::string& tool : tools) {
    CatalogEntry entry;
    entry.key = {AppId("app"), ServerId(server), ToolName(tool)};
    entry.risk = Risk::kSafe;
    entry.needs_connection = NeedsConnection::kNo;
    data.catalog.push_back(entry);
  }
  return data;
}

std::string ToolsNamed(const std::vector<std::string>& names) {
  std::string tools;
  for (const std::string& name : names) {
    tools += absl::StrFormat(R"(%s{"name":"%s","inputSchema":{"type":"object"}})",
                             tools.empty() ? "" : ",", name);
  }
  return "[" + tools + "]";
}

std::string Post(const TestBridge& bridge, const HttpClient::Fields& session,
                 const std::string& body) {
  return bridge.Client().Ask("POST", kAll, body, session).body;
}

void WaitForReady(const TestBridge& bridge, int servers) {
  EXPECT_TRUE(support::WaitUntil([&] {
    return bridge.Client()
               .Ask("GET", "/metrics")
               .body.find(absl::StrFormat("bridgekeeper_bridge_servers_ready %d\n", servers)) !=
           std::string::npos;
  }));
}

// ---- names ---------------------------------------------------------------------------------

TEST(AllServers, PutsThePrefixOfItsServerBeforeEachName) {
  TestBridge bridge({Fake("one"), Fake("two")}, Policy({"two"}));
  const auto session = bridge.Begin("/mcp");
  const Reply list = bridge.Client().Ask("POST", "/mcp", Request("tools/list"), session);
  EXPECT_THAT(list.body, AllOf(HasSubstr(R"("name":"two__do")"), Not(HasSubstr("one__do"))))
      << "only what the catalogue says of this server holds for it";
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/mcp", Call("two__do"), session).body),
            R"({"act":"echo","n":0})");
  EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Call("one__do"), session).body,
              HasSubstr("TOOL_UNREVIEWED"));
  for (const char* name : {"do", "two__", "three__do", "two__two__do"}) {
    EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Call(name), session).body,
                AllOf(HasSubstr("rror"), Not(HasSubstr("echo"))))
        << name;
  }
}

TEST(AllServers, ServesTheOthersWhereOneServerDoesNotStart) {
  ServerConfig missing = Fake("missing");
  missing.command = {"/nonexistent/server"};
  TestBridge bridge({Fake("one"), std::move(missing)});
  const auto session = bridge.Begin("/mcp");
  EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Request("tools/list"), session).body,
              HasSubstr("one__do"));
  EXPECT_EQ(TextIn(bridge.Client().Ask("POST", "/mcp", Call("one__do"), session).body),
            R"({"act":"echo","n":0})");
  EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Call("missing__do"), session).body,
              HasSubstr("is not running: it does not start"));
  EXPECT_THAT(bridge.Client().Ask("GET", "/health").body,
              AllOf(HasSubstr(R"("status":"degraded")"), HasSubstr("it does not start")));
}

TEST(AllServers, CountsWhatEndsBeforeAServerIsFound) {
  TestBridge bridge({Fake("one"), Fake("two")});
  const auto session = bridge.Begin("/mcp");
  const auto rejected = [&] {
    const std::string page = bridge.Client().Ask("GET", "/metrics").body;
    constexpr std::string_view kName =
        R"(bridgekeeper_bridge_messages_total{sender="client",outcome="rejected"} )";
    return atoi(page.c_str() + page.find(kName) + kName.size());
  };
  const int before = rejected();
  for (const char* name : {"do", "three__do", ""}) {
    EXPECT_THAT(bridge.Client().Ask("POST", "/mcp", Call(name), session).body, HasSubstr("-32602"));
  }
  EXPECT_EQ(rejected(), before + 3);
}

// Whatever separator stands in front of them or inside.
TEST(AllServers, NamesComeBackToTheServerAsItGaveThem) {
  const std::vector<std::string> names = {"a_b", "a__b", "__a", "_", "one__a", "one_a", "a.b-c"};
  for (const std::string prefix : {"one_", "one__", "one."}) {
    FakeHttpServer server;
    server.tools = ToolsNamed(names);
    ServerConfig config = Behind(server);
    config.prefix = prefix;
    TestBridge bridge({config, Fake("two")}, SafeTools("one", names));
    const auto session = bridge.Begin(std::string(kAll));
    const std::string list = Post(bridge, session, Request("tools/list"));
    for (const std::string& name : names) {
      EXPECT_THAT(list, HasSubstr("\"name\":\"" + prefix + name + "\""));
      EXPECT_EQ(TextIn(Post(bridge, session, Call(prefix + name))), "done") << prefix + name;
      EXPECT_THAT(server.RequestsOf("tools/call").back().body,
                  HasSubstr("\"name\":\"" + name + "\""));
    }
  }
}

TEST(AllServers, AToolWhoseNameIsTooLongWithItsPrefixIsNotServedAndNamedInTheLog) {
  FakeHttpServer server;
  ServerConfig config = Behind(server);
  config.prefix = "ten_bytes___";
  const std::string fits(kMaxToolNameBytes - config.prefix.size(), 'f');
  const std::string is_long = fits + "g";
  server.tools = ToolsNamed({fits, is_long});
  TestBridge bridge({config}, SafeTools("one", {fits, is_long}));
  const auto session = bridge.Begin(std::string(kAll));
  EXPECT_THAT(Post(bridge, session, Request("tools/list")),
              AllOf(HasSubstr(config.prefix + fits + "\""), Not(HasSubstr(is_long))));
  const auto events =
      bridge.log.EventsOf("a tool is left out: its name with the prefix is too long");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].fields.at("tool"), is_long);
  EXPECT_EQ(TextIn(Post(bridge, session, Call(config.prefix + fits))), "done");
  EXPECT_THAT(Post(bridge, session, Call(config.prefix + is_long)), HasSubstr("-32602"));
  EXPECT_THAT(server.RequestsOf("tools/call"), SizeIs(1));
  for (int i = 0; i < 100; ++i) Post(bridge, session, Request("tools/list"));
  EXPECT_LT(bridge.log.EventsOf("a tool is left out: its name with the prefix is too long").size(),
            60u)
      << "bounded in rate";
}

// ---- what passes -----------------------------------------------------------------------------

TEST(AllServers, SchemasAndResultsKeepTheirBytes) {
  const std::string schema =
      R"({ "type":"object", "$defs":{"é":{"minimum":1.0e0}}, "anyOf":[ {"$ref":"#\/$defs\/\u00e9"} ],"additionalProperties" : false })";
  const std::string result =
      R"({"content":[ ],"structuredContent":{"n":9007199254740993, "x":1.50},"_meta":{"a/b":[1]},"unknown":{"\u0061":null}})";
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != "tools/call") return false;
    reply.Result(request, result);
    return true;
  });
  server.tools = absl::StrFormat(R"([{"name":"do","inputSchema":%s,"outputSchema":%s,"x":[1 ]}])",
                                 schema, schema);
  TestBridge bridge({Behind(server)});
  const auto session = bridge.Begin(std::string(kAll));
  EXPECT_THAT(Post(bridge, session, Request("tools/list")),
              AllOf(HasSubstr("\"inputSchema\":" + schema), HasSubstr("\"outputSchema\":" + schema),
                    HasSubstr(R"("x":[1 ])")));
  EXPECT_THAT(Post(bridge, session, Call("one__do")), HasSubstr("\"result\":" + result));
}

// ---- lists in pages --------------------------------------------------------------------------

struct Family {
  std::string name;
  std::string method;
  std::string member;
  std::string item;  // %s: what it is called
  std::string shown;
};
class PagesTest : public ::testing::TestWithParam<Family> {
 protected:
  // The items of one page, with the cursor of the next.
  std::string Page(const std::string& item, const std::string& next) const {
    std::string text = item.empty() ? "" : GetParam().item;
    if (!item.empty()) text.replace(text.find("%s"), 2, item);
    return absl::StrFormat(R"({"%s":[%s]%s})", GetParam().member, text,
                           next.empty() ? "" : ",\"nextCursor\":\"" + next + "\"");
  }
  std::string Shown(const std::string& item) const {
    std::string text = GetParam().shown;
    return text.replace(text.find("%s"), 2, item);
  }
  static AppData Open() {
    AppData data = Policy({"one", "two"});
    data.policy.resources = Passage::kAllow;
    data.policy.prompts = Passage::kAllow;
    return data;
  }
  static std::string CursorOf(const FakeRequest& request) {
    const auto document = JsonDocument::Parse(request.body);
    const auto params = document.ok() ? document->root().Find("params") : std::nullopt;
    const auto cursor = params ? params->Find("cursor") : std::nullopt;
    return cursor ? std::string(cursor->string()) : "";
  }
};

INSTANTIATE_TEST_SUITE_P(
    AllServers, PagesTest,
    ::testing::Values(
        Family{"Tools", "tools/list", "tools", R"({"name":"%s","inputSchema":{"type":"object"}})",
               R"("name":"one__%s")"},
        Family{"Prompts", "prompts/list", "prompts", R"({"name":"%s"})", R"("name":"one__%s")"},
        Family{"Resources", "resources/list", "resources", R"({"uri":"x://%s","name":"n"})",
               R"("uri":"x://%s")"},
        Family{"Templates", "resources/templates/list", "resourceTemplates",
               R"({"uriTemplate":"x://%s","name":"n"})", R"("uriTemplate":"x://%s")"}),
    [](const auto& row) { return row.param.name; });

// Also behind an empty page.
TEST_P(PagesTest, AreAllReadAndTheClientGetsOne) {
  FakeHttpServer server([this](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != GetParam().method) return false;
    const std::string cursor = CursorOf(request);
    reply.Result(request, cursor.empty() ? Page("do", "2")
                                         : (cursor == "2" ? Page("", "3") : Page("drop", "")));
    return true;
  });
  TestBridge bridge({Behind(server), Fake("two")}, Open());
  const auto session = bridge.Begin(std::string(kAll));
  EXPECT_THAT(
      Post(bridge, session, Request(GetParam().method)),
      AllOf(HasSubstr(Shown("do")), HasSubstr(Shown("drop")), Not(HasSubstr("nextCursor"))));
  // The bridge looks at the tools of a server that tells of no change by itself too.
  if (GetParam().name != "Tools") {
    EXPECT_THAT(server.RequestsOf(GetParam().method), SizeIs(3));
  }
}

TEST_P(PagesTest, WhoseCursorDoesNotAdvanceEndTheListAndAreLogged) {
  FakeHttpServer server([this](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != GetParam().method) return false;
    reply.Result(request, Page("do", "x"));
    return true;
  });
  TestBridge bridge({Behind(server), Fake("two")}, Open());
  const auto session = bridge.Begin(std::string(kAll));
  EXPECT_THAT(Post(bridge, session, Request(GetParam().method)), HasSubstr(Shown("do")));
  if (GetParam().name != "Tools") {
    EXPECT_THAT(server.RequestsOf(GetParam().method), SizeIs(2));
  }
  EXPECT_THAT(
      bridge.log.EventsOf(GetParam().name == "Tools"
                              ? "the server gives a cursor of tools/list twice; its list ends there"
                              : "a list of the server ends where its cursors do not"),
      SizeIs(1));
}

// What could not be read is not shown, and that is no secret.
TEST(AllServers, ResourcesBeyondWhatIsRememberedAreLeftOutAloud) {
  const std::string filler(1000, 'u');
  FakeHttpServer server([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != "resources/list") return false;
    std::string list;
    for (int i = 0; i < 600; ++i) {
      list += absl::StrFormat(R"(%s{"uri":"x://%03d%s","name":"n"})", i == 0 ? "" : ",", i, filler);
    }
    reply.Result(request, R"({"resources":[)" + list + "]}");
    return true;
  });
  AppData policy = Policy({"one", "two"});
  policy.policy.resources = Passage::kAllow;
  TestBridge bridge({Behind(server), Fake("two")}, policy);
  const auto session = bridge.Begin(std::string(kAll));
  // A URI of these has 1,007 bytes.
  const size_t kept = kMaxRememberedBytes / 1007;
  const std::string answer = Post(bridge, session, Request("resources/list"));
  EXPECT_THAT(answer, HasSubstr(absl::StrFormat("x://%03d", kept - 1)));
  EXPECT_THAT(answer, Not(HasSubstr(absl::StrFormat("x://%03d", kept))));
  EXPECT_THAT(answer,
              HasSubstr(absl::StrFormat(R"("_meta":{"bridgekeeper/left_out":%d})", 600 - kept)));
  const auto events =
      bridge.log.EventsOf("resources are left out: one client has more than are remembered");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].fields.at("server"), "one");
  EXPECT_THAT(
      bridge.Client().Ask("GET", "/metrics").body,
      HasSubstr(absl::StrFormat("bridgekeeper_bridge_list_items_left_out_total %d", 600 - kept)));
  // A list that is whole says nothing of the kind.
  EXPECT_THAT(Post(bridge, session, Request("tools/list")), Not(HasSubstr("left_out")));
}

// A list that breaks off is none; those of the others are not touched.
TEST_P(PagesTest, OfWhichOneFailsTakeNoOtherServersListAlong) {
  std::atomic<bool> fails = true;
  const auto pages = [&, this](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != GetParam().method) return false;
    if (CursorOf(request).empty()) {
      reply.Result(request, Page("do", "2"));
    } else if (fails) {
      reply.Json(absl::StrFormat(
          R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}})", request.id));
    } else {
      reply.Result(request, Page("drop", ""));
    }
    return true;
  };
  const auto whole = [this](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method != GetParam().method) return false;
    const bool has_prefix = GetParam().member == "tools" || GetParam().member == "prompts";
    reply.Result(request, Page(has_prefix ? "do" : "other", ""));
    return true;
  };
  FakeHttpServer one(pages);
  FakeHttpServer two(whole);
  TestBridge bridge({Behind(one, "one"), Behind(two, "two")}, Open());
  const auto session = bridge.Begin(std::string(kAll));
  const std::string of_two = GetParam().member == "tools" || GetParam().member == "prompts"
                                 ? R"("name":"two__do")"
                                 : Shown("other");
  EXPECT_THAT(Post(bridge, session, Request(GetParam().method)),
              AllOf(HasSubstr(of_two), Not(HasSubstr(Shown("do")))));
  fails = false;
  EXPECT_THAT(Post(bridge, session, Request(GetParam().method)),
              AllOf(HasSubstr(of_two), HasSubstr(Shown("do")), HasSubstr(Shown("drop"))));
}

// A server that has listed its tools and then fails to is still called as it was known.
TEST(AllServers, AListThatCannotBeReadAgainLeavesTheServersAsTheyWere) {
  std::atomic<bool> fails = false;
  FakeHttpServer one([&](const FakeRequest& request, FakeReply& reply) {
    if (request.rpc_method == "tools/list" && fails) {
      reply.Json(absl::StrFormat(
          R"({"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}})", request.id));
      return true;
    }
    if (request.rpc_method != "tools/call") return false;
    reply.BeginEvents();
    reply.Event(kToolsChanged);
    reply.Event(absl::StrFormat(
        R"({"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"done"}]}})",
        request.id));
    reply.EndEvents();
    return true;
  });
  TestBridge bridge({Behind(one, "one"), Fake("one_bar")}, Policy({"one", "one_bar"}));
  const auto session = bridge.Begin(std::string(kAll));
  EXPECT_THAT(Post(bridge, session, Request("tools/list")),
              AllOf(HasSubstr("one__do"), HasSubstr("one_bar__do")));
  fails = true;
  for (int i = 0; i < 2; ++i) {
    HttpClient client = bridge.Client();
    EXPECT_EQ(TextIn(LastWord(client, client.Ask("POST", kAll, Call("one__do"), session))), "done");
  }
  EXPECT_THAT(Post(bridge, session, Request("tools/list")), HasSubstr("one_bar__do"));
  EXPECT_THAT(TextIn(Post(bridge, session, Call("one_bar__do"))), HasSubstr("echo"));
}

// ---- changes ---------------------------------------------------------------------------------

// However many servers the policy is about; and nobody where nothing has changed.
TEST(AllServers, AChangeOfThePolicyIsToldEachSessionOnce) {
  TestBridge bridge({Fake("one"), Fake("two"), Fake("three")});
  // One that begins later says that its list is there.
  WaitForReady(bridge, 3);
  std::vector<HttpClient> streams;
  for (int i = 0; i < 2; ++i) {
    const auto session = bridge.BeginAndList(std::string(kAll));
    streams.push_back(bridge.Client());
    streams.back().Ask("GET", kAll, "", session);
  }
  AppData same = Policy({"one", "two", "three"});
  same.policy.max_staleness = absl::Minutes(7);
  bridge.policies.SetPolicy(std::move(same));
  bridge.policies.SetPolicy(Policy({"one", "two", "three"}, Mode::kReadOnly));
  for (HttpClient& stream : streams) EXPECT_EQ(stream.NextEvent()->data, kToolsChanged);
  // What comes next is about this, and begins with the tools.
  ASSERT_THAT(bridge.Reload({Fake("one"), Fake("two")}), IsOk());
  for (HttpClient& stream : streams) {
    std::vector<std::string> next;
    for (int i = 0; i < 3; ++i) next.push_back(stream.NextEvent()->data);
    EXPECT_THAT(next,
                ElementsAre(HasSubstr("tools/list_changed"), HasSubstr("prompts/list_changed"),
                            HasSubstr("resources/list_changed")));
  }
}

}  // namespace
}  // namespace bridgekeeper::bridge
