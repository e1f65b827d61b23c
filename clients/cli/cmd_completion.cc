// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Scripts that complete command lines, written from the table of commands.

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "clients/cli/commands.h"
#include "clients/cli/context.h"
#include "clients/cli/root.h"

namespace bridgekeeper::cli {
namespace {

constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
std::span<const std::string_view> ShellNames() { return kShells; }

constexpr Flag kFlags[] = {
    {.name = "SHELL",
     .kind = Flag::Kind::kChoice,
     .help = "bash, zsh or fish",
     .required = true,
     .choices = ShellNames},
};

std::string_view NounOf(std::string_view name) { return name.substr(0, name.find(' ')); }
std::string_view VerbOf(std::string_view name) {
  const size_t space = name.find(' ');
  return space == std::string_view::npos ? "" : name.substr(space + 1);
}

void AddOnce(std::string_view word, std::vector<std::string_view>& words) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string Joined(std::span<const std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : " ") + std::string(word);
  return out;
}

std::vector<std::string_view> Nouns() {
  std::vector<std::string_view> out;
  for (const Command* command : Commands()) AddOnce(NounOf(command->name), out);
  return out;
}

std::vector<std::string_view> VerbsOf(std::string_view noun) {
  std::vector<std::string_view> out;
  for (const Command* command : Commands()) {
    if (NounOf(command->name) == noun && !VerbOf(command->name).empty())
      AddOnce(VerbOf(command->name), out);
  }
  return out;
}

std::vector<std::string_view> FlagsOf(const Command& command) {
  std::vector<std::string_view> out;
  for (const std::span<const Flag> flags : {command.flags, CommonFlags()}) {
    for (const Flag& flag : flags) {
      if (!flag.positional()) out.push_back(flag.name);
    }
  }
  out.push_back("--help");
  return out;
}

std::vector<std::string_view> PositionalChoices(const Command& command) {
  for (const Flag& flag : command.flags) {
    if (flag.positional() && flag.choices != nullptr) {
      const auto choices = flag.choices();
      return {choices.begin(), choices.end()};
    }
  }
  return {};
}

bool NamesAFile(const Flag& flag) { return flag.value == "FILE" || flag.value == "LIST"; }

// The body of the bash function: `words` are the command's words so far, `prev` the
// word before the cursor.
std::string Bash() {
  std::string with_value;  // common flags whose next word is their value
  for (const Flag& flag : CommonFlags()) {
    for (const std::string_view name : {flag.name, flag.short_name}) {
      if (!name.empty()) with_value += (with_value.empty() ? "" : "|") + std::string(name);
    }
  }
  std::string out =
      "# Completion of keeper for bash: source <(keeper completion bash)\n"
      "_keeper() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev='' words='' word last=''\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -gt 1 ]; then prev=${COMP_WORDS[COMP_CWORD-1]}; fi\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case $words in *' '*) break ;; esac\n";
  out += absl::StrFormat("    case $last in %s) last=''; continue ;; esac\n", with_value);
  out +=
      "    last=$word\n"
      "    case $word in -*) ;; *) words=${words:+$words }$word ;; esac\n"
      "  done\n";
  out += "  case $words in\n";
  for (const std::string_view noun : Nouns()) {
    if (VerbsOf(noun).empty())
      out += absl::StrFormat("    %s|'%s '*) words=%s ;;\n", noun, noun, noun);
  }
  out += "  esac\n  case $words:$prev in\n";
  for (const Flag& flag : CommonFlags()) {
    if (flag.choices == nullptr) continue;
    out += absl::StrFormat("    *:%s|*:%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
                           flag.name, flag.short_name, Joined(flag.choices()));
  }
  for (const Command* command : Commands()) {
    for (const Flag& flag : command->flags) {
      if (flag.positional()) continue;
      std::string match = absl::StrFormat("'%s':%s", command->name, flag.name);
      if (!flag.short_name.empty())
        match += absl::StrFormat("|'%s':%s", command->name, flag.short_name);
      if (flag.choices != nullptr) {
        out += absl::StrFormat("    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
                               match, Joined(flag.choices()));
      } else if (NamesAFile(flag)) {
        out += absl::StrFormat("    %s) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", match);
      }
    }
  }
  out += "  esac\n  case $words in\n";
  out +=
      absl::StrFormat("    '') COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", Joined(Nouns()));
  for (const std::string_view noun : Nouns()) {
    if (const auto verbs = VerbsOf(noun); !verbs.empty()) {
      out += absl::StrFormat("    %s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", noun,
                             Joined(verbs));
    }
  }
  for (const Command* command : Commands()) {
    std::vector<std::string_view> candidates = PositionalChoices(*command);
    for (const std::string_view flag : FlagsOf(*command)) candidates.push_back(flag);
    out += absl::StrFormat("    '%s') COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n",
                           command->name, Joined(candidates));
  }
  out += "  esac\n}\n";
  return out;
}

std::string Fish() {
  std::string out =
      "# Completion of keeper for fish: keeper completion fish | source\ncomplete -c keeper -f\n";
  const auto quoted = [](std::string_view text) {
    std::string escaped;
    for (const char c : text) escaped += c == '\'' ? "\\'" : std::string(1, c);
    return "'" + escaped + "'";
  };
  for (const std::string_view noun : Nouns()) {
    out += absl::StrFormat("complete -c keeper -n __fish_use_subcommand -a %s\n", noun);
  }
  const auto add_flag = [&](std::string_view condition, const Flag& flag) {
    if (flag.positional()) return;
    out += absl::StrFormat("complete -c keeper%s -l %s", condition, flag.name.substr(2));
    if (!flag.short_name.empty()) out += absl::StrFormat(" -s %s", flag.short_name.substr(1));
    if (flag.kind != Flag::Kind::kSwitch) out += NamesAFile(flag) ? " -r -F" : " -x";
    if (flag.choices != nullptr) out += absl::StrFormat(" -a %s", quoted(Joined(flag.choices())));
    out += absl::StrFormat(" -d %s\n", quoted(flag.help));
  };
  for (const Flag& flag : CommonFlags()) add_flag("", flag);
  for (const Command* command : Commands()) {
    const std::string_view noun = NounOf(command->name);
    const std::string_view verb = VerbOf(command->name);
    std::string seen = absl::StrFormat("__fish_seen_subcommand_from %s", noun);
    if (!verb.empty()) {
      out += absl::StrFormat("complete -c keeper -n %s -a %s -d %s\n",
                             quoted(absl::StrFormat("%s; and not __fish_seen_subcommand_from %s",
                                                    seen, Joined(VerbsOf(noun)))),
                             verb, quoted(command->summary));
      seen += absl::StrFormat("; and __fish_seen_subcommand_from %s", verb);
    }
    const std::string condition = " -n " + quoted(seen);
    for (const Flag& flag : command->flags) add_flag(condition, flag);
    if (const auto choices = PositionalChoices(*command); !choices.empty()) {
      out += absl::StrFormat("complete -c keeper%s -a %s\n", condition, quoted(Joined(choices)));
    }
  }
  return out;
}

absl::StatusOr<ExitCode> Run(Context& context) {
  const std::string shell = context.args().Text("SHELL");
  if (shell == "fish") {
    context.out() << Fish();
  } else if (shell == "zsh") {
    context.out()
        << "#compdef keeper\n# Completion of keeper for zsh: source <(keeper completion zsh)\n"
           "autoload -U +X bashcompinit && bashcompinit\n"
        << Bash() << "complete -o filenames -F _keeper keeper\n";
  } else {
    context.out() << Bash() << "complete -o filenames -F _keeper keeper\n";
  }
  return ExitCode::kOk;
}

}  // namespace

constexpr Command kCompletion = {
    .name = "completion",
    .usage = "SHELL",
    .summary = "print a script that completes keeper's command lines",
    .help =
        "Load it with `source <(keeper completion bash)`, in zsh the same with zsh, in fish\n"
        "`keeper completion fish | source`.\n",
    .examples = {"keeper completion bash", "keeper completion fish"},
    .flags = kFlags,
    .run = Run,
};

}  // namespace bridgekeeper::cli
