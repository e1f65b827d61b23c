// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// An MCP server over stdio that does what a test tells it: good or bad.
//
//   fake_mcp_server [--banner] [--crlf] [--byte-by-byte] [--ignore-term]
//                   [--stderr-flood BYTES] [--grandchild] [--silent] [--ignore-end]
//                   [--universal-newlines]
//
// It lists the tools `do`, `drop` and `hidden`. A call of `do` carries
// {"act": ACT, "n": NUMBER}:
//
//   echo           answers with its arguments as text (also for any other act)
//   big            answers with n bytes of text
//   no_answer      answers nothing
//   late           answers after n milliseconds
//   exit           ends with code n
//   kill           ends itself with signal n
//   close_stdout   closes its standard output and lives on
//   close_stdin    closes its standard input, answers, and lives on
//   stop_reading   answers, and then reads nothing more
//   stderr         writes n bytes without a line end to standard error, then answers
//   stderr_lines   writes n lines to standard error, then answers
//   progress       sends n notifications with the call's own token, or 1, then answers
//   hold           answers when it is told to
//   release        sends one notification, with n as the progress, for each call that is
//                  held, the last first, answers them, and then answers
//   cancelled      answers with the ids of the requests that were cancelled
//   ask            sends elicitation/create and answers with what comes back
//   environment    answers with its environment
//   list_changed   sends notifications/tools/list_changed, then answers
//   grandchild     starts a process that lives on, answers with its number
//   pids           the same, and answers with its own number before that of the other
//   close_stderr   closes its standard error, answers, and lives on
//   endless        writes n bytes without a line end to standard output, ends that line,
//                  and answers
//   lines          answers with how many lines it has read, this one counted
//
// --silent: it reads on and answers nothing. --ignore-end: it lives on when its input
// has ended. --universal-newlines: a CR ends a line too, as for Python's text streams.

#include <poll.h>
#include <signal.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/json.h"

namespace bridgekeeper {
namespace {

bool crlf = false;
bool byte_by_byte = false;
std::string cancelled;  // ids of requests, each with a space behind it
bool silent = false;
bool ignore_end = false;
bool universal_newlines = false;
int64_t lines_read = 0;

struct HeldCall {
  std::string id;
  std::string progress_token;
  int64_t n = 0;
};
std::vector<HeldCall> held;

void WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = write(fd, bytes.data(), byte_by_byte && fd == 1 ? 1 : bytes.size());
    if (n <= 0) _exit(3);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void Send(const std::string& line) { WriteAll(1, crlf ? "\r\n" + line + "\r\n\r\n" : line + "\n"); }

std::string Quoted(std::string_view text) {
  std::string out;
  AppendJsonString(text, out);
  return out;
}

void Answer(std::string_view id, const std::string& text) {
  // The id last, as the official TypeScript SDK writes it.
  Send(absl::StrFormat(
      R"({"result":{"content":[{"type":"text","text":%s}]},"jsonrpc":"2.0","id":%s})", Quoted(text),
      id));
}

void SendProgress(std::string_view token, int64_t progress) {
  Send(absl::StrFormat(
      R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}})",
      token, progress));
}

void Release() {
  for (auto call = held.rbegin(); call != held.rend(); ++call) {
    SendProgress(call->progress_token, call->n);
  }
  for (const HeldCall& call : std::exchange(held, {})) Answer(call.id, "released");
}

pid_t StartGrandchild() {
  const pid_t pid = fork();
  if (pid == 0) {
    // It keeps the pipes open, as the server behind a launcher does.
    while (true) pause();
  }
  return pid;
}

std::string ReadLine() {
  std::string line;
  while (true) {
    const int c = std::cin.get();
    if (c == std::char_traits<char>::eof()) {
      while (ignore_end) pause();
      _exit(0);
    }
    if (c == '\n' || (universal_newlines && c == '\r')) break;
    line += static_cast<char>(c);
  }
  ++lines_read;
  return line;
}

void Do(std::string_view id, std::string_view act, int64_t n, std::string_view arguments,
        std::string_view progress_token) {
  const auto count = static_cast<size_t>(n);
  if (act == "big") return Answer(id, std::string(count, 'x'));
  if (act == "no_answer") return;
  if (act == "late") poll(nullptr, 0, static_cast<int>(n));
  if (act == "exit") _exit(static_cast<int>(n));
  if (act == "kill") {
    signal(static_cast<int>(n), SIG_DFL);
    raise(static_cast<int>(n));
  }
  if (act == "close_stdout") {
    close(1);
    while (true) pause();
  }
  if (act == "close_stdin") {
    close(0);
    Answer(id, "closed");
    while (true) pause();
  }
  if (act == "stop_reading") {
    Answer(id, "stopped");
    while (true) pause();
  }
  if (act == "close_stderr") close(2);
  if (act == "endless") {
    const std::string piece(1 << 20, 'x');
    for (size_t left = count; left > 0; left -= std::min(left, piece.size())) {
      WriteAll(1, std::string_view(piece).substr(0, left));
    }
    WriteAll(1, "\n");
  }
  if (act == "lines") return Answer(id, std::to_string(lines_read));
  if (act == "pids") {
    return Answer(id, absl::StrFormat("%d %d", getpid(), StartGrandchild()));
  }
  if (act == "stderr") WriteAll(2, std::string(count, 'e'));
  if (act == "stderr_lines") {
    for (size_t i = 0; i < count; ++i) WriteAll(2, absl::StrFormat("line %d\n", i));
  }
  if (act == "progress") {
    for (int64_t i = 0; i < n; ++i) SendProgress(progress_token, i);
  }
  if (act == "hold") {
    held.push_back({std::string(id), std::string(progress_token), n});
    return;
  }
  if (act == "release") Release();
  if (act == "cancelled") return Answer(id, cancelled);
  if (act == "ask") {
    Send(R"({"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"message":"ok?"}})");
    return Answer(id, ReadLine());
  }
  if (act == "environment") {
    std::string all;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      all += std::string(*variable) + "\n";
    }
    return Answer(id, all);
  }
  if (act == "list_changed") {
    Send(R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed"})");
  }
  if (act == "grandchild") return Answer(id, std::to_string(StartGrandchild()));
  Answer(id, std::string(arguments));
}

void Handle(const std::string& line) {
  if (silent) return;
  const auto document = JsonDocument::Parse(line);
  if (!document.ok()) return;
  const JsonValue message = document->root();
  const auto id = message.Find("id");
  const auto method = message.Find("method");
  const auto params = message.Find("params");
  if (!id && method && method->string() == "notifications/cancelled") {
    cancelled += std::string(params->Find("requestId")->raw()) + " ";
  }
  if (!id || !method) return;
  const std::string_view token = id->raw();
  if (method->string() == "initialize") {
    return Send(absl::StrFormat(
        R"({"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"fäke","version":"1"}},"jsonrpc":"2.0","id":%s})",
        token));
  }
  if (method->string() == "tools/list") {
    return Send(absl::StrFormat(
        R"({"result":{"tools":[{"name":"do","inputSchema":{"type":"object"}},{"name":"drop","inputSchema":{}},{"name":"hidden","inputSchema":{}}]},"jsonrpc":"2.0","id":%s})",
        token));
  }
  if (method->string() == "tools/call") {
    const auto arguments = params->Find("arguments");
    const auto act = arguments ? arguments->Find("act") : std::nullopt;
    const auto n = arguments ? arguments->Find("n") : std::nullopt;
    const auto meta = params->Find("_meta");
    const auto progress = meta ? meta->Find("progressToken") : std::nullopt;
    return Do(token, act ? act->string() : "echo", n ? n->integer().value_or(0) : 0,
              arguments ? arguments->raw() : "{}", progress ? progress->raw() : "1");
  }
  Send(absl::StrFormat(R"({"result":{},"jsonrpc":"2.0","id":%s})", token));
}

}  // namespace
}  // namespace bridgekeeper

int main(int argc, char** argv) {
  using namespace std::literals;
  std::ios::sync_with_stdio(false);
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--banner") bridgekeeper::WriteAll(1, "Fake server \x1b[1mlistening\x1b[0m\n");
    if (flag == "--crlf") bridgekeeper::crlf = true;
    if (flag == "--byte-by-byte") bridgekeeper::byte_by_byte = true;
    if (flag == "--silent") bridgekeeper::silent = true;
    if (flag == "--ignore-end") bridgekeeper::ignore_end = true;
    if (flag == "--universal-newlines") bridgekeeper::universal_newlines = true;
    if (flag == "--ignore-term") signal(SIGTERM, SIG_IGN);
    if (flag == "--grandchild") bridgekeeper::StartGrandchild();
    if (flag == "--stderr-flood" && i + 1 < argc) {
      bridgekeeper::WriteAll(2, std::string(std::strtoul(argv[i + 1], nullptr, 10), 'e'));
    }
  }
  while (true) bridgekeeper::Handle(bridgekeeper::ReadLine());
}
