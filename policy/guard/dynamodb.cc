// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/dynamodb.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/guard/case_twin.h"
#include "policy/guard/dynamodb/operations.h"
#include "policy/guard/dynamodb/partiql.h"
#include "policy/guard/effects.h"
#include "policy/guard/judgement_builder.h"

namespace bridgekeeper {
namespace {

using Error = Judgement::Error;

Judgement Refused(const dynamodb::StatementProblem& problem, std::optional<size_t> position) {
  return JudgementError(problem.error, problem.message, problem.statements, position);
}

// FindCaseTwin() for `root` and every object within.
std::optional<JsonValue> FindCaseTwinWithin(JsonValue root) {
  std::vector<JsonValue> open = {root};
  while (!open.empty()) {
    const JsonValue value = open.back();
    open.pop_back();
    if (const auto twin = FindCaseTwin(value)) return twin;
    for (const JsonValue member : value) {
      if (member.is_object() || member.is_array()) open.push_back(member);
    }
  }
  return std::nullopt;
}

bool IsTrue(std::optional<JsonValue> value) {
  return value.has_value() && value->kind() == JsonKind::kBool && value->boolean();
}

class Request {
 public:
  Request(size_t base, const JudgeOptions& options, JudgementBuilder& found)
      : base_(base), options_(options), found_(found) {}

  void Judge(const dynamodb::Operation& operation, JsonValue request) {
    target_ = TargetOf(request);
    Members(request, operation.members);
    if (!operation.kind.empty()) {
      if (operation.kind != effect::kSensitiveRead || !options_.allow_sensitive_reads) {
        Add(operation.kind, target_, request, operation.risk, operation.why);
      }
    }
    // What a new or restored table is made with may weaken it too.
    if (const auto sse = request.Find("SSESpecificationOverride")) Encryption(*sse);
    switch (operation.reads) {
      case dynamodb::Reads::kNothing:
        return Tables(request);
      case dynamodb::Reads::kPut:
        return Put(request);
      case dynamodb::Reads::kPutByTool:
        return PutByTool(request);
      case dynamodb::Reads::kBatchWrite:
        return BatchWrite(request);
      case dynamodb::Reads::kTransactWrite:
        return TransactWrite(request);
      case dynamodb::Reads::kStatement:
        return Statement(request);
      case dynamodb::Reads::kStatements:
        return Statements(request, "Statements",
                          "Statement Parameters ConsistentRead "
                          "ReturnValuesOnConditionCheckFailure");
      case dynamodb::Reads::kTransactStatements:
        return Statements(request, "TransactStatements",
                          "Statement Parameters ReturnValuesOnConditionCheckFailure");
      case dynamodb::Reads::kUpdateTable:
        return UpdateTable(request);
      case dynamodb::Reads::kTimeToLive:
        return TimeToLive(request);
      case dynamodb::Reads::kBackups:
        return Backups(request);
    }
  }

  const std::optional<Judgement>& error() const { return error_; }

 private:
  // A position counts from the payload's own first byte.
  size_t PositionOf(JsonValue value) const { return value.offset() - base_; }

  void Add(std::string_view kind, std::string_view object, JsonValue value, Risk risk,
           std::string_view why) {
    found_.Add(kind, object, PositionOf(value), risk, why);
  }

  void Unknown(JsonValue value) {
    Add(effect::kUnknown, value.key(), value, Risk::kDestructive,
        "is no member or value that is known here");
  }

  // Notes each member of an object that is not on the list.
  bool Members(JsonValue object, std::string_view members) {
    if (!object.is_object()) {
      Unknown(object);
      return false;
    }
    for (const JsonValue member : object) {
      if (dynamodb::IsOneOf(members, member.key())) continue;
      if (const dynamodb::Member* const known = dynamodb::FindMember(member.key())) {
        Add(known->kind, target_, member, Risk::kDestructive, known->why);
      } else {
        Unknown(member);
      }
    }
    return true;
  }

  std::string TargetOf(JsonValue request) {
    for (const std::string_view name : {"TableName", "TargetTableName", "GlobalTableName",
                                        "ResourceArn", "TableArn", "BackupArn"}) {
      const auto value = request.Find(name);
      if (!value.has_value() || !value->is_string()) continue;
      dynamodb::NoteTable(value->string(), PositionOf(*value), options_, found_);
      return std::string(value->string());
    }
    return {};
  }

  // Tables that a read names beside the usual member.
  void Tables(JsonValue request) {
    if (const auto source = request.Find("SourceTableName"); source && source->is_string()) {
      dynamodb::NoteTable(source->string(), PositionOf(*source), options_, found_);
    }
    if (const auto items = request.Find("RequestItems")) {
      if (!items->is_object()) return Unknown(*items);
      for (const JsonValue table : *items) {
        dynamodb::NoteTable(table.key(), PositionOf(table), options_, found_);
        Members(table,
                "Keys AttributesToGet ConsistentRead ProjectionExpression "
                "ExpressionAttributeNames");
      }
    }
    if (const auto items = request.Find("TransactItems")) {
      if (!items->is_array()) return Unknown(*items);
      for (const JsonValue item : *items) {
        const auto get = item.Find("Get");
        if (!get.has_value() || item.size() != 1) {
          Unknown(item);
          continue;
        }
        TargetOf(*get);
        Members(*get, "TableName Key ProjectionExpression ExpressionAttributeNames");
      }
    }
  }

  // Whether each part of the condition is attribute_not_exists(a) of a top-level
  // attribute of the new item. Where one of them is of the table's key, an item is let
  // in only where there is none. The key is not in the request: that it is meant is
  // taken on trust, and one of other attributes alone replaces an item that has none of them.
  static bool OnlyAdds(JsonValue put) {
    const auto condition = put.Find("ConditionExpression");
    const auto item = put.Find("Item");
    if (!condition || !condition->is_string() || !item || !item->is_object()) return false;
    if (put.Find("Expected") || put.Find("ConditionalOperator")) return false;
    std::string text = AsciiLower(condition->string());
    const std::string_view spelled = condition->string();
    size_t at = 0;
    const auto space = [&] {
      while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n')) ++at;
    };
    const auto take = [&](std::string_view wanted) {
      space();
      if (!std::string_view(text).substr(at).starts_with(wanted)) return false;
      at += wanted.size();
      return true;
    };
    do {
      if (!take("attribute_not_exists") || !take("(")) return false;
      space();
      const size_t begin = at;
      while (at < text.size() && (IsAsciiLower(text[at]) || IsAsciiDigit(text[at]) ||
                                  text[at] == '_' || (text[at] == '#' && at == begin))) {
        ++at;
      }
      std::string_view name = spelled.substr(begin, at - begin);
      if (name.starts_with('#')) {
        const auto names = put.Find("ExpressionAttributeNames");
        const auto meant = names ? names->Find(name) : std::nullopt;
        if (!meant || !meant->is_string()) return false;
        name = meant->string();
      }
      if (name.empty() || !item->Find(name) || !take(")")) return false;
    } while (take("and"));
    space();
    return at == text.size();
  }

  void Put(JsonValue put) {
    if (OnlyAdds(put)) {
      Add(effect::kInsert, target_, put, Risk::kElevated,
          "adds an item where there is none with one of the attributes of its condition");
    } else {
      Add(effect::kReplace, target_, put, Risk::kDestructive,
          "replaces the whole item that has the same key");
    }
  }

  // Whether `items`, an object or a list of them, has at least one, and each has the member.
  static bool AllHave(JsonValue items, std::string_view name) {
    if (items.is_object()) return items.Find(name).has_value();
    if (!items.is_array() || items.size() == 0) return false;
    for (const JsonValue item : items) {
      if (!item.is_object() || !item.Find(name)) return false;
    }
    return true;
  }

  // A tool that skips what is there puts attribute_not_exists() of what it is told to be
  // the partition key; see OnlyAdds().
  void PutByTool(JsonValue put) {
    const auto key = put.Find("PartitionKey");
    const auto items = put.Find("Items");
    if (IsTrue(put.Find("SkipExisting")) && key && key->is_string() && !key->string().empty() &&
        items && AllHave(*items, key->string())) {
      Add(effect::kInsert, target_, put, Risk::kElevated,
          "adds items where there are none with the attribute that is called the key");
    } else {
      Add(effect::kReplace, target_, put, Risk::kDestructive,
          "replaces whole items that have the same keys");
    }
  }

  void BatchWrite(JsonValue request) {
    const auto tables = request.Find("RequestItems");
    if (!tables || !tables->is_object()) return Unknown(request);
    for (const JsonValue table : *tables) {
      target_ = std::string(table.key());
      dynamodb::NoteTable(target_, PositionOf(table), options_, found_);
      if (!table.is_array()) {
        Unknown(table);
        continue;
      }
      for (const JsonValue write : table) {
        const auto put = write.Find("PutRequest");
        const auto remove = write.Find("DeleteRequest");
        if (!write.is_object() || write.size() != 1 || (!put && !remove)) {
          Unknown(write);
        } else if (put) {
          Members(*put, "Item");
          // Puts of a batch have no condition.
          Put(*put);
        } else {
          Members(*remove, "Key");
          Add(effect::kDelete, target_, write, Risk::kDestructive, "removes an item");
        }
      }
    }
  }

  void TransactWrite(JsonValue request) {
    constexpr std::string_view kCondition =
        "TableName Key Item UpdateExpression ConditionExpression ExpressionAttributeNames "
        "ExpressionAttributeValues ReturnValuesOnConditionCheckFailure";
    const auto items = request.Find("TransactItems");
    if (!items || !items->is_array()) return Unknown(request);
    for (const JsonValue item : *items) {
      if (!item.is_object() || item.size() != 1) {
        Unknown(item);
        continue;
      }
      const JsonValue write = *item.begin();
      if (!Members(write, kCondition)) continue;
      target_ = TargetOf(write);
      if (write.key() == "Put") {
        Put(write);
      } else if (write.key() == "Update") {
        Add(effect::kUpdate, target_, write, Risk::kElevated, "changes an item");
      } else if (write.key() == "Delete") {
        Add(effect::kDelete, target_, write, Risk::kDestructive, "removes an item");
      } else if (write.key() != "ConditionCheck") {
        Unknown(write);
      }
    }
  }

  void Statement(JsonValue request) {
    const auto statement = request.Find("Statement");
    if (!statement || !statement->is_string()) return Unknown(request);
    // Where nothing is escaped the text is spelled in the payload as it is read.
    const std::string_view raw = statement->raw();
    std::optional<size_t> offset;
    if (raw.substr(1, raw.size() - 2) == statement->string()) offset = PositionOf(*statement) + 1;
    if (const auto problem =
            dynamodb::ReadStatement(statement->string(), offset, options_, found_)) {
      if (!error_.has_value()) error_ = Refused(*problem, PositionOf(*statement));
    }
  }

  void Statements(JsonValue request, std::string_view member, std::string_view members) {
    const auto statements = request.Find(member);
    if (!statements || !statements->is_array()) return Unknown(request);
    for (const JsonValue statement : *statements) {
      if (Members(statement, members)) Statement(statement);
    }
  }

  // True where encryption may only become stronger.
  void Encryption(JsonValue specification) {
    if (!Members(specification, "Enabled SSEType KMSMasterKeyId")) return;
    if (IsTrue(specification.Find("Enabled")) && !specification.Find("KMSMasterKeyId")) {
      Add(effect::kAlter, target_, specification, Risk::kElevated, "encrypts the table");
    } else {
      Add(effect::kSetting, target_, specification, Risk::kDestructive,
          "changes the key of a table or switches its encryption off");
    }
  }

  void UpdateTable(JsonValue request) {
    bool any = false;
    for (const JsonValue member : request) {
      const std::string_view name = member.key();
      if (name == "TableName" || name == "AttributeDefinitions") continue;
      any = true;
      if (name == "DeletionProtectionEnabled") {
        Switch(member, member, "deletion protection");
      } else if (name == "StreamSpecification") {
        if (!Members(member, "StreamEnabled StreamViewType")) continue;
        Switch(member, member.Find("StreamEnabled"), "the stream of changes");
      } else if (name == "SSESpecification") {
        Encryption(member);
      } else if (name == "GlobalSecondaryIndexUpdates") {
        IndexUpdates(member);
      } else if (dynamodb::IsOneOf("BillingMode ProvisionedThroughput TableClass "
                                   "OnDemandThroughput WarmThroughput",
                                   name)) {
        Add(effect::kAlter, target_, member, Risk::kElevated,
            "changes what a table may use, and loses nothing");
      }
    }
    if (!any) Add(effect::kAlter, target_, request, Risk::kElevated, "changes a table");
  }

  // What protects or feeds others: on is ELEVATED, anything else DESTRUCTIVE.
  void Switch(JsonValue at, std::optional<JsonValue> value, std::string_view what) {
    if (IsTrue(value)) {
      Add(effect::kSetting, target_, at, Risk::kElevated, absl::StrFormat("switches %s on", what));
    } else {
      Add(effect::kSetting, target_, at, Risk::kDestructive,
          absl::StrFormat("switches %s off", what));
    }
  }

  void IndexUpdates(JsonValue updates) {
    if (!updates.is_array()) return Unknown(updates);
    for (const JsonValue update : updates) {
      if (!update.is_object() || update.size() != 1) {
        Unknown(update);
        continue;
      }
      const JsonValue change = *update.begin();
      if (!Members(change,
                   "IndexName KeySchema Projection ProvisionedThroughput "
                   "OnDemandThroughput WarmThroughput")) {
        continue;
      }
      if (change.key() == "Create") {
        Add(effect::kCreate, target_, change, Risk::kElevated, "makes an index");
      } else if (change.key() == "Update") {
        Add(effect::kAlter, target_, change, Risk::kElevated,
            "changes what an index may use, and loses nothing");
      } else if (change.key() == "Delete") {
        Add(effect::kDrop, target_, change, Risk::kDestructive, "drops an index");
      } else {
        Unknown(change);
      }
    }
  }

  void TimeToLive(JsonValue request) {
    const auto specification = request.Find("TimeToLiveSpecification");
    if (!specification || !Members(*specification, "Enabled AttributeName")) {
      return Unknown(request);
    }
    const auto enabled = specification->Find("Enabled");
    if (enabled && enabled->kind() == JsonKind::kBool && !enabled->boolean()) {
      Add(effect::kSetting, target_, *specification, Risk::kElevated,
          "lets items no longer expire");
    } else {
      Add(effect::kDelete, target_, *specification, Risk::kDestructive,
          "lets items expire, so that they are removed later");
    }
  }

  void Backups(JsonValue request) {
    const auto specification = request.Find("PointInTimeRecoverySpecification");
    if (!specification ||
        !Members(*specification, "PointInTimeRecoveryEnabled RecoveryPeriodInDays")) {
      return Unknown(request);
    }
    Switch(*specification, specification->Find("PointInTimeRecoveryEnabled"),
           "point-in-time recovery");
    constexpr int64_t kLongestPeriod = 35;  // the API's own upper bound
    const auto days = specification->Find("RecoveryPeriodInDays");
    if (days && (!days->is_number() || days->integer() != kLongestPeriod)) {
      Add(effect::kSetting, target_, *days, Risk::kDestructive,
          "shortens how far back a table can be recovered");
    }
  }

  const size_t base_;
  const JudgeOptions& options_;
  JudgementBuilder& found_;
  std::string target_;
  std::optional<Judgement> error_;
};

}  // namespace

Judgement JudgeDynamoDbStatement(std::string_view text, const JudgeOptions& options) {
  JudgementBuilder found;
  if (const auto problem = dynamodb::ReadStatement(text, 0, options, found)) {
    return Refused(*problem, problem->position);
  }
  return std::move(found).Finish(1);
}

Judgement JudgeDynamoDbRequest(JsonValue object, const JudgeOptions& options) {
  const size_t base = object.offset();
  if (const auto twin = FindCaseTwinWithin(object)) {
    return JudgementError(
        Error::kUnreadable,
        absl::StrFormat("got two members that differ from `%s` in case only", twin->key()), 0,
        twin->offset() - base);
  }
  const auto operation = object.Find("operation");
  if (!operation || !operation->is_string() || operation->string().empty()) {
    return JudgementError(Error::kEmpty, "got no `operation`");
  }
  JudgementBuilder found;
  for (const JsonValue member : object) {
    if (member.key() == "operation" || member.key() == "request") continue;
    found.Add(effect::kUnknown, member.key(), member.offset() - base, Risk::kDestructive,
              "is no member that is known here");
  }
  const auto request = object.Find("request");
  const dynamodb::Operation* const known = dynamodb::FindOperation(operation->string());
  if (known == nullptr || !request || !request->is_object()) {
    found.Add(effect::kUnknown, operation->string(), operation->offset() - base, Risk::kDestructive,
              known == nullptr ? "is no operation that is known" : "has no object as its request");
    return std::move(found).Finish(1);
  }
  Request judged(base, options, found);
  judged.Judge(*known, *request);
  if (judged.error().has_value()) return *judged.error();
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
