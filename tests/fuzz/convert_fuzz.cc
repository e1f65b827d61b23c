// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a client sends: the first line of the input names a message of bridgekeeper.v1,
// the rest is its bytes. Every part of it that proto/convert reads is either refused,
// with an error that names a field, or becomes a valid value of the model that comes
// back from the wire as it went.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "bridgekeeper/v1/bridge_service.pb.h"
#include "bridgekeeper/v1/catalog_service.pb.h"
#include "bridgekeeper/v1/connection_service.pb.h"
#include "bridgekeeper/v1/decision_service.pb.h"
#include "bridgekeeper/v1/policy_service.pb.h"
#include "bridgekeeper/v1/server_service.pb.h"
#include "bridgekeeper/v1/storage.pb.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "policy/model/ids.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::convert {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Listed problems are quoted and cut, so that no answer grows with what was sent.
constexpr size_t kMaxErrorBytes = 32 << 10;

void CheckRefusal(const absl::Status& status) {
  BK_CHECK(absl::IsInvalidArgument(status) || absl::IsResourceExhausted(status));
  BK_CHECK(status.message().find(": ") != std::string::npos);
  BK_CHECK(status.message().size() <= kMaxErrorBytes);
  // It travels in a header of HTTP and is shown to people.
  BK_CHECK(!FirstInvalidUtf8(AsStd(status.message())).has_value());
}

void CheckValid(const Limits& limits) {
  BK_CHECK(!limits.max_rows || (*limits.max_rows >= 1 && *limits.max_rows <= kMaxRowsLimit));
  BK_CHECK(!limits.max_bytes || (*limits.max_bytes >= 1 && *limits.max_bytes <= kMaxBytesLimit));
  BK_CHECK(!limits.timeout ||
           (*limits.timeout >= kMinTimeoutLimit && *limits.timeout <= kMaxTimeoutLimit));
}

void CheckValid(const McpPolicy& policy) {
  BK_CHECK(IsValidId(policy.app.value()));
  BK_CHECK(policy.allowed_connection_ids.size() <= kMaxPolicyConnections);
  for (const ConnectionId& id : policy.allowed_connection_ids) BK_CHECK(IsValidId(id.value()));
  BK_CHECK(policy.connection_overrides.size() <= kMaxPolicyConnections);
  for (const auto& [id, entry] : policy.connection_overrides) BK_CHECK(IsValidId(id.value()));
  BK_CHECK(policy.max_staleness >= kMinMaxStaleness && policy.max_staleness <= kMaxMaxStaleness);
  BK_CHECK(policy.suspend_reason.size() <= kMaxReasonBytes);
  BK_CHECK(policy.audit.mask.size() <= kMaxMaskPointers);
  BK_CHECK(policy.requires_features.size() <= kMaxRequires);
  CheckValid(policy.limits);
}

void CheckValid(const CatalogKey& key) {
  BK_CHECK(IsValidId(key.tool.value()));
  BK_CHECK(!key.app || IsValidId(key.app->value()));
  BK_CHECK(!key.server || IsValidId(key.server->value()));
}

void CheckValid(const CatalogEntry& entry) {
  CheckValid(entry.key);
  BK_CHECK(!entry.builtin);
  BK_CHECK(!entry.payload_rule || entry.payload_rule->payload.size() <= kMaxPayloadTemplateBytes);
  BK_CHECK(entry.pin.empty() || entry.pin.size() == kPinBytes);
}

void CheckValid(const ConnectionRecord& record) {
  BK_CHECK(IsValidId(record.app.value()));
  BK_CHECK(IsValidId(record.id.value()));
  BK_CHECK(record.safe_functions.size() <= kMaxSafeFunctions);
  BK_CHECK(record.databases.size() <= kMaxDatabases);
}

Documents<McpPolicy> Parse(const McpPolicy&, std::string_view text) {
  return ParsePolicyDocument(text);
}
Documents<CatalogEntry> Parse(const CatalogEntry&, std::string_view text) {
  return ParseCatalogDocument(text);
}
Documents<ConnectionRecord> Parse(const ConnectionRecord&, std::string_view text) {
  return ParseConnectionDocument(text);
}

// What can be stored can be printed, and put again as it was printed.
template <typename T>
void CheckPrints(const T& value) {
  const Documents<T> printed = Parse(value, ToYaml(ToValue(value)));
  for (const Issue& issue : printed.issues) {
    if (issue.severity == Issue::Severity::kError) {
      std::fprintf(stderr, "%s\n", FormatIssue(issue, "printed").c_str());
    }
  }
  BK_CHECK(printed.values.size() == 1);
  BK_CHECK(printed.values[0] == value);
}
void CheckPrints(const CatalogKey&) {}

template <typename Proto>
void CheckConversion(const Proto& message) {
  const auto value = FromProto(message);
  if (!value.ok()) return CheckRefusal(value.status());
  CheckValid(*value);
  const auto again = FromProto(ToProto(*value));
  BK_CHECK(again.ok());
  BK_CHECK(*again == *value);
  CheckPrints(*value);
}

void CheckConversion(const v1::Limits& message) {
  const Limits limits = FromProto(message);
  CheckValid(limits);
  BK_CHECK(limits.max_rows.has_value() == message.has_max_rows());
  BK_CHECK(limits.max_bytes.has_value() == message.has_max_bytes());
  BK_CHECK(limits.timeout.has_value() == message.has_timeout());
  BK_CHECK(FromProto(ToProto(limits)) == limits);
}

// Times and durations are clamped to what a message may hold: once, not more.
template <typename Proto>
void CheckTime(const Proto& message) {
  const Proto clamped = ToProto(FromProto(message));
  const Proto again = ToProto(FromProto(clamped));
  BK_CHECK(again.seconds() == clamped.seconds() && again.nanos() == clamped.nanos());
}

bool Same(const std::optional<std::string_view>& got, bool present, const std::string& sent) {
  return got.has_value() == present && (!present || *got == sent);
}

void CheckConversion(const v1::ToolCall& message) {
  CheckedCall checked;
  const absl::Status status = CheckedCall::Read(message, checked);
  if (!status.ok()) return CheckRefusal(status);
  const ToolCall& call = checked.call();
  BK_CHECK(checked.app() == message.app() && IsValidId(message.app()));
  BK_CHECK(call.tool == message.tool() && IsValidId(message.tool()));
  BK_CHECK(Same(call.server, message.has_server(), message.server()));
  BK_CHECK(Same(call.connection, message.has_connection_id(), message.connection_id()));
  BK_CHECK(
      Same(call.definition_digest, message.has_definition_digest(), message.definition_digest()));
  BK_CHECK(call.arguments.has_value() == message.has_arguments_json());
  BK_CHECK(!call.arguments || call.arguments->is_object());
  BK_CHECK(call.payload.has_value() == message.has_payload_json());
  BK_CHECK(!call.payload || call.payload->is_object() || call.payload->is_string());
  BK_CHECK(message.arguments_json().size() <= kMaxArgumentsBytes);
  BK_CHECK(message.payload_json().size() <= kMaxPayloadBytes);
  BK_CHECK(call.declared_risk.has_value() == (message.declared_risk() != v1::RISK_UNSPECIFIED));
  // A risk that this build does not know is the worst one.
  BK_CHECK(v1::Risk_IsValid(message.declared_risk()) || call.declared_risk == Risk::kDestructive);
  BK_CHECK(call.read_only_hint == message.read_only_hint());
  BK_CHECK(call.listed_by_server == message.listed_by_server());
  BK_CHECK(call.builtin_catalog == message.builtin_catalog());
}

template <typename Proto, void (*check)(const Proto&)>
bool CheckIfIs(const Message& message) {
  if (message.GetDescriptor() != Proto::descriptor()) return false;
  check(static_cast<const Proto&>(message));
  return true;
}

// Checks every part of `message`, itself included, that has a conversion.
void CheckParts(const Message& message) {
  const bool is_whole = CheckIfIs<v1::Policy, CheckConversion>(message) ||
                        CheckIfIs<v1::CatalogEntry, CheckConversion>(message) ||
                        CheckIfIs<v1::CatalogKey, CheckConversion>(message) ||
                        CheckIfIs<v1::Connection, CheckConversion>(message) ||
                        CheckIfIs<v1::Limits, CheckConversion>(message) ||
                        CheckIfIs<v1::ToolCall, CheckConversion>(message) ||
                        CheckIfIs<google::protobuf::Duration, CheckTime>(message) ||
                        CheckIfIs<google::protobuf::Timestamp, CheckTime>(message);
  if (is_whole) return;
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      CheckParts(message.GetReflection()->GetMessage(message, field));
      continue;
    }
    const int size = message.GetReflection()->FieldSize(message, field);
    for (int i = 0; i < size; ++i) {
      CheckParts(message.GetReflection()->GetRepeatedMessage(message, field, i));
    }
  }
}

const Descriptor* FindMessage(std::string_view name) {
  // The linker leaves out files whose messages nobody names.
  static const Descriptor* const kOfEachFile[] = {
      v1::HeartbeatRequest::descriptor(),     v1::PutCatalogEntriesRequest::descriptor(),
      v1::PutConnectionRequest::descriptor(), v1::DecideRequest::descriptor(),
      v1::PutPolicyRequest::descriptor(),     v1::BackupRequest::descriptor(),
      v1::StoredRecord::descriptor(),
  };
  for (const Descriptor* one : kOfEachFile) {
    if (const Descriptor* found = one->file()->FindMessageTypeByName(std::string(name))) {
      return found;
    }
  }
  return nullptr;
}

}  // namespace
}  // namespace bridgekeeper::convert

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace convert = bridgekeeper::convert;
  // It would print a line for most inputs.
  static const google::protobuf::LogSilencer* const kQuiet = new google::protobuf::LogSilencer();
  (void)kQuiet;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\n');
  if (end == std::string_view::npos) return 0;
  const auto* type = convert::FindMessage(input.substr(0, end));
  if (type == nullptr) return 0;
  const std::string_view bytes = input.substr(end + 1);
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(type)->New());
  if (message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    convert::CheckParts(*message);
  }
  return 0;
}
