# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# Everything that is not ours, found in one place. What Debian 12 ships with a
# CMake package keeps its own target name; the rest gets a bk:: name here.
#
#   gRPC            gRPC::grpc++ gRPC::grpc++_reflection
#   Protobuf        protobuf::libprotobuf
#   Abseil          absl::status absl::statusor absl::str_format ...
#   prometheus-cpp  prometheus-cpp::core prometheus-cpp::pull
#   yaml-cpp        yaml-cpp          CLI11  CLI11::CLI11
#   nlohmann-json   nlohmann_json::nlohmann_json
#   spdlog          spdlog::spdlog    OpenSSL  OpenSSL::SSL OpenSSL::Crypto
#   Boost 1.81      Boost::headers    libcurl  CURL::libcurl
#   tests           GTest::gtest GTest::gmock, benchmark::benchmark
#   ours            bk::pg_query bk::sqlite3 bk::simdjson bk::rocksdb bk::mariadb bk::pq bk::duckdb

find_package(PkgConfig REQUIRED)
find_package(Python3 COMPONENTS Interpreter REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Protobuf MODULE REQUIRED)
find_package(gRPC CONFIG REQUIRED)
find_package(RocksDB CONFIG REQUIRED)
find_package(prometheus-cpp CONFIG REQUIRED)
find_package(nlohmann_json CONFIG REQUIRED)
find_package(yaml-cpp CONFIG REQUIRED)
find_package(CLI11 CONFIG REQUIRED)
find_package(spdlog CONFIG REQUIRED)
find_package(simdjson CONFIG REQUIRED)
find_package(Boost 1.81 CONFIG REQUIRED)
find_package(GTest CONFIG REQUIRED)
find_package(benchmark CONFIG REQUIRED)

add_library(bk::simdjson ALIAS simdjson::simdjson)
add_library(bk::rocksdb ALIAS RocksDB::rocksdb-shared)

pkg_check_modules(BK_SQLITE3 REQUIRED IMPORTED_TARGET GLOBAL sqlite3)
add_library(bk::sqlite3 ALIAS PkgConfig::BK_SQLITE3)

# libpg-query has neither a CMake package nor a pkg-config file.
find_path(BK_PG_QUERY_INCLUDE pg_query.h REQUIRED)
find_library(BK_PG_QUERY_LIBRARY pg_query REQUIRED)
add_library(bk_pg_query UNKNOWN IMPORTED GLOBAL)
set_target_properties(bk_pg_query PROPERTIES
  IMPORTED_LOCATION "${BK_PG_QUERY_LIBRARY}"
  INTERFACE_INCLUDE_DIRECTORIES "${BK_PG_QUERY_INCLUDE}")
add_library(bk::pg_query ALIAS bk_pg_query)

# Of tests only: the server that a judge is held against.
if(BK_WITH_MARIADB)
  pkg_check_modules(BK_MARIADB REQUIRED IMPORTED_TARGET GLOBAL libmariadb)
  add_library(bk::mariadb ALIAS PkgConfig::BK_MARIADB)
else()
  message(STATUS "bridgekeeper: BK_WITH_MARIADB is off: the tests against a MariaDB server are not built")
endif()

# The back end of keeper-bridge, and tests.
if(BK_WITH_POSTGRES)
  pkg_check_modules(BK_PQ REQUIRED IMPORTED_TARGET GLOBAL libpq)
  add_library(bk::pq ALIAS PkgConfig::BK_PQ)
else()
  message(STATUS "bridgekeeper: BK_WITH_POSTGRES is off: no PostgreSQL back end, and no tests against such a server")
endif()

if(BK_WITH_DUCKDB)
  # Copied into the build tree, so that bin/../lib is right both there and after
  # an install.
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lib")
  configure_file("${BK_CACHE_DIR}/duckdb/lib/libduckdb.so" "${CMAKE_BINARY_DIR}/lib/libduckdb.so" COPYONLY)
  add_library(bk_duckdb SHARED IMPORTED GLOBAL)
  set_target_properties(bk_duckdb PROPERTIES
    IMPORTED_LOCATION "${CMAKE_BINARY_DIR}/lib/libduckdb.so"
    INTERFACE_INCLUDE_DIRECTORIES "${BK_CACHE_DIR}/duckdb/include"
    INTERFACE_COMPILE_DEFINITIONS BK_WITH_DUCKDB=1)
  add_library(bk::duckdb ALIAS bk_duckdb)
else()
  message(STATUS "bridgekeeper: BK_WITH_DUCKDB is off: the DuckDB judge and sandbox are not built")
endif()
