// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/golden.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "absl/strings/str_format.h"

namespace bridgekeeper::support {
namespace {

constexpr size_t kShownLines = 10;

std::vector<std::string> Lines(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace

std::string GoldenDifference(const std::string& path, std::string_view got) {
  const char* const root = std::getenv("BK_SOURCE_DIR");
  const std::string file = (root == nullptr ? "." : std::string(root)) + "/" + path;
  if (const char* update = std::getenv("BK_UPDATE_GOLDEN");
      update != nullptr && std::string_view(update) == "1") {
    std::ofstream(file, std::ios::binary) << got;
    return "";
  }
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return absl::StrFormat("cannot read %s: run the test with BK_UPDATE_GOLDEN=1 to write it",
                           path);
  const std::string want{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (want == got) return "";

  const std::vector<std::string> got_lines = Lines(got);
  const std::vector<std::string> want_lines = Lines(want);
  size_t first = 0;
  while (first < got_lines.size() && first < want_lines.size() &&
         got_lines[first] == want_lines[first])
    ++first;
  std::string out = absl::StrFormat("%s differs from line %d (BK_UPDATE_GOLDEN=1 rewrites it):\n",
                                    path, first + 1);
  for (size_t i = first; i < std::min(want_lines.size(), first + kShownLines); ++i)
    out += "-" + want_lines[i] + "\n";
  for (size_t i = first; i < std::min(got_lines.size(), first + kShownLines); ++i)
    out += "+" + got_lines[i] + "\n";
  return out;
}

}  // namespace bridgekeeper::support
