// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// CallFolder is a folder for what the engine of one call spills, below the system's own
// for temporary files. It is removed with the call. One whose process was killed stays:
// SweepCallFolders() removes it at the next start.
//
// Thread safety: a folder belongs to its call; SweepCallFolders() may run at any time.
// Source: mkdtemp(3), pid_namespaces(7).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_CALL_FOLDER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_CALL_FOLDER_H_

#include <string>

namespace bridgekeeper::bridge {

class CallFolder {
 public:
  CallFolder();
  ~CallFolder();
  CallFolder(const CallFolder&) = delete;
  CallFolder& operator=(const CallFolder&) = delete;

  const std::string& path() const { return path_; }  // empty: it could not be made

 private:
  std::string path_;
};

// Removes the folders of calls whose process is gone: those of our own user that a process
// of our own PID namespace made, since of others nobody can say whether they run.
void SweepCallFolders();

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_CALL_FOLDER_H_
