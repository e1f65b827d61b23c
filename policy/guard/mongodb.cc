// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/mongodb.h"

#include <utility>

#include "policy/guard/judgement_builder.h"
#include "policy/guard/mongodb/extended_json.h"
#include "policy/guard/mongodb/inventory.h"
#include "policy/guard/mongodb/walk.h"

namespace bridgekeeper {

Judgement JudgeMongodb(JsonValue command, const JudgeOptions& options) {
  using Error = Judgement::Error;
  const size_t begin = command.offset();
  if (command.size() == 0) return JudgementError(Error::kEmpty, "got no command");
  if (auto found = mongodb::FindUnreadable(command)) {
    return JudgementError(Error::kUnreadable, std::move(found->message), 0,
                          found->at.offset() - begin);
  }
  if (mongodb::FindField(mongodb::CommonFields(), (*command.begin()).key()) != nullptr) {
    return JudgementError(Error::kUnreadable, "got a field before the name of the command", 0, 0);
  }
  JudgementBuilder found;
  mongodb::Walker(options, begin, found).JudgeCommand(command);
  return std::move(found).Finish(1);
}

}  // namespace bridgekeeper
