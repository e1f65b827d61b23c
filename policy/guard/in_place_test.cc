// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a payload that is judged without a deadline can cost, whatever its shape: this
// binary counts what it allocates, and judges on a stack that it looks at afterwards.

#include "policy/guard/in_place.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/guard/dialects.h"
#include "policy/guard/guard.h"
#include "policy/guard/stack_pool.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BK_SANITIZED 1
#endif
#endif

namespace {
std::atomic<size_t> allocations = 0;
std::atomic<size_t> allocated_bytes = 0;
}  // namespace

// A sanitizer has an allocator of its own; there the shapes are judged and not measured.
#ifndef BK_SANITIZED
// glibc's own. Parsers written in C are counted too.
extern "C" void* __libc_malloc(size_t size);
extern "C" void* malloc(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(size, std::memory_order_relaxed);
  return __libc_malloc(size);
}
#endif

namespace bridgekeeper {
namespace {

// A payload is `begin`, then `unit` as often as it fits, then `end` as often, then `last`.
struct Shape {
  const char* name;
  std::string_view dialects;  // names, or "" for every one that reads text
  std::string_view begin;
  std::string_view unit;
  std::string_view middle;
  std::string_view end;
  std::string_view last;
  bool object = false;
};

constexpr Shape kShapes[] = {
    {"Parentheses", "", "SELECT ", "(", "1", ")", ""},
    {"OpenParentheses", "", "SELECT ", "(", "", "", ""},
    {"Plus", "", "SELECT 1", "+1", "", "", ""},
    {"Minus", "", "SELECT ", "- ", "1", "", ""},
    {"Not", "", "SELECT ", "not ", "1", "", ""},
    {"Ands", "", "SELECT 1 FROM t WHERE a", " and a", "", "", ""},
    {"Columns", "", "SELECT a", ",a", "", "", ""},
    {"Calls", "", "SELECT f()", ",f()", "", "", ""},
    {"NestedCalls", "", "SELECT ", "f(", "1", ")", ""},
    {"Dots", "", "SELECT a", ".a", "", "", ""},
    {"Unions", "", "SELECT 1", " UNION SELECT 1", "", "", ""},
    {"Joins", "", "SELECT 1 FROM t", " JOIN t ON 1=1", "", "", ""},
    {"Tables", "", "SELECT 1 FROM t", ",t", "", "", ""},
    {"Subqueries", "", "SELECT ", "(SELECT ", "1", ")", ""},
    {"FromSubqueries", "", "SELECT * FROM ", "(SELECT * FROM ", "t", ") a", ""},
    {"Cases", "", "SELECT ", "CASE WHEN 1=1 THEN ", "1", " END", ""},
    {"Casts", "", "SELECT 1", "::a", "", "", ""},
    {"CastCalls", "", "SELECT ", "CAST(", "1", " AS int)", ""},
    {"Ins", "", "SELECT 1 FROM t WHERE a IN (1", ",1", "", "", ")"},
    {"Rows", "", "INSERT INTO t VALUES (1)", ",(1)", "", "", ""},
    {"Ctes", "", "WITH a AS (SELECT 1)", ",b AS (SELECT 1)", "", "", " SELECT 1"},
    {"Statements", "", "SELECT 1", ";SELECT 1", "", "", ""},
    {"Semicolons", "", "", ";", "", "", ""},
    {"Quotes", "", "SELECT ", "'", "", "", ""},
    {"Comments", "", "SELECT 1 ", "/**/", "", "", ""},
    {"OpenComments", "", "SELECT 1 ", "/*", "", "", ""},
    {"LineComments", "", "SELECT 1 ", "--\n", "", "", ""},
    {"Explains", "", "", "EXPLAIN ", "SELECT 1", "", ""},
    {"Dollars", "postgres sqlite", "SELECT ", "$a$", "", "", ""},
    {"Arrays", "postgres", "SELECT ", "array[", "1", "]", ""},
    {"ExecutableComments", "mysql", "SELECT 1", "/*!50001 +1*/", "", "", ""},
    {"SixDigits", "mysql", "SELECT 1", "/*!100100 +1*/", "", "", ""},
    {"MariaDbComments", "mysql", "SELECT 1", "/*M!100100 +1*/", "", "", ""},
    {"Backslashes", "mysql", "SELECT '", "\\", "", "", "'"},
    {"DoubleQuotes", "mysql sqlserver", "SELECT ", "\"a\" ", "", "", ""},
    {"Brackets", "sqlserver sqlite", "SELECT ", "[a],", "1", "", ""},
    {"Gos", "sqlserver", "SELECT 1", "\nGO", "", "", ""},
    {"Declares", "sqlserver", "DECLARE @a int", ",@a int", "", "", ""},
    {"Lists", "dynamodb", "SELECT * FROM t WHERE a = ", "[", "1", "]", ""},
    {"Bags", "dynamodb", "SELECT * FROM t WHERE a = ", "<<", "1", ">>", ""},
    {"Filters", "mongodb", R"({"find":"t","filter":)", R"({"$and":[)", "{}", "]}", "}", true},
    {"Fields", "mongodb", R"({"find":"t","filter":{"$and":[{})", R"(,{"b":{"$gt":1}})", "", "",
     "]}}", true},
    {"UnknownOperators", "mongodb", R"({"find":"t","filter":{"$or":[{})", R"(,{"$b":1})", "", "",
     "]}}", true},
    {"Stages", "mongodb", R"({"aggregate":"t","pipeline":[{"$match":{}})", R"(,{"$match":{}})", "",
     "", "]}", true},
    {"Lookups", "mongodb", R"({"aggregate":"t","pipeline":)",
     R"([{"$lookup":{"from":"x","as":"y","pipeline":)", "[]", "}}]", "}", true},
    {"Items", "dynamodb", R"({"operation":"PutItem","request":{"TableName":"t","Item":{"a":)",
     R"({"M":{"a":)", R"({"N":"1"})", "}}", "}}}", true},
    {"Writes", "dynamodb", R"({"operation":"BatchWriteItem","request":{"RequestItems":{"t":[{})",
     R"(,{"DeleteRequest":{"Key":{}}})", "", "", "]}}}", true},
    {"Bools", "elasticsearch", R"({"method":"POST","path":"/o/_search","body":{"query":)",
     R"({"bool":{"must":)", "{}", "}}", "}}", true},
    {"Paths", "elasticsearch", R"({"method":"GET","path":")", "/a", "", "", "\"}", true},
    {"Parameters", "elasticsearch", R"({"method":"GET","path":"/a?)", "q=1&", "", "", "\"}", true},
    {"Names", "elasticsearch", R"({"method":"GET","path":"/)", "a,", "b/_search", "", "\"}", true},
    {"Pipes", "elasticsearch", R"({"method":"POST","path":"/_query","body":{"query":"FROM a)",
     " | LIMIT 1", "", "", "\"}}", true},
};

std::string Payload(const Shape& shape, size_t size) {
  const size_t rest = shape.begin.size() + shape.middle.size() + shape.last.size();
  const size_t count = (size - rest) / (shape.unit.size() + shape.end.size());
  std::string out(shape.begin);
  for (size_t i = 0; i < count; ++i) out += shape.unit;
  out += shape.middle;
  for (size_t i = 0; i < count; ++i) out += shape.end;
  out += shape.last;
  return out;
}

struct Cost {
  size_t allocations = 0;
  size_t allocated_bytes = 0;
  size_t stack_bytes = 0;
};

// Runs `judge` on a fresh stack as large as a judge's.
Cost Measure(const std::function<void()>& judge) {
  void* const stack = mmap(nullptr, kJudgeStackBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  EXPECT_NE(stack, MAP_FAILED);
  EXPECT_EQ(madvise(stack, kJudgeStackBytes, MADV_NOHUGEPAGE), 0);
  struct Task {
    const std::function<void()>* judge;
    Cost cost;
  } task = {&judge, {}};
  pthread_attr_t attributes;
  EXPECT_EQ(pthread_attr_init(&attributes), 0);
  EXPECT_EQ(pthread_attr_setstack(&attributes, stack, kJudgeStackBytes), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    Task& mine = *static_cast<Task*>(argument);
    const size_t count_before = allocations;
    const size_t bytes_before = allocated_bytes;
    (*mine.judge)();
    mine.cost.allocations = allocations - count_before;
    mine.cost.allocated_bytes = allocated_bytes - bytes_before;
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, run, &task), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
  // The lowest page that was touched was the end of the stack.
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> touched(kJudgeStackBytes / page);
  EXPECT_EQ(mincore(stack, kJudgeStackBytes, touched.data()), 0);
  const auto lowest = std::find_if(touched.begin(), touched.end(),
                                   [](unsigned char state) { return (state & 1) != 0; });
  task.cost.stack_bytes = static_cast<size_t>(touched.end() - lowest) * page;
  munmap(stack, kJudgeStackBytes);
  return task.cost;
}

bool Reads(const Shape& shape, const Dialect& dialect) {
  if (dialect.isolated) return false;  // never in place
  if (shape.object) return dialect.object != nullptr && shape.dialects == dialect.name;
  if (dialect.text == nullptr) return false;
  return shape.dialects.empty() || shape.dialects.find(dialect.name) != std::string_view::npos;
}

class InPlace : public testing::TestWithParam<const Dialect*> {};

TEST_P(InPlace, NoShapeCostsMoreThanIsSaid) {
  const Dialect& dialect = *GetParam();
  // Nobody serves: what needs a thread of the pool is a fault.
  int faults = 0;
  const auto guard = MakeGuard({.pool = {.max_wait = absl::ZeroDuration()},
                                .cache_bytes = 0,
                                .deadline = absl::ZeroDuration(),
                                .on_fault = [&](JudgeFault) { ++faults; }});
  const auto judge = [&](const Shape& shape, const std::string& payload) {
    if (!shape.object) {
      return Measure([&] { (void)guard->JudgeText(dialect.name, payload, {}); });
    }
    const auto document =
        JsonDocument::Parse(payload, {.max_depth = kInPlaceBytes, .max_values = kInPlaceBytes});
    EXPECT_TRUE(document.ok()) << document.status() << payload.substr(0, 100);
    if (!document.ok()) return Cost{};
    return Measure([&] { (void)guard->JudgeObject(dialect.name, document->root(), {}); });
  };
  Cost worst;
  int shapes = 0;
  for (const Shape& shape : kShapes) {
    if (!Reads(shape, dialect)) continue;
    ++shapes;
    judge(shape, Payload(shape, 100));  // what is made once, at first use
    const Cost half = judge(shape, Payload(shape, kInPlaceBytes / 2));
    const Cost whole = judge(shape, Payload(shape, kInPlaceBytes));
    EXPECT_EQ(faults, 0) << shape.name << ": it was not judged in place";
#ifndef BK_SANITIZED
    EXPECT_LE(whole.allocations, kInPlaceAllocations) << shape.name;
    EXPECT_LE(whole.allocated_bytes, kInPlaceAllocatedBytes) << shape.name;
    EXPECT_LE(whole.stack_bytes, kInPlaceStackBytes) << shape.name;
    // From a floor up: a growth from nothing says nothing.
    constexpr double kFloor = 2'000;
    EXPECT_LE(static_cast<double>(whole.allocations),
              kInPlaceGrowth * std::max(kFloor, static_cast<double>(half.allocations)))
        << shape.name;
    EXPECT_LE(static_cast<double>(whole.allocated_bytes),
              kInPlaceGrowth * std::max(100 * kFloor, static_cast<double>(half.allocated_bytes)))
        << shape.name;
#endif
    worst.allocations = std::max(worst.allocations, whole.allocations);
    worst.allocated_bytes = std::max(worst.allocated_bytes, whole.allocated_bytes);
    worst.stack_bytes = std::max(worst.stack_bytes, whole.stack_bytes);
  }
  EXPECT_GT(shapes, 3);
  absl::PrintF("%s: %d shapes, at most %d allocations of %d bytes in all, %d bytes of stack\n",
               dialect.name, shapes, worst.allocations, worst.allocated_bytes, worst.stack_bytes);
}

std::vector<const Dialect*> InProcess() {
  std::vector<const Dialect*> out;
  for (const Dialect& dialect : AllDialects()) {
    if (!dialect.isolated) out.push_back(&dialect);
  }
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, InPlace, testing::ValuesIn(InProcess()),
                         [](const auto& row) { return std::string(row.param->name); });

}  // namespace
}  // namespace bridgekeeper
