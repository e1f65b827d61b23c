// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What needs other programs: completion in bash, and the editor.

#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "clients/cli/editor.h"
#include "clients/cli/root.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policy/testing/status_matchers.h"

namespace bridgekeeper::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Folder() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return folder == nullptr ? std::filesystem::temp_directory_path().string() : folder;
}

std::string Script(std::string_view shell) {
  std::istringstream in;
  std::ostringstream out, err;
  Session session{
      .in = in, .out = out, .err = err, .get_env = [](const char*) { return std::nullopt; }};
  const std::vector<std::string> arguments = {"completion", std::string(shell)};
  EXPECT_EQ(Run(arguments, session), ExitCode::kOk) << err.str();
  return out.str();
}

// What bash offers at the end of `line`.
std::vector<std::string> Offered(const std::vector<std::string>& words) {
  const std::string file = Folder() + "/complete.bash";
  std::ofstream script(file);
  script << Script("bash") << "COMP_WORDS=(keeper";
  for (const std::string& word : words) script << " '" << word << "'";
  script << ")\nCOMP_CWORD=" << words.size() << "\n_keeper\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  script.close();
  std::string output;
  FILE* const pipe = popen(("bash -u '" + file + "' 2>&1").c_str(), "r");
  EXPECT_NE(pipe, nullptr);
  char buffer[4096];
  for (size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0) << output;
  std::filesystem::remove(file);
  std::istringstream lines(output);
  std::vector<std::string> out;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) out.push_back(line);
  }
  return out;
}

TEST(BashCompletion, OffersCommandsThenVerbs) {
  EXPECT_THAT(Offered({"po"}), ElementsAre("policy"));
  EXPECT_THAT(Offered({"co"}), ElementsAre("connections", "completion"));
  EXPECT_THAT(Offered({"policy", "r"}), ElementsAre("rollback", "resume"));
  EXPECT_THAT(Offered({"-o", "json", "policy", "su"}), ElementsAre("suspend"));
}

TEST(BashCompletion, OffersTheFlagsOfTheCommand) {
  EXPECT_THAT(Offered({"policy", "set", "dockit", "--a"}),
              ElementsAre("--ask-mode", "--allow-connection", "--all-connections", "--address"));
  EXPECT_THAT(Offered({"decide", "--st"}), ElementsAre("--statement"));
  EXPECT_THAT(Offered({"decide", "--tool", "x", "--st"}), ElementsAre("--statement"));
}

TEST(BashCompletion, OffersTheValuesOfAChoice) {
  EXPECT_THAT(Offered({"policy", "set", "dockit", "--mode", "F"}), ElementsAre("FULL_ACCESS"));
  EXPECT_THAT(Offered({"version", "-o", ""}), ElementsAre("table", "json", "yaml"));
  EXPECT_THAT(Offered({"completion", "z"}), ElementsAre("zsh"));
}

TEST(Completion, NamesEveryCommandInEachShell) {
  for (const std::string_view shell : {"bash", "zsh", "fish"}) {
    const std::string script = Script(shell);
    for (const Command* command : Commands()) {
      std::istringstream words{std::string(command->name)};
      for (std::string word; words >> word;) EXPECT_THAT(script, HasSubstr(word)) << shell;
      for (const Flag& flag : command->flags) {
        if (!flag.positional()) {
          EXPECT_THAT(script, HasSubstr(std::string(flag.name.substr(2)))) << shell;
        }
      }
    }
  }
}

// ---- the editor ------------------------------------------------------------------------

std::string Executable(const std::string& name, const std::string& body) {
  const std::string path = Folder() + "/" + name;
  std::ofstream(path) << "#!/bin/sh\n" << body;
  chmod(path.c_str(), 0700);
  return path;
}

clients::GetEnv Environment(const std::string& editor) {
  return [editor](const char* name) -> std::optional<std::string> {
    if (std::string_view(name) == "TMPDIR") return Folder();
    if (std::string_view(name) == "EDITOR") return editor;
    return std::nullopt;
  };
}

TEST(Editor, ReturnsWhatTheProgramMadeOfAPrivateFileAndLeavesNothing) {
  const std::string editor =
      Executable("append.sh", "[ \"$1\" = --wait ] || exit 9\nstat -c %a \"$2\" >>\"$2\"\n");
  EXPECT_THAT(EditInEditor("mode: x\n", Environment(editor + " --wait")),
              IsOkAndHolds("mode: x\n600\n"));
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    EXPECT_NE(entry.path().extension(), ".yaml") << entry.path();
  }
}

TEST(Editor, TakesNothingFromAProgramThatFails) {
  const std::string editor = Executable("fail.sh", "echo half >>\"$1\"\nexit 3\n");
  EXPECT_THAT(EditInEditor("x", Environment(editor)),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       HasSubstr("exit code 3: nothing was written")));
}

TEST(Editor, NamesAProgramThatIsNotThere) {
  EXPECT_THAT(EditInEditor("x", Environment("/nowhere/editor")),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("cannot run `/nowhere/editor`")));
}

TEST(Editor, DoesNotSeeTheToken) {
  setenv("KEEPER_TOKEN", "secret-of-the-test", 1);
  const std::string editor = Executable("env.sh", "env >\"$1\"\n");
  const auto seen = EditInEditor("", Environment(editor));
  unsetenv("KEEPER_TOKEN");
  ASSERT_THAT(seen, IsOk());
  EXPECT_THAT(*seen, AllOf(HasSubstr("PATH="), Not(HasSubstr("secret-of-the-test"))));
}

}  // namespace
}  // namespace bridgekeeper::cli
