// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/connection_core.h"

#include <utility>
#include <vector>

#include "policy/base/status_macros.h"

namespace bridgekeeper::service {

using store::Mutation;
using store::Record;
using store::RecordKey;

absl::StatusOr<Record> ConnectionCore::Get(const AppId& app, const ConnectionId& id) const {
  const RecordKey key = RecordKey::Connection(app, id);
  BK_ASSIGN_OR_RETURN(std::optional<Record> record, store_.Get(key));
  if (record && record->value) return *std::move(record);
  return absl::NotFoundError(store::Describe(key) + " does not exist");
}

absl::StatusOr<ConnectionCore::Written> ConnectionCore::Put(ConnectionRecord connection,
                                                            int64_t expected_revision,
                                                            const WriteContext& context) {
  const RecordKey key = RecordKey::Connection(connection.app, connection.id);
  std::vector<Mutation> mutations;
  mutations.push_back({key, std::move(connection), expected_revision});
  BK_ASSIGN_OR_RETURN(const store::CommitResult result,
                      writer_.Commit(std::move(mutations), context));
  // As of that revision: another write may have come since.
  BK_ASSIGN_OR_RETURN(std::optional<Record> record, store_.GetAt(key, result.records.front()));
  if (!record) return absl::InternalError("the connection that was written cannot be found");
  return Written{*std::move(record), result.changed > 0};
}

absl::StatusOr<Revision> ConnectionCore::Delete(const AppId& app, const ConnectionId& id,
                                                int64_t expected_revision,
                                                const WriteContext& context) {
  std::vector<Mutation> mutations;
  mutations.push_back({RecordKey::Connection(app, id), std::nullopt, expected_revision});
  BK_ASSIGN_OR_RETURN(const store::CommitResult result,
                      writer_.Commit(std::move(mutations), context));
  return result.revision;
}

absl::StatusOr<RecordPage> ConnectionCore::List(const std::optional<AppId>& app,
                                                const std::optional<RecordKey>& after,
                                                size_t size) const {
  store::ListOptions options{.kind = store::RecordKind::kConnection, .after = after};
  if (app) options.app = app->value();
  return ListPage(store_, std::move(options), size);
}

}  // namespace bridgekeeper::service
