// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Channel is a connection to keeperd: where it is, how it proves itself and how we
// do. The programs of this project and those that embed the SDK all read the same
// addresses and the same environment through here.
//
//   address              how
//   https://HOST:PORT    TLS; the server is checked against KEEPER_CA, or against
//                        the system's roots where that is not set
//   unix:PATH            a Unix socket; its listener must be root or our own user, in
//                        a folder that nobody else may write to (runtime/unix_peer.h)
//   HOST:PORT            plaintext; loopback only, towards `keeperd --dev`
//
// Proxies of the environment are not used: a decision must not take a detour.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_H_
#define BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policy/base/secret.h"

namespace bridgekeeper::clients {

// Where keeperd listens unless it is told otherwise.
inline constexpr std::string_view kDefaultKeeperAddress = "127.0.0.1:7420";

struct KeeperAddress {
  enum class Kind { kTls, kUnix, kPlaintext };
  Kind kind = Kind::kPlaintext;
  std::string target;  // HOST:PORT, or the path of the socket
  friend bool operator==(const KeeperAddress&, const KeeperAddress&) = default;
};

// Reads an address of one of the three forms above.
//
// Errors:
//   kInvalidArgument - none of the forms, or plaintext to a host that is not
//                      loopback; the message says what to write instead.
absl::StatusOr<KeeperAddress> ParseKeeperAddress(std::string_view text);

struct ChannelOptions {
  std::string address{kDefaultKeeperAddress};  // KEEPER_ADDRESS
  Secret token;                                // KEEPER_TOKEN; sent as `authorization: Bearer ...`
  std::string token_file;  // KEEPER_TOKEN_FILE; white space around the token is dropped
  std::string ca_file;     // KEEPER_CA: PEM, with https:// only
  std::string cert_file;   // KEEPER_CERT: PEM, with https:// and key_file only
  std::string key_file;    // KEEPER_KEY: PEM
};

// Reads one variable of the environment; nullopt where it is not set.
using GetEnv = std::function<std::optional<std::string>(const char* name)>;

// Reads the variables named above. One that is set to nothing counts as not set.
ChannelOptions ChannelOptionsFromEnvironment(const GetEnv& get_env);

// The environment of this process. Not to be called while a thread changes it.
std::optional<std::string> ProcessEnvironment(const char* name);

class Channel {
 public:
  // Makes a channel; connects at the first call.
  //
  // Errors:
  //   kInvalidArgument    - options that do not fit together; the message names them.
  //   kNotFound           - a file that is named does not exist.
  //   kFailedPrecondition - a file cannot be read, is empty, or is somebody else's to change
  //                         (guarded_file.h).
  static absl::StatusOr<std::shared_ptr<Channel>> Create(const ChannelOptions& options);

  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // As given, for messages.
  const std::string& address() const;

  // Reads token_file again, so that a token can be replaced while a program runs.
  // Where that fails the token stays what it was.
  absl::Status ReloadToken();

  // What gRPC needs; channel_grpc.h.
  struct Rep;
  const Rep& rep() const { return *rep_; }

 private:
  explicit Channel(std::unique_ptr<Rep> rep);
  const std::unique_ptr<Rep> rep_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_CHANNEL_H_
