// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Link is one client in front of one server: a BridgeCore, as the stdio bridge has it,
// with an Upstream behind it.
//
// Thread safety: used by the thread that runs the io_context.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_LINK_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_LINK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "absl/time/time.h"
#include "clients/bridge/config/config.h"
#include "clients/bridge/http/front.h"
#include "clients/bridge/http/judge_desk.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/list_shelf.h"
#include "clients/bridge/upstream/upstream.h"

namespace bridgekeeper::bridge {

class Link;

// Adds the counts of `from` to `to`.
void Add(const CoreStats& from, CoreStats& to);

// Where the tools of a server come from, for their pins (origin.h).
std::string OriginOf(const ServerConfig& config);

// One server of the configuration, and what every link to it needs. Links share it: one
// that has left the configuration goes with the last of them.
struct Server {
  // `judge_desk`: null where core_parts.judge is.
  Server(ServerConfig server_config, CoreParts core_parts, Upstream& server_upstream,
         JudgeDesk* judge_desk)
      : config(std::move(server_config)),
        origin(std::make_shared<const std::string>(OriginOf(config))),
        parts(std::move(core_parts)),
        upstream(server_upstream),
        desk(judge_desk) {}

  const ServerConfig config;
  const std::shared_ptr<const std::string> origin;  // CoreOptions::origin
  const CoreParts parts;
  Upstream& upstream;
  JudgeDesk* const desk;
  std::set<Link*> links;
  CoreStats ended_links;  // the counts of links that are gone
  ListShelf shelf;        // of the server's list, for all links

  // The counts of all links, and the requests that they have in flight.
  CoreStats Stats() const;
  size_t requests_in_flight() const;
};

struct LinkOptions {
  std::string session;  // names the client's session in reports; empty: it has none
  // What is asked of calls beyond the policy.
  bool read_only = false;
  Risk max_risk = Risk::kDestructive;
};

class Link : public Front, private Upstream::Client {
 public:
  // `listener` must outlive it.
  Link(boost::asio::io_context& io, std::shared_ptr<Server> server, Front::Listener& listener,
       LinkOptions options = {});
  ~Link() override;

  void FromClient(const Message& message, std::string_view line) override;
  // Its server's names have no prefix.
  std::optional<std::string> PrefixOf(std::string_view) const override { return ""; }
  void ListTools(std::string_view, const Message& message, std::string_view line) override {
    FromClient(message, line);
  }
  void OnPolicyChange() override;
  // A link has the one server for good.
  void OnServersChange(const std::vector<std::shared_ptr<Server>>&) override {}

  const Server& server() const { return *server_; }
  const CoreStats& stats() const { return core_.stats(); }
  size_t requests_in_flight() const { return core_.requests_in_flight(); }

 private:
  void OnServerFrame(const Frame& frame, const IdKey& related) override;
  // Sends what the core said.
  void Flush(const IdKey& related);
  void ArmTimer();
  void Judge(uint64_t ticket);

  const std::shared_ptr<Server> server_;
  Front::Listener& listener_;
  const bool is_shared_;  // by clients without a session
  const std::string name_at_desk_;
  BridgeCore core_;
  Output out_;
  boost::asio::steady_timer timer_;
  absl::Duration armed_ = absl::InfiniteDuration();
  Upstream::ClientId client_;
  // Ends what was posted once this is gone.
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_LINK_H_
