// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Front is what one client talks to: a server with its own names, or all servers with
// prefixed ones.
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_FRONT_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_FRONT_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clients/bridge/mcp/message.h"

namespace bridgekeeper::bridge {

struct Server;

class Front {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    // A message for the client, one line without its end. `related`: the client's request
    // that it is about, as IdKey; empty: none, or not known. An answer names its request
    // itself.
    virtual void ToClient(std::string_view line, const IdKey& related) = 0;
  };

  virtual ~Front() = default;

  // A message of the client: `line` is what `message` was read from. May call the
  // listener before it returns.
  virtual void FromClient(const Message& message, std::string_view line) = 0;

  // The server that a call of `tool` goes to, by the prefix of its names here; nullopt:
  // there is none such.
  virtual std::optional<std::string> PrefixOf(std::string_view tool) const = 0;
  // FromClient() of a tools/list that the server with this prefix alone has a part in.
  virtual void ListTools(std::string_view prefix, const Message& message,
                         std::string_view line) = 0;

  // The policy of an app that this is about may have changed.
  virtual void OnPolicyChange() = 0;

  // These are the servers from now on. What is in flight ends at the server that has it.
  virtual void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) = 0;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_FRONT_H_
