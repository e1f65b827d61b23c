// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Command is one verb of `keeper` as data: parsing, help, completion and the tests
// that walk all commands read it. To add one: write cmd_<noun>_<verb>.cc with a
// Command, and name it in the table of root.cc.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_COMMAND_H_
#define BRIDGEKEEPER_CLIENTS_CLI_COMMAND_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "policy/base/strings.h"
#include "policy/model/enums.h"

namespace bridgekeeper::cli {

// What a shell sees.
enum class ExitCode {
  kOk = 0,      // done, or allowed
  kFailed = 1,  // not done; standard error says why
  kUsage = 2,   // the command line makes no sense
  kDenied = 3,  // the answer is DENY
  kAsk = 4,     // the answer is ASK
};

struct Flag {
  enum class Kind {
    kSwitch,   // --yes
    kText,     // --app APP
    kTexts,    // --allow-connection ID..., or a positional that may repeat
    kInteger,  // --revision N, not negative
    kBool,     // --confirm-destructive=BOOL
    kChoice,   // --mode MODE: one of `choices`, in any spelling
  };

  std::string_view name;        // "--app"; a positional: "APP"
  std::string_view short_name;  // "-f" or empty
  Kind kind = Kind::kText;
  std::string_view value;  // what stands for the value in help: "APP"
  std::string_view help;   // one line, lower case, no full stop
  bool required = false;
  std::span<const std::string_view> (*choices)() = nullptr;

  bool positional() const { return !name.starts_with('-'); }
};

// The values of a command line, checked by their flags' kinds.
class Args {
 public:
  void Set(std::string_view name, std::vector<std::string> values) {
    values_.insert_or_assign(std::string(name), std::move(values));
  }

  bool Has(std::string_view name) const { return values_.contains(name); }

  // The value, or empty where the flag is not given.
  std::string Text(std::string_view name) const {
    const auto it = values_.find(name);
    return it == values_.end() || it->second.empty() ? "" : it->second.front();
  }
  std::vector<std::string> Texts(std::string_view name) const {
    const auto it = values_.find(name);
    return it == values_.end() ? std::vector<std::string>{} : it->second;
  }
  // REQUIRES for the next three: the flag has that kind.
  std::optional<int64_t> Integer(std::string_view name) const;
  std::optional<bool> Bool(std::string_view name) const {
    return Has(name) ? std::optional(Text(name) == "true") : std::nullopt;
  }
  template <typename E>
  std::optional<E> Choice(std::string_view name) const {
    return Has(name) ? ParseEnum<E>(Text(name)) : std::nullopt;
  }

 private:
  StringMap<std::vector<std::string>> values_;
};

class Context;

struct Command {
  std::string_view name;     // "policy put"
  std::string_view usage;    // what follows the name: "-f FILE|- [--app APP]"
  std::string_view summary;  // one line, lower case, no full stop
  std::string_view help;     // paragraphs
  // Two lines that run as they stand, given the objects that the tests' server has.
  std::array<std::string_view, 2> examples;
  std::span<const Flag> flags;
  // Errors: what the user must know; the message is shown as it is.
  absl::StatusOr<ExitCode> (*run)(Context& context);
};

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_COMMAND_H_
