// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// AllServers is a client's view of every server at once. It decides nothing: it finds
// the server that a message is for, and lets that server's Link do the rest.
//
//   initialize, ping   answered here; the servers hear of it when they are first needed
//   tools, prompts     listed together, in the order of the configuration, each name with
//                      its server's prefix. No prefix is the beginning of another one
//                      (config.h), so a prefix names one server and no name is taken apart.
//   resources          listed together; a URI is for the server that listed it first
//   tasks              for the server that made them
//   what a server asks gets an id of ours on its way to the client
//
// The servers may change: those that stay keep their links, one that is gone ends what it
// has in flight and is asked nothing more, and the client is told that its lists changed.
//
// A tool whose name with its prefix is too long or ill-formed is left out and logged.
//
// Thread safety: used by the thread that runs the io_context.
// Source: MCP 2025-06-18 and 2025-11-25, tools, prompts, resources.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_ALL_SERVERS_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_ALL_SERVERS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "absl/container/flat_hash_map.h"
#include "clients/bridge/http/front.h"
#include "clients/bridge/http/link.h"
#include "policy/base/strings.h"
#include "runtime/log.h"

namespace bridgekeeper::bridge {

// URIs and tasks that are remembered of one client, so that the next request about them
// finds its server.
inline constexpr size_t kMaxRemembered = 10'000;

class AllServers : public Front {
 public:
  // What is named must outlive it.
  AllServers(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
             std::string version, Logger& log, Front::Listener& listener);
  ~AllServers() override;

  void FromClient(const Message& message, std::string_view line) override;
  void OnPolicyChange() override;
  void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) override;

 private:
  class Seat;

  // A request that every server has a part in.
  struct Gathering {
    std::string id_token;
    IdKey id;
    std::string_view member;      // of the results: "tools"; empty: they hold nothing
    std::vector<size_t> servers;  // that have a part, in their order
    std::vector<std::optional<std::string>> parts;  // answers by server, once they are there
    size_t missing = 0;
  };

  // A request of the client that one server has.
  struct Asked {
    size_t server;
  };

  // A request of a server that the client has.
  struct AskedByServer {
    size_t server;
    std::string id_token;  // the server's
    IdKey id;
  };

  void OnRequest(const Message& message, std::string_view line);
  void OnNotification(const Message& message, std::string_view line);
  void OnAnswer(const Message& message, std::string_view line);
  void AnswerInitialize(const Message& message, std::string_view line);
  void Gather(const Message& message, std::string_view member);
  void TakePart(uint64_t gathering, size_t server, std::string_view line);
  void FinishGathering(uint64_t gathering);
  void AppendItems(size_t server, const Message& answer, std::string_view member,
                   std::string& list);
  void ToNamed(const Message& message);
  void ToOwnerOf(const Message& message, std::string_view line, const StringMap<size_t>& owners,
                 std::string_view key);
  void Complete(const Message& message, std::string_view line);
  void ToServer(size_t server, std::string_view line);
  void Send(size_t server, const Message& message, std::string_view line);
  void Say(std::string_view line, const IdKey& related = {});
  void FromServer(size_t server, std::string_view line, const IdKey& related);
  void AskClient(size_t server, const Message& message, const IdKey& related);
  bool IsServed(size_t server) const;
  // Lets go of servers that are gone once nothing of them is in flight.
  void Tidy();
  void TidyLater();
  std::optional<size_t> ServerOf(std::string_view name) const;
  Link& LinkTo(size_t server);

  boost::asio::io_context& io_;
  // Each has its place for as long as it is in use; null: the place is free.
  std::vector<std::shared_ptr<Server>> servers_;
  std::vector<size_t> order_;  // places of those that are served, in their order
  const std::string version_;
  Logger& log_;
  Front::Listener& listener_;
  std::vector<std::unique_ptr<Seat>> seats_;  // by server; null: not needed yet

  std::string initialize_params_;  // of the client, JSON; empty: it sent none
  bool initialized_ = false;
  std::map<uint64_t, Gathering> gatherings_;
  absl::flat_hash_map<IdKey, Asked> asked_;
  absl::flat_hash_map<IdKey, AskedByServer> asked_by_server_;
  uint64_t last_id_ = 0;
  StringMap<size_t> uri_owners_;
  StringMap<size_t> task_owners_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_ALL_SERVERS_H_
