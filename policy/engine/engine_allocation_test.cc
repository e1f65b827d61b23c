// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Deciding a call costs no allocation as long as nothing is judged: this binary
// counts what it allocates.

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>

#include "gtest/gtest.h"
#include "policy/engine/engine.h"
#include "policy/testing/decision_table.h"
#include "policy/testing/owned_call.h"

namespace {
std::atomic<int64_t> allocations = 0;
}  // namespace

// Every form but the aligned ones, which nothing here uses: a sanitizer brings forms of
// its own for those that are left out, and tells of memory that comes from one family and
// is given back to the other (std::stable_sort asks for it with nothrow).
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](size_t size) { return operator new(size); }
void* operator new[](size_t size, const std::nothrow_t& tag) noexcept {
  return operator new(size, tag);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace bridgekeeper {
namespace {

int64_t AllocationsOf(const PolicyView& view, const ToolCall& call) {
  Decide(view, call, nullptr);  // what is built once, at first use
  const int64_t before = allocations;
  Decide(view, call, nullptr);
  return allocations - before;
}

TEST(Allocation, IsCounted) {
  const int64_t before = allocations;
  const std::string text(100, 'x');
  EXPECT_EQ(text.size(), 100u);
  EXPECT_EQ(allocations - before, 1);
}

TEST(Allocation, NoRowOfTheTableAllocates) {
  for (const DecisionRow& row : DecisionTable()) {
    const auto policy = CompiledPolicy::Compile({.policy = row.policy, .catalog = {row.entry}});
    ASSERT_EQ(AllocationsOf(PolicyView::Of(*policy), row.Call()), 0) << row.name;
  }
}

TEST(Allocation, CallWithArgumentsDoesNotAllocate) {
  AppData data;
  data.policy.app = AppId("app");
  data.policy.allowed_connection_ids.emplace("prod-orders-reporting-replica");
  const auto policy = CompiledPolicy::Compile(data);
  OwnedCall owned;
  owned.tool = "sqlkit__execute_query";
  owned.arguments_json =
      R"({"connection_id": "prod-orders-reporting-replica", "a_rather_long_argument_name": "SELECT 1"})";
  ASSERT_TRUE(owned.Bind());
  EXPECT_EQ(Decide(PolicyView::Of(*policy), owned.call, nullptr).verdict, Verdict::kAllow);
  EXPECT_EQ(AllocationsOf(PolicyView::Of(*policy), owned.call), 0);

  owned.arguments_json = R"({"connection_id": "PROD-orders-reporting-replica"})";
  ASSERT_TRUE(owned.Bind());
  EXPECT_EQ(Decide(PolicyView::Of(*policy), owned.call, nullptr).verdict, Verdict::kDeny);
  EXPECT_EQ(AllocationsOf(PolicyView::Of(*policy), owned.call), 0);
}

}  // namespace
}  // namespace bridgekeeper
