// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Session is what keeper has of the world: main.cc fills it with the process's own,
// tests with strings. Context is a session with one command line parsed.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_CONTEXT_H_
#define BRIDGEKEEPER_CLIENTS_CLI_CONTEXT_H_

#include <functional>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/cli/client.h"
#include "clients/cli/command.h"
#include "clients/sdk/channel.h"
#include "policy/text/value.h"

namespace bridgekeeper::cli {

struct Session {
  std::istream& in;
  std::ostream& out;  // what was asked for
  std::ostream& err;  // everything said on the way
  // A person reads `err` and answers on `in`.
  bool interactive = false;
  clients::GetEnv get_env;
  // Errors: kNotFound and others, naming the file.
  std::function<absl::StatusOr<std::string>(const std::string& path)> read_file;
  // Lets a person change `text` and returns what became of it.
  std::function<absl::StatusOr<std::string>(const std::string& text)> edit;
};

enum class Format { kTable, kJson, kYaml };

// A table for people. Cells are escaped here: they may come from outside.
class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}
  void Add(std::vector<std::string> row);
  // Columns two spaces apart, trailing spaces dropped.
  void Print(std::ostream& out) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

class Context {
 public:
  Context(Session& session, Args args, Format format, clients::ChannelOptions channel,
          absl::Duration timeout)
      : session_(session),
        args_(std::move(args)),
        format_(format),
        channel_(std::move(channel)),
        timeout_(timeout) {}

  const Args& args() const { return args_; }
  std::ostream& out() { return session_.out; }
  std::ostream& err() { return session_.err; }
  Session& session() { return session_; }

  // True where people read the output: then a command prints a table or text of its
  // own. Else it prints one Value.
  bool for_people() const { return format_ == Format::kTable; }
  void Print(const Value& value);
  // "note: ..." and "warning: ..." on standard error; `text` is escaped.
  void Note(std::string_view text);
  void Warn(std::string_view text);

  // The client of this command. Made at first use, so that what needs no server
  // says so before one is looked for.
  absl::StatusOr<Client*> client();

  // The whole file, or standard input for "-".
  absl::StatusOr<std::string> ReadInput(const std::string& path);

  // Asks for a yes. With --yes: true. Where nobody can be asked: an error.
  absl::StatusOr<bool> Confirm(std::string_view question);

  // Who makes the change, for the history: the user's name, as the environment says.
  std::string Author() const;

 private:
  Session& session_;
  const Args args_;
  const Format format_;
  const clients::ChannelOptions channel_;
  const absl::Duration timeout_;
  std::unique_ptr<Client> client_;
};

// An error of the command line, exit code 2.
absl::Status UsageError(std::string_view text);
bool IsUsageError(const absl::Status& status);

// Adds what to do about it; printed on a line of its own.
absl::Status WithHelp(absl::Status status, std::string_view help);
std::string HelpOf(const absl::Status& status);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_CONTEXT_H_
