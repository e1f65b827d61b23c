# Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
#
# How everything of ours is compiled: the interface target `bk_flags`, and the
# few settings that are global.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Assertions are part of the program: no build type defines NDEBUG. -g1 keeps
# function names and lines for a back trace and leaves out the types.
foreach(lang IN ITEMS C CXX)
  set(CMAKE_${lang}_FLAGS_RELEASE "-O2 -g1")
  set(CMAKE_${lang}_FLAGS_RELWITHDEBINFO "-O2 -g")
  set(CMAKE_${lang}_FLAGS_DEBUG "-O0 -g")
endforeach()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_COLOR_DIAGNOSTICS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")
set(CMAKE_VERIFY_INTERFACE_HEADER_SETS ${BK_VERIFY_HEADERS})
set(THREADS_PREFER_PTHREAD_FLAG ON)

# Of tests that link a private library (libduckdb.so); for programs see bk_binary.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)

# ccache, told to forget where the tree lies, so that all work trees share hits, and not to
# preprocess what it compiles anyway.
find_program(BK_CCACHE ccache)
if(BK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  foreach(lang IN ITEMS C CXX)
    set(CMAKE_${lang}_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=1
        CCACHE_DEPEND=1 CCACHE_SLOPPINESS=time_macros,include_file_mtime,include_file_ctime "${BK_CCACHE}")
  endforeach()
endif()

# mold links fastest and with the least memory; lld is next.
find_program(BK_MOLD mold)
find_program(BK_LLD ld.lld)
if(BK_MOLD AND NOT BK_WITH_FUZZ)
  set(bk_linker mold)
elseif(BK_LLD)
  set(bk_linker lld)
else()
  set(bk_linker "")
endif()
if(bk_linker)
  add_link_options(-fuse-ld=${bk_linker})
endif()

find_package(Threads REQUIRED)

# Global, so that generated code has them too.
add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=")
if(BK_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Clang 14 cannot compile a coroutine with it: "Cannot represent a difference across
    # sections".
    add_compile_options(-fno-sanitize=function)
  endif()
  add_link_options(-fsanitize=address,undefined)
elseif(BK_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
else()
  add_compile_options(-fstack-protector-strong -fstack-clash-protection
                      "$<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>")
endif()
if(BK_WITH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(BK_WITH_COVERAGE)
  add_compile_options(--coverage -fprofile-update=atomic)
  add_link_options(--coverage)
endif()
add_compile_definitions(_GLIBCXX_ASSERTIONS)
# -pie is said once here: CMAKE_POSITION_INDEPENDENT_CODE compiles for it but
# does not link with it.
add_link_options("$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>"
                 -Wl,-z,relro,-z,now,-z,noexecstack)

# What only our own code is held to.
add_library(bk_flags INTERFACE)
target_compile_options(bk_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wswitch -Wnon-virtual-dtor -Woverloaded-virtual
  -Wno-missing-field-initializers  # designated initialisers leave defaults out on purpose
  # In C++ clang's -Wconversion has -Wsign-conversion in it, and g++'s has not.
  $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety;-Wno-sign-conversion>
  $<$<BOOL:${BK_WERROR}>:-Werror>)
# Warnings of GCC 12's optimiser that are often wrong about std::string and
# std::variant: shown, never fatal (-Wrestrict is wrong too often even to show).
target_compile_options(bk_flags INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-error=maybe-uninitialized;-Wno-error=array-bounds;-Wno-error=stringop-overflow;-Wno-error=stringop-overread;-Wno-error=dangling-pointer;-Wno-error=free-nonheap-object>)
# [[nodiscard]] is an error everywhere, -Werror or not.
target_compile_options(bk_flags INTERFACE -Werror=unused-result -Werror=return-type)
target_include_directories(bk_flags INTERFACE "${CMAKE_SOURCE_DIR}")
