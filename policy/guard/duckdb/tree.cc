// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/duckdb/tree.h"

#include <algorithm>
#include <iterator>

#include "policy/guard/effects.h"

namespace bridgekeeper::duckdb {

// What a field holds.
enum class FieldKind : uint8_t {
  kPlain,       // text, numbers, truth values, nothing, and lists of them
  kPlainTree,   // objects whose every value is plain, and lists of them
  kData,        // a constant or a sample size: data without names
  kExpression,  // one, or nothing
  kExpressions,
  kTable,
  kNode,  // a query
  kNodes,
  kStatement,
  kModifier,
  kModifiers,
  kTypeReference,
  kTableFunction,
  // Objects without a kind of their own.
  kCteMap,
  kCteEntries,
  kCte,
  kCaseChecks,
  kReplacements,
  kPivots,
  kPivotEntries,
  kSample,
  kAtClause,
  kTypeInfo,
};

struct Field {
  std::string_view name;
  FieldKind kind;
};

// A node's fields; `name` is its class or type.
struct Shape {
  std::string_view name;
  std::span<const Field> fields;
  std::span<const std::string_view> types = {};  // of an expression; empty: `name` alone
};

namespace {

using enum FieldKind;

constexpr Field kStatementFields[] = {{"node", kNode}, {"named_param_map", kData}};

// Expressions, by `class`. Every one has the fields of kExpressionFields.
constexpr Field kExpressionFields[] = {
    {"class", kPlain}, {"type", kPlain}, {"alias", kPlain}, {"query_location", kPlain}};

constexpr Field kNoFields[] = {{"class", kPlain}};
constexpr Field kBetweenFields[] = {
    {"input", kExpression}, {"lower", kExpression}, {"upper", kExpression}};
constexpr Field kCaseFields[] = {{"case_checks", kCaseChecks}, {"else_expr", kExpression}};
constexpr Field kCastFields[] = {
    {"child", kExpression}, {"cast_type", kTypeReference}, {"try_cast", kPlain}};
constexpr Field kCollateFields[] = {{"child", kExpression}, {"collation", kPlain}};
constexpr Field kColumnRefFields[] = {{"column_names", kPlain}};
constexpr Field kComparisonFields[] = {{"left", kExpression}, {"right", kExpression}};
constexpr Field kChildrenFields[] = {{"children", kExpressions}};
constexpr Field kConstantFields[] = {{"value", kData}};
constexpr Field kFunctionFields[] = {
    {"function_name", kPlain},  {"schema", kPlain},      {"catalog", kPlain},
    {"children", kExpressions}, {"filter", kExpression}, {"order_bys", kModifier},
    {"distinct", kPlain},       {"is_operator", kPlain}, {"export_state", kPlain}};
constexpr Field kLambdaFields[] = {
    {"lhs", kExpression}, {"expr", kExpression}, {"syntax_type", kPlain}};
constexpr Field kParameterFields[] = {{"identifier", kPlain}};
constexpr Field kPositionalFields[] = {{"index", kPlain}};
constexpr Field kStarFields[] = {
    {"relation_name", kPlain},  {"exclude_list", kPlain}, {"replace_list", kReplacements},
    {"columns", kPlain},        {"expr", kExpression},    {"qualified_exclude_list", kPlainTree},
    {"rename_list", kPlainTree}};
constexpr Field kSubqueryFields[] = {{"subquery_type", kPlain},
                                     {"subquery", kStatement},
                                     {"child", kExpression},
                                     {"comparison_type", kPlain}};
constexpr Field kTypeFields[] = {
    {"catalog", kPlain}, {"schema", kPlain}, {"type_name", kPlain}, {"children", kExpressions}};
constexpr Field kWindowFields[] = {{"function_name", kPlain},
                                   {"schema", kPlain},
                                   {"catalog", kPlain},
                                   {"children", kExpressions},
                                   {"partitions", kExpressions},
                                   {"orders", kModifiers},
                                   {"start", kPlain},
                                   {"end", kPlain},
                                   {"start_expr", kExpression},
                                   {"end_expr", kExpression},
                                   {"offset_expr", kExpression},
                                   {"default_expr", kExpression},
                                   {"ignore_nulls", kPlain},
                                   {"filter_expr", kExpression},
                                   {"exclude_clause", kPlain},
                                   {"distinct", kPlain},
                                   {"arg_orders", kModifiers}};

constexpr std::string_view kBetweenTypes[] = {"COMPARE_BETWEEN", "COMPARE_NOT_BETWEEN"};
constexpr std::string_view kCaseTypes[] = {"CASE_EXPR"};
constexpr std::string_view kCastTypes[] = {"OPERATOR_CAST"};
constexpr std::string_view kComparisonTypes[] = {
    "COMPARE_EQUAL",         "COMPARE_NOTEQUAL",
    "COMPARE_LESSTHAN",      "COMPARE_LESSTHANOREQUALTO",
    "COMPARE_GREATERTHAN",   "COMPARE_GREATERTHANOREQUALTO",
    "COMPARE_DISTINCT_FROM", "COMPARE_NOT_DISTINCT_FROM"};
constexpr std::string_view kConjunctionTypes[] = {"CONJUNCTION_AND", "CONJUNCTION_OR"};
constexpr std::string_view kConstantTypes[] = {"VALUE_CONSTANT"};
constexpr std::string_view kDefaultTypes[] = {"VALUE_DEFAULT"};
constexpr std::string_view kParameterTypes[] = {"VALUE_PARAMETER"};
constexpr std::string_view kOperatorTypes[] = {
    "OPERATOR_NOT",   "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_COALESCE",
    "OPERATOR_TRY",   "OPERATOR_UNPACK",  "GROUPING_FUNCTION",    "ARRAY_EXTRACT",
    "ARRAY_SLICE",    "STRUCT_EXTRACT",   "ARRAY_CONSTRUCTOR",    "COMPARE_IN",
    "COMPARE_NOT_IN", "OPERATOR_NULLIF"};
constexpr std::string_view kWindowTypes[] = {
    "WINDOW_AGGREGATE",    "WINDOW_RANK",      "WINDOW_RANK_DENSE", "WINDOW_NTILE",
    "WINDOW_PERCENT_RANK", "WINDOW_CUME_DIST", "WINDOW_ROW_NUMBER", "WINDOW_FIRST_VALUE",
    "WINDOW_LAST_VALUE",   "WINDOW_LEAD",      "WINDOW_LAG",        "WINDOW_NTH_VALUE",
    "WINDOW_FILL"};

constexpr Shape kExpressionShapes[] = {
    {"BETWEEN", kBetweenFields, kBetweenTypes},
    {"CASE", kCaseFields, kCaseTypes},
    {"CAST", kCastFields, kCastTypes},
    {"COLLATE", kCollateFields},
    {"COLUMN_REF", kColumnRefFields},
    {"COMPARISON", kComparisonFields, kComparisonTypes},
    {"CONJUNCTION", kChildrenFields, kConjunctionTypes},
    {"CONSTANT", kConstantFields, kConstantTypes},
    {"DEFAULT", kNoFields, kDefaultTypes},
    {"FUNCTION", kFunctionFields},
    {"LAMBDA", kLambdaFields},
    {"OPERATOR", kChildrenFields, kOperatorTypes},
    {"PARAMETER", kParameterFields, kParameterTypes},
    {"POSITIONAL_REFERENCE", kPositionalFields},
    {"STAR", kStarFields},
    {"SUBQUERY", kSubqueryFields},
    {"TYPE", kTypeFields},
    {"WINDOW", kWindowFields, kWindowTypes},
};

// Queries, by `type`.
constexpr Field kSelectFields[] = {{"type", kPlain},
                                   {"modifiers", kModifiers},
                                   {"cte_map", kCteMap},
                                   {"select_list", kExpressions},
                                   {"from_table", kTable},
                                   {"where_clause", kExpression},
                                   {"group_expressions", kExpressions},
                                   {"group_sets", kPlain},
                                   {"aggregate_handling", kPlain},
                                   {"having", kExpression},
                                   {"sample", kSample},
                                   {"qualify", kExpression}};
constexpr Field kSetOperationFields[] = {
    {"type", kPlain}, {"modifiers", kModifiers}, {"cte_map", kCteMap},  {"setop_type", kPlain},
    {"left", kNode},  {"right", kNode},          {"setop_all", kPlain}, {"children", kNodes}};
constexpr Field kRecursiveFields[] = {
    {"type", kPlain},     {"modifiers", kModifiers}, {"cte_map", kCteMap},
    {"cte_name", kPlain}, {"union_all", kPlain},     {"left", kNode},
    {"right", kNode},     {"aliases", kPlain},       {"key_targets", kExpressions}};
constexpr Shape kNodeShapes[] = {
    {"RECURSIVE_CTE_NODE", kRecursiveFields},
    {"SELECT_NODE", kSelectFields},
    {"SET_OPERATION_NODE", kSetOperationFields},
};

// What stands in FROM, by `type`.
constexpr Field kBaseTableFields[] = {{"type", kPlain},         {"alias", kPlain},
                                      {"sample", kSample},      {"query_location", kPlain},
                                      {"schema_name", kPlain},  {"table_name", kPlain},
                                      {"catalog_name", kPlain}, {"column_name_alias", kPlain},
                                      {"at_clause", kAtClause}};
constexpr Field kEmptyFields[] = {
    {"type", kPlain}, {"alias", kPlain}, {"sample", kSample}, {"query_location", kPlain}};
constexpr Field kExpressionListFields[] = {{"type", kPlain},           {"alias", kPlain},
                                           {"sample", kSample},        {"query_location", kPlain},
                                           {"expected_names", kPlain}, {"expected_types", kPlain},
                                           {"values", kExpressions}};
constexpr Field kJoinFields[] = {{"type", kPlain},
                                 {"alias", kPlain},
                                 {"sample", kSample},
                                 {"query_location", kPlain},
                                 {"left", kTable},
                                 {"right", kTable},
                                 {"condition", kExpression},
                                 {"join_type", kPlain},
                                 {"ref_type", kPlain},
                                 {"using_columns", kPlain},
                                 {"delim_flipped", kPlain},
                                 {"is_implicit", kPlain},
                                 {"duplicate_eliminated_columns", kExpressions}};
constexpr Field kPivotFields[] = {{"type", kPlain},          {"alias", kPlain},
                                  {"sample", kSample},       {"query_location", kPlain},
                                  {"source", kTable},        {"aggregates", kExpressions},
                                  {"unpivot_names", kPlain}, {"pivots", kPivots},
                                  {"groups", kPlain},        {"column_name_alias", kPlain},
                                  {"include_nulls", kPlain}};
constexpr Field kShowFields[] = {
    {"type", kPlain},           {"alias", kPlain},        {"sample", kSample},
    {"query_location", kPlain}, {"table_name", kPlain},   {"query", kNode},
    {"show_type", kPlain},      {"catalog_name", kPlain}, {"schema_name", kPlain}};
constexpr Field kSubqueryTableFields[] = {{"type", kPlain},         {"alias", kPlain},
                                          {"sample", kSample},      {"query_location", kPlain},
                                          {"subquery", kStatement}, {"column_name_alias", kPlain}};
constexpr Field kTableFunctionFields[] = {{"type", kPlain},
                                          {"alias", kPlain},
                                          {"sample", kSample},
                                          {"query_location", kPlain},
                                          {"function", kTableFunction},
                                          {"column_name_alias", kPlain},
                                          {"with_ordinality", kPlain}};
constexpr Shape kTableShapes[] = {
    {"BASE_TABLE", kBaseTableFields},
    {"EMPTY", kEmptyFields},
    {"EXPRESSION_LIST", kExpressionListFields},
    {"JOIN", kJoinFields},
    {"PIVOT", kPivotFields},
    {"SHOW_REF", kShowFields},
    {"SUBQUERY", kSubqueryTableFields},
    {"TABLE_FUNCTION", kTableFunctionFields},
};

// What follows a query, and the orders in it, by `type`.
constexpr Field kOrderFields[] = {
    {"type", kPlain}, {"null_order", kPlain}, {"expression", kExpression}};
constexpr Field kDistinctFields[] = {{"type", kPlain}, {"distinct_on_targets", kExpressions}};
constexpr Field kLimitFields[] = {
    {"type", kPlain}, {"limit", kExpression}, {"offset", kExpression}};
constexpr Field kOrderModifierFields[] = {{"type", kPlain}, {"orders", kModifiers}};
constexpr Shape kModifierShapes[] = {
    {"ASCENDING", kOrderFields},
    {"DESCENDING", kOrderFields},
    {"DISTINCT_MODIFIER", kDistinctFields},
    {"LIMIT_MODIFIER", kLimitFields},
    {"LIMIT_PERCENT_MODIFIER", kLimitFields},
    {"ORDER_DEFAULT", kOrderFields},
    {"ORDER_MODIFIER", kOrderModifierFields},
};

// What a cast names, by `type`.
constexpr Field kUnboundTypeFields[] = {
    {"type", kPlain}, {"alias", kPlain}, {"extension_info", kPlain}, {"expr", kExpression}};
constexpr Field kDecimalTypeFields[] = {{"type", kPlain},
                                        {"alias", kPlain},
                                        {"extension_info", kPlain},
                                        {"width", kPlain},
                                        {"scale", kPlain}};
constexpr Shape kTypeShapes[] = {
    {"DECIMAL_TYPE_INFO", kDecimalTypeFields},
    {"UNBOUND_TYPE_INFO", kUnboundTypeFields},
};

// Objects that say nothing of their kind.
constexpr Field kAtFields[] = {{"unit", kPlain}, {"expr", kExpression}};
constexpr Field kCaseCheckFields[] = {{"when_expr", kExpression}, {"then_expr", kExpression}};
constexpr Field kCteMapFields[] = {{"map", kCteEntries}};
constexpr Field kCteEntryFields[] = {{"key", kPlain}, {"value", kCte}};
constexpr Field kCteFields[] = {{"aliases", kPlain},
                                {"query", kStatement},
                                {"materialized", kPlain},
                                {"key_targets", kExpressions}};
constexpr Field kPivotColumnFields[] = {{"pivot_expressions", kExpressions},
                                        {"unpivot_names", kPlain},
                                        {"entries", kPivotEntries},
                                        {"pivot_enum", kPlain}};
constexpr Field kPivotEntryFields[] = {
    {"values", kData}, {"star_expr", kExpression}, {"alias", kPlain}};
constexpr Field kReplacementFields[] = {{"key", kPlain}, {"value", kExpression}};
constexpr Field kSampleFields[] = {
    {"sample_size", kData}, {"is_percentage", kPlain}, {"method", kPlain}, {"seed", kPlain}};
constexpr Field kTypeReferenceFields[] = {{"id", kPlain}, {"type_info", kTypeInfo}};

constexpr Shape kStatementShape = {"statement", kStatementFields};
constexpr Shape kAtShape = {"at_clause", kAtFields};
constexpr Shape kCaseCheckShape = {"case_check", kCaseCheckFields};
constexpr Shape kCteMapShape = {"cte_map", kCteMapFields};
constexpr Shape kCteEntryShape = {"cte", kCteEntryFields};
constexpr Shape kCteShape = {"cte", kCteFields};
constexpr Shape kPivotShape = {"pivot", kPivotColumnFields};
constexpr Shape kPivotEntryShape = {"pivot_entry", kPivotEntryFields};
constexpr Shape kReplacementShape = {"replacement", kReplacementFields};
constexpr Shape kSampleShape = {"sample", kSampleFields};
constexpr Shape kTypeReferenceShape = {"type", kTypeReferenceFields};

const Shape* FindShape(std::span<const Shape> shapes, std::string_view name) {
  const auto found = std::find_if(shapes.begin(), shapes.end(),
                                  [&](const Shape& shape) { return shape.name == name; });
  return found == shapes.end() ? nullptr : &*found;
}

const Field* FindField(std::span<const Field> fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

// "" where there is none.
std::string_view Text(Object node, std::string_view field) {
  std::string_view text;
  if (node.at_key(field).get(text) != simdjson::SUCCESS) return "";
  return text;
}

// The first argument of a call, where it is a string constant.
std::optional<std::string_view> FirstConstant(Object call) {
  simdjson::dom::array children;
  if (call.at_key("children").get(children) != simdjson::SUCCESS) return std::nullopt;
  Object first;
  if (children.at(0).get(first) != simdjson::SUCCESS || Text(first, "class") != "CONSTANT") {
    return std::nullopt;
  }
  Object value;
  std::string_view text;
  if (first.at_key("value").get(value) != simdjson::SUCCESS ||
      value.at_key("value").get(text) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return text;
}

size_t CountOf(Object node, std::string_view field) {
  simdjson::dom::array list;
  return node.at_key(field).get(list) == simdjson::SUCCESS ? list.size() : 0;
}

}  // namespace

void TreeWalker::NoteUnknown(std::string_view object, std::string_view why) {
  notes_.AddUnknown(object, std::nullopt, why);
}

std::optional<size_t> TreeWalker::PositionOf(Object node) const {
  uint64_t location = 0;
  if (node.at_key("query_location").get(location) != simdjson::SUCCESS) return std::nullopt;
  if (location < place_.prefix || location - place_.prefix > text_.size()) return std::nullopt;
  const size_t position = place_.begin + (location - place_.prefix);
  if (position > text_.size()) return std::nullopt;
  return position;
}

void TreeWalker::WalkStatement(Value statement) { VisitField(kStatement, "statement", statement); }

void TreeWalker::VisitShape(Object node, const Shape& shape) {
  if (++depth_ > kMaxTreeDepth) {
    too_deep_ = true;
  } else {
    const bool is_expression = FindShape(kExpressionShapes, shape.name) == &shape;
    for (const auto& [name, value] : node) {
      const Field* field = FindField(shape.fields, name);
      if (field == nullptr && is_expression) field = FindField(kExpressionFields, name);
      if (field == nullptr) {
        NoteUnknown(name, "is a part of the parse tree that is not known");
      } else {
        VisitField(field->kind, name, value);
      }
    }
  }
  --depth_;
}

void TreeWalker::VisitEach(FieldKind kind, std::string_view name, Value value) {
  simdjson::dom::array list;
  if (value.get(list) != simdjson::SUCCESS) {
    return NoteUnknown(name, "is no list, as it is in the trees that are known");
  }
  for (const Value element : list) VisitField(kind, name, element);
}

void TreeWalker::VisitField(FieldKind kind, std::string_view name, Value value) {
  if (value.is_null()) return;
  simdjson::dom::array list;
  const bool is_list = value.get(list) == simdjson::SUCCESS;
  Object node;
  const bool is_object = value.get(node) == simdjson::SUCCESS;
  const auto visit = [&](const Shape& shape) {
    if (!is_object) return NoteUnknown(name, "is no object, as it is in the trees that are known");
    VisitShape(node, shape);
  };
  switch (kind) {
    case kData:
      return;
    case kPlain:
    case kPlainTree:
      if (is_list) return VisitEach(kind, name, value);
      if (!is_object) return;
      if (kind == kPlain) return NoteUnknown(name, "holds more than text in the parse tree");
      for (const auto& [key, inner] : node) VisitField(kind, key, inner);
      return;
    case kExpression:
      return VisitExpression(value);
    case kExpressions:
      if (!is_list) {
        return NoteUnknown(name, "is no list, as it is in the trees that are known");
      }
      // VALUES has lists of lists.
      for (const Value element : list) {
        VisitField(element.is_array() ? kExpressions : kExpression, name, element);
      }
      return;
    case kTable:
      return VisitByType(kTableShapes, value, name);
    case kNode:
      return VisitByType(kNodeShapes, value, name);
    case kNodes:
      return VisitEach(kNode, name, value);
    case kModifier:
      return VisitByType(kModifierShapes, value, name);
    case kModifiers:
      return VisitEach(kModifier, name, value);
    case kTypeInfo:
      return VisitByType(kTypeShapes, value, name);
    case kTableFunction:
      return VisitTableFunction(value);
    case kStatement:
      return visit(kStatementShape);
    case kTypeReference:
      return visit(kTypeReferenceShape);
    case kCteMap:
      return visit(kCteMapShape);
    case kCte:
      return visit(kCteShape);
    case kSample:
      return visit(kSampleShape);
    case kAtClause:
      return visit(kAtShape);
    case kCteEntries:
      return is_list ? VisitEach(kind, name, value) : visit(kCteEntryShape);
    case kCaseChecks:
      return is_list ? VisitEach(kind, name, value) : visit(kCaseCheckShape);
    case kReplacements:
      return is_list ? VisitEach(kind, name, value) : visit(kReplacementShape);
    case kPivots:
      return is_list ? VisitEach(kind, name, value) : visit(kPivotShape);
    case kPivotEntries:
      return is_list ? VisitEach(kind, name, value) : visit(kPivotEntryShape);
  }
}

void TreeWalker::VisitByType(std::span<const Shape> shapes, Value value, std::string_view what) {
  Object node;
  const Shape* shape = nullptr;
  if (value.get(node) == simdjson::SUCCESS) shape = FindShape(shapes, Text(node, "type"));
  if (shape == nullptr) {
    return notes_.AddUnknown(what, std::nullopt, "is of a kind that is not known");
  }
  if (shape->fields.data() == kBaseTableFields) NoteRelation(node);
  if (shape->fields.data() == kShowFields) NoteShow(node);
  VisitShape(node, *shape);
}

void TreeWalker::VisitExpression(Value value) {
  Object node;
  const Shape* shape = nullptr;
  std::string_view type;
  if (value.get(node) == simdjson::SUCCESS) {
    shape = FindShape(kExpressionShapes, Text(node, "class"));
    type = Text(node, "type");
  }
  const bool known = shape != nullptr &&
                     (shape->types.empty() ? type == shape->name
                                           : std::find(shape->types.begin(), shape->types.end(),
                                                       type) != shape->types.end());
  if (!known) {
    return notes_.AddUnknown(type, std::nullopt, "is an expression of a kind that is not known");
  }
  if (shape->fields.data() == kFunctionFields || shape->fields.data() == kWindowFields) {
    NoteFunction(node, false);
  }
  if (shape->fields.data() == kTypeFields) {
    notes_.CheckConnection(Text(node, "catalog"), Text(node, "schema"), PositionOf(node));
  }
  VisitShape(node, *shape);
}

void TreeWalker::VisitTableFunction(Value value) {
  Object node;
  if (value.get(node) != simdjson::SUCCESS || Text(node, "class") != "FUNCTION") {
    return NoteUnknown("function", "is a table function of a kind that is not known");
  }
  NoteFunction(node, true);
  VisitShape(node, *FindShape(kExpressionShapes, "FUNCTION"));
}

void TreeWalker::NoteFunction(Object node, bool table) {
  const std::string_view name = Text(node, "function_name");
  const auto position = PositionOf(node);
  if (name.empty()) return notes_.AddUnknown("", position, "is a call without a name");
  notes_.AddCall(table, Text(node, "schema"), name, CountOf(node, "children"), FirstConstant(node),
                 position);
  if (const std::string_view catalog = Text(node, "catalog"); !catalog.empty()) {
    notes_.CheckConnection(catalog, "", position);
  }
}

void TreeWalker::NoteRelation(Object node) {
  const std::string_view name = Text(node, "table_name");
  if (name.empty()) return NoteUnknown("", "is a relation without a name");
  notes_.AddRelation(Text(node, "catalog_name"), Text(node, "schema_name"), name, PositionOf(node));
}

void TreeWalker::NoteShow(Object node) {
  // SHOW TABLES and SHOW VARIABLES are one node that differs by a name.
  constexpr std::string_view kHarmless[] = {"\"databases\"", "\"schemas\"", "\"tables\"",
                                            "__show_tables_expanded"};
  const std::string_view kind = Text(node, "show_type");
  const std::string_view name = Text(node, "table_name");
  const bool has_query = !node.at_key("query").is_null();
  if (kind == "DESCRIBE" || kind == "SUMMARY") {
    if (!has_query || !name.empty()) NoteUnknown(name, "is described in a way that is not known");
  } else if (kind == "SHOW_FROM") {
    notes_.CheckConnection(Text(node, "catalog_name"), Text(node, "schema_name"), PositionOf(node));
  } else if (kind == "SHOW_UNQUALIFIED" && name == "\"variables\"") {
    notes_.AddDoes(Does::kSensitive, "variables", PositionOf(node));
  } else if (kind != "SHOW_UNQUALIFIED" ||
             std::find(std::begin(kHarmless), std::end(kHarmless), name) == std::end(kHarmless)) {
    NoteUnknown(name, "is shown in a way that is not known");
  }
}

}  // namespace bridgekeeper::duckdb
