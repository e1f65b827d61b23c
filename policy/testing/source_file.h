// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Test data that lies in the source tree.

#ifndef BRIDGEKEEPER_POLICY_TESTING_SOURCE_FILE_H_
#define BRIDGEKEEPER_POLICY_TESTING_SOURCE_FILE_H_

#include <string>
#include <string_view>
#include <vector>

namespace bridgekeeper {

// The folder of the source tree: BK_SOURCE_DIR of the environment, which ctest
// sets, else the working folder.
std::string SourceDir();

// The bytes of a file named relative to SourceDir(). Ends the process where it
// cannot be read: a test without its data must not pass.
std::string ReadSourceFile(std::string_view path);

// Paths, relative to SourceDir(), of the files of a folder whose names end in
// `suffix`; sorted. Ends the process where there is none.
std::vector<std::string> ListSourceFiles(std::string_view folder, std::string_view suffix);

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_TESTING_SOURCE_FILE_H_
