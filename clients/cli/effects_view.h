// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Shows what a payload does, with a caret under each place.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_EFFECTS_VIEW_H_
#define BRIDGEKEEPER_CLIENTS_CLI_EFFECTS_VIEW_H_

#include <ostream>
#include <span>
#include <string_view>

#include "policy/model/decision.h"

namespace bridgekeeper::cli {

// Prints each effect: its risk, kind, object and why; below it, where `text` (the
// payload as it was judged; empty: not at hand) holds its position, the line of
// text with a caret. `text` may be anything: it is escaped.
void PrintEffects(std::string_view text, std::span<const Effect> effects, std::ostream& out);

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_EFFECTS_VIEW_H_
