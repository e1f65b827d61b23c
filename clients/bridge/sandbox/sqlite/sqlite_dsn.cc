// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/sqlite/sqlite_dsn.h"

#include <cstddef>

namespace bridgekeeper::bridge {

absl::StatusOr<SqliteFile> ParseSqliteDsn(std::string_view dsn) {
  SqliteFile file;
  std::string_view parameter;
  if (dsn.starts_with("file:")) {
    dsn.remove_prefix(5);
    const size_t question = dsn.find('?');
    if (question != std::string_view::npos) {
      parameter = dsn.substr(question + 1);
      dsn = dsn.substr(0, question);
    }
  }
  file.immutable = parameter == "immutable=1";
  file.side_files = parameter == "side_files=allowed";
  if (!parameter.empty() && !file.immutable && !file.side_files) {
    return absl::InvalidArgumentError(
        "got another parameter, want `immutable=1` or `side_files=allowed`");
  }
  if (!dsn.starts_with('/')) return absl::InvalidArgumentError("want an absolute path");
  file.path = std::string(dsn);
  return file;
}

}  // namespace bridgekeeper::bridge
