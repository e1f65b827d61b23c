// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "runtime/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/check.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper {
namespace {

// How often a group that is being stopped is looked at: there is no event for the
// end of a process that is not our child.
constexpr int kGroupPollMs = 10;

absl::Status SystemError(std::string_view what, int error) {
  const std::string message =
      absl::StrFormat("%s: %s", what, std::error_code(error, std::generic_category()).message());
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case ENOEXEC:
      return absl::PermissionDeniedError(message);
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return absl::ResourceExhaustedError(message);
    default:
      return absl::InternalError(message);
  }
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;

  // Both ends are closed in every program that is started; `ours` does not block.
  static absl::StatusOr<Pipe> Create(UniqueFd Pipe::*ours) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return SystemError("make a pipe", errno);
    Pipe pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
    BK_CHECK(fcntl((pipe.*ours).get(), F_SETFL, O_NONBLOCK) == 0);
    return pipe;
  }
};

// The structures of posix_spawn(3), freed at the end. Its calls fail only without
// memory or for descriptors that are out of range.
class SpawnSetup {
 public:
  SpawnSetup() {
    BK_CHECK(posix_spawn_file_actions_init(&actions_) == 0);
    BK_CHECK(posix_spawnattr_init(&attributes_) == 0);
    sigset_t all;
    sigset_t none;
    sigfillset(&all);
    sigemptyset(&none);
    BK_CHECK(posix_spawnattr_setsigdefault(&attributes_, &all) == 0);
    BK_CHECK(posix_spawnattr_setsigmask(&attributes_, &none) == 0);
    BK_CHECK(posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETSIGMASK) == 0);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  void Dup(int from, int to) {
    BK_CHECK(posix_spawn_file_actions_adddup2(&actions_, from, to) == 0);
  }
  void CloseFrom(int first) {
    BK_CHECK(posix_spawn_file_actions_addclosefrom_np(&actions_, first) == 0);
  }
  void ChangeTo(const std::string& folder) {
    BK_CHECK(posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()) == 0);
  }

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

std::vector<char*> CStrings(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  // posix_spawn takes char* and does not write.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

bool HasNul(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return text.find('\0') != std::string::npos; });
}

// Reads the state and the process group of /proc/PID/stat: "PID (NAME) S PPID PGRP".
// The name may hold anything, also `)`.
bool IsLiveMemberOf(pid_t group, const std::string& pid) {
  // By hand: a stream throws where the process ends between open(2) and read(2).
  const UniqueFd file(open(("/proc/" + pid + "/stat").c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> buffer;
  const ssize_t n = file ? read(file.get(), buffer.data(), buffer.size()) : -1;
  if (n <= 0) return false;
  const std::string_view text(buffer.data(), static_cast<size_t>(n));
  const size_t name_end = text.rfind(") ");
  if (name_end == std::string_view::npos) return false;
  const std::string_view rest = text.substr(name_end + 2);
  const char state = rest.empty() ? 'Z' : rest[0];
  const size_t parent = rest.find(' ') + 1;
  const size_t member = rest.find(' ', parent) + 1;
  pid_t found = 0;
  std::from_chars(rest.data() + member, rest.data() + rest.size(), found);
  return found == group && state != 'Z' && state != 'X';
}

}  // namespace

std::string ProcessExit::ToString() const {
  if (signal == 0) return absl::StrFormat("exit code %d", code);
  const char* name = sigabbrev_np(signal);
  return absl::StrFormat("signal %d (%s)", signal, name == nullptr ? "unknown" : name);
}

absl::StatusOr<ChildProcess> ChildProcess::Spawn(const ProcessSpec& spec) {
  if (spec.command.empty() || spec.command[0].empty()) {
    return absl::InvalidArgumentError("got no command, want a program");
  }
  if (HasNul(spec.command) || HasNul(spec.environment) || HasNul({spec.working_directory})) {
    return absl::InvalidArgumentError("got a NUL in a command or in its environment, want none");
  }
  BK_ASSIGN_OR_RETURN(Pipe in, Pipe::Create(&Pipe::write));
  BK_ASSIGN_OR_RETURN(Pipe out, Pipe::Create(&Pipe::read));
  BK_ASSIGN_OR_RETURN(Pipe err, Pipe::Create(&Pipe::read));

  // A pipe of ours may itself be descriptor 0 to 2, where we were started with one
  // of them closed: moved up, so that no dup2 below overwrites one that is still
  // needed.
  for (UniqueFd* theirs : {&in.read, &out.write, &err.write}) {
    const int moved = fcntl(theirs->get(), F_DUPFD_CLOEXEC, 3);
    if (moved < 0) return SystemError("duplicate a descriptor", errno);
    *theirs = UniqueFd(moved);
  }

  SpawnSetup setup;
  setup.Dup(in.read.get(), STDIN_FILENO);
  setup.Dup(out.write.get(), STDOUT_FILENO);
  setup.Dup(err.write.get(), STDERR_FILENO);
  setup.CloseFrom(3);
  if (!spec.working_directory.empty()) setup.ChangeTo(spec.working_directory);

  pid_t pid = 0;
  const int error = posix_spawnp(&pid, spec.command[0].c_str(), setup.actions(), setup.attributes(),
                                 CStrings(spec.command).data(), CStrings(spec.environment).data());
  if (error != 0) {
    // Which of the two it was, posix_spawn(3) does not say.
    if (!spec.working_directory.empty() && access(spec.working_directory.c_str(), X_OK) != 0) {
      return SystemError(
          absl::StrFormat("enter `%s`", EscapeForPeople(spec.working_directory, 256)), errno);
    }
    return SystemError(absl::StrFormat("start `%s`", EscapeForPeople(spec.command[0], 256)), error);
  }
  // Cannot name another process: ours is not reaped yet.
  UniqueFd pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  absl::Status why = pidfd ? absl::OkStatus() : SystemError("open a process descriptor", errno);
  if (why.ok()) {
    absl::StatusOr<GroupGuard> guard = GroupGuard::Start(pid);
    if (guard.ok()) {
      return ChildProcess(pid, std::move(pidfd), *std::move(guard), std::move(in.write),
                          std::move(out.read), std::move(err.read));
    }
    why = std::move(guard).status();
  }
  kill(-pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  return why;
}

ChildProcess::ChildProcess(pid_t pid, UniqueFd pidfd, GroupGuard guard, UniqueFd in, UniqueFd out,
                           UniqueFd err)
    : pid_(pid),
      pidfd_(std::move(pidfd)),
      guard_(std::move(guard)),
      stdin_(std::move(in)),
      stdout_(std::move(out)),
      stderr_(std::move(err)) {}

ChildProcess::~ChildProcess() {
  if (!pidfd_) return;
  SignalGroup(SIGKILL);
  Reap();
}

std::optional<ProcessExit> ChildProcess::ExitStatus() const {
  siginfo_t info = {};
  const int result = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  if (result != 0 || info.si_pid == 0) return std::nullopt;
  if (info.si_code == CLD_EXITED) return ProcessExit{.code = info.si_status};
  return ProcessExit{.signal = info.si_status};
}

void ChildProcess::SignalGroup(int signal) const {
  // Fails only where nobody is left.
  kill(-pid_, signal);
}

bool ChildProcess::GroupIsGone() const {
  if (!ExitStatus()) return false;
  DIR* proc = opendir("/proc");
  if (proc == nullptr) return false;  // not known: the caller waits and kills
  bool gone = true;
  while (const dirent* entry = readdir(proc)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    if (IsLiveMemberOf(pid_, entry->d_name)) {
      gone = false;
      break;
    }
  }
  closedir(proc);
  return gone;
}

ProcessExit ChildProcess::Stop(absl::Duration grace, const Clock& clock) {
  const absl::Duration deadline = clock.SinceBoot() + grace;
  SignalGroup(SIGTERM);
  while (!GroupIsGone() && clock.SinceBoot() < deadline) {
    // Ends early when the child does; after that it is the pause between looks at
    // those that it left behind.
    pollfd ended = {.fd = ExitStatus() ? -1 : pidfd_.get(), .events = POLLIN, .revents = 0};
    poll(&ended, 1, kGroupPollMs);
  }
  SignalGroup(SIGKILL);
  const ProcessExit exit = Reap();
  pidfd_.Reset();
  return exit;
}

ProcessExit ChildProcess::Reap() {
  guard_.StandDown();
  int status = 0;
  pid_t reaped;
  do {
    reaped = waitpid(pid_, &status, 0);
  } while (reaped < 0 && errno == EINTR);
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.code = WEXITSTATUS(status)};
}

std::vector<std::string> EnvironmentWithout(const std::vector<std::string>& dropped_prefixes) {
  std::vector<std::string> kept;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool dropped =
        std::any_of(dropped_prefixes.begin(), dropped_prefixes.end(),
                    [&](const std::string& prefix) { return text.starts_with(prefix); });
    if (!dropped) kept.emplace_back(text);
  }
  return kept;
}

}  // namespace bridgekeeper
