// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/config/map_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {

using text_internal::AsBool;
using text_internal::AsText;
using text_internal::Describe;
using text_internal::NearestHelp;
using text_internal::Show;

std::string MemberPath(std::string_view path, std::string_view name) {
  std::string out(path);
  if (!out.empty()) out += '.';
  out += Show(name);
  return out;
}

MapReader::MapReader(Report& report, const Node& node, std::string path)
    : report_(report), node_(node), path_(std::move(path)) {
  if (node.kind != Node::Kind::kMap) {
    report_.Error(node, path_, absl::StrFormat("got %s, want a mapping", Describe(node)));
    return;
  }
  std::set<std::string_view> seen;
  for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
    const Node& key = node.items[i];
    if (key.kind != Node::Kind::kScalar) {
      report_.Error(key, path_, absl::StrFormat("got %s as a key, want text", Describe(key)));
    } else if (!seen.insert(key.text).second) {
      report_.Error(key, Path(key.text), absl::StrFormat("got the key `%s` twice", Show(key.text)));
    }
  }
}

const MapReader::Node* MapReader::Take(std::string_view name) {
  if (std::find(known_.begin(), known_.end(), name) == known_.end()) known_.push_back(name);
  if (node_.kind != Node::Kind::kMap) return nullptr;
  for (size_t i = 0; i + 1 < node_.items.size(); i += 2) {
    if (node_.items[i].kind == Node::Kind::kScalar && node_.items[i].text == name) {
      return &node_.items[i + 1];
    }
  }
  return nullptr;
}

bool MapReader::ReadText(const Node& node, const std::string& path, size_t max_bytes,
                         std::string& out) {
  const std::optional<std::string_view> text = AsText(node);
  if (!text) {
    report_.Error(node, path, absl::StrFormat("got %s, want text", Describe(node)),
                  node.kind == Node::Kind::kScalar ? "put it in quotes" : "");
    return false;
  }
  if (text->empty() || text->size() > max_bytes) {
    report_.Error(node, path,
                  absl::StrFormat("got %d bytes, want 1 to %d", text->size(), max_bytes));
    return false;
  }
  // An escape inside double quotes can write what the text itself must not hold.
  if (FirstInvalidUtf8(*text) || text->find('\0') != std::string_view::npos) {
    report_.Error(node, path, "got text that is not UTF-8 or holds a NUL, want UTF-8");
    return false;
  }
  out = *text;
  return true;
}

const MapReader::Node* MapReader::Text(std::string_view name, size_t max_bytes, std::string& out) {
  const Node* node = Take(name);
  return node != nullptr && ReadText(*node, Path(name), max_bytes, out) ? node : nullptr;
}

const MapReader::Node* MapReader::Id(std::string_view name, std::string& out) {
  std::string text;
  const Node* node = Text(name, kMaxIdBytes, text);
  if (node == nullptr) return nullptr;
  if (!IsValidId(text)) {
    report_.Error(*node, Path(name), DescribeInvalidId(text));
    return nullptr;
  }
  out = std::move(text);
  return node;
}

const MapReader::Node* MapReader::Bool(std::string_view name, bool& out) {
  const Node* node = Take(name);
  if (node == nullptr) return nullptr;
  const std::optional<bool> value = AsBool(*node);
  if (!value) {
    report_.Error(*node, Path(name),
                  absl::StrFormat("got %s, want true or false", Describe(*node)));
    return nullptr;
  }
  out = *value;
  return node;
}

const MapReader::Node* MapReader::Texts(std::string_view name, size_t max_items, size_t max_bytes,
                                        std::vector<std::string>& out) {
  const Node* node = Take(name);
  if (node == nullptr) return nullptr;
  if (node->kind != Node::Kind::kList || node->items.empty() || node->items.size() > max_items) {
    report_.Error(
        *node, Path(name),
        absl::StrFormat("got %s, want a list of 1 to %d texts", Describe(*node), max_items));
    return nullptr;
  }
  std::vector<std::string> texts;
  for (size_t i = 0; i < node->items.size(); ++i) {
    std::string text;
    if (ReadText(node->items[i], absl::StrFormat("%s[%d]", Path(name), i), max_bytes, text)) {
      texts.push_back(std::move(text));
    }
  }
  if (texts.size() != node->items.size()) return nullptr;
  out = std::move(texts);
  return node;
}

void MapReader::EachMember(
    std::string_view name, size_t max_items,
    const std::function<void(const Node& key, const Node& value, std::string path)>& read) {
  const Node* node = Take(name);
  if (node == nullptr) return;
  const MapReader inner(report_, *node, Path(name));  // reports what is no mapping, and twins
  if (node->kind != Node::Kind::kMap) return;
  if (node->items.size() / 2 > max_items) {
    report_.Error(*node, Path(name),
                  absl::StrFormat("got %d, want at most %d", node->items.size() / 2, max_items));
    return;
  }
  for (size_t i = 0; i + 1 < node->items.size(); i += 2) {
    const Node& key = node->items[i];
    if (key.kind == Node::Kind::kScalar)
      read(key, node->items[i + 1], MemberPath(Path(name), key.text));
  }
}

void MapReader::Finish() {
  if (node_.kind != Node::Kind::kMap) return;
  for (size_t i = 0; i + 1 < node_.items.size(); i += 2) {
    const Node& key = node_.items[i];
    if (key.kind != Node::Kind::kScalar) continue;
    if (std::find(known_.begin(), known_.end(), key.text) != known_.end()) continue;
    report_.Error(key, path_, absl::StrFormat("got the unknown key `%s`", Show(key.text)),
                  NearestHelp(key.text, known_));
  }
}

}  // namespace bridgekeeper::bridge
