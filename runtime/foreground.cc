// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/foreground.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// Ignores what the terminal sends while another program owns it.
class IgnoredKeys {
 public:
  IgnoredKeys() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    BK_CHECK(sigaction(SIGINT, &ignore, &interrupt_) == 0);
    BK_CHECK(sigaction(SIGQUIT, &ignore, &quit_) == 0);
  }
  ~IgnoredKeys() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
  }
  IgnoredKeys(const IgnoredKeys&) = delete;
  IgnoredKeys& operator=(const IgnoredKeys&) = delete;

 private:
  struct sigaction interrupt_ = {};
  struct sigaction quit_ = {};
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts)
    out.push_back(const_cast<char*>(text.c_str()));  // POSIX does not write to it
  out.push_back(nullptr);
  return out;
}

}  // namespace

absl::StatusOr<ProcessExit> RunInForeground(const std::vector<std::string>& command,
                                            const std::vector<std::string>& environment) {
  if (command.empty()) return absl::InvalidArgumentError("got no command to run");
  const IgnoredKeys ignored;
  posix_spawnattr_t attributes;
  BK_CHECK(posix_spawnattr_init(&attributes) == 0);
  sigset_t keys;
  sigemptyset(&keys);
  sigaddset(&keys, SIGINT);
  sigaddset(&keys, SIGQUIT);
  BK_CHECK(posix_spawnattr_setsigdefault(&attributes, &keys) == 0);
  BK_CHECK(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF) == 0);
  pid_t pid = 0;
  const int error = posix_spawnp(&pid, command.front().c_str(), nullptr, &attributes,
                                 Pointers(command).data(), Pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    const std::string text =
        absl::StrFormat("cannot run `%s`: %s", EscapeForPeople(command.front()), strerror(error));
    return error == ENOENT || error == EACCES ? absl::NotFoundError(text)
                                              : absl::InternalError(text);
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR)
      return absl::InternalError(absl::StrFormat("cannot wait for a program: %s", strerror(errno)));
  }
  if (WIFSIGNALED(status)) return ProcessExit{.code = 0, .signal = WTERMSIG(status)};
  return ProcessExit{.code = WEXITSTATUS(status), .signal = 0};
}

}  // namespace bridgekeeper
