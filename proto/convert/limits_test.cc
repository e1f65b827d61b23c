// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Every limit one below, at and above.

#include "proto/convert/limits.h"

#include <functional>
#include <ostream>
#include <string>

#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"
#include "proto/convert/convert.h"

namespace bridgekeeper::convert {
namespace {

std::string Bytes(int64_t n) { return std::string(static_cast<size_t>(n), 'x'); }

v1::Policy Policy() {
  v1::Policy policy;
  policy.set_app("dockit");
  return policy;
}

absl::Status ReadCall(const std::function<void(v1::ToolCall&)>& change) {
  v1::ToolCall call;
  call.set_app("dockit");
  call.set_tool("es__search");
  change(call);
  CheckedCall checked;
  return CheckedCall::Read(call, checked);
}

absl::Status ReadEntry(const std::function<void(v1::CatalogEntry&)>& change) {
  v1::CatalogEntry entry;
  entry.mutable_key()->set_tool("es__search");
  change(entry);
  return FromProto(entry).status();
}

absl::Status ReadConnection(const std::function<void(v1::Connection&)>& change) {
  v1::Connection connection;
  connection.set_app("dockit");
  connection.set_id("prod");
  change(connection);
  return FromProto(connection).status();
}

std::string JsonOfBytes(int64_t bytes) {
  return "{\"a\":\"" + Bytes(bytes > 8 ? bytes - 8 : 0) + "\"}";
}
std::string JsonStringOfBytes(int64_t bytes) {
  return "\"" + Bytes(bytes > 2 ? bytes - 2 : 0) + "\"";
}
std::string JsonOfDepth(int64_t depth) {
  std::string out;
  for (int64_t i = 0; i < depth; ++i) out += "{\"a\":";
  out += "1";
  out += std::string(static_cast<size_t>(depth), '}');
  return out;
}

struct Limit {
  std::string name;
  int64_t lowest;          // one below it is refused; 0: there is no lower limit
  int64_t highest;         // one above it is refused
  absl::StatusCode above;  // what one above answers; one below is INVALID_ARGUMENT
  std::function<absl::Status(int64_t)> read;
};

std::ostream& operator<<(std::ostream& out, const Limit& limit) { return out << limit.name; }

// Ids and ranges are INVALID_ARGUMENT; sizes and counts of limits.h are
// RESOURCE_EXHAUSTED.
std::vector<Limit> Limits() {
  constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
  constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;
  constexpr int64_t kDaySeconds = 86'400;
  return {
      {"AppBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         v1::Policy policy;
         policy.set_app(Bytes(n));
         return FromProto(policy).status();
       }},
      {"AllowedConnectionIdBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.add_allowed_connection_ids(Bytes(n));
         return FromProto(policy).status();
       }},
      {"OverrideIdBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         (*policy.mutable_connection_overrides())[Bytes(n)].set_read_only(true);
         return FromProto(policy).status();
       }},
      {"AllowedConnectionIds", 0, kMaxPolicyConnections, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         for (int64_t i = 0; i < n; ++i) {
           policy.add_allowed_connection_ids(absl::StrFormat("c%d", i));
         }
         return FromProto(policy).status();
       }},
      {"ConnectionOverrides", 0, kMaxPolicyConnections, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         for (int64_t i = 0; i < n; ++i) {
           (*policy.mutable_connection_overrides())[absl::StrFormat("c%d", i)].set_read_only(true);
         }
         return FromProto(policy).status();
       }},
      {"SuspendReasonBytes", 0, kMaxReasonBytes, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.set_suspend_reason(Bytes(n));
         return FromProto(policy).status();
       }},
      {"MaxRows", 1, kMaxRowsLimit, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.mutable_limits()->set_max_rows(n);
         return FromProto(policy).status();
       }},
      {"MaxBytes", 1, kMaxBytesLimit, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.mutable_limits()->set_max_bytes(n);
         return FromProto(policy).status();
       }},
      {"TimeoutMilliseconds", 1, kDaySeconds * 1000, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         *policy.mutable_limits()->mutable_timeout() = ToProto(absl::Milliseconds(n));
         return FromProto(policy).status();
       }},
      {"MaxStalenessSeconds", 10, kDaySeconds, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.mutable_max_staleness()->set_seconds(n);
         return FromProto(policy).status();
       }},
      {"MaskPointers", 0, kMaxMaskPointers, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         for (int64_t i = 0; i < n; ++i) policy.mutable_audit()->add_mask("/a");
         return FromProto(policy).status();
       }},
      {"MaskPointerBytes", 0, kMaxMaskPointerBytes, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.mutable_audit()->add_mask(n == 0 ? "" : "/" + Bytes(n - 1));
         return FromProto(policy).status();
       }},
      {"Requires", 0, kMaxRequires, kExhausted,
       [](int64_t n) {
         v1::Policy policy = Policy();
         for (int64_t i = 0; i < n; ++i) policy.add_requires_features("f");
         return FromProto(policy).status();
       }},
      {"RequiresNameBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         v1::Policy policy = Policy();
         policy.add_requires_features(Bytes(n));
         return FromProto(policy).status();
       }},
      {"KeyToolBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) { e.mutable_key()->set_tool(Bytes(n)); });
       }},
      {"KeyAppBytes", 0, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) { e.mutable_key()->set_app(Bytes(n)); });
       }},
      {"KeyServerBytes", 0, kMaxIdBytes, kInvalid,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) { e.mutable_key()->set_server(Bytes(n)); });
       }},
      {"ConnectionArgumentBytes", 0, kMaxArgumentNameBytes, kExhausted,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) { e.set_connection_argument(Bytes(n)); });
       }},
      {"PayloadTemplateBytes", 0, kMaxPayloadTemplateBytes, kExhausted,
       [](int64_t n) {
         return ReadEntry(
             [n](v1::CatalogEntry& e) { e.mutable_payload_rule()->set_payload(Bytes(n)); });
       }},
      {"DialectBytes", 0, kMaxTypeBytes, kExhausted,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) {
           e.mutable_payload_rule()->set_payload("{sql}");
           e.mutable_payload_rule()->set_dialect(Bytes(n));
         });
       }},
      {"HarmlessArguments", 0, kMaxHarmlessArguments, kExhausted,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) {
           e.mutable_payload_rule()->set_payload("{sql}");
           for (int64_t i = 0; i < n; ++i) e.mutable_payload_rule()->add_harmless_arguments("a");
         });
       }},
      {"HarmlessArgumentBytes", 1, kMaxArgumentNameBytes, kExhausted,
       [](int64_t n) {
         return ReadEntry([n](v1::CatalogEntry& e) {
           e.mutable_payload_rule()->set_payload("{sql}");
           e.mutable_payload_rule()->add_harmless_arguments(Bytes(n));
         });
       }},
      {"PinDigits", 64, 64, kInvalid,
       [](int64_t n) {
         return ReadEntry(
             [n](v1::CatalogEntry& e) { e.set_pin(std::string(static_cast<size_t>(n), 'a')); });
       }},
      {"ConnectionIdBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) { return ReadConnection([n](v1::Connection& c) { c.set_id(Bytes(n)); }); }},
      {"ConnectionAppBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) { return ReadConnection([n](v1::Connection& c) { c.set_app(Bytes(n)); }); }},
      {"ConnectionNameBytes", 0, kMaxConnectionNameBytes, kExhausted,
       [](int64_t n) { return ReadConnection([n](v1::Connection& c) { c.set_name(Bytes(n)); }); }},
      {"ConnectionTypeBytes", 0, kMaxTypeBytes, kExhausted,
       [](int64_t n) { return ReadConnection([n](v1::Connection& c) { c.set_type(Bytes(n)); }); }},
      {"SqlModeBytes", 0, kMaxSqlModeBytes, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) { c.set_sql_mode(Bytes(n)); });
       }},
      {"SafeFunctions", 0, kMaxSafeFunctions, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) {
           for (int64_t i = 0; i < n; ++i) c.add_safe_functions("f()");
         });
       }},
      {"SafeFunctionsBytesInAll", 0, kMaxSafeFunctionsBytes, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) {
           for (int64_t left = n; left > 0; left -= 500)
             c.add_safe_functions(Bytes(std::min<int64_t>(left, 500)));
         });
       }},
      {"SafeFunctionBytes", 1, kMaxSafeFunctionBytes, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) { c.add_safe_functions(Bytes(n)); });
       }},
      {"Databases", 0, kMaxDatabases, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) {
           for (int64_t i = 0; i < n; ++i) c.add_databases("d");
         });
       }},
      {"DatabaseBytes", 1, kMaxDatabaseBytes, kExhausted,
       [](int64_t n) {
         return ReadConnection([n](v1::Connection& c) { c.add_databases(Bytes(n)); });
       }},
      {"CallAppBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) { return ReadCall([n](v1::ToolCall& c) { c.set_app(Bytes(n)); }); }},
      {"CallToolBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) { return ReadCall([n](v1::ToolCall& c) { c.set_tool(Bytes(n)); }); }},
      {"CallServerBytes", 1, kMaxIdBytes, kInvalid,
       [](int64_t n) { return ReadCall([n](v1::ToolCall& c) { c.set_server(Bytes(n)); }); }},
      {"DefinitionDigestDigits", 64, 64, kInvalid,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) {
           c.set_definition_digest(std::string(static_cast<size_t>(n), '0'));
         });
       }},
      {"ArgumentsBytes", 0, kMaxArgumentsBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.set_arguments_json(JsonOfBytes(n)); });
       }},
      {"ArgumentsDepth", 1, kMaxJsonDepth, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.set_arguments_json(JsonOfDepth(n)); });
       }},
      {"PayloadBytes", 0, kMaxPayloadBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.set_payload_json(JsonStringOfBytes(n)); });
       }},
      {"PayloadDepth", 1, kMaxJsonDepth, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.set_payload_json(JsonOfDepth(n)); });
       }},
      {"SubjectClientNameBytes", 0, kMaxSubjectFieldBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.mutable_subject()->set_client_name(Bytes(n)); });
       }},
      {"SubjectClientVersionBytes", 0, kMaxClientVersionBytes, kExhausted,
       [](int64_t n) {
         return ReadCall(
             [n](v1::ToolCall& c) { c.mutable_subject()->set_client_version(Bytes(n)); });
       }},
      {"SubjectSessionBytes", 0, kMaxSubjectFieldBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.mutable_subject()->set_session(Bytes(n)); });
       }},
      {"SubjectUserBytes", 0, kMaxSubjectFieldBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.mutable_subject()->set_user(Bytes(n)); });
       }},
      {"SubjectHostBytes", 0, kMaxSubjectFieldBytes, kExhausted,
       [](int64_t n) {
         return ReadCall([n](v1::ToolCall& c) { c.mutable_subject()->set_host(Bytes(n)); });
       }},
  };
}

class LimitsTest : public ::testing::TestWithParam<Limit> {};

TEST_P(LimitsTest, HoldsAtBothEnds) {
  const Limit& limit = GetParam();
  for (const int64_t n : {limit.lowest, limit.highest - 1, limit.highest}) {
    if (n >= limit.lowest) {
      EXPECT_THAT(limit.read(n), IsOk()) << n;
    }
  }
  EXPECT_THAT(limit.read(limit.highest + 1), StatusIs(limit.above));
  if (limit.lowest > 0) {
    EXPECT_THAT(limit.read(limit.lowest - 1), StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LimitsTest, ::testing::ValuesIn(Limits()),
                         [](const auto& row) { return row.param.name; });

TEST(LimitsTest, APassedLimitBesideAnotherProblemIsInvalidArgument) {
  v1::Policy policy;
  policy.set_app("");
  policy.set_suspend_reason(Bytes(kMaxReasonBytes + 1));
  EXPECT_THAT(FromProto(policy),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       ::testing::HasSubstr("suspend_reason: got 513 bytes, want at most 512")));
}

TEST(LimitsTest, CheckIdNamesTheField) {
  EXPECT_THAT(CheckId("app", "dockit"), IsOk());
  EXPECT_THAT(CheckId("app", "a b"), StatusIs(absl::StatusCode::kInvalidArgument,
                                              "app: got `a b`, want only [A-Za-z0-9._:@/-]"));
}

}  // namespace
}  // namespace bridgekeeper::convert
