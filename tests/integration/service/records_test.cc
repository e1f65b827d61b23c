// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyService, CatalogService, ConnectionService, BridgeService and ServerService
// over gRPC, on each kind of store.

#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/base/json.h"
#include "policy/testing/status_matchers.h"
#include "proto/convert/limits.h"
#include "runtime/sha256.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Policies = v1::PolicyService::Stub;
using Catalog = v1::CatalogService::Stub;
using Connections = v1::ConnectionService::Stub;
using Bridges = v1::BridgeService::Stub;

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kAborted = absl::StatusCode::kAborted;
constexpr absl::StatusCode kNotFound = absl::StatusCode::kNotFound;
constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;

class RecordsTest : public ::testing::TestWithParam<StoreKind> {
 protected:
  static RunningServerOptions Options() {
    RunningServerOptions options;
    options.store = GetParam();
    options.dir = ::testing::TempDir() + "store";
    return options;
  }
  void TearDown() override {
    server_.Stop();
    ASSERT_EQ(std::system(("rm -rf '" + Options().dir + "'").c_str()), 0);
  }

  absl::StatusOr<v1::PutPolicyResponse> Put(const v1::PutPolicyRequest& request) {
    v1::PutPolicyResponse response;
    absl::Status status = Call(*server_.policies, &Policies::PutPolicy, request, &response);
    if (!status.ok()) return status;
    return response;
  }
  absl::StatusOr<v1::GetPolicyResponse> Get(const std::string& app, int64_t revision = 0) {
    v1::GetPolicyRequest request;
    request.set_app(app);
    request.set_revision(revision);
    v1::GetPolicyResponse response;
    absl::Status status = Call(*server_.policies, &Policies::GetPolicy, request, &response);
    if (!status.ok()) return status;
    return response;
  }

  RunningServer server_{Options()};
};

TEST_P(RecordsTest, PolicyIsWrittenReadListedAndDeleted) {
  v1::PutPolicyRequest put = PutRequest("dockit", Mode::kFullAccess, 0);
  put.mutable_options()->set_author("ada");
  put.mutable_options()->set_reason("first");
  const auto written = Put(put);
  ASSERT_THAT(written, IsOk());
  EXPECT_TRUE(written->changed());
  EXPECT_EQ(written->record().meta().revision(), 1);
  EXPECT_EQ(written->record().meta().author(), "ada");
  EXPECT_EQ(written->record().meta().reason(), "first");
  EXPECT_GT(written->record().meta().time().seconds(), 0);
  EXPECT_EQ(written->record().policy().mode(), v1::MODE_FULL_ACCESS);
  EXPECT_THAT(written->warnings(), ElementsAre(HasSubstr("APPROVAL")));

  const auto read = Get("dockit");
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->record().SerializeAsString(), written->record().SerializeAsString());
  EXPECT_EQ(read->token().revision(), 1);
  EXPECT_EQ(read->token().incarnation(), server_.store().Token().incarnation);

  v1::ListPoliciesResponse list;
  ASSERT_THAT(Call(*server_.policies, &Policies::ListPolicies, v1::ListPoliciesRequest(), &list),
              IsOk());
  ASSERT_EQ(list.records_size(), 1);
  EXPECT_EQ(list.token().revision(), 1);

  v1::DeletePolicyRequest del;
  del.set_app("dockit");
  v1::DeletePolicyResponse deleted;
  EXPECT_THAT(Call(*server_.policies, &Policies::DeletePolicy, del, &deleted),
              StatusIs(kInvalid, HasSubstr("expected_revision")));
  del.mutable_options()->set_expected_revision(1);
  ASSERT_THAT(Call(*server_.policies, &Policies::DeletePolicy, del, &deleted), IsOk());
  EXPECT_EQ(deleted.revision(), 2);
  EXPECT_THAT(Get("dockit"), StatusIs(kNotFound));
}

TEST_P(RecordsTest, WriteSaysWhatItExpects) {
  EXPECT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, std::nullopt)),
              StatusIs(kInvalid, HasSubstr("options.expected_revision")));
  EXPECT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, -1)), StatusIs(kInvalid));
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, 0)), IsOk());
  EXPECT_THAT(Put(PutRequest("dockit", Mode::kFullAccess, 0)),
              StatusIs(kAborted, AllOf(HasSubstr("dockit"), HasSubstr("1"))));
  const auto same = Put(PutRequest("dockit", Mode::kReadOnly, 77));
  ASSERT_THAT(same, IsOk()) << "identical content answers before the check";
  EXPECT_FALSE(same->changed());
  EXPECT_EQ(same->record().meta().revision(), 1);
}

TEST_P(RecordsTest, RequestIdRepeatedAnswersTheFirstResult) {
  v1::PutPolicyRequest put = PutRequest("dockit", Mode::kReadOnly, 0);
  put.mutable_options()->set_request_id("once");
  ASSERT_THAT(Put(put), IsOk());
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kFullAccess, 1)), IsOk());
  const auto again = Put(put);
  ASSERT_THAT(again, IsOk());
  EXPECT_EQ(again->record().meta().revision(), 1);
  EXPECT_EQ(again->record().policy().mode(), v1::MODE_READ_ONLY);
  EXPECT_EQ(Get("dockit")->record().policy().mode(), v1::MODE_FULL_ACCESS);
}

TEST_P(RecordsTest, AllProblemsOfAWriteAreNamed) {
  v1::PutPolicyRequest put;
  put.mutable_policy()->set_app("a b");
  put.mutable_policy()->mutable_max_staleness()->set_seconds(1);
  put.mutable_options()->set_expected_revision(0);
  EXPECT_THAT(Put(put),
              StatusIs(kInvalid, AllOf(HasSubstr("app: got `a b`"), HasSubstr("max_staleness"))));
  put = PutRequest("dockit", Mode::kReadOnly, 0);
  put.mutable_options()->set_reason(std::string(513, 'x'));
  EXPECT_THAT(Put(put), StatusIs(kExhausted, HasSubstr("options.reason")));
}

TEST_P(RecordsTest, BatchIsOneRevisionOrNone) {
  v1::BatchPutPoliciesRequest batch;
  *batch.add_requests() = PutRequest("a", Mode::kReadOnly, 0);
  *batch.add_requests() = PutRequest("b", Mode::kReadOnly, 3);
  *batch.add_requests() = PutRequest("c", Mode::kReadOnly, 0);
  v1::BatchPutPoliciesResponse response;
  EXPECT_THAT(Call(*server_.policies, &Policies::BatchPutPolicies, batch, &response),
              StatusIs(kAborted));
  EXPECT_THAT(Get("a"), StatusIs(kNotFound));
  batch.mutable_requests(1)->mutable_options()->set_expected_revision(0);
  ASSERT_THAT(Call(*server_.policies, &Policies::BatchPutPolicies, batch, &response), IsOk());
  EXPECT_EQ(response.revision(), 1);
  EXPECT_EQ(response.changed(), 3);

  batch.mutable_requests(0)->mutable_policy()->set_app("");
  batch.mutable_requests(2)->mutable_options()->clear_expected_revision();
  EXPECT_THAT(Call(*server_.policies, &Policies::BatchPutPolicies, batch, &response),
              StatusIs(kInvalid, AllOf(HasSubstr("requests[0]: app"),
                                       HasSubstr("requests[2]: options.expected_revision"))));
  EXPECT_THAT(Call(*server_.policies, &Policies::BatchPutPolicies, v1::BatchPutPoliciesRequest(),
                   &response),
              StatusIs(kInvalid));
  for (size_t i = 0; i <= convert::kMaxPolicyBatchItems; ++i) batch.add_requests();
  EXPECT_THAT(Call(*server_.policies, &Policies::BatchPutPolicies, batch, &response),
              StatusIs(kExhausted));
}

TEST_P(RecordsTest, ListsComeInPages) {
  for (const char* app : {"a1", "a2", "a3", "a4", "b1"}) {
    ASSERT_THAT(Put(PutRequest(app, Mode::kReadOnly, 0)), IsOk());
  }
  v1::ListPoliciesRequest request;
  request.set_app_prefix("a");
  request.set_page_size(3);
  std::vector<std::string> apps;
  for (int pages = 0; pages < 2; ++pages) {
    v1::ListPoliciesResponse page;
    ASSERT_THAT(Call(*server_.policies, &Policies::ListPolicies, request, &page), IsOk());
    for (const auto& record : page.records()) apps.push_back(record.policy().app());
    EXPECT_EQ(page.next_page_token().empty(), pages == 1);
    request.set_page_token(page.next_page_token());
  }
  EXPECT_THAT(apps, ElementsAre("a1", "a2", "a3", "a4"));
  request.set_page_token("made up");
  v1::ListPoliciesResponse page;
  EXPECT_THAT(Call(*server_.policies, &Policies::ListPolicies, request, &page),
              StatusIs(kInvalid, HasSubstr("page_token")));
  request.clear_page_token();
  request.set_page_size(1001);
  EXPECT_THAT(Call(*server_.policies, &Policies::ListPolicies, request, &page),
              StatusIs(kExhausted));
}

TEST_P(RecordsTest, HistoryRollbackAndThePast) {
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, 0)), IsOk());
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kFullAccess, 1)), IsOk());
  EXPECT_EQ(Get("dockit", 1)->record().policy().mode(), v1::MODE_READ_ONLY);
  EXPECT_THAT(Get("dockit", 99), StatusIs(absl::StatusCode::kOutOfRange));

  v1::RollbackPolicyRequest rollback;
  rollback.set_app("dockit");
  rollback.set_to_revision(1);
  rollback.mutable_options()->set_expected_revision(2);
  rollback.mutable_options()->set_reason("oops");
  v1::RollbackPolicyResponse rolled;
  ASSERT_THAT(Call(*server_.policies, &Policies::RollbackPolicy, rollback, &rolled), IsOk());
  EXPECT_TRUE(rolled.changed());
  EXPECT_EQ(rolled.record().meta().revision(), 3);
  EXPECT_EQ(rolled.record().policy().mode(), v1::MODE_READ_ONLY);
  rollback.set_to_revision(0);
  EXPECT_THAT(Call(*server_.policies, &Policies::RollbackPolicy, rollback, &rolled),
              StatusIs(kInvalid));

  v1::GetPolicyHistoryRequest history;
  history.set_app("dockit");
  history.set_page_size(2);
  v1::GetPolicyHistoryResponse page;
  ASSERT_THAT(Call(*server_.policies, &Policies::GetPolicyHistory, history, &page), IsOk());
  ASSERT_EQ(page.records_size(), 2);
  EXPECT_EQ(page.records(0).meta().revision(), 3);
  EXPECT_EQ(page.records(0).meta().reason(), "oops");
  history.set_page_token(page.next_page_token());
  ASSERT_THAT(Call(*server_.policies, &Policies::GetPolicyHistory, history, &page), IsOk());
  ASSERT_EQ(page.records_size(), 1);
  EXPECT_EQ(page.records(0).meta().revision(), 1);
  EXPECT_EQ(page.next_page_token(), "");
}

TEST_P(RecordsTest, SuspendOneAndAllAndResume) {
  for (const char* app : {"a", "b"}) ASSERT_THAT(Put(PutRequest(app, Mode::kReadOnly, 0)), IsOk());
  v1::SuspendPoliciesRequest suspend;
  v1::SuspendPoliciesResponse suspended;
  EXPECT_THAT(Call(*server_.policies, &Policies::SuspendPolicies, suspend, &suspended),
              StatusIs(kInvalid))
      << "neither an app nor all";
  suspend.set_app("a");
  suspend.set_all(true);
  EXPECT_THAT(Call(*server_.policies, &Policies::SuspendPolicies, suspend, &suspended),
              StatusIs(kInvalid))
      << "both";
  suspend.set_all(false);
  suspend.set_reason("leak");
  ASSERT_THAT(Call(*server_.policies, &Policies::SuspendPolicies, suspend, &suspended), IsOk());
  EXPECT_EQ(suspended.changed(), 1);
  EXPECT_EQ(suspended.revision(), 3);
  EXPECT_TRUE(Get("a")->record().policy().suspended());
  EXPECT_EQ(Get("a")->record().policy().suspend_reason(), "leak");
  EXPECT_FALSE(Get("b")->record().policy().suspended());

  suspend.clear_app();
  suspend.set_all(true);
  ASSERT_THAT(Call(*server_.policies, &Policies::SuspendPolicies, suspend, &suspended), IsOk());
  EXPECT_EQ(suspended.changed(), 1);
  v1::ResumePoliciesRequest resume;
  resume.set_all(true);
  v1::ResumePoliciesResponse resumed;
  ASSERT_THAT(Call(*server_.policies, &Policies::ResumePolicies, resume, &resumed), IsOk());
  EXPECT_EQ(resumed.changed(), 2);
  EXPECT_FALSE(Get("a")->record().policy().suspended());
}

TEST_P(RecordsTest, DiffOfStoredAndUnstoredPolicies) {
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, 0)), IsOk());
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kDataReadWrite, 1)), IsOk());
  v1::DiffPolicyRequest request;
  request.set_app("dockit");
  v1::DiffPolicyResponse response;
  EXPECT_THAT(Call(*server_.policies, &Policies::DiffPolicy, request, &response),
              StatusIs(kInvalid, HasSubstr("after")));
  request.set_before_revision(1);
  request.set_after_revision(2);
  ASSERT_THAT(Call(*server_.policies, &Policies::DiffPolicy, request, &response), IsOk());
  EXPECT_GT(response.total(), 0);
  EXPECT_EQ(response.loosened(), response.total());
  EXPECT_EQ(response.cells_size(), response.total());
  EXPECT_EQ(response.cells(0).before(), v1::VERDICT_DENY);
  EXPECT_EQ(response.cells(0).after(), v1::VERDICT_ALLOW);

  request.set_before_revision(0);
  *request.mutable_after_policy() =
      convert::ToProto(store::SamplePolicy("dockit", Mode::kDataReadWrite));
  ASSERT_THAT(Call(*server_.policies, &Policies::DiffPolicy, request, &response), IsOk());
  EXPECT_EQ(response.total(), 0);
  request.mutable_after_policy()->set_app("other");
  EXPECT_THAT(Call(*server_.policies, &Policies::DiffPolicy, request, &response),
              StatusIs(kInvalid, HasSubstr("after_policy.app")));
}

TEST_P(RecordsTest, CatalogueEntries) {
  v1::PutCatalogEntriesRequest put;
  *put.add_entries()->mutable_entry() =
      convert::ToProto(store::SampleEntry("dockit", "pg", "query"));
  *put.add_entries()->mutable_entry() = convert::ToProto(store::SampleEntry("", "", "for_all"));
  v1::PutCatalogEntriesResponse written;
  EXPECT_THAT(Call(*server_.catalog, &Catalog::PutCatalogEntries, put, &written),
              StatusIs(kInvalid, AllOf(HasSubstr("entries[0]"), HasSubstr("entries[1]"))));
  for (auto& entry : *put.mutable_entries()) entry.set_expected_revision(0);
  ASSERT_THAT(Call(*server_.catalog, &Catalog::PutCatalogEntries, put, &written), IsOk());
  EXPECT_EQ(written.revision(), 1);
  EXPECT_EQ(written.changed(), 2);
  EXPECT_THAT(
      Call(*server_.catalog, &Catalog::PutCatalogEntries, v1::PutCatalogEntriesRequest(), &written),
      StatusIs(kInvalid));

  v1::GetCatalogEntryRequest get;
  get.mutable_key()->set_tool("es__search");
  v1::GetCatalogEntryResponse got;
  ASSERT_THAT(Call(*server_.catalog, &Catalog::GetCatalogEntry, get, &got), IsOk());
  EXPECT_TRUE(got.record().entry().builtin());
  EXPECT_FALSE(got.record().has_meta());
  *get.mutable_key() = put.entries(0).entry().key();
  ASSERT_THAT(Call(*server_.catalog, &Catalog::GetCatalogEntry, get, &got), IsOk());
  EXPECT_EQ(got.record().meta().revision(), 1);
  get.mutable_key()->set_tool("none");
  EXPECT_THAT(Call(*server_.catalog, &Catalog::GetCatalogEntry, get, &got), StatusIs(kNotFound));

  v1::ListCatalogEntriesRequest list;
  list.set_app("dockit");
  list.set_page_size(1);
  std::vector<std::string> tools;
  for (bool more = true; more;) {
    v1::ListCatalogEntriesResponse page;
    ASSERT_THAT(Call(*server_.catalog, &Catalog::ListCatalogEntries, list, &page), IsOk());
    for (const auto& record : page.records()) tools.push_back(record.entry().key().tool());
    list.set_page_token(page.next_page_token());
    more = !page.next_page_token().empty();
  }
  EXPECT_THAT(tools, ElementsAre("for_all", "query"));

  v1::DeleteCatalogEntryRequest del;
  *del.mutable_key() = put.entries(0).entry().key();
  del.mutable_options()->set_expected_revision(1);
  v1::DeleteCatalogEntryResponse deleted;
  ASSERT_THAT(Call(*server_.catalog, &Catalog::DeleteCatalogEntry, del, &deleted), IsOk());
  EXPECT_EQ(deleted.revision(), 2);
}

TEST_P(RecordsTest, ConnectionRecords) {
  v1::PutConnectionRequest put;
  *put.mutable_connection() = convert::ToProto(store::FullConnection("dockit", "prod"));
  put.mutable_options()->set_expected_revision(0);
  v1::PutConnectionResponse written;
  ASSERT_THAT(Call(*server_.connections, &Connections::PutConnection, put, &written), IsOk());
  EXPECT_TRUE(written.changed());
  v1::GetConnectionRequest get;
  get.set_app("dockit");
  get.set_id("prod");
  v1::GetConnectionResponse got;
  ASSERT_THAT(Call(*server_.connections, &Connections::GetConnection, get, &got), IsOk());
  EXPECT_EQ(got.record().connection().SerializeAsString(), put.connection().SerializeAsString());
  get.set_id("a b");
  EXPECT_THAT(Call(*server_.connections, &Connections::GetConnection, get, &got),
              StatusIs(kInvalid));
  put.mutable_connection()->set_id("stage");
  ASSERT_THAT(Call(*server_.connections, &Connections::PutConnection, put, &written), IsOk());

  v1::ListConnectionsRequest list;
  list.set_app("dockit");
  list.set_page_size(1);
  v1::ListConnectionsResponse page;
  ASSERT_THAT(Call(*server_.connections, &Connections::ListConnections, list, &page), IsOk());
  ASSERT_EQ(page.records_size(), 1);
  list.set_page_token(page.next_page_token());
  ASSERT_THAT(Call(*server_.connections, &Connections::ListConnections, list, &page), IsOk());
  ASSERT_EQ(page.records_size(), 1);
  EXPECT_EQ(page.records(0).connection().id(), "stage");
  EXPECT_EQ(page.next_page_token(), "");

  v1::DeleteConnectionRequest del;
  del.set_app("dockit");
  del.set_id("prod");
  del.mutable_options()->set_expected_revision(1);
  v1::DeleteConnectionResponse deleted;
  ASSERT_THAT(Call(*server_.connections, &Connections::DeleteConnection, del, &deleted), IsOk());
  EXPECT_EQ(deleted.revision(), 3);
}

TEST_P(RecordsTest, BackupGoesIntoItsFolderOnly) {
  v1::BackupRequest request;
  v1::BackupResponse response;
  if (GetParam() == StoreKind::kMemory) {
    EXPECT_THAT(Call(*server_.info, &v1::ServerService::Stub::Backup, request, &response),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("backup_dir")));
    return;
  }
  ASSERT_THAT(Put(PutRequest("dockit", Mode::kReadOnly, 0)), IsOk());
  for (const char* bad : {"..", ".hidden", "a/b", "/tmp/x", "a b"}) {
    request.set_name(bad);
    EXPECT_THAT(Call(*server_.info, &v1::ServerService::Stub::Backup, request, &response),
                StatusIs(kInvalid))
        << bad;
  }
  request.set_name("one");
  ASSERT_THAT(Call(*server_.info, &v1::ServerService::Stub::Backup, request, &response), IsOk());
  EXPECT_EQ(response.path(), Options().dir + "/backups/one");
  EXPECT_EQ(response.token().revision(), 1);
  EXPECT_GT(response.bytes(), 0);
  EXPECT_THAT(Call(*server_.info, &v1::ServerService::Stub::Backup, request, &response),
              StatusIs(absl::StatusCode::kAlreadyExists));
}

INSTANTIATE_TEST_SUITE_P(Stores, RecordsTest,
                         ::testing::Values(StoreKind::kMemory, StoreKind::kRocksDb),
                         [](const auto& kind) {
                           return kind.param == StoreKind::kMemory ? "Memory" : "RocksDb";
                         });

std::string DigestOf(const std::string& definition) {
  const auto json = JsonDocument::Parse(definition);
  return json.ok() ? Sha256Hex(CanonicalJson(json->root())) : std::string(64, 'a');
}

v1::ReportedTool Tool(const std::string& name, const std::string& definition) {
  v1::ReportedTool tool;
  tool.set_tool(name);
  tool.set_digest(DigestOf(definition));
  tool.set_definition_json(definition);
  return tool;
}

TEST(BridgesTest, ReportedToolsWaitForReview) {
  RunningServer server;
  v1::ReportToolsRequest report;
  report.set_bridge("host/1");
  report.set_app("dockit");
  report.set_server("pg");
  *report.add_tools() = Tool("query", R"({"annotations":{"readOnlyHint":true}})");
  *report.add_tools() = Tool("drop", "{}");
  *report.add_tools() = Tool("bad name", "{}");
  *report.add_tools() = Tool("no_json", "{");
  *report.add_tools() = Tool("another_digest", "{}");
  report.mutable_tools(4)->set_digest(DigestOf(R"({"description":"evil"})"));
  v1::ReportToolsResponse reported;
  ASSERT_THAT(Call(*server.bridges, &Bridges::ReportTools, report, &reported, std::nullopt),
              IsOk());
  EXPECT_EQ(reported.kept(), 2);
  EXPECT_EQ(reported.dropped(), 3);
  EXPECT_EQ(server.store().Token().revision.value, 0) << "no revision is made";

  v1::ListReportedToolsRequest list;
  list.set_unreviewed_only(true);
  list.set_page_size(1);
  v1::ListReportedToolsResponse page;
  ASSERT_THAT(Call(*server.catalog, &Catalog::ListReportedTools, list, &page), IsOk());
  ASSERT_EQ(page.tools_size(), 1);
  EXPECT_EQ(page.tools(0).tool(), "drop");
  EXPECT_EQ(page.tools(0).state(), v1::REASON_CODE_TOOL_UNREVIEWED);
  EXPECT_EQ(page.tools(0).suggested_risk(), v1::RISK_DESTRUCTIVE);
  list.set_page_token(page.next_page_token());
  ASSERT_THAT(Call(*server.catalog, &Catalog::ListReportedTools, list, &page), IsOk());
  ASSERT_EQ(page.tools_size(), 1);
  EXPECT_EQ(page.tools(0).tool(), "query");
  EXPECT_EQ(page.tools(0).suggested_risk(), v1::RISK_SAFE);
  EXPECT_EQ(page.next_page_token(), "");

  // Once reviewed, with a pin, it waits no more; changed, it waits again.
  CatalogEntry entry = store::SampleEntry("dockit", "pg", "query", Risk::kSafe);
  const std::string reviewed = report.tools(0).definition_json();
  entry.pin = DigestOf(reviewed);
  ASSERT_THAT(server.store().Commit({store::Put(entry)}, store::By()), IsOk());
  list.clear_page_token();
  list.set_page_size(10);
  ASSERT_THAT(Call(*server.catalog, &Catalog::ListReportedTools, list, &page), IsOk());
  EXPECT_EQ(page.tools_size(), 1);
  EXPECT_EQ(page.tools(0).reviewed_definition_json(), "");
  *report.mutable_tools(0) = Tool("query", R"({"description":"new"})");
  ASSERT_THAT(Call(*server.bridges, &Bridges::ReportTools, report, &reported), IsOk());
  ASSERT_THAT(Call(*server.catalog, &Catalog::ListReportedTools, list, &page), IsOk());
  ASSERT_EQ(page.tools_size(), 2);
  EXPECT_EQ(page.tools(1).state(), v1::REASON_CODE_TOOL_CHANGED);
  EXPECT_EQ(page.tools(1).pin(), DigestOf(reviewed));
  EXPECT_EQ(page.tools(1).definition_json(), R"({"description":"new"})");
  EXPECT_EQ(page.tools(1).reviewed_definition_json(), reviewed);
}

TEST(BridgesTest, BuiltInEntriesCoverADataStudioServerOnly) {
  RunningServer server;
  v1::ReportToolsRequest report;
  report.set_bridge("host/1");
  report.set_app("dockit");
  report.set_server("es");
  *report.add_tools() = Tool("es__search", "{}");
  v1::ListReportedToolsResponse page;
  for (const bool declared : {false, true}) {
    report.set_builtin_catalog(declared);
    v1::ReportToolsResponse reported;
    ASSERT_THAT(Call(*server.bridges, &Bridges::ReportTools, report, &reported), IsOk());
    ASSERT_THAT(
        Call(*server.catalog, &Catalog::ListReportedTools, v1::ListReportedToolsRequest(), &page),
        IsOk());
    ASSERT_EQ(page.tools_size(), 1);
    EXPECT_EQ(page.tools(0).state(),
              declared ? v1::REASON_CODE_ALLOWED : v1::REASON_CODE_TOOL_UNREVIEWED);
  }
}

TEST(BridgesTest, HeartbeatsAreListed) {
  RunningServer server;
  v1::HeartbeatRequest beat;
  beat.mutable_bridge()->set_name("host/1");
  beat.mutable_bridge()->add_apps("dockit");
  beat.mutable_bridge()->set_version("0.1.0");
  beat.mutable_bridge()->set_decisions(7);
  beat.mutable_bridge()->mutable_token()->set_revision(3);
  v1::HeartbeatResponse answer;
  ASSERT_THAT(Call(*server.bridges, &Bridges::Heartbeat, beat, &answer, std::nullopt), IsOk());
  EXPECT_GT(answer.interval().seconds(), 0);
  beat.mutable_bridge()->set_name("host/2");
  ASSERT_THAT(Call(*server.bridges, &Bridges::Heartbeat, beat, &answer), IsOk());
  v1::ListBridgesRequest list;
  list.set_page_size(1);
  v1::ListBridgesResponse page;
  ASSERT_THAT(Call(*server.bridges, &Bridges::ListBridges, list, &page), IsOk());
  ASSERT_EQ(page.bridges_size(), 1);
  EXPECT_EQ(page.bridges(0).name(), "host/1");
  EXPECT_EQ(page.bridges(0).decisions(), 7);
  EXPECT_EQ(page.bridges(0).token().revision(), 3);
  EXPECT_GT(page.bridges(0).last_seen().seconds(), 0);
  list.set_page_token(page.next_page_token());
  ASSERT_THAT(Call(*server.bridges, &Bridges::ListBridges, list, &page), IsOk());
  ASSERT_EQ(page.bridges_size(), 1);
  EXPECT_EQ(page.bridges(0).name(), "host/2");

  beat.mutable_bridge()->set_name("");
  beat.mutable_bridge()->set_version(std::string(65, 'x'));
  EXPECT_THAT(Call(*server.bridges, &Bridges::Heartbeat, beat, &answer),
              StatusIs(kInvalid, AllOf(HasSubstr("bridge.name"), HasSubstr("bridge.version"))));
}

TEST(BridgesTest, HeartbeatsWithNumbersThatCannotBeAreRefused) {
  RunningServer server;
  v1::HeartbeatRequest beat;
  v1::Bridge& bridge = *beat.mutable_bridge();
  bridge.set_name("host/1");
  bridge.mutable_token()->set_revision(-1);
  bridge.mutable_policy_age()->set_seconds(-1);
  bridge.set_decisions(-2);
  bridge.set_denials(-3);
  bridge.set_dropped_reports(-4);
  v1::HeartbeatResponse answer;
  EXPECT_THAT(Call(*server.bridges, &Bridges::Heartbeat, beat, &answer),
              StatusIs(kInvalid, AllOf(HasSubstr("bridge.token.revision: got -1, want 0 or more"),
                                       HasSubstr("bridge.policy_age: got -1s, want 0 or more"),
                                       HasSubstr("bridge.decisions: got -2, want 0 or more"),
                                       HasSubstr("bridge.denials: got -3, want 0 or more"),
                                       HasSubstr("bridge.dropped_reports: got -4, want 0"))));
  v1::ListBridgesResponse page;
  ASSERT_THAT(Call(*server.bridges, &Bridges::ListBridges, {}, &page), IsOk());
  EXPECT_EQ(page.bridges_size(), 0);
}

TEST(BridgesTest, DecisionsAreAcknowledgedAndCheckedForGaps) {
  RunningServer server;
  v1::ReportDecisionsRequest report;
  report.set_bridge("host/1");
  report.set_run(std::string(32, 'a'));
  v1::ReportDecisionsResponse answer;
  EXPECT_THAT(Call(*server.bridges, &Bridges::ReportDecisions, report, &answer),
              StatusIs(kInvalid, HasSubstr("records")));
  for (const int64_t sequence : {1, 2, 5}) {
    v1::DecisionRecord& record = *report.add_records();
    record.set_sequence(sequence);
    record.mutable_decision()->set_verdict(v1::VERDICT_DENY);
    record.mutable_decision()->set_reason_code(v1::REASON_CODE_MODE_TOO_LOW);
  }
  ASSERT_THAT(Call(*server.bridges, &Bridges::ReportDecisions, report, &answer, std::nullopt),
              IsOk());
  EXPECT_EQ(answer.acknowledged(), 5);
  ASSERT_THAT(Call(*server.bridges, &Bridges::ReportDecisions, report, &answer), IsOk());
  EXPECT_EQ(answer.acknowledged(), 5) << "sent again";
  report.mutable_records(2)->set_sequence(2);
  report.set_run("not hexadecimal");
  EXPECT_THAT(Call(*server.bridges, &Bridges::ReportDecisions, report, &answer),
              StatusIs(kInvalid, AllOf(HasSubstr("run"), HasSubstr("got sequence 2 after 2"))));
}

TEST(ServerInfoTest, TellsLimitsAndState) {
  RunningServer server;
  ASSERT_THAT(server.store().Commit({store::Put(store::SamplePolicy("dockit"))}, store::By()),
              IsOk());
  v1::GetServerInfoResponse info;
  ASSERT_THAT(Call(*server.info, &v1::ServerService::Stub::GetServerInfo,
                   v1::GetServerInfoRequest(), &info, std::nullopt),
              IsOk());
  EXPECT_FALSE(info.version().empty());
  EXPECT_EQ(info.token().revision(), 1);
  EXPECT_EQ(info.policies(), 1);
  EXPECT_EQ(info.store(), "memory");
  EXPECT_TRUE(info.dev_mode());
  EXPECT_EQ(info.limits().max_batch_items(), static_cast<int>(convert::kMaxBatchItems));
  EXPECT_EQ(info.limits().max_message_bytes(), static_cast<int>(convert::kMaxMessageBytes));
  EXPECT_THAT(info.dialects(), ::testing::Contains("postgres"));
  EXPECT_THAT(info.features(), IsEmpty());
}

}  // namespace
}  // namespace bridgekeeper::tests
