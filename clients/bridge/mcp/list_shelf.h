// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ListShelf is what the cores in front of one server share of its list of tools: the list
// as the server gives it, and as a client is shown it. So ten thousand sessions hold one
// list, and a change of the policy writes it once.
//
// It decides nothing and is never stale: what it gives was made of the very bytes, or of
// the very listing, that it is asked for.
//
// Thread safety: used by one thread at a time.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_LIST_SHELF_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_LIST_SHELF_H_

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_set.h"
#include "clients/bridge/mcp/tool_list.h"
#include "policy/engine/engine.h"

namespace bridgekeeper::bridge {

// What a client remembers of the list that it was shown.
struct ToldList {
  std::string fingerprint;                       // SHA-256 of the result
  absl::flat_hash_set<std::string> destructive;  // tools with `destructiveHint: true`
};

struct ShownList {
  std::string result;  // of tools/list, JSON
  std::shared_ptr<const ToldList> told;
};

class ListShelf {
 public:
  using ListPtr = std::shared_ptr<const UpstreamToolList>;

  // What is kept; the least recently used goes first. Several of each are in use while a
  // change is on its way to all sessions, and where some clients are shown less.
  static constexpr size_t kMaxLists = 2;
  static constexpr size_t kMaxShown = 4;

  ListShelf() = default;
  ListShelf(const ListShelf&) = delete;
  ListShelf& operator=(const ListShelf&) = delete;

  // Names a list by the results that its pages came in: `pages` is what this returned for
  // the pages before, empty for the first one.
  static std::string NamePages(std::string_view pages, std::string_view result);

  // The list that was read from these pages, or null.
  ListPtr FindList(std::string_view pages);
  // Keeps a list that was read from these pages.
  ListPtr KeepList(std::string pages, UpstreamToolList list);

  // `list` as `listing`, which was made of it, shows it.
  const ShownList& Show(const ListPtr& list, const ToolListing& listing);

 private:
  struct Kept {
    std::string pages;
    ListPtr list;
  };
  struct Shown {
    ListPtr list;
    ToolListing listing;
    ShownList shown;
  };

  std::deque<Kept> lists_;   // the last used first
  std::deque<Shown> shown_;  // the same
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_LIST_SHELF_H_
