// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/text/document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policy/base/ascii.h"
#include "policy/base/strings.h"
#include "policy/text/fields.h"
#include "policy/text/node_values.h"
#include "policy/text/yaml_tree.h"

namespace bridgekeeper {
namespace {

using text_internal::AsBool;
using text_internal::AsInteger;
using text_internal::AsText;
using text_internal::Describe;
using text_internal::Listed;
using text_internal::LooksLikeNumber;
using text_internal::NearestHelp;
using text_internal::Node;
using text_internal::Report;
using text_internal::Show;
using text_internal::VisitFields;

struct Context {
  Report& report;
  const DocumentOptions& options;
  bool desktop = false;  // reading the policy of a desktop app's mcp-config.json
};

std::string Member(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  out += Show(name);
  return out;
}

std::string Element(std::string_view path, size_t index) {
  return absl::StrFormat("%s[%d]", path, index);
}

// ---- the reading visitor ---------------------------------------------------------

// Reads one mapping. Each method reads one field if it is there, and knows its name
// for the check of unknown keys in Finish().
class Reader {
 public:
  Reader(Context& context, const Node& map, std::string path)
      : context_(context), map_(map), path_(std::move(path)) {
    for (size_t i = 0; i + 1 < map.items.size(); i += 2) {
      const Node& key = map.items[i];
      const Node& value = map.items[i + 1];
      if (key.kind != Node::Kind::kScalar) {
        Error(key, path_, absl::StrFormat("got %s as a key, want text", Describe(key)));
        continue;
      }
      const auto [it, added] = members_.try_emplace(key.text, Slot{&key, &value});
      if (!added) {
        Error(key, Member(path_, key.text),
              absl::StrFormat("got the key `%s` twice", Show(key.text)),
              absl::StrFormat("the first is on line %d", context_.report.LineOf(*it->second.key)));
      }
    }
  }

  void Bool(std::string_view name, bool& out) {
    if (const Node* node = Take(name)) ReadBool(*node, Member(path_, name), out);
  }
  void Bool(std::string_view name, std::optional<bool>& out) {
    if (const Node* node = Take(name)) ReadBool(*node, Member(path_, name), out.emplace());
  }

  template <typename E>
  void Enum(std::string_view name, E& out) {
    if (const Node* node = Take(name)) ReadEnum(*node, Member(path_, name), out);
  }
  template <typename E>
  void Enum(std::string_view name, std::optional<E>& out) {
    if (const Node* node = Take(name)) ReadEnum(*node, Member(path_, name), out.emplace());
  }

  void Text(std::string_view name, std::string& out, size_t min_bytes, size_t max_bytes) {
    if (const Node* node = Take(name))
      ReadText(*node, Member(path_, name), min_bytes, max_bytes, out);
  }
  void Text(std::string_view name, std::optional<std::string>& out, size_t min_bytes,
            size_t max_bytes) {
    if (const Node* node = Take(name))
      ReadText(*node, Member(path_, name), min_bytes, max_bytes, out.emplace());
  }

  void Integer(std::string_view name, std::optional<int64_t>& out, int64_t min, int64_t max) {
    const Node* node = Take(name);
    if (node == nullptr) return;
    const std::optional<int64_t> value = AsInteger(*node);
    if (!value || *value < min || *value > max) {
      Error(*node, Member(path_, name),
            absl::StrFormat("got %s, want a whole number from %d to %d", Describe(*node), min, max),
            node->kind == Node::Kind::kNull ? "leave the key out for no limit" : "");
      return;
    }
    out = *value;
  }

  void Time(std::string_view name, absl::Duration& out, absl::Duration min, absl::Duration max) {
    if (const Node* node = Take(name)) ReadTime(*node, Member(path_, name), min, max, out);
  }
  void Time(std::string_view name, std::optional<absl::Duration>& out, absl::Duration min,
            absl::Duration max) {
    if (const Node* node = Take(name))
      ReadTime(*node, Member(path_, name), min, max, out.emplace());
  }

  template <typename Tag>
  void Id(std::string_view name, bridgekeeper::Id<Tag>& out) {
    if (const Node* node = Take(name)) ReadId(*node, Member(path_, name), out);
  }

  // The app, or the default one.
  void App(std::string_view name, AppId& out) {
    const std::string& wanted = context_.options.default_app;
    const Node* node = Take(name);
    if (node == nullptr) {
      out = AppId(wanted);
      if (wanted.empty()) Missing(name, "name the app whose tools are guarded");
    } else if (ReadId(*node, Member(path_, name), out) && !wanted.empty() &&
               out.value() != wanted) {
      Error(*node, Member(path_, name),
            absl::StrFormat("got `%s`, want `%s` as given", out.value(), Show(wanted)),
            "leave `app` out of the document, or give the same one");
    }
  }

  // An id, or every one: absent (unless there is a default app) or `*`.
  template <typename Tag>
  void Scope(std::string_view name, std::optional<bridgekeeper::Id<Tag>>& out) {
    const Node* node = Take(name);
    constexpr bool is_app = std::is_same_v<bridgekeeper::Id<Tag>, AppId>;
    const std::string wanted = is_app ? context_.options.default_app : "";
    if (node == nullptr) {
      if (!wanted.empty()) out.emplace(wanted);
      return;
    }
    if (node->kind == Node::Kind::kScalar && node->text == "*") return;
    if (ReadId(*node, Member(path_, name), out.emplace(), "or `*` for every one") &&
        !wanted.empty() && out->value() != wanted) {
      Error(*node, Member(path_, name),
            absl::StrFormat("got `%s`, want `%s` as given", out->value(), Show(wanted)),
            "leave `app` out of the document, or give the same one");
    }
  }

  template <typename Tag>
  void Ids(std::string_view name, std::set<bridgekeeper::Id<Tag>>& out, size_t max_items) {
    List(name, max_items, "a list of ids",
         "leave the key out, or write `[]`: both mean every connection",
         [&](const Node& item, std::string path) {
           bridgekeeper::Id<Tag> id;
           if (ReadId(item, path, id)) Once(item, path, id.value(), out.insert(id).second);
         });
  }

  void Texts(std::string_view name, std::set<std::string>& out, size_t max_items, size_t max_bytes,
             size_t max_all_bytes) {
    size_t all_bytes = 0;
    List(name, max_items, "a list of texts", "leave the key out, or write `[]` for none",
         [&](const Node& item, std::string path) {
           std::string text;
           if (!ReadText(item, path, 1, max_bytes, text)) return;
           const size_t before = std::exchange(all_bytes, all_bytes + text.size());
           if (before <= max_all_bytes && all_bytes > max_all_bytes) {
             Error(item, path,
                   absl::StrFormat("got more than %d bytes in all up to here", max_all_bytes),
                   "shorten the list");
           }
           Once(item, path, text, out.insert(text).second);
         });
  }

  // JSON pointers (RFC 6901).
  void Pointers(std::string_view name, std::vector<std::string>& out, size_t max_items,
                size_t max_bytes) {
    List(name, max_items, "a list of JSON pointers", "leave the key out, or write `[]` for none",
         [&](const Node& item, std::string path) {
           std::string text;
           if (!ReadText(item, path, 0, max_bytes, text)) return;
           bool valid = text.empty() || text.front() == '/';
           for (size_t i = 0; i < text.size(); ++i) {
             if (text[i] == '~')
               valid = valid && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1');
           }
           if (!valid) {
             Error(item, std::move(path),
                   absl::StrFormat("got `%s`, want a JSON pointer", Show(text)),
                   "write it as in `/params/password`; `~` is `~0` and `/` in a name is `~1`");
             return;
           }
           out.push_back(std::move(text));
         });
  }

  void Features(std::string_view name, std::set<std::string>& out, size_t max_items) {
    List(name, max_items, "a list of features", "leave the key out, or write `[]` for none",
         [&](const Node& item, std::string path) {
           bridgekeeper::Id<struct FeatureTag> id;
           if (!ReadId(item, path, id)) return;
           Once(item, path, id.value(), out.insert(id.value()).second);
           if (!IsKnownFeature(id.value())) {
             context_.report.Warning(
                 item, path,
                 absl::StrFormat("this version does not know the feature `%s`", id.value()),
                 "a reader that does not know it denies every call with POLICY_UNSUPPORTED");
           }
         });
  }

  void Actions(std::string_view name, std::optional<std::set<Action>>& out) {
    // A desktop app writes an unset set as null.
    if (const Node* node = Peek(name);
        context_.desktop && node != nullptr && node->kind == Node::Kind::kNull) {
      Take(name);
      return;
    }
    if (Peek(name) != nullptr) out.emplace();
    List(name, NamesOf<Action>().size(), "a list of READ, WRITE, DELETE",
         "leave the key out to let `read_only` decide; `[]` allows nothing",
         [&](const Node& item, std::string path) {
           Action action = Action::kRead;
           if (ReadEnum(item, path, action))
             Once(item, path, Name(action), out->insert(action).second);
         });
  }

  void Overrides(std::string_view name, std::map<ConnectionId, ConnectionOverride>& out,
                 size_t max_items) {
    const Node* node = Take(name);
    if (node == nullptr) return;
    const std::string path = Member(path_, name);
    if (node->kind != Node::Kind::kMap) {
      Error(*node, path,
            absl::StrFormat("got %s, want a mapping from connection ids", Describe(*node)),
            "leave the key out, or write `{}` for none");
      return;
    }
    if (node->items.size() / 2 > max_items) {
      Error(
          *node, path,
          absl::StrFormat("got %d overrides, want at most %d", node->items.size() / 2, max_items));
      return;
    }
    absl::flat_hash_map<std::string_view, const Node*> seen;
    for (size_t i = 0; i + 1 < node->items.size(); i += 2) {
      const Node& key = node->items[i];
      const Node& value = node->items[i + 1];
      ConnectionId id;
      if (!ReadId(key, key.kind == Node::Kind::kScalar ? Member(path, key.text) : path, id))
        continue;
      const std::string member = Member(path, id.value());
      if (const auto [it, added] = seen.try_emplace(key.text, &key); !added) {
        Error(key, member, absl::StrFormat("got the key `%s` twice", id.value()),
              absl::StrFormat("the first is on line %d", context_.report.LineOf(*it->second)));
        continue;
      }
      if (value.kind != Node::Kind::kMap) {
        Error(value, member, absl::StrFormat("got %s, want a mapping", Describe(value)),
              "write `read_only`, `allowed_actions` or both below it");
        continue;
      }
      Reader inner(context_, value, member);
      ConnectionOverride override;
      text_internal::VisitOverride(inner, override);
      inner.Finish();
      if (override.allowed_actions && override.read_only) {
        context_.report.Warning(value, member,
                                "`read_only` is not read where `allowed_actions` is present",
                                "keep one of the two");
      }
      out.emplace(std::move(id), std::move(override));
    }
  }

  template <typename T, typename Visit>
  void Object(std::string_view name, T& out, Visit visit) {
    if (const Node* node = Take(name)) ReadObject(*node, Member(path_, name), out, visit);
  }
  template <typename T, typename Visit>
  void Object(std::string_view name, std::optional<T>& out, Visit visit) {
    if (const Node* node = Take(name)) ReadObject(*node, Member(path_, name), out.emplace(), visit);
  }

  // SHA-256 as lower-case hexadecimal digits, or nothing.
  void Digest(std::string_view name, std::string& out) {
    const Node* node = Take(name);
    if (node == nullptr) return;
    const bool hex = node->kind == Node::Kind::kScalar &&
                     std::all_of(node->text.begin(), node->text.end(), IsLowerHexDigit);
    if (!hex || (!node->text.empty() && node->text.size() != kPinBytes)) {
      Error(*node, Member(path_, name),
            absl::StrFormat("got %s, want %d lower-case hexadecimal digits", Describe(*node),
                            kPinBytes),
            "it is the digest that `keeper catalog list --unreviewed` shows");
      return;
    }
    out = node->text;
  }

  // Reports a field that must be there and is not.
  void Need(std::string_view name) {
    if (Peek(name) == nullptr) Missing(name, "");
  }

  // Reports every key that no method asked for.
  void Finish() {
    for (size_t i = 0; i + 1 < map_.items.size(); i += 2) {
      const Node& key = map_.items[i];
      if (key.kind != Node::Kind::kScalar) continue;
      if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
      Error(key, path_, absl::StrFormat("got the unknown key `%s`", Show(key.text)),
            UnknownHelp(key.text));
    }
  }

 private:
  struct Slot {
    const Node* key;
    const Node* value;
  };

  void Error(const Node& at, std::string path, std::string message, std::string help = "") {
    context_.report.Error(at, std::move(path), std::move(message), std::move(help));
  }

  void Missing(std::string_view name, std::string help) {
    Error(map_, path_, absl::StrFormat("`%s` is missing", name), std::move(help));
  }

  std::string UnknownHelp(std::string_view key) const {
    static constexpr std::array<std::string_view, 8> kSecrets = {
        "password", "dsn", "url", "user", "username", "token", "host", "secret"};
    const bool connection =
        std::find(known_.begin(), known_.end(), "safe_functions") != known_.end();
    if (connection &&
        std::find(kSecrets.begin(), kSecrets.end(), AsciiLower(key)) != kSecrets.end()) {
      return "a connection record never holds a credential or an address";
    }
    return NearestHelp(key, known_);
  }

  const Node* Peek(std::string_view name) const {
    const auto it = members_.find(name);
    return it == members_.end() ? nullptr : it->second.value;
  }

  const Node* Take(std::string_view name) {
    known_.push_back(name);
    return Peek(name);
  }

  bool ReadBool(const Node& node, std::string path, bool& out) {
    const std::optional<bool> value = AsBool(node);
    if (!value) {
      Error(node, std::move(path), absl::StrFormat("got %s, want true or false", Describe(node)),
            node.kind == Node::Kind::kScalar && !node.plain ? "write it without quotes" : "");
      return false;
    }
    out = *value;
    return true;
  }

  template <typename E>
  bool ReadEnum(const Node& node, std::string path, E& out) {
    const auto names = NamesOf<E>();
    if (node.kind != Node::Kind::kScalar) {
      Error(node, std::move(path),
            absl::StrFormat("got %s, want one of %s", Describe(node), Listed(names)),
            node.kind == Node::Kind::kNull ? "leave the key out for the default" : "");
      return false;
    }
    const std::optional<E> value = ParseEnum<E>(node.text);
    if (!value) {
      const auto nearest = NearestName(node.text, names);
      Error(node, std::move(path),
            absl::StrFormat("got `%s`, want one of %s", Show(node.text), Listed(names)),
            nearest ? absl::StrFormat("did you mean `%s`?", *nearest) : "");
      return false;
    }
    out = *value;
    return true;
  }

  bool ReadText(const Node& node, std::string path, size_t min_bytes, size_t max_bytes,
                std::string& out) {
    const std::optional<std::string_view> text = AsText(node);
    if (!text) {
      Error(node, std::move(path), absl::StrFormat("got %s, want text", Describe(node)),
            node.kind == Node::Kind::kScalar ? "put it in quotes" : "");
      return false;
    }
    if (text->size() < min_bytes || text->size() > max_bytes) {
      Error(node, std::move(path),
            absl::StrFormat("got %d bytes, want %d to %d", text->size(), min_bytes, max_bytes));
      return false;
    }
    // An escape inside double quotes can write what the text itself must not hold.
    if (FirstInvalidUtf8(*text)) {
      Error(node, std::move(path), "got text that is not UTF-8, want UTF-8");
      return false;
    }
    out = *text;
    return true;
  }

  bool ReadTime(const Node& node, std::string path, absl::Duration min, absl::Duration max,
                absl::Duration& out) {
    const std::string range = absl::StrFormat("a duration from %s to %s", absl::FormatDuration(min),
                                              absl::FormatDuration(max));
    absl::Duration value;
    const bool parsed =
        node.kind == Node::Kind::kScalar && absl::ParseDuration(AsAbsl(node.text), &value);
    if (!parsed || value < min || value > max ||
        value != absl::Trunc(value, absl::Nanoseconds(1))) {
      Error(node, std::move(path), absl::StrFormat("got %s, want %s", Describe(node), range),
            parsed && value >= min && value <= max
                ? "nothing is finer than a nanosecond"
                : "write it with its unit, as in `30s`, `5m` or `1h30m`");
      return false;
    }
    out = value;
    return true;
  }

  template <typename Tag>
  bool ReadId(const Node& node, std::string path, bridgekeeper::Id<Tag>& out,
              std::string_view also = "") {
    std::optional<std::string_view> text = AsText(node);
    if (!text && context_.desktop && AsInteger(node)) text = node.text;
    if (!text) {
      Error(node, std::move(path), absl::StrFormat("got %s, want an id", Describe(node)),
            node.kind == Node::Kind::kScalar
                ? absl::StrFormat("put it in quotes: \"%s\"", Show(node.text))
                : "");
      return false;
    }
    if (!IsValidId(*text)) {
      const bool star = text->find('*') != std::string_view::npos;
      Error(node, std::move(path),
            DescribeInvalidId(*text) + (also.empty() ? "" : ", ") + std::string(also),
            star ? "ids are compared byte for byte and there are no patterns: name each one, or "
                   "leave the list "
                   "empty for every connection"
                 : "");
      return false;
    }
    out = bridgekeeper::Id<Tag>(*text);
    return true;
  }

  template <typename T, typename Visit>
  void ReadObject(const Node& node, std::string path, T& out, Visit visit) {
    if (node.kind != Node::Kind::kMap) {
      Error(node, std::move(path), absl::StrFormat("got %s, want a mapping", Describe(node)),
            node.kind == Node::Kind::kNull ? "leave the key out for the defaults" : "");
      return;
    }
    Reader inner(context_, node, std::move(path));
    visit(inner, out);
    inner.Finish();
  }

  template <typename Read>
  void List(std::string_view name, size_t max_items, std::string_view want, std::string_view help,
            Read read) {
    const Node* node = Take(name);
    if (node == nullptr) return;
    const std::string path = Member(path_, name);
    if (node->kind != Node::Kind::kList) {
      Error(*node, path, absl::StrFormat("got %s, want %s", Describe(*node), want),
            node->kind == Node::Kind::kNull ? std::string(help) : "");
      return;
    }
    if (node->items.size() > max_items) {
      Error(*node, path,
            absl::StrFormat("got %d items, want at most %d", node->items.size(), max_items));
      return;
    }
    for (size_t i = 0; i < node->items.size(); ++i) read(node->items[i], Element(path, i));
  }

  void Once(const Node& node, std::string path, std::string_view what, bool first) {
    if (!first)
      context_.report.Warning(node, std::move(path), absl::StrFormat("got `%s` twice", Show(what)));
  }

  Context& context_;
  const Node& map_;
  std::string path_;
  absl::flat_hash_map<std::string, Slot, StringHash, std::equal_to<>> members_;
  std::vector<std::string_view> known_;
};

// ---- documents -------------------------------------------------------------------

std::string IdentityOf(const McpPolicy& policy) { return policy.app.value(); }
std::string IdentityOf(const ConnectionRecord& record) {
  return record.app.value() + " " + record.id.value();
}
std::string IdentityOf(const CatalogEntry& entry) {
  return (entry.key.app ? entry.key.app->value() : "*") + " " +
         (entry.key.server ? entry.key.server->value() : "*") + " " + entry.key.tool.value();
}

const Node* MemberOf(const Node& map, std::string_view name) {
  for (size_t i = 0; map.kind == Node::Kind::kMap && i + 1 < map.items.size(); i += 2) {
    if (map.items[i].kind == Node::Kind::kScalar && map.items[i].text == name)
      return &map.items[i + 1];
  }
  return nullptr;
}

// Reads a data-studio desktop app's mcp-config.json: {port, auto_start, policy}.
const Node* DesktopPolicy(const Node& root, Context& context) {
  static constexpr std::array<std::string_view, 3> kKeys = {"auto_start", "policy", "port"};
  for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const Node& key = root.items[i];
    const bool known = key.kind == Node::Kind::kScalar &&
                       std::find(kKeys.begin(), kKeys.end(), key.text) != kKeys.end();
    if (!known) {
      context.report.Error(
          key, "", absl::StrFormat("got the unknown key `%s` beside `policy`", Show(key.text)),
          NearestHelp(key.text, kKeys));
    } else if (key.text != "policy") {
      context.report.Warning(key, key.text,
                             "is ignored: it is the desktop app's own and no part of a policy");
    }
  }
  if (context.options.default_app.empty()) {
    context.report.Error(root, "", "this is a desktop app's mcp-config.json and names no app",
                         "say whose policy it is with --app");
  }
  context.desktop = true;
  return MemberOf(root, "policy");
}

template <typename Model>
void ReadOne(const Node& node, std::string path, Context& context,
             absl::flat_hash_set<std::string>& seen, std::vector<Model>& out) {
  if (node.kind != Node::Kind::kMap) {
    context.report.Error(node, std::move(path),
                         absl::StrFormat("got %s, want a mapping", Describe(node)));
    return;
  }
  Model model;
  Reader reader(context, node, path);
  VisitFields(reader, model);
  reader.Finish();
  if (!seen.insert(IdentityOf(model)).second) {
    context.report.Error(node, std::move(path),
                         absl::StrFormat("got `%s` twice", Show(IdentityOf(model))),
                         "a document holds each at most once");
  }
  out.push_back(std::move(model));
}

template <typename Model>
Documents<Model> ParseDocument(std::string_view text, const DocumentOptions& options) {
  Report report(text, kMaxDocumentIssues);
  Context context{report, options};
  Documents<Model> out;
  const std::optional<Node> root = text_internal::ReadTree(text, report.lines(), report.issues());
  if (root) {
    if (!options.default_app.empty() && !IsValidId(options.default_app)) {
      report.Error(*root, "app", DescribeInvalidId(options.default_app),
                   "it was given beside the document");
    }
    absl::flat_hash_set<std::string> seen;
    const Node* node = &*root;
    if constexpr (std::is_same_v<Model, McpPolicy>) {
      if (MemberOf(*root, "policy") != nullptr) node = DesktopPolicy(*root, context);
    }
    if (node->kind == Node::Kind::kList && !context.desktop) {
      if (node->items.empty()) report.Error(*node, "", "got an empty list, want at least one");
      for (size_t i = 0; i < node->items.size(); ++i) {
        ReadOne(node->items[i], Element("", i), context, seen, out.values);
      }
    } else {
      ReadOne(*node, context.desktop ? "policy" : "", context, seen, out.values);
    }
  }
  out.issues = report.Take();
  if (HasErrors(out.issues)) out.values.clear();
  return out;
}

}  // namespace

Documents<McpPolicy> ParsePolicyDocument(std::string_view text, const DocumentOptions& options) {
  return ParseDocument<McpPolicy>(text, options);
}

Documents<CatalogEntry> ParseCatalogDocument(std::string_view text,
                                             const DocumentOptions& options) {
  return ParseDocument<CatalogEntry>(text, options);
}

Documents<ConnectionRecord> ParseConnectionDocument(std::string_view text,
                                                    const DocumentOptions& options) {
  return ParseDocument<ConnectionRecord>(text, options);
}

std::vector<std::string> PolicyWarnings(const McpPolicy& policy) {
  std::vector<std::string> out;
  const auto built_in_only = [&](std::string_view field) {
    out.push_back(
        absl::StrFormat("`limits.%s` is honoured by built-in back ends only: behind any other "
                        "server each allowed call becomes "
                        "DENY OBLIGATION_UNSUPPORTED",
                        field));
  };
  if (policy.limits.max_rows) built_in_only("max_rows");
  if (policy.limits.read_only_session) built_in_only("read_only_session");

  if (policy.mode == Mode::kFullAccess && policy.confirm_destructive &&
      policy.ask_mode != AskMode::kApproval) {
    out.push_back(
        absl::StrFormat("`ask_mode` %s: destructive calls are confirmed by the agent's own client, "
                        "within the agent's reach; only "
                        "APPROVAL is outside it",
                        Name(policy.ask_mode)));
  }
  if (!policy.allowed_connection_ids.empty()) {
    for (const auto& [id, override] : policy.connection_overrides) {
      if (policy.allowed_connection_ids.contains(id)) continue;
      out.push_back(
          absl::StrFormat("`connection_overrides.%s` has no effect: the connection is not in "
                          "`allowed_connection_ids`",
                          id.value()));
    }
  }
  for (const std::string& feature : policy.requires_features) {
    if (IsKnownFeature(feature)) continue;
    out.push_back(
        absl::StrFormat("this version does not know the feature `%s`: every call is denied with "
                        "POLICY_UNSUPPORTED",
                        EscapeForPeople(feature)));
  }
  return out;
}

}  // namespace bridgekeeper
