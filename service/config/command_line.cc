// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/config/command_line.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "policy/base/strings.h"
#include "policy/model/issue.h"
#include "policy/text/yaml_tree.h"
#include "runtime/unique_fd.h"
#include "service/config/validate.h"

namespace bridgekeeper::service {
namespace {

using Action = CommandLine::Action;
using text_internal::Node;

constexpr std::string_view kVariablePrefix = "KEEPERD_";

// OptionText() of a text that is not set.
constexpr std::string_view kNotSet = "\"\"";

// Flags that are no options.
constexpr std::array<std::string_view, 6> kOtherFlags = {
    "--config", "--check-config", "--print-config", "--from", "--help", "--version"};

const OptionRow* FindRow(std::string_view key) {
  for (const OptionRow& row : OptionTable()) {
    if (row.key == key) return &row;
  }
  return nullptr;
}

std::string Hint(std::string_view name, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto nearest = NearestName(name, views);
  return nearest ? absl::StrFormat(" (did you mean `%s`?)", *nearest) : "";
}

// True for a file of blank lines and comments, such as one that shows the defaults.
bool SetsNothing(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line[first] != '#') return false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

// True for what Kubernetes puts into the environment of every container of a namespace
// with a service of our name or one that begins with it: KEEPERD_SERVICE_HOST,
// KEEPERD_GRPC_SERVICE_PORT_HTTP, KEEPERD_PORT_7420_TCP_ADDR, and KEEPERD_PORT, which
// holds a URL there (Kubernetes documentation, "Service", "Environment variables").
bool IsOfKubernetes(std::string_view name, std::string_view value) {
  if (name.ends_with("_SERVICE_HOST")) return true;
  if (name.find("_SERVICE_PORT") != std::string_view::npos) return true;
  if (name.ends_with("_PORT")) return value.find("://") != std::string_view::npos;
  const size_t port = name.find("_PORT_");
  if (port == std::string_view::npos) return false;
  const std::string_view rest = name.substr(port + 6);
  const size_t end = rest.find_first_not_of("0123456789");
  return end != 0 && end != std::string_view::npos &&
         (rest.substr(end).starts_with("_TCP") || rest.substr(end).starts_with("_UDP") ||
          rest.substr(end).starts_with("_SCTP"));
}

class Reader {
 public:
  Reader(const StartedWith& start, std::vector<std::string>& problems)
      : start_(start), problems_(problems) {}

  CommandLine Run() {
    ReadArguments();
    if (command_.action == Action::kHelp || command_.action == Action::kVersion) return command_;
    if (const auto it = start_.environment.find("KEEPERD_CONFIG");
        config_path_.empty() && it != start_.environment.end()) {
      config_path_ = it->second;
    }
    // From the weakest to the strongest.
    if (!config_path_.empty()) ReadFile();
    ReadEnvironment();
    for (const auto& [row, text] : flags_) Set(*row, text, "flag " + FlagOf(row->key));
    CheckRestore();
    // What is set wrong is still at its default: further checks would mislead.
    if (problems_.empty() && command_.action != Action::kRestore) {
      Validate(command_.options, problems_);
    }
    return std::move(command_);
  }

 private:
  void Problem(std::string text) { problems_.push_back(std::move(text)); }

  void Set(const OptionRow& row, std::string_view text, const std::string& origin) {
    if (const auto wrong = SetOption(row, text, command_.options)) {
      Problem(absl::StrFormat("%s: `%s`: %s", origin, row.key, *wrong));
    } else {
      command_.origins[std::string(row.key)] = origin;
    }
  }

  void ReadArguments() {
    size_t i = 0;
    if (!start_.arguments.empty() && start_.arguments[0] == "restore") {
      command_.action = Action::kRestore;
      ++i;
    }
    std::set<std::string> seen;
    for (; i < start_.arguments.size(); ++i) {
      const std::string& argument = start_.arguments[i];
      const size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      std::optional<std::string> value;
      if (equals != std::string::npos) value = argument.substr(equals + 1);
      if (name.substr(0, 2) != "--") {
        Problem(absl::StrFormat("unexpected argument `%s`: options are written --name VALUE",
                                EscapeForPeople(argument, 128)));
        continue;
      }
      if (!seen.insert(name).second) Problem(absl::StrFormat("flag %s: given twice", name));
      if (ReadSwitch(name, value.has_value())) continue;
      // What follows is the value of a flag that takes one.
      const auto take = [&](std::string& out) {
        if (value) {
          out = *std::move(value);
        } else if (i + 1 < start_.arguments.size()) {
          out = start_.arguments[++i];
        } else {
          Problem(absl::StrFormat("flag %s: a value is missing", name));
          return false;
        }
        return true;
      };
      if (name == "--config") {
        (void)take(config_path_);
      } else if (name == "--from") {
        (void)take(command_.restore_from);
        has_from_ = true;
      } else {
        if (!ReadOption(name, value, take) && !value && i + 1 < start_.arguments.size() &&
            start_.arguments[i + 1].substr(0, 2) != "--") {
          ++i;  // most likely the value of the flag that is not known
        }
      }
    }
  }

  bool ReadSwitch(std::string_view name, bool has_value) {
    Action action;
    if (name == "--help") {
      action = Action::kHelp;
    } else if (name == "--version") {
      action = Action::kVersion;
    } else if (name == "--check-config") {
      action = Action::kCheckConfig;
    } else if (name == "--print-config") {
      action = Action::kPrintConfig;
    } else {
      return false;
    }
    if (has_value) Problem(absl::StrFormat("flag %s: takes no value", name));
    if (command_.action == Action::kRestore && action != Action::kHelp) {
      Problem(absl::StrFormat("flag %s: not together with `restore`", name));
    } else if (command_.action != Action::kHelp) {
      command_.action = action;
    }
    return true;
  }

  // Returns false where there is no such flag.
  template <typename Take>
  bool ReadOption(const std::string& name, const std::optional<std::string>& value, Take take) {
    for (const OptionRow& row : OptionTable()) {
      if (FlagOf(row.key) != name) continue;
      std::string text = "true";
      const bool is_switch = std::holds_alternative<bool Options::*>(row.field);
      if (is_switch && value) text = *value;
      if (is_switch || take(text)) flags_.emplace_back(&row, std::move(text));
      return true;
    }
    std::vector<std::string> known(kOtherFlags.begin(), kOtherFlags.end());
    for (const OptionRow& row : OptionTable()) known.push_back(FlagOf(row.key));
    Problem(absl::StrFormat("unknown flag `%s`%s", EscapeForPeople(name, 128), Hint(name, known)));
    return false;
  }

  void ReadFile() {
    auto text = start_.read_file(config_path_);
    if (!text.ok()) {
      Problem(absl::StrFormat("config `%s`: %s", config_path_, AsStd(text.status().message())));
      return;
    }
    if (SetsNothing(*text)) return;
    text_internal::LineIndex lines(*text);
    std::vector<Issue> issues;
    const std::optional<Node> tree = text_internal::ReadTree(*text, lines, issues);
    if (tree) ReadMap(*tree, lines, issues);
    for (const Issue& issue : issues) Problem(FormatIssue(issue, config_path_));
  }

  void ReadMap(const Node& tree, text_internal::LineIndex& lines, std::vector<Issue>& issues) {
    const auto add = [&](const Node& at, std::string path, std::string message, std::string help) {
      Issue issue{.path = std::move(path), .message = std::move(message), .help = std::move(help)};
      lines.Place(at.offset, issue);
      issues.push_back(std::move(issue));
    };
    if (tree.kind != Node::Kind::kMap) {
      return add(tree, "", "got something else than a mapping, want lines of `key: value`", "");
    }
    std::set<std::string> seen;
    for (size_t i = 0; i + 1 < tree.items.size(); i += 2) {
      const Node& key = tree.items[i];
      const Node& value = tree.items[i + 1];
      const OptionRow* row = FindRow(key.text);
      if (row == nullptr) {
        std::vector<std::string_view> known;
        for (const OptionRow& each : OptionTable()) known.push_back(each.key);
        const auto nearest = NearestName(key.text, known);
        add(key, EscapeForPeople(key.text, 128), "unknown key",
            nearest ? absl::StrFormat("did you mean `%s`?", *nearest) : "");
      } else if (!seen.insert(key.text).second) {
        add(key, key.text, "given twice", "");
      } else if (value.kind != Node::Kind::kScalar) {
        add(value, key.text, "got no single value", "");
      } else if (const auto wrong = SetOption(*row, value.text, command_.options)) {
        add(value, key.text, *wrong, "");
      } else {
        Issue place;
        lines.Place(key.offset, place);
        command_.origins[key.text] = absl::StrFormat("file %s:%d", config_path_, place.line);
      }
    }
  }

  // A variable with our prefix that is no option is a mistake, unless Kubernetes made it.
  void ReadEnvironment() {
    std::vector<std::string> known = {"KEEPERD_CONFIG"};
    for (const OptionRow& row : OptionTable()) known.push_back(VariableOf(row.key));
    for (const auto& [name, value] : start_.environment) {
      if (std::string_view(name).substr(0, kVariablePrefix.size()) != kVariablePrefix) continue;
      const auto row =
          std::find_if(OptionTable().begin(), OptionTable().end(),
                       [&](const OptionRow& each) { return VariableOf(each.key) == name; });
      if (row != OptionTable().end()) {
        Set(*row, value, "environment " + name);
      } else if (name != "KEEPERD_CONFIG" && !IsOfKubernetes(name, value)) {
        Problem(absl::StrFormat("environment: unknown variable `%s`%s", EscapeForPeople(name, 128),
                                Hint(name, known)));
      }
    }
  }

  void CheckRestore() {
    if (command_.action != Action::kRestore) {
      if (has_from_) Problem("flag --from: only with `restore`");
      return;
    }
    if (command_.restore_from.empty()) Problem("restore: --from DIR is missing (a backup)");
    if (command_.options.data_dir.empty()) {
      Problem("restore: --data-dir DIR is missing (a folder that is not there yet)");
    }
  }

  const StartedWith& start_;
  std::vector<std::string>& problems_;
  CommandLine command_;
  std::string config_path_;
  bool has_from_ = false;
  std::vector<std::pair<const OptionRow*, std::string>> flags_;
};

}  // namespace

absl::StatusOr<std::string> ReadConfigFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return absl::NotFoundError(std::strerror(errno));
  std::string text;
  std::array<char, 16384> buffer;
  while (true) {
    const ssize_t n = read(file.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return absl::UnavailableError(std::strerror(errno));
    if (n == 0) return text;
    text.append(buffer.data(), static_cast<size_t>(n));
    if (text.size() > kMaxConfigBytes) {
      return absl::ResourceExhaustedError(
          absl::StrFormat("got more than %d bytes", kMaxConfigBytes));
    }
  }
}

CommandLine ReadCommandLine(const StartedWith& start, std::vector<std::string>& problems) {
  return Reader(start, problems).Run();
}

std::string PrintConfig(const CommandLine& command) {
  std::string out;
  for (const OptionRow& row : OptionTable()) {
    const auto origin = command.origins.find(row.key);
    const std::string text = OptionText(row, command.options);
    // What is not set cannot be written as a value.
    out += absl::StrFormat("%s%s: %s  # %s\n", text == kNotSet ? "# " : "", row.key, text,
                           origin == command.origins.end() ? "default" : origin->second);
  }
  return out;
}

std::string HelpText() {
  std::string out =
      "keeperd decides what AI agents may do through MCP tools.\n"
      "\n"
      "  keeperd --dev                             try it: loopback, data in memory\n"
      "  keeperd --dev --data-dir DIR              the same, keeping its data\n"
      "  keeperd --check-config --config FILE      exit 0 if the configuration is right, else 2\n"
      "  keeperd --print-config ...                show each option and where it was set\n"
      "  keeperd restore --from DIR --data-dir NEW make a data folder from a backup\n"
      "\n"
      "Options; each KEY is also a line `key_name: value` of the file and KEEPERD_KEY_NAME in\n"
      "the environment. A flag counts more than the environment, that more than the file.\n"
      "\n";
  const auto add = [&](std::string_view name, std::string_view help) {
    out += absl::StrFormat("  %-30s %s\n", name, help);
  };
  add("--config FILE", "configuration file (YAML)");
  const Options defaults;
  for (const OptionRow& row : OptionTable()) {
    std::string name = FlagOf(row.key);
    if (!row.value.empty()) name += " " + std::string(row.value);
    std::string help(row.help);
    const std::string text = OptionText(row, defaults);
    if (!row.value.empty() && text != kNotSet) help += " (default " + text + ")";
    add(name, help);
  }
  add("--version", "print the version");
  add("--help", "print this");
  out += "\nExit: 0 clean, 2 configuration, 3 data refused, 4 stopped with something lost.\n";
  return out;
}

}  // namespace bridgekeeper::service
