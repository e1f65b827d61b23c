// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// WatchPolicies over gRPC. What a watch promises is tested at its core
// (service/core/watch_hub_test.cc); here, that the wire keeps it.

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "proto/convert/limits.h"
#include "tests/integration/service/records.h"
#include "tests/integration/service/running_server.h"
#include "tests/support/wait.h"

namespace bridgekeeper::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// One watch and what its receiver has.
class Watch {
 public:
  Watch(RunningServer& server, const std::vector<std::string>& apps,
        std::optional<v1::RevisionToken> after = std::nullopt) {
    v1::WatchPoliciesRequest request;
    for (const std::string& app : apps) request.add_apps(app);
    if (after) *request.mutable_resume_after() = *after;
    reader_ = server.decisions->WatchPolicies(&context_, request);
  }
  ~Watch() {
    context_.TryCancel();
    while (reader_ != nullptr && Next()) {
    }
    if (reader_ != nullptr) (void)reader_->Finish();
  }

  // Reads one message. False where the watch has ended.
  bool Next() {
    message_.Clear();
    if (!reader_->Read(&message_)) return false;
    if (message_.snapshot_begin()) {
      modes_.clear();
      ++snapshots_;
    }
    if (!message_.snapshot() && !message_.changes().empty()) {
      commits_.push_back(message_.token().revision());
    }
    for (const v1::Change& change : message_.changes()) {
      if (change.has_policy()) modes_[change.policy().app()] = change.policy().mode();
      if (change.has_deleted_policy_app()) modes_.erase(change.deleted_policy_app());
    }
    token_ = message_.token();
    return true;
  }
  bool ReadUntil(int64_t revision) {
    while (token_.revision() < revision) {
      if (!Next()) return false;
    }
    return true;
  }
  absl::Status Finish() {
    const grpc::Status status = reader_->Finish();
    reader_.reset();
    return ToAbsl(status);
  }

  const v1::WatchPoliciesResponse& message() const { return message_; }
  const v1::RevisionToken& token() const { return token_; }
  const std::map<std::string, v1::Mode>& modes() const { return modes_; }
  const std::vector<int64_t>& commits() const { return commits_; }
  int snapshots() const { return snapshots_; }

 private:
  Context context_{std::nullopt};
  std::unique_ptr<grpc::ClientReader<v1::WatchPoliciesResponse>> reader_;
  v1::WatchPoliciesResponse message_;
  v1::RevisionToken token_;
  std::map<std::string, v1::Mode> modes_;
  std::vector<int64_t> commits_;
  int snapshots_ = 0;
};

class WatchTest : public ::testing::Test {
 protected:
  static RunningServerOptions Options() {
    RunningServerOptions options;
    options.change = [](service::Options& o) { o.heartbeat_interval = absl::Milliseconds(100); };
    return options;
  }
  int64_t Put(const std::string& app, Mode mode) {
    auto result = server_.store().Commit({store::Put(store::SamplePolicy(app, mode))}, store::By());
    EXPECT_THAT(result, IsOk());
    return result->revision.value;
  }

  RunningServer server_{Options()};
};

TEST_F(WatchTest, SendsASnapshotThenChangesThenHeartbeats) {
  Put("dockit", Mode::kReadOnly);
  Watch watch(server_, {"dockit"});
  ASSERT_TRUE(watch.Next());
  EXPECT_TRUE(watch.message().snapshot());
  EXPECT_TRUE(watch.message().snapshot_begin());
  EXPECT_TRUE(watch.message().snapshot_end());
  EXPECT_EQ(watch.message().heartbeat_interval().nanos(), 100'000'000);
  EXPECT_EQ(watch.token().incarnation(), server_.store().Token().incarnation);
  EXPECT_EQ(watch.token().revision(), 1);
  ASSERT_EQ(watch.message().changes_size(), 1);
  EXPECT_EQ(watch.message().changes(0).revision(), 1);

  Put("dockit", Mode::kFullAccess);
  ASSERT_TRUE(watch.ReadUntil(2));
  EXPECT_FALSE(watch.message().snapshot());
  EXPECT_FALSE(watch.message().has_heartbeat_interval());
  EXPECT_THAT(watch.modes(), ElementsAre(std::pair("dockit", v1::MODE_FULL_ACCESS)));
  EXPECT_THAT(watch.commits(), ElementsAre(2));

  Put("other", Mode::kReadOnly);
  ASSERT_TRUE(watch.ReadUntil(3));
  EXPECT_THAT(watch.message().changes(), IsEmpty()) << "a heartbeat";
}

TEST_F(WatchTest, EveryKindOfChangeAndDeletionComesAcross) {
  Watch watch(server_, {"dockit"});
  ASSERT_TRUE(watch.Next());
  const CatalogEntry entry = store::FullEntry("dockit", "pg", "query");
  const ConnectionRecord connection = store::FullConnection("dockit", "prod");
  const McpPolicy policy = store::FullPolicy("dockit");
  ASSERT_THAT(server_.store().Commit(
                  {store::Put(policy), store::Put(entry), store::Put(connection)}, store::By()),
              IsOk());
  ASSERT_TRUE(watch.ReadUntil(1));
  ASSERT_EQ(watch.message().changes_size(), 3);
  EXPECT_THAT(convert::FromProto(watch.message().changes(0).policy()), IsOkAndHolds(policy));
  EXPECT_THAT(convert::FromProto(watch.message().changes(1).catalog_entry()), IsOkAndHolds(entry));
  EXPECT_THAT(convert::FromProto(watch.message().changes(2).connection()),
              IsOkAndHolds(connection));

  ASSERT_THAT(server_.store().Commit(
                  {store::Delete(store::KeyOf(policy)), store::Delete(store::KeyOf(entry)),
                   store::Delete(store::KeyOf(connection))},
                  store::By()),
              IsOk());
  ASSERT_TRUE(watch.ReadUntil(2));
  ASSERT_EQ(watch.message().changes_size(), 3);
  EXPECT_EQ(watch.message().changes(0).deleted_policy_app(), "dockit");
  EXPECT_THAT(convert::FromProto(watch.message().changes(1).deleted_catalog_key()),
              IsOkAndHolds(entry.key));
  EXPECT_EQ(watch.message().changes(2).deleted_connection().app(), "dockit");
  EXPECT_EQ(watch.message().changes(2).deleted_connection().id(), "prod");
}

TEST_F(WatchTest, ResumesWithoutASnapshotUnlessTheStoreIsAnother) {
  Put("dockit", Mode::kReadOnly);
  v1::RevisionToken after;
  {
    Watch watch(server_, {"dockit"});
    ASSERT_TRUE(watch.Next());
    after = watch.token();
  }
  Put("dockit", Mode::kDataReadWrite);
  Put("dockit", Mode::kFullAccess);
  Watch resumed(server_, {"dockit"}, after);
  ASSERT_TRUE(resumed.ReadUntil(3));
  EXPECT_EQ(resumed.snapshots(), 0);
  EXPECT_THAT(resumed.commits(), ElementsAre(2, 3));

  after.set_incarnation(std::string(32, 'f'));
  Watch other(server_, {"dockit"}, after);
  ASSERT_TRUE(other.Next());
  EXPECT_EQ(other.snapshots(), 1);
  EXPECT_EQ(other.token().incarnation(), server_.store().Token().incarnation);
}

TEST_F(WatchTest, ManyWatchersSeeEveryCommitOnceAndInOrder) {
  constexpr int kWatchers = 20;
  constexpr int kCommits = 200;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < kWatchers; ++i) {
    watches.push_back(std::make_unique<Watch>(server_, std::vector<std::string>{"dockit"}));
    ASSERT_TRUE(watches.back()->Next());
  }
  {
    std::vector<std::jthread> readers;
    for (auto& watch : watches) {
      readers.emplace_back([&] { EXPECT_TRUE(watch->ReadUntil(kCommits)); });
    }
    for (int i = 0; i < kCommits; ++i) {
      Put("dockit", i % 2 == 0 ? Mode::kReadOnly : Mode::kFullAccess);
    }
  }
  std::vector<int64_t> wanted;
  for (int64_t i = 1; i <= kCommits; ++i) wanted.push_back(i);
  for (const auto& watch : watches) EXPECT_EQ(watch->commits(), wanted);
}

TEST_F(WatchTest, ReceiverThatReadsNothingIsCutAndOthersAreNotHeldUp) {
  // Large records fill the connection's window, then the queue.
  McpPolicy large = store::SamplePolicy("dockit");
  for (int i = 0; i < 200; ++i) {
    large.allowed_connection_ids.insert(ConnectionId(absl::StrFormat("connection-%d", i)));
  }
  Watch slow(server_, {"dockit"});
  Watch quick(server_, {"other"});
  ASSERT_TRUE(slow.Next());
  ASSERT_TRUE(quick.Next());
  int64_t last = 0;
  for (int i = 0; i < 2500; ++i) {
    large.suspend_reason = absl::StrFormat("%d", i);
    auto result = server_.store().Commit({store::Put(large)}, store::By());
    ASSERT_THAT(result, IsOk());
    last = result->revision.value;
  }
  last = Put("other", Mode::kReadOnly);
  ASSERT_TRUE(quick.ReadUntil(last));
  int64_t seen = slow.token().revision();
  while (slow.Next()) {
    EXPECT_EQ(slow.token().revision(), seen + 1) << "what does come comes in order";
    seen = slow.token().revision();
  }
  EXPECT_LT(seen, last);
  EXPECT_THAT(slow.Finish(), StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("too slow")));
}

TEST_F(WatchTest, RequestIsHeldToItsLimits) {
  const auto refusal = [&](const v1::WatchPoliciesRequest& request) {
    Context context(std::nullopt);
    const auto reader = server_.decisions->WatchPolicies(&context, request);
    v1::WatchPoliciesResponse message;
    EXPECT_FALSE(reader->Read(&message));
    return ToAbsl(reader->Finish());
  };
  v1::WatchPoliciesRequest request;
  EXPECT_THAT(refusal(request), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("apps")));
  request.add_apps("a b");
  EXPECT_THAT(refusal(request), StatusIs(absl::StatusCode::kInvalidArgument));
  request.Clear();
  for (size_t i = 0; i <= convert::kMaxWatchApps; ++i) request.add_apps(absl::StrFormat("a%d", i));
  EXPECT_THAT(refusal(request), StatusIs(absl::StatusCode::kResourceExhausted));
  request.mutable_apps()->RemoveLast();
  Context context(std::nullopt);
  const auto reader = server_.decisions->WatchPolicies(&context, request);
  v1::WatchPoliciesResponse message;
  EXPECT_TRUE(reader->Read(&message)) << "a thousand is in";
  context.TryCancel();
  while (reader->Read(&message)) {
  }
  (void)reader->Finish();
}

TEST_F(WatchTest, StopEndsWatchesWithUnavailable) {
  Watch watch(server_, {"dockit"});
  ASSERT_TRUE(watch.Next());
  absl::Status end;
  std::jthread reader([&] {
    while (watch.Next()) {
    }
    end = watch.Finish();
  });
  EXPECT_TRUE(server_.Stop());
  reader.join();
  EXPECT_THAT(end, StatusIs(absl::StatusCode::kUnavailable, HasSubstr("stopping")));
}

TEST_F(WatchTest, WatchThatIsCancelledIsForgotten) {
  {
    Watch watch(server_, {"dockit"});
    ASSERT_TRUE(watch.Next());
  }
  // Another watch opens and hears of a commit: the server has gone on.
  Watch again(server_, {"dockit"});
  ASSERT_TRUE(again.Next());
  EXPECT_TRUE(again.ReadUntil(Put("dockit", Mode::kReadOnly)));
}

}  // namespace
}  // namespace bridgekeeper::tests
