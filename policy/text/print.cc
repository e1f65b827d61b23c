// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "policy/text/document.h"
#include "policy/text/fields.h"

namespace bridgekeeper {
namespace {

// The printing visitor: see Reader in document.cc for the other direction.
class Writer {
 public:
  Value Take() { return std::move(out_); }

  void Bool(std::string_view name, bool value) { out_.Set(name, Value(value)); }
  void Bool(std::string_view name, const std::optional<bool>& value) {
    if (value) out_.Set(name, Value(*value));
  }
  template <typename E>
  void Enum(std::string_view name, E value) {
    out_.Set(name, Name(value));
  }
  template <typename E>
  void Enum(std::string_view name, const std::optional<E>& value) {
    if (value) out_.Set(name, Name(*value));
  }
  void Text(std::string_view name, const std::string& value, size_t, size_t) {
    out_.Set(name, value);
  }
  void Text(std::string_view name, const std::optional<std::string>& value, size_t, size_t) {
    if (value) out_.Set(name, *value);
  }
  void Integer(std::string_view name, const std::optional<int64_t>& value, int64_t, int64_t) {
    if (value) out_.Set(name, *value);
  }
  void Time(std::string_view name, absl::Duration value, absl::Duration, absl::Duration) {
    out_.Set(name, absl::FormatDuration(value));
  }
  void Time(std::string_view name, const std::optional<absl::Duration>& value, absl::Duration,
            absl::Duration) {
    if (value) out_.Set(name, absl::FormatDuration(*value));
  }
  template <typename Tag>
  void Id(std::string_view name, const bridgekeeper::Id<Tag>& id) {
    out_.Set(name, id.value());
  }
  void App(std::string_view name, const AppId& id) { Id(name, id); }
  template <typename Tag>
  void Scope(std::string_view name, const std::optional<bridgekeeper::Id<Tag>>& id) {
    out_.Set(name, id ? id->value() : "*");
  }
  template <typename Tag>
  void Ids(std::string_view name, const std::set<bridgekeeper::Id<Tag>>& ids, size_t) {
    Value list = Value::List();
    for (const auto& id : ids) list.Add(id.value());
    out_.Set(name, std::move(list));
  }
  void Texts(std::string_view name, const std::set<std::string>& texts, size_t, size_t, size_t) {
    SetTexts(name, texts);
  }
  void Pointers(std::string_view name, const std::vector<std::string>& texts, size_t, size_t) {
    SetTexts(name, texts);
  }
  void Features(std::string_view name, const std::set<std::string>& texts, size_t) {
    SetTexts(name, texts);
  }
  void Digest(std::string_view name, const std::string& digest) { out_.Set(name, digest); }
  void Actions(std::string_view name, const std::optional<std::set<Action>>& actions) {
    if (!actions) return;
    Value list = Value::List();
    // READ, WRITE, DELETE: as people say it, the harmless one first.
    for (auto it = actions->rbegin(); it != actions->rend(); ++it) list.Add(Name(*it));
    out_.Set(name, std::move(list));
  }
  void Overrides(std::string_view name, const std::map<ConnectionId, ConnectionOverride>& overrides,
                 size_t) {
    Value map = Value::Object();
    for (const auto& [id, override] : overrides) {
      Writer inner;
      text_internal::VisitOverride(inner, override);
      map.Set(id.value(), inner.Take());
    }
    out_.Set(name, std::move(map));
  }
  template <typename T, typename Visit>
  void Object(std::string_view name, const T& value, Visit visit) {
    Writer inner;
    visit(inner, value);
    out_.Set(name, inner.Take());
  }
  template <typename T, typename Visit>
  void Object(std::string_view name, const std::optional<T>& value, Visit visit) {
    if (value) Object(name, *value, visit);
  }
  void Need(std::string_view) {}

 private:
  template <typename Texts>
  void SetTexts(std::string_view name, const Texts& texts) {
    Value list = Value::List();
    for (const std::string& text : texts) list.Add(text);
    out_.Set(name, std::move(list));
  }

  Value out_ = Value::Object();
};

template <typename Model>
Value Write(const Model& model) {
  Writer writer;
  text_internal::VisitFields(writer, model);
  return writer.Take();
}

}  // namespace

Value ToValue(const McpPolicy& policy) { return Write(policy); }
Value ToValue(const CatalogEntry& entry) { return Write(entry); }
Value ToValue(const ConnectionRecord& record) { return Write(record); }

std::string PrintPolicyYaml(const McpPolicy& policy) { return ToYaml(ToValue(policy)); }
std::string PrintPolicyJson(const McpPolicy& policy) { return ToJson(ToValue(policy)); }

}  // namespace bridgekeeper
