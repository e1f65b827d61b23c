// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/call_folder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

namespace fs = std::filesystem;

// "bridgekeeper-call-NAMESPACE-": what every folder's name of our PID namespace begins
// with, before the number of its process. Empty: there is no telling.
std::string Prefix() {
  struct stat own = {};
  if (stat("/proc/self/ns/pid", &own) != 0) return "";
  return absl::StrFormat("bridgekeeper-call-%d-", static_cast<uint64_t>(own.st_ino));
}

bool IsGone(pid_t pid) { return kill(pid, 0) != 0 && errno == ESRCH; }

}  // namespace

CallFolder::CallFolder() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string prefix = Prefix();
  if (prefix.empty()) prefix = "bridgekeeper-call-0-";
  std::string pattern = parent / absl::StrFormat("%s%d-XXXXXX", prefix, getpid());
  if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
}

CallFolder::~CallFolder() {
  std::error_code ignored;  // what stays is empty or nobody's to read
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

void SweepCallFolders() {
  const std::string prefix = Prefix();
  if (prefix.empty()) return;
  std::error_code error;
  for (fs::directory_iterator at(fs::temp_directory_path(error), error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    if (!name.starts_with(prefix)) continue;
    std::string_view number = std::string_view(name).substr(prefix.size());
    number = number.substr(0, number.find('-'));
    pid_t pid = 0;
    if (!absl::SimpleAtoi(AsAbsl(number), &pid) || pid <= 0 || !IsGone(pid)) continue;
    struct stat found = {};
    if (lstat(at->path().c_str(), &found) != 0 || !S_ISDIR(found.st_mode) ||
        found.st_uid != geteuid()) {
      continue;
    }
    std::error_code ignored;  // another start may be at it too
    fs::remove_all(at->path(), ignored);
  }
}

}  // namespace bridgekeeper::bridge
