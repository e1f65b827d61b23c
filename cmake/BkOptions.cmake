# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# The build options. Off means: not built, and said so when configuring.

option(BK_WITH_POSTGRES "Build the PostgreSQL back end of keeper-bridge and what is tested against such a server (needs libpq)" ON)
option(BK_WITH_MARIADB "Build what runs against a MariaDB server: tests of the guard (needs libmariadb)" ON)
option(BK_WERROR "Treat warnings as errors" OFF)
option(BK_WITH_FUZZ "Build the fuzz targets with libFuzzer (clang only); without it they replay their corpus" OFF)
option(BK_WITH_COVERAGE "Instrument for gcov" OFF)
option(BK_VERIFY_HEADERS "Compile each public header on its own" OFF)
set(BK_SANITIZE "" CACHE STRING "Sanitizer: empty, address (with undefined) or thread")
set_property(CACHE BK_SANITIZE PROPERTY STRINGS "" address thread)

# Where `./dev setup` puts what Debian has no package for.
set(BK_CACHE_DIR "${CMAKE_SOURCE_DIR}/.cache" CACHE PATH "Folder of what `./dev setup` fetched")

# DuckDB comes from npm, so it is on where the set-up has fetched it;
# -DBK_WITH_DUCKDB=ON or OFF overrides that.
if(NOT DEFINED BK_WITH_DUCKDB)
  if(EXISTS "${BK_CACHE_DIR}/duckdb/lib/libduckdb.so" AND EXISTS "${BK_CACHE_DIR}/duckdb/include/duckdb.h")
    set(BK_WITH_DUCKDB ON)
  else()
    set(BK_WITH_DUCKDB OFF)
  endif()
endif()

if(NOT BK_SANITIZE MATCHES "^(|address|thread)$")
  message(FATAL_ERROR "BK_SANITIZE: got `${BK_SANITIZE}`, want empty, address or thread")
endif()
if(BK_WITH_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "BK_WITH_FUZZ needs clang (preset `fuzz`): got ${CMAKE_CXX_COMPILER_ID}")
endif()
