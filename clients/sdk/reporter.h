// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Reporter tells keeperd what a bridge sees and decides: the tools that its servers
// list, its decisions, and that it lives. Reporting never holds a call up: what is
// reported goes into a bounded queue, and a thread of the reporter sends it in
// batches. What finds the queue full is dropped and counted, and the count travels
// with every batch. A batch that was not acknowledged is sent again: keeperd tells
// by the run and the sequence numbers what is lost and what came twice.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_CLIENTS_SDK_REPORTER_H_
#define BRIDGEKEEPER_CLIENTS_SDK_REPORTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "clients/sdk/channel.h"
#include "clients/sdk/decision_client.h"
#include "clients/sdk/policy_source.h"
#include "policy/base/clock.h"
#include "runtime/id_source.h"

namespace bridgekeeper::clients {

// Who stands behind a call: informational. Longer text is cut.
struct SubjectInfo {
  std::string client_name;     // at most 256 bytes
  std::string client_version;  // at most 64 bytes
  std::string session;         // at most 256 bytes
  std::string user;            // at most 256 bytes
  std::string host;            // at most 256 bytes
};

// One decision that was made here. Text from outside may hold anything: it is
// escaped and cut before it leaves.
struct DecisionReport {
  absl::Time time;
  std::string app;
  std::string server;
  std::string tool;        // at most 128 bytes
  std::string connection;  // that was checked; empty: none. At most 128 bytes
  Answer decision;
  SubjectInfo subject;
  // SHA-256 of the canonical arguments, 64 lower-case hexadecimal digits; empty:
  // none were carried.
  std::string arguments_digest;
  absl::Duration duration;
};

// One tool as its server lists it.
struct ToolReport {
  std::string tool;
  std::string definition_json;  // above 16 KiB only its digest is sent
  std::string digest;           // SHA-256 of the definition, 64 hexadecimal digits
};

// What a server lists.
struct ToolListReport {
  std::vector<ToolReport> tools;
  // The server was declared `catalog: data-studio`: built-in entries cover its tools.
  bool builtin_catalog = false;
};

// What the code that decides sees of it. FakeReportSink (testing/fake_report_sink.h)
// collects.
class ReportSink {
 public:
  virtual ~ReportSink() = default;

  // Never waits.
  virtual void ReportDecision(DecisionReport report) = 0;

  // The whole list of a server; replaces one that was not sent yet. Of more than
  // 1,000 tools the first 1,000 are sent. Never waits.
  virtual void ReportTools(const std::string& app, const std::string& server,
                           ToolListReport list) = 0;
};

struct ReporterOptions {
  std::string bridge;             // name; 1 to 128 bytes
  std::vector<std::string> apps;  // that the bridge serves
  std::string version;            // of the program
  // Decisions wait that long for others, or until there are `max_batch` of them.
  absl::Duration batch_delay = absl::Seconds(1);
  size_t max_batch = 500;      // [1, 1'000]
  size_t max_queued = 10'000;  // decisions; [1, 1'000'000]
  absl::Duration rpc_timeout = absl::Seconds(5);
  // Time between heartbeats, until keeperd asks for another.
  absl::Duration heartbeat_interval = absl::Seconds(10);
  // After a failure nothing is sent for so long; doubles from the one to the other,
  // less up to half of it at random.
  absl::Duration min_backoff = absl::Milliseconds(200);
  absl::Duration max_backoff = absl::Seconds(10);
  // Called on the reporter's thread after the first heartbeat that comes through since the
  // policies' watch was lost: that keeperd may have started again, and keeps no lists of tools
  // over that. May call ReportTools(). Null: nobody.
  std::function<void()> on_watch_renewed;
};

// Counts since the reporter was made.
struct ReporterStats {
  int64_t decisions = 0;     // reported to us
  int64_t denials = 0;       // of these
  int64_t acknowledged = 0;  // of these, taken in by keeperd
  int64_t dropped = 0;       // of these, lost: the queue was full, or keeperd refused them
  int64_t queued = 0;        // of these, waiting
  int64_t failures = 0;      // calls that failed
  std::string last_error;    // of the last of them
};

class Reporter : public ReportSink {
 public:
  // Starts the thread. `source`, `clock` and `ids` must outlive the reporter.
  //
  // Errors:
  //   kInvalidArgument - an option is outside its range; the message names it.
  static absl::StatusOr<std::unique_ptr<Reporter>> Create(std::shared_ptr<Channel> channel,
                                                          const ReporterOptions& options,
                                                          const PolicySource& source,
                                                          const Clock& clock, IdSource& ids);

  // Ends the thread at once: what is queued then is lost. See Flush().
  ~Reporter() override;

  void ReportDecision(DecisionReport report) override;
  void ReportTools(const std::string& app, const std::string& server, ToolListReport list) override;

  // Sends what is queued without waiting for more, and waits until it has been
  // taken in. Returns whether it was within `timeout`.
  bool Flush(absl::Duration timeout);

  ReporterStats Stats() const;

 private:
  class Worker;
  explicit Reporter(std::unique_ptr<Worker> worker);
  const std::unique_ptr<Worker> worker_;
};

}  // namespace bridgekeeper::clients

#endif  // BRIDGEKEEPER_CLIENTS_SDK_REPORTER_H_
