// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/context.h"
#include "clients/cli/editor.h"
#include "clients/cli/root.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "runtime/judge_worker.h"
#include "runtime/signals.h"

namespace {

// More than any document or payload may have, so that what is too large is refused
// by the limit that it breaks and never cut, and an endless file ends.
constexpr size_t kMaxFileBytes = bridgekeeper::kMaxDocumentBytes + 1;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::string text(kMaxFileBytes, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) {
    return absl::NotFoundError(absl::StrFormat(
        "cannot read `%s`: %s", bridgekeeper::EscapeForPeople(path), strerror(errno)));
  }
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using bridgekeeper::cli::Session;
  bridgekeeper::HoldStandardStreams();
  if (const auto code = bridgekeeper::RunJudgeWorkerIfAsked(argc, argv)) return *code;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto& get_env = bridgekeeper::clients::ProcessEnvironment;
  Session session{.in = std::cin,
                  .out = std::cout,
                  .err = std::cerr,
                  .interactive = isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1,
                  .get_env = get_env,
                  .read_file = ReadFile,
                  .edit = [&](const std::string& text) {
                    return bridgekeeper::cli::EditInEditor(text, get_env);
                  }};
  const auto code = bridgekeeper::cli::Run(arguments, session);
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "keeper: error: standard output cannot be written\n";
    return static_cast<int>(bridgekeeper::cli::ExitCode::kFailed);
  }
  return static_cast<int>(code);
}
