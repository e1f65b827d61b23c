// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/cli/context.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "policy/base/strings.h"
#include "policy/text/document.h"
#include "proto/convert/limits.h"

namespace bridgekeeper::cli {
namespace {

constexpr char kUsagePayload[] = "keeper/usage";
constexpr char kHelpPayload[] = "keeper/help";

// What a terminal shows of UTF-8 text: characters. (Wide ones count as one; a table
// may then be ragged, never wrong.)
size_t Width(std::string_view text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

}  // namespace

std::optional<int64_t> Args::Integer(std::string_view name) const {
  if (!Has(name)) return std::nullopt;
  const std::string text = Text(name);
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(),
                  value);  // checked when the line was parsed
  return value;
}

void Table::Add(std::vector<std::string> row) {
  for (std::string& cell : row) cell = EscapeForPeople(cell);
  row.resize(header_.size());
  rows_.push_back(std::move(row));
}

void Table::Print(std::ostream& out) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < header_.size(); ++i) {
    size_t width = Width(header_[i]);
    for (const auto& row : rows_) width = std::max(width, Width(row[i]));
    widths.push_back(width);
  }
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      line.append(widths[i] - Width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print(header_);
  for (const auto& row : rows_) print(row);
}

void Context::Print(const Value& value) {
  session_.out << (format_ == Format::kJson ? ToJson(value) : ToYaml(value));
}

void Context::Note(std::string_view text) {
  session_.err << "note: " << EscapeForPeople(text) << '\n';
}
void Context::Warn(std::string_view text) {
  session_.err << "warning: " << EscapeForPeople(text) << '\n';
}

absl::StatusOr<Client*> Context::client() {
  if (client_ == nullptr) {
    BK_ASSIGN_OR_RETURN(client_, Client::Create(channel_, timeout_));
  }
  return client_.get();
}

absl::StatusOr<std::string> Context::ReadInput(const std::string& path) {
  if (path != "-") return session_.read_file(path);
  // One byte more than any document may have, so that it is refused and not cut.
  std::string text;
  char buffer[4096];
  while (text.size() <= kMaxDocumentBytes &&
         (session_.in.read(buffer, sizeof buffer) || session_.in.gcount() > 0)) {
    text.append(buffer, static_cast<size_t>(session_.in.gcount()));
  }
  return text;
}

absl::StatusOr<bool> Context::Confirm(std::string_view question) {
  if (args_.Has("--yes")) return true;
  if (!session_.interactive) {
    return WithHelp(absl::FailedPreconditionError("this needs a yes, and nobody can be asked"),
                    "run it on a terminal, or give --yes");
  }
  session_.err << EscapeForPeople(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(session_.in, answer);
  answer = AsciiLower(answer);
  return answer == "y" || answer == "yes";
}

std::string Context::Author() const {
  const std::string user = session_.get_env("USER").value_or("");
  return user.size() <= convert::kMaxAuthorBytes && !FirstInvalidUtf8(user) ? user : "";
}

absl::Status UsageError(std::string_view text) {
  absl::Status status = absl::InvalidArgumentError(AsAbsl(text));
  status.SetPayload(kUsagePayload, absl::Cord());
  return status;
}

bool IsUsageError(const absl::Status& status) {
  return status.GetPayload(kUsagePayload).has_value();
}

absl::Status WithHelp(absl::Status status, std::string_view help) {
  if (!status.ok()) status.SetPayload(kHelpPayload, absl::Cord(AsAbsl(help)));
  return status;
}

std::string HelpOf(const absl::Status& status) {
  if (const auto help = status.GetPayload(kHelpPayload)) return std::string(*help);
  if (absl::IsPermissionDenied(status)) {
    return "changes need the admin token: set KEEPER_TOKEN or KEEPER_TOKEN_FILE; `keeperd --dev` "
           "prints it when it "
           "starts on a terminal";
  }
  if (absl::IsDeadlineExceeded(status)) {
    return "look with a `get` or `history` whether a change was made; --timeout gives it longer";
  }
  if (absl::IsDataLoss(status)) {
    return "a stored record is damaged: see keeperd's log, and restore from a backup";
  }
  return "";
}

}  // namespace bridgekeeper::cli
