// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/root.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "CLI/CLI.hpp"
#include "absl/strings/str_format.h"
#include "clients/cli/commands.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"

namespace bridgekeeper::cli {
namespace {

// The one table of commands; help, completion and the tests walk it.
constexpr const Command* kCommands[] = {
    // what may run
    &kDecide,
    &kExplain,
    &kTools,
    &kJudge,
    // policies
    &kPolicyPut,
    &kPolicyGet,
    &kPolicySet,
    &kPolicyEdit,
    &kPolicyList,
    &kPolicyHistory,
    &kPolicyDiff,
    &kPolicyRollback,
    &kPolicySuspend,
    &kPolicyResume,
    &kPolicyDelete,
    // tools
    &kCatalogList,
    &kCatalogGet,
    &kCatalogPut,
    &kCatalogReview,
    &kCatalogDiff,
    &kCatalogApprove,
    &kCatalogDisable,
    &kCatalogDelete,
    // connections
    &kConnectionsList,
    &kConnectionsGet,
    &kConnectionsPut,
    &kConnectionsDelete,
    // the clients of bridges
    &kClientConfig,
    // the server
    &kStatus,
    &kBackup,
    &kHealthcheck,
    // the program itself
    &kCompletion,
    &kVersion,
};

constexpr std::string_view kFormats[] = {"table", "json", "yaml"};
std::span<const std::string_view> FormatNames() { return kFormats; }

constexpr Flag kCommonFlags[] = {
    {.name = "--output",
     .short_name = "-o",
     .kind = Flag::Kind::kChoice,
     .value = "FORMAT",
     .help = "table (for people, the default), json or yaml",
     .choices = FormatNames},
    {.name = "--address",
     .value = "ADDRESS",
     .help = "where keeperd is; instead of KEEPER_ADDRESS"},
    {.name = "--timeout",
     .value = "DURATION",
     .help = "how long one call may take; 10s unless given"},
};

constexpr absl::Duration kDefaultTimeout = absl::Seconds(10);

constexpr std::string_view kEnvironment =
    "environment:\n"
    "  KEEPER_ADDRESS     where keeperd is: HOST:PORT (plaintext, this machine only), unix:PATH, "
    "or\n"
    "                     https://HOST:PORT; 127.0.0.1:7420 unless set\n"
    "  KEEPER_TOKEN       the token that proves who you are; or\n"
    "  KEEPER_TOKEN_FILE  a file that holds it\n"
    "  KEEPER_CA          with https: the certificate (PEM) that signed the server's\n"
    "  KEEPER_CERT, KEEPER_KEY  with https: a certificate of your own and its key\n";

constexpr std::string_view kExitCodes =
    "exit codes: 0 done or allowed, 1 failed, 2 usage, 3 denied, 4 ask (of several the worst)\n";

std::string NounOf(std::string_view name) { return std::string(name.substr(0, name.find(' '))); }

// ---- finding the command --------------------------------------------------------

const Command* Find(std::string_view name) {
  for (const Command* command : kCommands) {
    if (command->name == name) return command;
  }
  return nullptr;
}

bool IsNoun(std::string_view word) {
  return std::any_of(std::begin(kCommands), std::end(kCommands), [&](const Command* c) {
    return c->name.size() > word.size() && NounOf(c->name) == word;
  });
}

// The next words that may follow `noun` (empty: first words).
std::vector<std::string> WordsAfter(std::string_view noun) {
  std::vector<std::string> out;
  for (const Command* command : kCommands) {
    std::string word = NounOf(command->name);
    if (!noun.empty()) {
      if (word != noun || command->name.size() == noun.size()) continue;
      word = command->name.substr(noun.size() + 1);
    }
    if (std::find(out.begin(), out.end(), word) == out.end()) out.push_back(word);
  }
  return out;
}

absl::Status UnknownWord(std::string_view noun, std::string_view word) {
  const std::vector<std::string> words = WordsAfter(noun);
  std::vector<std::string_view> views(words.begin(), words.end());
  std::string listed;
  for (const std::string_view view : views) {
    if (!listed.empty()) listed += ", ";
    listed += view;
  }
  const std::string prefix = noun.empty() ? "" : std::string(noun) + " ";
  if (word.empty()) {
    return WithHelp(UsageError(absl::StrFormat("`keeper %s` needs a command", noun)),
                    "one of " + listed);
  }
  const auto nearest = NearestName(word, views);
  return WithHelp(
      UsageError(absl::StrFormat("there is no command `%s%s`", prefix, EscapeForPeople(word, 64))),
      nearest ? absl::StrFormat("did you mean `%s%s`?", prefix, *nearest) : "one of " + listed);
}

struct Line {
  const Command* command = nullptr;
  std::string noun;  // where there is no command: what was found of it
  bool help = false;
  std::vector<std::string> rest;  // without the command's own words
};

// Takes the words of the command out of the arguments. Common flags may stand
// before them.
absl::StatusOr<Line> FindCommand(std::span<const std::string> arguments) {
  Line line;
  std::string name;
  bool done = false;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-h" || argument == "--help") {
      line.help = true;
      continue;
    }
    if (!done && argument.starts_with('-')) {
      line.rest.push_back(argument);
      const bool takes_value = std::any_of(
          std::begin(kCommonFlags), std::end(kCommonFlags),
          [&](const Flag& flag) { return argument == flag.name || argument == flag.short_name; });
      if (takes_value && i + 1 < arguments.size()) line.rest.push_back(arguments[++i]);
      continue;
    }
    if (done) {
      line.rest.push_back(argument);
      continue;
    }
    if (name.empty() && argument == "help") {
      line.help = true;
      continue;
    }
    const std::string longer = name.empty() ? argument : name + " " + argument;
    if (const Command* command = Find(longer)) {
      line.command = command;
      done = true;
    } else if (name.empty() && IsNoun(argument)) {
      name = argument;
      line.noun = argument;
    } else {
      return UnknownWord(name, argument);
    }
  }
  if (line.command == nullptr && !line.help) return UnknownWord(name, "");
  return line;
}

// ---- values -----------------------------------------------------------------------

std::string Fold(std::string_view text) {
  std::string out = AsciiLower(text);
  std::erase_if(out, [](char c) { return c == '_' || c == '-'; });
  return out;
}

// Checks the values that were given for `flag`.
absl::Status CheckValues(const Flag& flag, const std::vector<std::string>& values) {
  const auto wrong = [&](std::string_view value, std::string_view want) {
    return UsageError(
        absl::StrFormat("`%s`: got `%s`, want %s", flag.name, EscapeForPeople(value, 64), want));
  };
  for (const std::string& value : values) {
    switch (flag.kind) {
      case Flag::Kind::kSwitch:
      case Flag::Kind::kText:
        break;
      case Flag::Kind::kTexts:
        if (value.empty()) return wrong(value, "at least one character");
        break;
      case Flag::Kind::kInteger: {
        int64_t number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size() || number < 0) {
          return wrong(value, "a whole number");
        }
        break;
      }
      case Flag::Kind::kBool:
        if (value != "true" && value != "false") return wrong(value, "true or false");
        break;
      case Flag::Kind::kChoice: {
        std::string listed;
        bool known = false;
        for (const std::string_view choice : flag.choices()) {
          known = known || Fold(choice) == Fold(value);
          if (!listed.empty()) listed += ", ";
          listed += choice;
        }
        if (known) break;
        const auto nearest = NearestName(value, flag.choices());
        absl::Status status = wrong(value, "one of " + listed);
        return nearest
                   ? WithHelp(std::move(status), absl::StrFormat("did you mean `%s`?", *nearest))
                   : status;
      }
    }
  }
  return absl::OkStatus();
}

absl::Status UnknownArgument(const Command& command, const std::string& argument) {
  if (!argument.starts_with('-')) {
    return UsageError(
        absl::StrFormat("got the argument `%s` too many", EscapeForPeople(argument, 64)));
  }
  const std::string name = argument.substr(0, argument.find('='));
  std::vector<std::string_view> names;
  for (const Flag& flag : command.flags) {
    if (!flag.positional()) names.push_back(flag.name);
  }
  for (const Flag& flag : kCommonFlags) names.push_back(flag.name);
  const auto nearest = NearestName(name, names);
  absl::Status status =
      UsageError(absl::StrFormat("there is no flag `%s`", EscapeForPeople(name, 64)));
  return nearest ? WithHelp(std::move(status), absl::StrFormat("did you mean `%s`?", *nearest))
                 : status;
}

absl::StatusOr<Args> ParseFlags(const Command& command, std::vector<std::string> arguments) {
  struct Bound {
    const Flag* flag;
    CLI::Option* option;
    std::vector<std::string> values;
  };
  std::vector<const Flag*> flags;
  for (const Flag& flag : command.flags) flags.push_back(&flag);
  for (const Flag& flag : kCommonFlags) flags.push_back(&flag);
  std::vector<Bound> bound(flags.size());  // CLI11 keeps pointers into it

  CLI::App app;
  app.set_help_flag();  // help is ours
  app.allow_extras();   // what is left over gets a hint of ours
  for (size_t i = 0; i < flags.size(); ++i) {
    const Flag& flag = *flags[i];
    std::string names(flag.name);
    if (!flag.short_name.empty()) names = std::string(flag.short_name) + "," + names;
    bound[i].flag = &flag;
    if (flag.kind == Flag::Kind::kSwitch) {
      bound[i].option = app.add_flag(names);
    } else {
      bound[i].option = app.add_option(names, bound[i].values);
      if (flag.kind != Flag::Kind::kTexts) bound[i].option->expected(1)->allow_extra_args(false);
    }
  }
  try {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& e) {
    return UsageError(EscapeForPeople(e.what(), 300));
  }
  std::vector<std::string> rest = app.remaining();
  // It ends the flags, and CLI11 counts it as left over.
  const auto mark = std::find(rest.begin(), rest.end(), "--");
  if (mark != rest.end()) rest.erase(mark);
  if (!rest.empty()) {
    return UnknownArgument(command, rest.front());
  }
  Args args;
  for (Bound& b : bound) {
    if (b.option->count() == 0) {
      if (b.flag->required) {
        return UsageError(b.flag->positional()
                              ? absl::StrFormat("`%s` is missing", b.flag->name)
                              : absl::StrFormat("`%s %s` is missing", b.flag->name, b.flag->value));
      }
      continue;
    }
    BK_RETURN_IF_ERROR(CheckValues(*b.flag, b.values));
    args.Set(b.flag->name, std::move(b.values));
  }
  return args;
}

// ---- running ------------------------------------------------------------------------

void PrintError(const absl::Status& status, Session& session) {
  session.err << "keeper: error: " << EscapeForPeople(AsStd(status.message())) << '\n';
  if (const std::string help = HelpOf(status); !help.empty())
    session.err << "help: " << EscapeForPeople(help) << '\n';
}

ExitCode Fail(const absl::Status& status, const Command* command, Session& session) {
  PrintError(status, session);
  if (!IsUsageError(status)) return ExitCode::kFailed;
  if (command != nullptr) {
    session.err << absl::StrFormat("usage: keeper %s%s%s\n", command->name,
                                   command->usage.empty() ? "" : " ", command->usage);
  } else {
    session.err << "`keeper --help` lists the commands\n";
  }
  return ExitCode::kUsage;
}

absl::StatusOr<ExitCode> RunCommand(const Command& command, std::vector<std::string> arguments,
                                    Session& session) {
  BK_ASSIGN_OR_RETURN(Args args, ParseFlags(command, std::move(arguments)));
  absl::Duration timeout = kDefaultTimeout;
  if (args.Has("--timeout")) {
    const std::string text = args.Text("--timeout");
    if (!absl::ParseDuration(text, &timeout) || timeout < absl::Milliseconds(1) ||
        timeout > absl::Hours(1)) {
      return UsageError(
          absl::StrFormat("`--timeout`: got `%s`, want a duration from 1ms to 1h, as in `30s`",
                          EscapeForPeople(text, 64)));
    }
  }
  clients::ChannelOptions channel = clients::ChannelOptionsFromEnvironment(session.get_env);
  if (args.Has("--address")) channel.address = args.Text("--address");
  const std::string output = AsciiLower(args.Text("--output"));
  const Format format = output == "json"   ? Format::kJson
                        : output == "yaml" ? Format::kYaml
                                           : Format::kTable;
  Context context(session, std::move(args), format, std::move(channel), timeout);
  return command.run(context);
}

// ---- help ---------------------------------------------------------------------------

std::string FlagColumn(const Flag& flag) {
  std::string out(flag.name);
  if (!flag.short_name.empty()) out = std::string(flag.short_name) + ", " + out;
  if (flag.kind != Flag::Kind::kSwitch && !flag.positional()) out += " " + std::string(flag.value);
  if (flag.kind == Flag::Kind::kTexts) out += "...";
  return out;
}

void AppendRows(const std::vector<std::pair<std::string, std::string>>& rows, std::string& out) {
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  for (const auto& [left, right] : rows) {
    out += "  " + left;
    out.append(width - left.size() + 2, ' ');
    out += right + "\n";
  }
}

void AppendFlags(std::string_view title, std::span<const Flag> flags, std::string& out) {
  if (flags.empty()) return;
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Flag& flag : flags) rows.emplace_back(FlagColumn(flag), flag.help);
  out += absl::StrFormat("\n%s:\n", title);
  AppendRows(rows, out);
}

std::string NounHelp(std::string_view noun) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command* command : kCommands) {
    if (NounOf(command->name) == noun) rows.emplace_back(command->name, command->summary);
  }
  std::string out = absl::StrFormat("usage: keeper %s COMMAND [FLAGS]\n\ncommands:\n", noun);
  AppendRows(rows, out);
  out += absl::StrFormat("\n`keeper %s COMMAND --help` tells more\n", noun);
  return out;
}

}  // namespace

std::span<const Command* const> Commands() { return kCommands; }
std::span<const Flag> CommonFlags() { return kCommonFlags; }

std::string OverviewHelp() {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Command* command : kCommands) rows.emplace_back(command->name, command->summary);
  std::string out =
      "keeper administers keeperd: which tools of an app an agent may call, on which connection, "
      "at what risk.\n\n"
      "usage: keeper COMMAND [FLAGS]\n\ncommands:\n";
  AppendRows(rows, out);
  AppendFlags("flags of every command", kCommonFlags, out);
  out += "\n";
  out += kEnvironment;
  out += "\n";
  out += kExitCodes;
  out += "`keeper COMMAND --help` tells more, with examples\n";
  return out;
}

std::string CommandHelp(const Command& command) {
  std::string out =
      absl::StrFormat("keeper %s: %s\n\nusage: keeper %s%s%s\n\n%s", command.name, command.summary,
                      command.name, command.usage.empty() ? "" : " ", command.usage, command.help);
  if (!out.ends_with('\n')) out += '\n';
  AppendFlags("flags", command.flags, out);
  AppendFlags("flags of every command", kCommonFlags, out);
  out += "\nexamples:\n";
  for (const std::string_view example : command.examples) out += absl::StrFormat("  %s\n", example);
  return out;
}

ExitCode Run(std::span<const std::string> arguments, Session& session) {
  if (arguments.empty()) {
    session.err << OverviewHelp();
    return ExitCode::kUsage;
  }
  absl::StatusOr<Line> line = FindCommand(arguments);
  if (!line.ok()) return Fail(line.status(), nullptr, session);
  if (line->help) {
    session.out << (line->command != nullptr ? CommandHelp(*line->command)
                    : line->noun.empty()     ? OverviewHelp()
                                             : NounHelp(line->noun));
    return ExitCode::kOk;
  }
  const absl::StatusOr<ExitCode> code = RunCommand(*line->command, std::move(line->rest), session);
  return code.ok() ? *code : Fail(code.status(), line->command, session);
}

}  // namespace bridgekeeper::cli
