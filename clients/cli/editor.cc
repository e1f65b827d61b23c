// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/editor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <vector>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "runtime/foreground.h"
#include "runtime/process.h"
#include "runtime/unique_fd.h"

namespace bridgekeeper::cli {
namespace {

absl::Status Failed(std::string_view what) {
  return absl::InternalError(
      absl::StrFormat("cannot %s the file to edit: %s", what, strerror(errno)));
}

// A new file with `text`, removed when this goes.
class PrivateFile {
 public:
  static absl::StatusOr<std::unique_ptr<PrivateFile>> Create(const std::string& folder,
                                                             const std::string& text) {
    std::string path = folder + "/keeper-XXXXXX.yaml";
    const UniqueFd fd(mkostemps(path.data(), /*suffixlen=*/5, O_CLOEXEC));  // mode 0600
    if (!fd) return Failed("make");
    auto file = std::unique_ptr<PrivateFile>(new PrivateFile(path));
    for (size_t done = 0; done < text.size();) {
      const ssize_t written = write(fd.get(), text.data() + done, text.size() - done);
      if (written < 0) return Failed("write");
      done += static_cast<size_t>(written);
    }
    return file;
  }
  ~PrivateFile() { unlink(path_.c_str()); }
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  const std::string& path() const { return path_; }

  absl::StatusOr<std::string> Read() const {
    std::ifstream in(path_, std::ios::binary);
    if (!in) return Failed("read");
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }

 private:
  explicit PrivateFile(std::string path) : path_(std::move(path)) {}
  const std::string path_;
};

std::vector<std::string> EditorCommand(const clients::GetEnv& get_env) {
  for (const char* name : {"KEEPER_EDITOR", "VISUAL", "EDITOR"}) {
    std::istringstream words(get_env(name).value_or(""));
    std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
    if (!command.empty()) return command;
  }
  return {"vi"};
}

}  // namespace

absl::StatusOr<std::string> EditInEditor(const std::string& text, const clients::GetEnv& get_env) {
  std::string folder = get_env("TMPDIR").value_or("");
  if (folder.empty()) folder = "/tmp";
  BK_ASSIGN_OR_RETURN(const std::unique_ptr<PrivateFile> file, PrivateFile::Create(folder, text));
  std::vector<std::string> command = EditorCommand(get_env);
  // The token of this program is none of the editor's business.
  const std::string program = command.front();
  command.push_back(file->path());
  BK_ASSIGN_OR_RETURN(const ProcessExit exit,
                      RunInForeground(command, EnvironmentWithout({"KEEPER_"})));
  if (exit != ProcessExit{}) {
    return absl::FailedPreconditionError(
        absl::StrFormat("the editor `%s` ended with %s: nothing was written",
                        EscapeForPeople(program), exit.ToString()));
  }
  return file->Read();
}

}  // namespace bridgekeeper::cli
