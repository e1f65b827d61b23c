// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/vectors/faces/face.h"

namespace bridgekeeper::tests {

const std::vector<NamedFace>& Faces() {
  static const std::vector<NamedFace>* const faces = [] {
    auto* made = new std::vector<NamedFace>;
    made->push_back({"Grpc", MakeGrpcFace()});
    return made;
  }();
  return *faces;
}

}  // namespace bridgekeeper::tests
