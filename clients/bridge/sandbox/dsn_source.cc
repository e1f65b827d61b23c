// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/dsn_source.h"

#include <cstdlib>
#include <string_view>

#include "absl/strings/str_format.h"
#include "policy/base/status_macros.h"
#include "runtime/guarded_file.h"

namespace bridgekeeper::bridge {
namespace {

std::string Trimmed(std::string_view text) {
  constexpr std::string_view kWhiteSpace = " \t\r\n";
  const size_t begin = text.find_first_not_of(kWhiteSpace);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kWhiteSpace) - begin + 1));
}

}  // namespace

absl::StatusOr<DsnSource> DsnSource::Variable(const std::string& name) {
  const char* value = getenv(name.c_str());
  if (value == nullptr || Trimmed(value).empty()) {
    return absl::NotFoundError(
        absl::StrFormat("the environment has no variable `%s`, or an empty one", name));
  }
  return DsnSource({}, Secret(Trimmed(value)));
}

absl::StatusOr<Secret> DsnSource::Read() const {
  if (path_.empty()) return value_;
  BK_ASSIGN_OR_RETURN(const std::string text, ReadGuardedFile(path_, kMaxDsnBytes));
  std::string dsn = Trimmed(text);
  if (dsn.empty()) return absl::InvalidArgumentError("the file of the connection is empty");
  return Secret(std::move(dsn));
}

}  // namespace bridgekeeper::bridge
