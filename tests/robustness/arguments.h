// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The command line of the tests in this folder.

#ifndef BRIDGEKEEPER_TESTS_ROBUSTNESS_ARGUMENTS_H_
#define BRIDGEKEEPER_TESTS_ROBUSTNESS_ARGUMENTS_H_

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>

namespace bridgekeeper::store {

struct Arguments {
  int rounds = 20;
  // Printed by each test, so that a failed run can be repeated.
  uint64_t seed = 0;
};

// Reads --rounds=N and --seed=N, and picks a seed where none is given. Ends the process
// at anything else.
inline Arguments ParseArguments(int argc, char** argv) {
  Arguments out;
  bool has_seed = false;
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text.starts_with("--rounds=")) {
      out.rounds = std::atoi(argv[i] + sizeof("--rounds=") - 1);
    } else if (text.starts_with("--seed=")) {
      out.seed = std::strtoull(argv[i] + sizeof("--seed=") - 1, nullptr, 10);
      has_seed = true;
    } else {
      std::fprintf(stderr, "got `%s`, want --rounds=N or --seed=N\n", argv[i]);
      std::exit(2);
    }
  }
  if (!has_seed) out.seed = std::random_device{}();
  return out;
}

// A path in the test's own folder.
inline std::string TemporaryPath(const std::string& name) {
  const char* tmp = std::getenv("TEST_TMPDIR");
  return std::string(tmp != nullptr ? tmp : "/tmp") + "/" + name;
}

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_TESTS_ROBUSTNESS_ARGUMENTS_H_
