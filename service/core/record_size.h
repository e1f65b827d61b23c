// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// How large a record is on the wire, roughly: for cutting pages, snapshots and
// batches into pieces that a peer takes.

#ifndef BRIDGEKEEPER_SERVICE_CORE_RECORD_SIZE_H_
#define BRIDGEKEEPER_SERVICE_CORE_RECORD_SIZE_H_

#include <cstddef>

#include "store/api/store.h"

namespace bridgekeeper::service {

// Bytes of the record as a message, right within a few dozen bytes and ten percent.
size_t ApproximateBytes(const store::Record& record);

}  // namespace bridgekeeper::service

#endif  // BRIDGEKEEPER_SERVICE_CORE_RECORD_SIZE_H_
