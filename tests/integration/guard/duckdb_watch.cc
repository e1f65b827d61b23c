// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/integration/guard/duckdb_watch.h"

// No header that declares what is defined below: with _FORTIFY_SOURCE some of those
// are inline.
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <atomic>

#include "policy/base/mutex.h"

namespace bridgekeeper {
namespace {

std::atomic<bool> armed = false;
Mutex mu;
std::vector<std::string>& Notes() {
  static auto* const notes = new std::vector<std::string>;
  return *notes;
}

void Note(const char* call, const char* path) {
  if (!armed) return;
  if (path != nullptr && (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)) {
    return;
  }
  MutexLock lock(mu);
  Notes().push_back(std::string(call) + " " + (path == nullptr ? "" : path));
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

void ArmFileWatch() {
  {
    MutexLock lock(mu);
    Notes().clear();
  }
  armed = true;
}

std::vector<std::string> DisarmFileWatch() {
  armed = false;
  MutexLock lock(mu);
  return Notes();
}

}  // namespace bridgekeeper

extern "C" {

#define BRIDGEKEEPER_WATCH_OPEN(name)                                                   \
  __attribute__((visibility("default"))) int name(const char* path, int flags, ...) {   \
    bridgekeeper::Note("open", path);                                                   \
    va_list rest;                                                                       \
    va_start(rest, flags);                                                              \
    const int mode = va_arg(rest, int);                                                 \
    va_end(rest);                                                                       \
    static const auto next = bridgekeeper::Next<int (*)(const char*, int, ...)>(#name); \
    return next(path, flags, mode);                                                     \
  }
BRIDGEKEEPER_WATCH_OPEN(open)
BRIDGEKEEPER_WATCH_OPEN(open64)
#undef BRIDGEKEEPER_WATCH_OPEN

#define BRIDGEKEEPER_WATCH_OPENAT(name)                                                           \
  __attribute__((visibility("default"))) int name(int folder, const char* path, int flags, ...) { \
    bridgekeeper::Note("open", path);                                                             \
    va_list rest;                                                                                 \
    va_start(rest, flags);                                                                        \
    const int mode = va_arg(rest, int);                                                           \
    va_end(rest);                                                                                 \
    static const auto next = bridgekeeper::Next<int (*)(int, const char*, int, ...)>(#name);      \
    return next(folder, path, flags, mode);                                                       \
  }
BRIDGEKEEPER_WATCH_OPENAT(openat)
BRIDGEKEEPER_WATCH_OPENAT(openat64)
#undef BRIDGEKEEPER_WATCH_OPENAT

#define BRIDGEKEEPER_WATCH(result, name, parameters, arguments, path)         \
  __attribute__((visibility("default"))) result name parameters {             \
    bridgekeeper::Note(#name, path);                                          \
    static const auto next = bridgekeeper::Next<result(*) parameters>(#name); \
    return next arguments;                                                    \
  }
BRIDGEKEEPER_WATCH(FILE*, fopen, (const char* p, const char* m), (p, m), p)
BRIDGEKEEPER_WATCH(FILE*, fopen64, (const char* p, const char* m), (p, m), p)
BRIDGEKEEPER_WATCH(void*, opendir, (const char* p), (p), p)
BRIDGEKEEPER_WATCH(int, access, (const char* p, int m), (p, m), p)
BRIDGEKEEPER_WATCH(int, mkdir, (const char* p, unsigned m), (p, m), p)
BRIDGEKEEPER_WATCH(int, unlink, (const char* p), (p), p)
BRIDGEKEEPER_WATCH(int, rename, (const char* p, const char* q), (p, q), p)
BRIDGEKEEPER_WATCH(int, execve, (const char* p, char* const* a, char* const* e), (p, a, e), p)
BRIDGEKEEPER_WATCH(int, socket, (int d, int t, int p), (d, t, p), nullptr)
BRIDGEKEEPER_WATCH(int, connect, (int f, const void* a, unsigned l), (f, a, l), nullptr)
#undef BRIDGEKEEPER_WATCH

}  // extern "C"
