// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// BridgeCore is what a stdio bridge does, without its pipes: frames of the client
// and of the server go in, lines for either come out. It translates and obeys: every
// verdict is policy/engine's.
//
// A message ends in exactly one of these, counted by that name:
//   forwarded  to the other side: as the very bytes that were judged, or, for the
//              answers that the policy changes, with only those members changed;
//   answered   here: a denial, a list of tools, an answer to a request of our own;
//   rejected   malformed, unknown, or a method that does not pass.
//
// A request waits here for three things only: for the first copy of the policy (at
// most `policy_wait`, once), for the server's list of tools, without which neither pins
// nor hints of a call are known (at most kListTimeout), and a call, where that is done
// elsewhere, for its payload to be judged, and for the answer of the client's user, where
// the policy wants one (at most kAnswerTime; consent.h). A cancellation reaches a request
// that waits.
//
// Both eras of MCP are served: sessions that begin with `initialize`, and requests
// that carry all they need in `_meta` (2026-07-28). The era is a property of each
// request.
//
// Thread safety: used by one thread at a time.
// Source: MCP 2024-11-05 to 2026-07-28; methods.h has the table of methods.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_H_

#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/time/time.h"
#include "clients/bridge/mcp/consent.h"
#include "clients/bridge/mcp/framer.h"
#include "clients/bridge/mcp/judging.h"
#include "clients/bridge/mcp/list_shelf.h"
#include "clients/bridge/mcp/message.h"
#include "clients/bridge/mcp/observer.h"
#include "clients/bridge/mcp/tool_list.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "policy/engine/engine.h"
#include "runtime/id_source.h"
#include "runtime/log.h"
#include "runtime/token_bucket.h"

namespace bridgekeeper::bridge {

// Requests of one side that the other has not answered yet; one more is refused.
inline constexpr size_t kMaxRequestsInFlight = 1024;
// Bytes of requests that wait here; what does not fit is refused.
inline constexpr size_t kMaxHeldBytes = 32 << 20;
// Tasks that are remembered of each side; the oldest is forgotten first.
inline constexpr size_t kMaxTasks = 10'000;
// Longest id of a task that is remembered.
inline constexpr size_t kMaxTaskIdBytes = 1024;
// Largest metadata of a stateless client that requests of our own carry on.
inline constexpr size_t kMaxMetaBytes = 64 << 10;
// How long the server may take for one reading of its whole list.
inline constexpr absl::Duration kListTimeout = absl::Seconds(30);
// How old the list may be when a call is decided: with an older one it is read again beside
// the call, since a server may change its tools and not say so.
inline constexpr absl::Duration kListRefresh = absl::Seconds(30);

struct CoreOptions {
  AppId app;
  ServerId server;
  // The connection that the server is fixed to, and its type; empty: not known.
  std::optional<ConnectionId> connection;
  std::string connection_type;
  // The argument of the server's tools that names their connection, where it is not
  // fixed; empty: only the catalogue says.
  std::string connection_argument;
  bool builtin_catalog = false;
  bool read_only = false;
  // Names the session of the client in reports; empty: it has none.
  std::string session;
  // A call of a higher effective risk is READ_ONLY_BRIDGE; kDestructive: none is.
  Risk max_risk = Risk::kDestructive;
  absl::Duration policy_wait = absl::Seconds(3);
  // Payloads are given out in Output::to_judge, instead of being judged at once.
  bool judges_elsewhere = false;
  // Where the server's tools come from (origin.h), for their pins; null: not known.
  std::shared_ptr<const std::string> origin;
};

// How a call on such a database ended, where that was not for what its text says.
enum class DatabaseFault : uint8_t {
  kDied,         // the engine did not survive the statement
  kOutOfMemory,  // it came to its limit of memory
  kLate,         // the call came to its limit of time
  kUnavailable,  // the database cannot be reached, or its session is not as it must be
  kFull,         // too many calls on it are running
};
inline constexpr DatabaseFault kAllDatabaseFaults[] = {
    DatabaseFault::kDied, DatabaseFault::kOutOfMemory, DatabaseFault::kLate,
    DatabaseFault::kUnavailable, DatabaseFault::kFull};
std::string_view Name(DatabaseFault fault);  // "died", "out_of_memory", ...

// Databases that the bridge serves itself, as far as deciding goes. Such a server
// honours every obligation.
class OwnDatabases {
 public:
  virtual ~OwnDatabases() = default;

  // The type of a connection, which names its dialect; nullopt: there is none such.
  virtual std::optional<std::string_view> TypeOf(std::string_view connection) const = 0;

  // Why a call that the policy lets pass cannot run there; kUnspecified: it can.
  // `judgement`: null where no payload was judged.
  virtual ReasonCode Refusal(const CompiledPolicy& policy, std::string_view tool,
                             const Decision& decision, const Judgement* judgement) const = 0;

  // Functions that count as harmless on a connection, besides those of its record.
  virtual const std::set<std::string>& SafeFunctionsOf(std::string_view connection) const = 0;

  // nullopt: `result` tells of none.
  virtual std::optional<DatabaseFault> FaultOf(JsonValue result) const = 0;

  // Where the database's own catalogue showed that a call does more than its text says, so
  // that it did not run: what it does. nullopt: `result` says nothing of the kind.
  virtual std::optional<Judgement> FoundInCatalogue(JsonValue result) const = 0;
};

// What a core works with; all of it must outlive the core.
struct CoreParts {
  clients::PolicySource& policies;
  const PayloadJudge* judge;  // null: payloads are not judged
  const Clock& clock;
  IdSource& ids;
  Logger& log;
  std::vector<BridgeObserver*> observers;
  // Shared with the other cores in front of the same server; null: the core has its own.
  ListShelf* shelf = nullptr;
  const OwnDatabases* own_databases = nullptr;  // null: the server is another program
};

// What is to be done: whole lines to be sent, each with its end.
struct Output {
  std::string to_client;
  std::string to_server;
  // Tickets of calls that wait for their PayloadOf() to be judged: OnJudged() is to be
  // called for each that has one.
  std::vector<uint64_t> to_judge;
};

enum class Peer : uint8_t { kClient, kServer };
enum class Outcome : uint8_t { kForwarded, kAnswered, kRejected };
std::string_view Name(Peer peer);        // who sent a message: "client", "server"
std::string_view Name(Outcome outcome);  // "forwarded", "answered", "rejected"

struct CoreStats {
  // Messages by sender and by how they ended.
  std::array<std::array<uint64_t, 3>, 2> messages = {};
  // Requests for a method that does not pass, of either side.
  uint64_t methods_refused = 0;
  uint64_t timeouts = 0;           // calls that `limits.timeout` ended
  uint64_t results_too_large = 0;  // results that `limits.max_bytes` kept back
  // Calls on databases of ours, by DatabaseFault.
  std::array<uint64_t, std::size(kAllDatabaseFaults)> database_faults = {};
  uint64_t list_changes_sent = 0;  // because the policy changed
  uint64_t lists_read = 0;         // whole lists of the server
  uint64_t list_failures = 0;      // readings that failed
  uint64_t items_left_out = 0;     // of lists of all servers: see AllServers
  // Questions to the client's user, and how they ended. Without sessions one that nobody
  // answers is in none of the last four.
  uint64_t questions_asked = 0;
  uint64_t questions_accepted = 0;
  uint64_t questions_declined = 0;  // or answered with an error
  uint64_t questions_expired = 0;
  uint64_t answers_invalid = 0;  // for another call, used, expired, or not asked for
};

class BridgeCore {
 public:
  BridgeCore(CoreOptions options, CoreParts parts);
  ~BridgeCore();
  BridgeCore(const BridgeCore&) = delete;
  BridgeCore& operator=(const BridgeCore&) = delete;

  // What goes out is appended to `out`.
  void OnClientFrame(const Frame& frame, Output& out);
  void OnServerFrame(const Frame& frame, Output& out);

  // What is to be judged for `ticket`; nullopt: nobody waits for it any more, as after a
  // cancellation or the end of the server.
  std::optional<PayloadToJudge> PayloadOf(uint64_t ticket);
  // nullopt: there was no time for it.
  void OnJudged(uint64_t ticket, std::optional<Judgement> judgement, Output& out);

  // To be called after the policy source said that this app changed.
  void OnPolicyChange(Output& out);

  // When OnTime() is to be called next (Clock::SinceBoot()); infinite: never.
  absl::Duration next_deadline() const;
  void OnTime(Output& out);

  // The client says nothing more, but still reads: what it was asked stays unanswered.
  void OnClientInputEnd(Output& out);

  // The server is gone; `how` says so in a few words. Everything that waits for it is
  // answered with an error, as is every request from now on.
  void OnServerEnd(std::string_view how, Output& out);

  // Requests of the client that are not answered yet.
  size_t requests_in_flight() const { return pending_.size(); }
  // The same without subscriptions, which are answered when they end.
  size_t answers_due() const;
  const CoreStats& stats() const { return stats_; }

  // Whether a question of ours to the client is open.
  bool has_questions() const { return !questions_.empty(); }
  // The call that a question of ours to the client is about; null: `id` is none that is
  // open.
  const IdKey* CallOfQuestion(const IdKey& id) const;

 private:
  // What a request has already waited for; it does not wait for that again.
  enum class Waited : uint8_t { kForNothing, kForPolicy, kForList };

  // A request of the client that is not answered yet.
  struct Pending {
    enum class Use : uint8_t {
      kWaiting,     // not sent on: see Held and list_waiters_
      kPlain,       // its answer passes as it is
      kInitialize,  // initialize, server/discover
      kCall,        // a tool call
      kTask,        // about a task
      kListen,      // subscriptions/listen
    };
    Use use = Use::kPlain;
    std::string id_token;
    uint64_t ticket = 0;  // kWaiting: names this wait, should the id be used again
    bool stateless = false;
    std::string tool;         // kCall, kTask
    std::string decision_id;  // kCall, kTask
    // kCall on a database of ours, which may refuse it still: told to the observers when
    // the call ends.
    std::shared_ptr<const DecidedCall> decided;
    std::optional<int64_t> max_bytes;
    std::optional<absl::Duration> timeout;
    absl::Duration deadline = absl::InfiniteDuration();
    bool wants_tool_changes = false;  // kListen
    std::string task;                 // kTask: its id
    bool ends_task = false;           // kTask: the answer is what came of it
  };

  // A request that waits here.
  struct Waiter {
    IdKey id;
    uint64_t ticket = 0;
  };
  // What a person said of a call.
  struct Answer {
    bool accepted = false;
    std::string binding;
  };
  // A request that waits, to be looked at again as it came.
  struct Held {
    Waiter waiter = {};
    std::string line = {};
    std::optional<Answer> answer = std::nullopt;
  };
  // A question to the client's user that is open.
  struct Question {
    Held call;
    std::string binding;
    absl::Duration deadline;
  };

  // A call whose payload is being judged.
  struct Judging {
    Held call;
    Waited waited;
    absl::Duration begin;  // of deciding
    PayloadToJudge payload;
    int times = 1;  // that a payload of this call was given out
  };
  // What came of it.
  struct Judged {
    const Judging& judging;
    const std::optional<Judgement>& judgement;
  };

  // A task that the server made of a call that was decided here.
  struct Task {
    std::string tool;
    std::string decision_id;
    std::optional<int64_t> max_bytes;
    std::optional<absl::Duration> timeout;
    absl::Duration deadline = absl::InfiniteDuration();  // infinite once it has ended
  };

  // One reading of the server's list, page by page.
  struct ListReading {
    IdKey request;  // for the page that is being waited for
    UpstreamToolList list;
    std::string pages;  // names those that were read, as ListShelf does
    absl::Duration deadline;
    bool changed_meanwhile = false;
  };

  // core.cc
  void Count(Peer sender, Outcome outcome);
  void RejectClientFrame(const Refusal& refusal, Output& out);
  void RejectServerFrame(const Refusal& refusal, std::string_view text, Output& out);
  void EndRefusedAnswer(const IdKey& id, std::string_view why, Output& out);
  void EndPending(absl::flat_hash_map<IdKey, Pending>::iterator it);
  void TimeOut(const IdKey& id, Output& out);
  bool TakeLogToken() { return log_budget_.Take(parts_.clock.SinceBoot()); }
  std::string NextOwnId();
  // True for ids of requests of ours to the server, answered or not.
  bool IsOwn(std::string_view id) const;
  // params of a request of our own, with what a stateless server wants in it.
  std::string OwnParams(std::string_view key, std::string_view value) const;
  std::optional<std::string_view> FixedConnection() const;
  PolicyView ViewOf(const clients::PolicySnapshot& snapshot) const { return snapshot.view(); }

  // core_client.cc
  void OnClientMessage(const Message& message, std::string_view line, Waited waited, Output& out);
  void OnClientRequest(const Message& message, std::string_view line, Waited waited, Output& out);
  void OnClientNotification(const Message& message, std::string_view line, Output& out);
  void OnClientAnswer(const Message& message, std::string_view line, Output& out);
  void ForwardRequest(const Message& message, std::string_view line, Pending pending, Output& out);
  void AnswerRequest(const Message& message, Outcome outcome, std::string line, Output& out);
  void RefuseMethod(const Message& message, Output& out);
  void Subscribe(const Message& message, std::string_view line, Waited waited, Output& out);
  void PassIfFamilyPasses(const Message& message, std::string_view line, MethodFamily family,
                          Pending pending, Waited waited, Output& out);
  void RememberMeta(const Message& request);

  // core_server.cc
  void OnServerRequest(const Message& message, std::string_view line, Output& out);
  void OnServerNotification(const Message& message, std::string_view line, Output& out);
  void OnServerAnswer(const Message& message, std::string_view line, Output& out);
  bool KeepsLimits(const Message& answer, const Pending& pending, Output& out);
  static std::string WithToolChanges(const Message& answer, std::string_view line);
  std::string AcknowledgedWithToolChanges(const Message& message, std::string_view line) const;

  // core_tasks.cc
  void UseTask(const Message& message, std::string_view line, Output& out);
  void RememberTask(const Message& answer, const Pending& call);
  void NoteTaskAnswer(const Message& answer, const Pending& request);
  void NoteTaskStatus(std::string_view id, std::string_view status);
  void RememberClientTask(const Message& answer);
  void CancelTask(const std::string& id, Output& out);

  // Makes a decision a denial.
  static void Deny(ReasonCode reason, Decision& decision);

  // core_consent.cc
  bool MustAsk(const clients::PolicySnapshot& snapshot, const ToolCall& call,
               const Message& message, Decision& decision) const;
  bool AskOrTakeAnswer(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                       const Message& message, std::string_view line,
                       const std::optional<Answer>& answer, Decision& decision,
                       std::string& restored, Output& out);
  bool Ask(const AskedCall& asked, const Message& message, std::string_view line,
           std::string binding, Output& out);
  bool AskStateless(const AskedCall& asked, const Message& message, std::string_view binding,
                    Output& out);
  bool TakeQuestionAnswer(const IdKey& id, bool accepted, Output& out);
  void EndQuestion(std::map<IdKey, Question>::iterator it, bool accepted, Output& out);
  void WithdrawQuestion(std::map<IdKey, Question>::iterator it, std::string_view why, Output& out);
  void WithdrawQuestionOf(const IdKey& call, Output& out);
  void ExpireQuestions(Output& out);

  // core_tools.cc
  bool WaitsForPolicy(const Message& message, std::string_view line,
                      const clients::PolicySnapshot& snapshot, Waited waited, Output& out);
  bool WantsPolicy(const clients::PolicySnapshot& snapshot, Waited waited) const;
  // Hold a request until there is what it waits for; false: there is no room.
  bool HoldForPolicy(const Message& message, std::string_view line);
  bool HoldForList(const Message& message, std::string_view line,
                   const std::optional<Answer>& answer, Output& out);
  bool HoldForJudge(const Message& message, std::string_view line, Judging call,
                    const Judged* judged, Output& out);
  bool HasRoomFor(std::string_view line) const;
  Held HeldOf(const Message& message, std::string_view line,
              std::optional<Answer> answer = std::nullopt);
  Waiter AddWaiter(const Message& message);
  absl::flat_hash_map<IdKey, Pending>::iterator FindWaiting(const Waiter& waiter);
  void Resume(std::vector<Held> held, Waited waited, Output& out);
  void ListForClient(const Message& message, std::string_view line, Waited waited, Output& out);
  void CallTool(const Message& message, std::string_view line, Waited waited,
                const std::optional<Answer>& answer, Output& out, const Judged* judged = nullptr);
  // `judgement`: of the payload, where one was judged. With `missing` set the decision is
  // void: that has to be judged first.
  Decision DecideCall(const PolicyView& view, const ToolCall& call, const Judged* judged,
                      std::optional<Judgement>& judgement,
                      std::optional<PayloadToJudge>& missing) const;
  ToolCall CallOf(const Message& message, std::string_view name) const;
  std::optional<std::string_view> ConnectionOf(JsonValue arguments) const;
  void EnforceOnDecision(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                         const Judgement* judgement, Decision& decision) const;
  bool ClientWasToldDestructive(const PolicyView& view, const ToolCall& call,
                                bool is_stateless) const;
  DecidedCall ReportOf(const clients::PolicySnapshot& snapshot, const ToolCall& call,
                       const Decision& decision, bool was_asked, std::string_view decision_id,
                       std::string_view reason_text, absl::Duration begin) const;
  void Tell(const DecidedCall& decided) const;
  void DenyByCatalogue(const Pending& pending, const Judgement& found, Output& out);
  bool MayHaveStructuredError(std::string_view tool) const;
  std::string DenialOf(const clients::PolicySnapshot& snapshot, std::string_view tool,
                       const Decision& decision, std::string_view decision_id) const;
  void StartReading(Output& out);
  void AskForPage(Output& out);
  void OnListPage(const Message& answer, Output& out);
  void FailReading(std::string_view error, Output& out);
  void FinishReading(Output& out);
  void TakeList(std::shared_ptr<const UpstreamToolList> list, Output& out);
  void AnswerListWaiters(Output& out);
  ListContext ListContextNow() const;
  ToolListing ListingNow(const PolicyView& view) const;
  void NotifyIfListChanged(Output& out);
  void LogList(const ToolListing& listing);

  // Constant after construction.
  const CoreOptions options_;
  const CoreParts parts_;
  const std::string own_id_prefix_;
  const JsonDocument no_arguments_;

  CoreStats stats_;
  TokenBucket log_budget_;

  // Requests in flight.
  absl::flat_hash_map<IdKey, Pending> pending_;             // of the client
  std::set<std::pair<absl::Duration, IdKey>> deadlines_;    // of pending_
  absl::flat_hash_map<IdKey, std::string> server_pending_;  // of the server: its id token
  uint64_t own_requests_made_ = 0;
  bool long_line_was_answered_ = false;  // the server's line above the limit had its id in front
  std::optional<std::string> server_end_;

  // Tasks by id; the order in which they were made.
  absl::flat_hash_map<std::string, Task> tasks_;
  std::deque<std::string> task_order_;
  std::set<std::pair<absl::Duration, std::string>> task_deadlines_;
  absl::flat_hash_set<std::string> client_tasks_;
  std::deque<std::string> client_task_order_;

  // What the client's user is asked. By ids that nobody can guess: a server that could
  // would have its own question answered in place of ours.
  std::map<IdKey, Question> questions_;
  std::set<std::pair<absl::Duration, IdKey>> question_deadlines_;
  RequestStates request_states_;

  // What waits.
  std::vector<Held> waiting_for_policy_;
  std::vector<Held> waiting_for_list_;
  std::vector<Waiter> list_waiters_;                // requests tools/list
  absl::flat_hash_map<uint64_t, Judging> judging_;  // by the ticket
  uint64_t tickets_ = 0;
  size_t held_bytes_ = 0;
  absl::Duration policy_deadline_ = absl::InfiniteDuration();
  bool policy_wait_is_over_ = false;

  ListShelf own_shelf_;
  ListShelf& shelf_;

  // The server's list. Valid: nothing says that it has changed since it was read.
  std::shared_ptr<const UpstreamToolList> list_;
  bool list_is_valid_ = false;
  absl::Duration list_read_at_ = absl::ZeroDuration();
  std::optional<ListReading> reading_;

  // What the client knows.
  bool initialized_ = false;    // a session was begun
  bool takes_forms_ = false;    // the session's client can be asked
  std::string stateless_meta_;  // members of `_meta` for our own requests, JSON
  std::string client_name_;
  std::string client_version_;
  std::shared_ptr<const ToldList> told_;  // the last list of this session; null: none
  // Of the list that the client knows to be there; empty: none.
  std::string told_fingerprint_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_CORE_H_
