// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// MapReader reads one mapping of a configuration. Each method reads one member if it
// is there and knows its name for the check of unknown keys in Finish().
//
// Thread safety: used by one thread.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_MAP_READER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_MAP_READER_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/model/ids.h"
#include "policy/text/node_values.h"

namespace bridgekeeper::bridge {

// "servers.disk": the path of a member.
std::string MemberPath(std::string_view path, std::string_view name);

class MapReader {
 public:
  using Node = text_internal::Node;
  using Report = text_internal::Report;

  // `node` that is no mapping is a problem, and read as an empty one. Both must
  // outlive the reader.
  MapReader(Report& report, const Node& node, std::string path);

  // The member, or null. Its name counts as known from now on.
  const Node* Take(std::string_view name);

  // Each returns the node that was read, or null: not there, or a problem.
  const Node* Text(std::string_view name, size_t max_bytes, std::string& out);
  const Node* Id(std::string_view name, std::string& out);
  const Node* Bool(std::string_view name, bool& out);
  const Node* Texts(std::string_view name, size_t max_items, size_t max_bytes,
                    std::vector<std::string>& out);

  // Calls `read` with each member of the mapping `name`: key, value, path.
  void EachMember(
      std::string_view name, size_t max_items,
      const std::function<void(const Node& key, const Node& value, std::string path)>& read);

  // A text; reports what is none.
  bool ReadText(const Node& node, const std::string& path, size_t max_bytes, std::string& out);

  // Reports every key that no method asked for.
  void Finish();

  const Node& node() const { return node_; }
  const std::string& path() const { return path_; }
  std::string Path(std::string_view name) const { return MemberPath(path_, name); }
  Report& report() { return report_; }

 private:
  Report& report_;
  const Node& node_;
  const std::string path_;
  std::vector<std::string_view> known_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_CONFIG_MAP_READER_H_
