// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/connection_api.h"

#include <optional>
#include <utility>

#include "policy/base/status_macros.h"
#include "proto/convert/convert.h"
#include "proto/convert/problems.h"
#include "service/core/paging.h"
#include "service/rpc/record_messages.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

constexpr size_t kConnectionsPage = 200;

absl::Status CheckKey(const std::string& app, const std::string& id) {
  convert::Problems problems;
  problems.CheckId("app", app);
  problems.CheckId("id", id);
  return problems.ToStatus();
}

}  // namespace

absl::Status ConnectionApi::GetConnection(const pb::GetConnectionRequest& request,
                                          pb::GetConnectionResponse& response) {
  BK_RETURN_IF_ERROR(CheckKey(request.app(), request.id()));
  BK_ASSIGN_OR_RETURN(const store::Record record,
                      core_.Get(AppId(request.app()), ConnectionId(request.id())));
  ToMessage(record, *response.mutable_record());
  return absl::OkStatus();
}

absl::Status ConnectionApi::PutConnection(const pb::PutConnectionRequest& request,
                                          pb::PutConnectionResponse& response) {
  BK_ASSIGN_OR_RETURN(ConnectionRecord connection, convert::FromProto(request.connection()));
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(const auto written, core_.Put(std::move(connection), expected, context));
  ToMessage(written.record, *response.mutable_record());
  response.set_changed(written.changed);
  return absl::OkStatus();
}

absl::Status ConnectionApi::DeleteConnection(const pb::DeleteConnectionRequest& request,
                                             pb::DeleteConnectionResponse& response) {
  BK_RETURN_IF_ERROR(CheckKey(request.app(), request.id()));
  BK_ASSIGN_OR_RETURN(const int64_t expected, ReadExpectedRevision(request.options()));
  BK_ASSIGN_OR_RETURN(const WriteContext context, ReadWriteContext(request.options()));
  BK_ASSIGN_OR_RETURN(
      const Revision revision,
      core_.Delete(AppId(request.app()), ConnectionId(request.id()), expected, context));
  response.set_revision(revision.value);
  return absl::OkStatus();
}

absl::Status ConnectionApi::ListConnections(const pb::ListConnectionsRequest& request,
                                            pb::ListConnectionsResponse& response) {
  BK_ASSIGN_OR_RETURN(const size_t size, PageSize(request.page_size(), kConnectionsPage));
  std::optional<AppId> app;
  if (!request.app().empty()) {
    BK_RETURN_IF_ERROR(convert::CheckId("app", request.app()));
    app = AppId(request.app());
  }
  std::optional<store::RecordKey> after;
  if (!request.page_token().empty()) {
    BK_ASSIGN_OR_RETURN(const auto parts, DecodePageToken(request.page_token(), 2));
    after = store::RecordKey::Connection(AppId(parts[0]), ConnectionId(parts[1]));
  }
  BK_ASSIGN_OR_RETURN(const RecordPage page, core_.List(app, after, size));
  for (const store::Record& record : page.records) ToMessage(record, *response.add_records());
  if (page.more) {
    const store::RecordKey& last = page.records.back().key;
    response.set_next_page_token(EncodePageToken({last.app, last.id}));
  }
  return absl::OkStatus();
}

}  // namespace bridgekeeper::service
