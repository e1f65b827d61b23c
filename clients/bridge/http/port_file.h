// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PortFile tells the clients of data-studio where a desktop app listens: a file
// `mcp-port` in the app's data folder, the port in decimal.
//
// Source: @geek-fun/data-studio-mcp 0.1.12, discovery: the folder is
// HOME/.local/share/BUNDLE, where HOME is DATA_STUDIO_DATA_DIR if that is set.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PORT_FILE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PORT_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "clients/bridge/config/config.h"

namespace bridgekeeper::bridge {

class PortFile {
 public:
  // Writes the file. One that names a port where nobody listens is replaced.
  //
  // Errors:
  //   kAlreadyExists      - the file names a port where somebody listens.
  //   kFailedPrecondition - there is no home folder.
  //   kInternal           - anything else that the system says.
  static absl::StatusOr<std::unique_ptr<PortFile>> Write(Announce app, uint16_t port);

  // Removes the file, unless it is no longer ours.
  ~PortFile();
  PortFile(const PortFile&) = delete;
  PortFile& operator=(const PortFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  PortFile(std::string path, std::string text);

  const std::string path_;
  const std::string text_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_PORT_FILE_H_
