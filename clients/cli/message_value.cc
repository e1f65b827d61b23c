// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/message_value.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/duration.pb.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>

#include <cctype>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "bridgekeeper/v1/policy.pb.h"
#include "policy/text/document.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::cli {
namespace {

using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The prefix that buf asks of the values of enum `ReasonCode`: "REASON_CODE_".
std::string PrefixOf(std::string_view type) {
  std::string out;
  for (const char c : type) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0 && !out.empty()) out += '_';
    out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out + '_';
}

Value EnumName(const EnumValueDescriptor& value) {
  const std::string prefix = PrefixOf(value.type()->name());
  const std::string_view name = value.name();
  return Value(name.starts_with(prefix) ? name.substr(prefix.size()) : name);
}

template <typename Proto>
const Proto* As(const Message& message) {
  return message.GetDescriptor() == Proto::descriptor() ? static_cast<const Proto*>(&message)
                                                        : nullptr;
}

// The document of what has one; nullopt for other messages, and where the server
// sent what this build cannot read.
std::optional<Value> Document(const Message& message) {
  if (const auto* policy = As<v1::Policy>(message)) {
    if (const auto model = convert::FromProto(*policy); model.ok()) return ToValue(*model);
  } else if (const auto* entry = As<v1::CatalogEntry>(message)) {
    if (const auto model = convert::FromProto(*entry); model.ok()) return ToValue(*model);
  } else if (const auto* connection = As<v1::Connection>(message)) {
    if (const auto model = convert::FromProto(*connection); model.ok()) return ToValue(*model);
  } else if (const auto* duration = As<google::protobuf::Duration>(message)) {
    return Value(absl::FormatDuration(convert::FromProto(*duration)));
  } else if (const auto* time = As<google::protobuf::Timestamp>(message)) {
    return Value(TimeText(*time));
  }
  return std::nullopt;
}

Value Single(const Message& message, const Reflection& r, const FieldDescriptor* field) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return Value(r.GetInt32(message, field));
    case FieldDescriptor::CPPTYPE_INT64:
      return Value(r.GetInt64(message, field));
    case FieldDescriptor::CPPTYPE_UINT32:
      return Value(r.GetUInt32(message, field));
    case FieldDescriptor::CPPTYPE_BOOL:
      return Value(r.GetBool(message, field));
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumName(*r.GetEnum(message, field));
    case FieldDescriptor::CPPTYPE_STRING:
      return Value(r.GetString(message, field));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageValue(r.GetMessage(message, field));
    default:  // bridgekeeper.v1 has no field of another type
      return Value();
  }
}

Value Repeated(const Message& message, const Reflection& r, const FieldDescriptor* field, int i) {
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_ENUM:
      return EnumName(*r.GetRepeatedEnum(message, field, i));
    case FieldDescriptor::CPPTYPE_STRING:
      return Value(r.GetRepeatedString(message, field, i));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return MessageValue(r.GetRepeatedMessage(message, field, i));
    default:  // bridgekeeper.v1 has no list of another type
      return Value();
  }
}

}  // namespace

Value MessageValue(const Message& message) {
  if (std::optional<Value> document = Document(message)) return *std::move(document);
  Value out = Value::Object();
  const Reflection& r = *message.GetReflection();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* const field = message.GetDescriptor()->field(i);
    if (field->is_repeated()) {
      Value list = Value::List();
      for (int n = 0; n < r.FieldSize(message, field); ++n)
        list.Add(Repeated(message, r, field, n));
      out.Set(field->name(), std::move(list));
    } else if (!field->has_presence() || r.HasField(message, field)) {
      out.Set(field->name(), Single(message, r, field));
    }
  }
  return out;
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", convert::FromProto(time), absl::UTCTimeZone());
}

}  // namespace bridgekeeper::cli
