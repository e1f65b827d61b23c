// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/list_shelf.h"

#include <algorithm>
#include <utility>

#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

// Puts what `is_wanted` says to the front; false: there is none.
template <typename T, typename IsWanted>
bool BringForward(std::deque<T>& kept, IsWanted is_wanted) {
  const auto found = std::find_if(kept.begin(), kept.end(), is_wanted);
  if (found == kept.end()) return false;
  std::rotate(kept.begin(), found, found + 1);
  return true;
}

bool ShowsTheSame(const ToolListing& a, const ToolListing& b) {
  return a.notice == b.notice &&
         std::equal(a.shown.begin(), a.shown.end(), b.shown.begin(), b.shown.end(),
                    [](const ListedTool& x, const ListedTool& y) {
                      return x.index == y.index && x.annotations == y.annotations;
                    });
}

}  // namespace

std::string ListShelf::NamePages(std::string_view pages, std::string_view result) {
  std::string text(pages);
  text += result;
  return Sha256Hex(text);
}

ListShelf::ListPtr ListShelf::FindList(std::string_view pages) {
  const bool is_there = BringForward(lists_, [&](const Kept& kept) { return kept.pages == pages; });
  return is_there ? lists_.front().list : nullptr;
}

ListShelf::ListPtr ListShelf::KeepList(std::string pages, UpstreamToolList list) {
  lists_.push_front({std::move(pages), std::make_shared<const UpstreamToolList>(std::move(list))});
  if (lists_.size() > kMaxLists) lists_.pop_back();
  // What is shown of a list that nobody reads any more is asked for by nobody.
  std::erase_if(shown_, [&](const Shown& shown) {
    return std::none_of(lists_.begin(), lists_.end(),
                        [&](const Kept& kept) { return kept.list == shown.list; });
  });
  return lists_.front().list;
}

const ShownList& ListShelf::Show(const ListPtr& list, const ToolListing& listing) {
  const bool is_there = BringForward(shown_, [&](const Shown& shown) {
    return shown.list == list && ShowsTheSame(shown.listing, listing);
  });
  if (is_there) return shown_.front().shown;
  ShownList shown{.result = list->ResultFor(listing), .told = nullptr};
  ToldList told{.fingerprint = Sha256Hex(shown.result), .destructive = {}};
  for (const ListedTool& tool : listing.shown) {
    if (tool.annotations.destructive_hint) told.destructive.insert(list->tools()[tool.index].name);
  }
  shown.told = std::make_shared<const ToldList>(std::move(told));
  shown_.push_front({list, listing, std::move(shown)});
  if (shown_.size() > kMaxShown) shown_.pop_back();
  return shown_.front().shown;
}

}  // namespace bridgekeeper::bridge
