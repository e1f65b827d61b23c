// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/postgres/safe_functions.h"

#include <gtest/gtest.h>

namespace bridgekeeper::postgres {
namespace {

TEST(SafeFunctions, CoverByNameNumberAndSchema) {
  const SafeFunctions safe(
      {"public.add_tax(numeric)", "public.add_tax(numeric, text)", "app.today()", "App.Mixed( )"});
  EXPECT_TRUE(safe.Cover("public", "add_tax", 1));
  EXPECT_TRUE(safe.Cover("public", "add_tax", 2));
  EXPECT_TRUE(safe.Cover("", "add_tax", 1));
  EXPECT_TRUE(safe.Cover("app", "today", 0));
  EXPECT_TRUE(safe.Cover("app", "mixed", 0));
  EXPECT_FALSE(safe.Cover("public", "add_tax", 3));
  EXPECT_FALSE(safe.Cover("public", "add_tax", std::nullopt));
  EXPECT_FALSE(safe.Cover("app", "add_tax", 1));
  EXPECT_FALSE(safe.Cover("", "ADD_TAX", 1));
}

TEST(SafeFunctions, ReadQuotedNamesAsTheyStand) {
  const SafeFunctions safe({"\"My App\".\"Do.It\"(int)", "\"a\"\"b\".c()"});
  EXPECT_TRUE(safe.Cover("My App", "Do.It", 1));
  EXPECT_TRUE(safe.Cover("a\"b", "c", 0));
  EXPECT_FALSE(safe.Cover("my app", "do.it", 1));
}

TEST(SafeFunctions, CountTypesWithCommasInside) {
  const SafeFunctions safe({"public.f(numeric(10, 2), character varying(5))"});
  EXPECT_TRUE(safe.Cover("public", "f", 2));
  EXPECT_FALSE(safe.Cover("public", "f", 3));
}

TEST(SafeFunctions, AnEntryThatIsNoSignatureCoversNothing) {
  const SafeFunctions safe(
      {"", "f", "f()", "public.f", "public.g(", "public.h)", "\"x", "a.b.c()"});
  for (const char* name : {"f", "g", "h", "x", "b", "c", ""}) {
    EXPECT_FALSE(safe.Cover("", name, 0)) << name;
  }
}

}  // namespace
}  // namespace bridgekeeper::postgres
