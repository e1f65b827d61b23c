// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/rpc/record_messages.h"

#include <variant>

#include "absl/strings/str_format.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"
#include "proto/convert/problems.h"

namespace bridgekeeper::service {
namespace {

namespace pb = bridgekeeper::v1;

// Who writes until keeperd knows its callers.
constexpr char kUnknownAuthor[] = "dev";

void WriteMeta(const store::Record& record, pb::ChangeMeta& out) {
  out.set_revision(record.revision.value);
  *out.mutable_time() = convert::ToProto(record.time);
  out.set_author(record.author);
  out.set_reason(record.reason);
}

struct ChangeWriter {
  pb::Change& out;
  void operator()(const McpPolicy& policy) const {
    *out.mutable_policy() = convert::ToProto(policy);
  }
  void operator()(const CatalogEntry& entry) const {
    *out.mutable_catalog_entry() = convert::ToProto(entry);
  }
  void operator()(const ConnectionRecord& connection) const {
    *out.mutable_connection() = convert::ToProto(connection);
  }
};

void WriteDeletion(const store::RecordKey& key, pb::Change& out) {
  switch (key.kind) {
    case store::RecordKind::kPolicy:
      out.set_deleted_policy_app(key.app);
      return;
    case store::RecordKind::kCatalogEntry:
      *out.mutable_deleted_catalog_key() = convert::ToProto(key.ToCatalogKey());
      return;
    case store::RecordKind::kConnection:
      out.mutable_deleted_connection()->set_app(key.app);
      out.mutable_deleted_connection()->set_id(key.id);
      return;
  }
}

}  // namespace

void ToMessage(const store::RevisionToken& token, pb::RevisionToken& out) {
  out.set_incarnation(token.incarnation);
  out.set_revision(token.revision.value);
}

void ToMessage(const store::Record& record, pb::PolicyRecord& out) {
  if (record.value) {
    *out.mutable_policy() = convert::ToProto(std::get<McpPolicy>(*record.value));
  }
  WriteMeta(record, *out.mutable_meta());
}

void ToMessage(const store::Record& record, pb::CatalogRecord& out) {
  if (record.value) {
    *out.mutable_entry() = convert::ToProto(std::get<CatalogEntry>(*record.value));
  }
  // A built-in entry was never changed.
  if (record.revision.value > 0) WriteMeta(record, *out.mutable_meta());
}

void ToMessage(const store::Record& record, pb::ConnectionInfo& out) {
  if (record.value) {
    *out.mutable_connection() = convert::ToProto(std::get<ConnectionRecord>(*record.value));
  }
  WriteMeta(record, *out.mutable_meta());
}

void ToMessage(const WatchMessage& message, pb::WatchPoliciesResponse& out) {
  ToMessage(message.token, *out.mutable_token());
  out.set_snapshot(message.snapshot);
  out.set_snapshot_begin(message.snapshot_begin);
  out.set_snapshot_end(message.snapshot_end);
  for (const store::Record* record : message.changes) {
    pb::Change& change = *out.add_changes();
    change.set_revision(record->revision.value);
    if (record->value) {
      std::visit(ChangeWriter{change}, *record->value);
    } else {
      WriteDeletion(record->key, change);
    }
  }
}

absl::StatusOr<WriteContext> ReadWriteContext(const pb::WriteOptions& options) {
  convert::Problems problems;
  problems.CheckText("options.author", options.author(), convert::kMaxAuthorBytes);
  problems.CheckText("options.reason", options.reason(), convert::kMaxReasonBytes);
  problems.CheckText("options.request_id", options.request_id(), convert::kMaxRequestIdBytes);
  if (!problems.empty()) return problems.ToStatus();
  return WriteContext{options.author().empty() ? kUnknownAuthor : options.author(),
                      options.reason(), options.request_id()};
}

absl::StatusOr<int64_t> ReadExpectedRevision(const pb::WriteOptions& options) {
  if (!options.has_expected_revision()) {
    return absl::InvalidArgumentError(
        "options.expected_revision: got nothing, want the revision of the record's last change as "
        "you read it, or 0 where it must not exist");
  }
  if (options.expected_revision() < 0) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "options.expected_revision: got %d, want 0 or more", options.expected_revision()));
  }
  return options.expected_revision();
}

}  // namespace bridgekeeper::service
