// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/judge.h"

namespace bridgekeeper {

JudgeOptions JudgeOptions::From(const ConnectionRecord& record) {
  JudgeOptions options;
  options.safe_functions = record.safe_functions;
  options.databases = record.databases;
  options.allow_sensitive_reads = record.allow_sensitive_reads;
  options.sql_mode = record.sql_mode;
  options.standard_conforming_strings = record.standard_conforming_strings;
  return options;
}

}  // namespace bridgekeeper
