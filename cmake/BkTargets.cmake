# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# The functions every CMakeLists.txt of ours is written with. Sources are listed
# by name, never globbed.
#
#   bk_library(NAME policy_rules HDRS rule.h SRCS rule.cc DEPS bk::policy_model absl::statusor
#              [PRIVATE_DEPS ...])
#     Target bk_policy_rules, alias bk::policy_rules. Without SRCS: header-only.
#     PRIVATE_DEPS are linked and not handed on (a database behind its store).
#
#   bk_binary(NAME keeperd SRCS main.cc DEPS ...)
#     bin/keeperd in the build tree.
#
#   bk_test(NAME rate_limit_test LABEL unit SRCS rate_limit_test.cc DEPS ...
#           [TIMEOUT seconds (60)] [SHARDS n] [ENV K=V ...] [ARGS ...] [LOCK name ...]
#           [SERIAL] [LONG] [SKIP "reason"] [NO_TSAN "reason"] [NO_MAIN])
#     One GoogleTest binary, one ctest test (n with SHARDS). Each run has a
#     temporary folder of its own in TMPDIR and TEST_TMPDIR. LOCK: tests that
#     name the same lock never run together. SERIAL: alone. LONG: only in
#     `./dev test --long`. SKIP: compiled and listed, not run; `./dev test`
#     prints the reason. NO_TSAN: the same in the tsan preset only.
#
#   bk_script_test(NAME cli_test LABEL e2e COMMAND bash ${CMAKE_CURRENT_SOURCE_DIR}/cli_test.sh
#                  [DEPENDS target ...] [the options of bk_test])
#     A test that is a program; exit code 77 is a skip. BK_BIN_DIR and
#     BK_SOURCE_DIR are in its environment.
#
#   bk_bench(NAME engine_bench SRCS ... DEPS ...)
#     bin/bench/engine_bench, run by `./dev bench engine_bench`; ctest runs each
#     benchmark once (label bench), so that it does not rot.
#
#   bk_fuzz(NAME document_fuzz SRCS ... DEPS ... CORPUS folder [DICT file])
#     bin/fuzz/document_fuzz: with libFuzzer in preset `fuzz`; elsewhere a binary
#     that replays the corpus, which ctest runs (label fuzz).

#
#   bk_subfolders(base model ...)
#     add_subdirectory for those that have a CMakeLists.txt.
#
#   bk_generated(NAME config_reference FILE docs/config.md COMMAND keeperd --print-reference)
#     A file in the tree that is what a program of ours prints. `./dev gen`
#     writes it again; a test (label lint) fails when it differs.

add_custom_target(gen)

function(bk_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "HDRS;SRCS;DEPS;PRIVATE_DEPS")
  bk_check_arguments(bk_library "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  set(target bk_${arg_NAME})
  if(arg_SRCS)
    add_library(${target} STATIC ${arg_SRCS})
    target_link_libraries(${target} PUBLIC ${arg_DEPS} PRIVATE bk_flags ${arg_PRIVATE_DEPS})
    target_include_directories(${target} PUBLIC "${CMAKE_SOURCE_DIR}")
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${arg_DEPS})
    target_include_directories(${target} INTERFACE "${CMAKE_SOURCE_DIR}")
    set(scope INTERFACE)
  endif()
  if(arg_HDRS)
    target_sources(${target} ${scope} FILE_SET HEADERS BASE_DIRS "${CMAKE_SOURCE_DIR}" FILES ${arg_HDRS})
  endif()
  add_library(bk::${arg_NAME} ALIAS ${target})
endfunction()

function(bk_binary)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS")
  bk_check_arguments(bk_binary "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${arg_NAME} ${arg_SRCS})
  target_link_libraries(${arg_NAME} PRIVATE bk_flags ${arg_DEPS})
  if(arg_NAME MATCHES "^keeper")
    # The private libraries lie beside the program. The path is the installed one from the
    # start: CMake would keep room for it with empty entries, which the loader reads as
    # the current folder, and a program of the build tree would run code that lies there.
    set_target_properties(${arg_NAME} PROPERTIES
      BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN/../lib/bridgekeeper")
    install(TARGETS ${arg_NAME} RUNTIME DESTINATION bin)
  endif()
endfunction()

# One label a kind of test, see tests/CMakeLists.txt; LONG adds `long`.
set(bk_labels unit vectors property conformance integration e2e adversarial robustness fuzz bench lint)
set(bk_test_flags SERIAL LONG NO_MAIN)
set(bk_test_values NAME TIMEOUT SHARDS SKIP NO_TSAN)
set(bk_test_lists LABEL SRCS DEPS ENV ARGS LOCK COMMAND DEPENDS)

function(bk_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "${bk_test_flags}" "${bk_test_values}" "${bk_test_lists}")
  bk_check_arguments(bk_test "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${arg_NAME} ${arg_SRCS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/tests")
  target_link_libraries(${arg_NAME} PRIVATE bk_flags ${arg_DEPS} GTest::gmock GTest::gtest)
  # Tests compile once for each run of them: a quarter of the whole build's time.
  target_compile_options(${arg_NAME} PRIVATE "$<$<CONFIG:Release>:-O0>")
  if(NOT arg_NO_MAIN)
    target_link_libraries(${arg_NAME} PRIVATE GTest::gmock_main)
  endif()
  bk_register_test("$<TARGET_FILE:${arg_NAME}>" ${arg_ARGS})
endfunction()

function(bk_script_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "${bk_test_flags}" "${bk_test_values}" "${bk_test_lists}")
  bk_check_arguments(bk_script_test "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  bk_register_test(${arg_COMMAND} ${arg_ARGS})
endfunction()

function(bk_bench)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SRCS;DEPS")
  bk_check_arguments(bk_bench "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${arg_NAME} ${arg_SRCS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/bench")
  target_link_libraries(${arg_NAME} PRIVATE bk_flags ${arg_DEPS} benchmark::benchmark benchmark::benchmark_main)
  set(arg_LABEL bench)
  if(BK_SANITIZE STREQUAL "thread")
    set(arg_SKIP "a benchmark proves nothing under ThreadSanitizer")
  endif()
  bk_register_test("$<TARGET_FILE:${arg_NAME}>" --benchmark_min_time=0.001)
endfunction()

function(bk_fuzz)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;CORPUS;DICT" "SRCS;DEPS")
  bk_check_arguments(bk_fuzz "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  if(arg_CORPUS)
    cmake_path(ABSOLUTE_PATH arg_CORPUS)
  endif()
  if(arg_DICT)
    cmake_path(ABSOLUTE_PATH arg_DICT)
  endif()
  add_executable(${arg_NAME} ${arg_SRCS})
  set_target_properties(${arg_NAME} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin/fuzz")
  target_link_libraries(${arg_NAME} PRIVATE bk_flags ${arg_DEPS})
  set(arg_LABEL fuzz)
  if(BK_WITH_FUZZ)
    target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
    # One line a target for `./dev fuzz`: name, corpus, dictionary.
    set_property(GLOBAL APPEND_STRING PROPERTY bk_fuzz_list "${arg_NAME}\t${arg_CORPUS}\t${arg_DICT}\n")
    bk_register_test("$<TARGET_FILE:${arg_NAME}>" -runs=0 ${arg_CORPUS})
  else()
    target_sources(${arg_NAME} PRIVATE "${CMAKE_SOURCE_DIR}/cmake/fuzz_replay_main.cc")
    bk_register_test("$<TARGET_FILE:${arg_NAME}>" ${arg_CORPUS})
  endif()
endfunction()

function(bk_generated)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;FILE" "COMMAND")
  bk_check_arguments(bk_generated "${arg_NAME}" "${arg_UNPARSED_ARGUMENTS}")
  set(file "${CMAKE_SOURCE_DIR}/${arg_FILE}")
  list(POP_FRONT arg_COMMAND program)
  if(TARGET ${program})
    set(depends ${program})
    set(program "$<TARGET_FILE:${program}>")
  endif()
  add_custom_target(gen_${arg_NAME}
    COMMAND "${CMAKE_SOURCE_DIR}/cmake/generated.sh" write "${file}" "${program}" ${arg_COMMAND}
    DEPENDS ${depends} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" VERBATIM)
  add_dependencies(gen gen_${arg_NAME})
  set(arg_LABEL lint)
  set(arg_NAME gen_${arg_NAME}_is_fresh)
  bk_register_test("${CMAKE_SOURCE_DIR}/cmake/generated.sh" check "${file}" "${program}" ${arg_COMMAND})
endfunction()

# Registers `command` with ctest, reading the arg_ variables of its caller.
function(bk_register_test)
  set(command ${ARGV})
  foreach(label IN LISTS arg_LABEL)
    if(NOT label IN_LIST bk_labels)
      message(FATAL_ERROR "test `${arg_NAME}`: got LABEL `${label}`, want one of: ${bk_labels}")
    endif()
  endforeach()
  if(NOT arg_LABEL)
    message(FATAL_ERROR "test `${arg_NAME}`: LABEL is missing, want one of: ${bk_labels}")
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(BK_SANITIZE)
    math(EXPR arg_TIMEOUT "${arg_TIMEOUT} * 5")
  endif()
  if(NOT arg_SHARDS)
    set(arg_SHARDS 1)
  endif()
  if(arg_LONG)
    list(APPEND arg_LABEL long)
  endif()
  set(reason "${arg_SKIP}")
  if(BK_SANITIZE STREQUAL "thread" AND arg_NO_TSAN)
    set(reason "${arg_NO_TSAN}")
  endif()

  if(reason)
    message(STATUS "bridgekeeper: test ${arg_NAME} is skipped: ${reason}")
    set_property(GLOBAL APPEND_STRING PROPERTY bk_skip_list "${arg_NAME}: ${reason}\n")
    add_test(NAME ${arg_NAME} COMMAND "${CMAKE_COMMAND}" -E echo "skipped: ${reason}")
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABEL}" SKIP_REGULAR_EXPRESSION "^skipped: ")
    return()
  endif()

  math(EXPR last "${arg_SHARDS} - 1")
  foreach(shard RANGE ${last})
    set(name ${arg_NAME})
    set(shard_env "")
    if(arg_SHARDS GREATER 1)
      set(name "${arg_NAME}.${shard}")
      set(shard_env GTEST_TOTAL_SHARDS=${arg_SHARDS} GTEST_SHARD_INDEX=${shard})
    endif()
    add_test(NAME ${name}
      COMMAND "${CMAKE_SOURCE_DIR}/cmake/run_test.sh" ${arg_TIMEOUT} ${command}
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
    math(EXPR ctest_timeout "${arg_TIMEOUT} + 20")
    set_tests_properties(${name} PROPERTIES
      LABELS "${arg_LABEL}"
      TIMEOUT ${ctest_timeout}
      SKIP_RETURN_CODE 77
      ENVIRONMENT "BK_BIN_DIR=${CMAKE_BINARY_DIR}/bin;BK_SOURCE_DIR=${CMAKE_SOURCE_DIR};${shard_env};${arg_ENV}")
    if(arg_LOCK)
      set_tests_properties(${name} PROPERTIES RESOURCE_LOCK "${arg_LOCK}")
    endif()
    if(arg_SERIAL)
      set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
  endforeach()
endfunction()

# Adds each folder that is there; one that is not is said.
function(bk_subfolders)
  foreach(folder IN LISTS ARGV)
    if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/CMakeLists.txt")
      add_subdirectory(${folder})
    else()
      cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${CMAKE_SOURCE_DIR}" OUTPUT_VARIABLE here)
      if(here STREQUAL ".")
        set(here "")
      else()
        string(APPEND here "/")
      endif()
      message(STATUS "bridgekeeper: ${here}${folder}/ has no CMakeLists.txt yet, not built")
    endif()
  endforeach()
endfunction()

function(bk_check_arguments function name unparsed)
  if(NOT name)
    message(FATAL_ERROR "${function}: NAME is missing")
  endif()
  if(unparsed)
    message(FATAL_ERROR "${function}(${name}): unknown arguments `${unparsed}`")
  endif()
endfunction()

# Writes what `./dev` reads of the configured tree.
function(bk_finish)
  get_property(skips GLOBAL PROPERTY bk_skip_list)
  file(WRITE "${CMAKE_BINARY_DIR}/skipped_tests.txt" "${skips}")
  get_property(fuzzers GLOBAL PROPERTY bk_fuzz_list)
  file(WRITE "${CMAKE_BINARY_DIR}/fuzzers.txt" "${fuzzers}")
endfunction()
