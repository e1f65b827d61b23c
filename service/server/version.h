// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Which program this is.

#ifndef BRIDGEKEEPER_SERVICE_SERVER_VERSION_H_
#define BRIDGEKEEPER_SERVICE_SERVER_VERSION_H_

#include <string_view>

namespace bridgekeeper::service {

// "0.1.0".
std::string_view Version();

// Source revision that it was built from; empty: not known.
std::string_view Build();

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_SERVER_VERSION_H_
