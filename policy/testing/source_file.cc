// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/testing/source_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

namespace bridgekeeper {
namespace {

[[noreturn]] void Die(const std::string& path, std::string_view why) {
  std::cerr << "test data `" << path << "`: " << why
            << " (run from the source tree, or set BK_SOURCE_DIR)\n";
  std::abort();
}

}  // namespace

std::string SourceDir() {
  const char* dir = std::getenv("BK_SOURCE_DIR");
  return dir == nullptr ? "." : dir;
}

std::string ReadSourceFile(std::string_view path) {
  const std::string full = SourceDir() + "/" + std::string(path);
  std::ifstream in(full, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) Die(full, "cannot be read");
  return std::move(text).str();
}

std::vector<std::string> ListSourceFiles(std::string_view folder, std::string_view suffix) {
  const std::string full = SourceDir() + "/" + std::string(folder);
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& item : std::filesystem::directory_iterator(full, error)) {
    const std::string name = item.path().filename().string();
    if (name.ends_with(suffix)) paths.push_back(std::string(folder) + "/" + name);
  }
  if (error || paths.empty()) Die(full, "holds no such file");
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace bridgekeeper
