// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/server/version.h"

namespace bridgekeeper::service {

std::string_view Version() { return BK_VERSION; }
std::string_view Build() { return BK_BUILD; }

}  // namespace bridgekeeper::service
