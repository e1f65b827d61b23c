// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// AllServers is a client's view of every server at once. It decides nothing: it finds
// the server that a message is for, and lets that server's Link do the rest.
//
//   initialize, ping   answered here; the servers hear of it when they are first needed
//   tools, prompts     listed together, in the order of the configuration, each name with
//                      its server's prefix. No prefix is the beginning of another one
//                      (config.h), so a prefix names one server and no name is taken apart.
//                      Every page of a server is read; the client gets one.
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
#include "absl/functional/function_ref.h"
#include "clients/bridge/http/front.h"
#include "clients/bridge/http/link.h"
#include "policy/base/strings.h"
#include "runtime/log.h"
#include "runtime/token_bucket.h"

namespace bridgekeeper::bridge {

// URIs and tasks that are remembered of one client, so that the next request about them
// finds its server.
inline constexpr size_t kMaxRemembered = 10'000;
// Bytes of them. What is not remembered is not shown, and the list, the log and a metric
// say so.
inline constexpr size_t kMaxRememberedBytes = 512 << 10;
// Lists of one client that are being gathered; one more is refused. There are five, and
// equal requests are answered from one gathering.
inline constexpr size_t kMaxGatherings = 16;
// The same of the clients without a session, who share one view.
inline constexpr size_t kMaxSharedGatherings = 256;

// What the views of all clients share; all of it must outlive them.
struct AllServersParts {
  const std::string& version;
  Logger& log;
  CoreStats& counts;  // of messages that end here, answered or rejected
};

class AllServers : public Front {
 public:
  // `io` and `listener` must outlive it. `session` names the client in reports.
  AllServers(boost::asio::io_context& io, std::vector<std::shared_ptr<Server>> servers,
             const AllServersParts& parts, std::string session, Front::Listener& listener);
  ~AllServers() override;

  void FromClient(const Message& message, std::string_view line) override;
  std::optional<std::string> PrefixOf(std::string_view tool) const override;
  void ListTools(std::string_view prefix, const Message& message, std::string_view line) override;
  void OnPolicyChange() override;
  void OnServersChange(const std::vector<std::shared_ptr<Server>>& servers) override;

 private:
  class Seat;

  // What one server has answered so far.
  struct Part {
    std::vector<std::string> pages;    // answers; one that failed alone
    std::vector<std::string> cursors;  // of the pages behind the first
    size_t bytes = 0;                  // of both
    bool is_whole = false;
  };

  // A request that every server has a part in.
  struct Gathering {
    struct Asker {
      std::string id_token;
      IdKey id;
    };
    std::vector<Asker> askers;
    std::string method;
    std::string params;  // of the clients' requests, JSON; empty: none
    // Something has changed since it began: who asks now wants another.
    bool is_old = false;
    std::string_view member;      // of the results: "tools"; empty: they hold nothing
    std::vector<size_t> servers;  // that have a part, in their order
    std::vector<Part> parts;      // by server
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
  void Gather(const Message& message, std::string_view member, std::vector<size_t> servers);
  void TakePart(uint64_t gathering, size_t server, std::string_view line);
  // The cursor of the page behind this one; empty: there is none that is asked for.
  std::string NextCursor(size_t server, const Message& page, const Part& part);
  void AskForPage(uint64_t gathering, size_t server);
  void FinishGathering(uint64_t gathering);
  void AgeGatherings();
  // Returns how many it leaves out.
  size_t AppendItems(size_t server, const Message& answer, std::string_view member,
                     std::string& list);
  void ToNamed(const Message& message);
  void ToOwnerOf(const Message& message, std::string_view line, const StringMap<size_t>& owners,
                 std::string_view key);
  void Complete(const Message& message, std::string_view line);
  void ToServer(size_t server, std::string_view line);
  void Send(size_t server, const Message& message, std::string_view line);
  void Say(std::string_view line, const IdKey& related = {});
  // Ends a message here.
  void End(Outcome outcome, std::string_view line);
  void Refuse(const Message& message, int code, std::string_view why);
  bool Remember(std::string_view key, size_t server, StringMap<size_t>& owners);
  void Forget(StringMap<size_t>& owners, absl::FunctionRef<bool(size_t)> of);
  void FromServer(size_t server, std::string_view line, const IdKey& related);
  void AskClient(size_t server, const Message& message, const IdKey& related);
  bool IsServed(size_t server) const;
  // False where enough has been said in the log of late.
  bool TakeLogToken(size_t server);
  // Lets go of servers that are gone once nothing of them is in flight.
  void Tidy();
  void TidyLater();
  std::optional<size_t> ServerOf(std::string_view name) const;
  Link& LinkTo(size_t server);

  boost::asio::io_context& io_;
  // Each has its place for as long as it is in use; null: the place is free.
  std::vector<std::shared_ptr<Server>> servers_;
  std::vector<size_t> order_;  // places of those that are served, in their order
  const AllServersParts parts_;
  const std::string session_;
  Front::Listener& listener_;
  std::vector<std::unique_ptr<Seat>> seats_;  // by server; null: not needed yet

  std::string initialize_params_;  // of the client, JSON; empty: it sent none
  bool initialized_ = false;
  // While the servers look at a changed policy: the client is told once of what they say.
  bool is_policy_change_ = false;
  bool was_told_of_policy_ = false;
  std::map<uint64_t, Gathering> gatherings_;
  absl::flat_hash_map<IdKey, Asked> asked_;
  absl::flat_hash_map<IdKey, AskedByServer> asked_by_server_;
  uint64_t last_id_ = 0;
  StringMap<size_t> uri_owners_;
  StringMap<size_t> task_owners_;
  size_t remembered_bytes_ = 0;
  TokenBucket log_budget_;
  const std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_HTTP_ALL_SERVERS_H_
