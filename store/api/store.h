// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// PolicyStore keeps policies, catalogue entries and connection records with their
// history. What it promises, each promise with tests of that name in
// store/testing/store_conformance.h:
//
//   P1  Read your writes: a read after Commit() returned sees that commit.
//   P2  Revisions: each commit that changes anything raises the revision by exactly
//       one; a commit that changes nothing raises nothing.
//   P3  Batches: the mutations of one Commit() are one revision, all or none.
//   P4  Watch: a watcher from revision r gets every commit above r once, whole, in
//       order, or is told that it cannot.
//   P5  Compaction: reading a revision that is no longer kept, or one in the future,
//       is kOutOfRange and names the oldest or the newest one.
//   P6  Durability: what Commit() answered OK survives a crash at any moment.
//   P7  Compare and set: `expected_revision` is compared with the record's own last
//       change under the same lock as the write.
//   P8  Idempotence: identical content changes nothing; a request id that its author
//       repeats within an hour answers the first result.
//   P9  Tombstones: a deletion keeps the key, its revision and who did it.
//   P10 Incarnation: new at creation and at each restore, kept over restarts.
//   P11 Integrity: a value that fails its checksum is kDataLoss, never skipped and
//       never read as absent.
//
// Thread safety: all methods may be called from many threads at the same time.

#ifndef BRIDGEKEEPER_STORE_API_STORE_H_
#define BRIDGEKEEPER_STORE_API_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policy/model/policy.h"

namespace bridgekeeper::store {

// Persistent: do not renumber.
enum class RecordKind : uint8_t { kPolicy = 1, kCatalogEntry = 2, kConnection = 3 };

// Names a record. Records of an app sort together; what counts for every app sorts
// under the empty app.
struct RecordKey {
  RecordKind kind = RecordKind::kPolicy;
  std::string app;     // empty: a catalogue entry for every app
  std::string server;  // catalogue entries only; empty: every server
  std::string id;      // tool or connection id; empty for a policy

  static RecordKey Policy(const AppId& app);
  static RecordKey Catalog(const CatalogKey& key);
  static RecordKey Connection(const AppId& app, const ConnectionId& id);
  CatalogKey ToCatalogKey() const;  // REQUIRES: kind == kCatalogEntry

  // In the order of the members, strings byte by byte.
  friend auto operator<=>(const RecordKey&, const RecordKey&) = default;

  template <typename H>
  friend H AbslHashValue(H h, const RecordKey& key) {
    return H::combine(std::move(h), key.kind, key.app, key.server, key.id);
  }
};

// True where a record may have this key: its ids are valid (policy/model/ids.h) and
// the members that its kind does not use are empty. Nothing is ever stored under
// another key.
bool IsValidKey(const RecordKey& key);

// The key for people: "policy `dockit`", "catalogue entry `dockit`/`*`/`drop_table`".
std::string Describe(const RecordKey& key);

// The alternatives stand in the order of RecordKind.
using RecordValue = std::variant<McpPolicy, CatalogEntry, ConnectionRecord>;

// The key that a value belongs under.
RecordKey KeyOf(const RecordValue& value);

// One state of one record.
struct Record {
  RecordKey key;
  Revision revision;                 // of this change; at least 1
  absl::Time time;                   // when it was committed, in whole nanoseconds
  std::string author;                // at most 256 bytes
  std::string reason;                // at most 512 bytes
  std::optional<RecordValue> value;  // nullopt: deleted

  friend bool operator==(const Record&, const Record&) = default;
};

// Random mark of a store: 32 lower-case hexadecimal digits.
struct RevisionToken {
  std::string incarnation;
  Revision revision;
  friend bool operator==(const RevisionToken&, const RevisionToken&) = default;
};

struct Mutation {
  RecordKey key;
  std::optional<RecordValue> value;  // nullopt: delete
  // The record's own last change as the caller read it (of a deleted record, its
  // deletion); 0: it must not exist (a deleted record does not exist); nullopt: not
  // compared.
  std::optional<int64_t> expected_revision;
};

struct CommitOptions {
  std::string author;
  std::string reason;
  absl::Time time;
  // Empty: none. Otherwise remembered for an hour with the result, by author: nobody
  // makes another's write vanish by using its id first. At most 128 bytes.
  std::string request_id;
};

// How long a request id is remembered, counted in CommitOptions::time.
inline constexpr absl::Duration kRequestIdAge = absl::Hours(1);

struct CommitResult {
  Revision revision;   // of the commit, or the current one where nothing changed
  size_t changed = 0;  // mutations that changed a record
  // For each mutation, the revision of its record's last change now.
  std::vector<Revision> records;

  friend bool operator==(const CommitResult&, const CommitResult&) = default;
};

// One commit as a watcher sees it.
struct CommitEvent {
  Revision revision;
  std::vector<Record> records;  // what changed, in the order of the batch

  friend bool operator==(const CommitEvent&, const CommitEvent&) = default;
};

// Reads commits in order. Owned by the caller; must not outlive its store.
//
// Thread safety: one thread calls Next(); Cancel() may come from any.
class Watcher {
 public:
  virtual ~Watcher() = default;

  // Waits up to `timeout` for the next commit.
  //
  // Returns nullopt where none came in time (a checkpoint: everything up to the
  // store's revision at the moment of waking was delivered).
  //
  // Errors:
  //   kResourceExhausted - this watcher was too slow and its queue was cut; watch
  //                        again from the last revision that was delivered.
  //   kCancelled         - Cancel() was called.
  //   kDataLoss          - the commit that is next is damaged.
  // After an error every call answers it again: nothing is ever left out.
  virtual absl::StatusOr<std::optional<CommitEvent>> Next(absl::Duration timeout) = 0;

  // Wakes Next().
  virtual void Cancel() = 0;
};

struct WatchOptions {
  // Commits above this revision are delivered.
  Revision after;
  // Commits made after Watch() that may wait for a slow reader before it is cut;
  // those that were there before never cut it. [1, kMaxQueuedCommits].
  size_t max_queued = 1024;
};

inline constexpr size_t kMaxQueuedCommits = 1'000'000;

struct ListOptions {
  RecordKind kind = RecordKind::kPolicy;
  // Only records of this app; nullopt: of every app.
  std::optional<std::string> app;
  // Only apps (policies) that start with this.
  std::string app_prefix;
  // Start after this key; nullopt: at the beginning.
  std::optional<RecordKey> after;
  size_t limit = 1000;
};

class PolicyStore {
 public:
  virtual ~PolicyStore() = default;

  // What kind of store this is: "memory", "rocksdb".
  virtual std::string_view name() const = 0;

  // The current state. Cheap: no I/O.
  virtual RevisionToken Token() const = 0;

  // Writes all mutations as one revision, durably (P2, P3, P6, P7, P8).
  //
  // Errors:
  //   kInvalidArgument   - a key is not valid, does not fit its value or appears
  //                        twice; author, reason or request_id is too long or no
  //                        UTF-8.
  //   kNotFound          - deletes a record that does not exist, with an
  //                        expected_revision other than 0.
  //   kAborted           - expected_revision does not match; the message names the
  //                        record and its current revision.
  //   kUnavailable       - the disk refuses writes; reads go on.
  //   kResourceExhausted - the disk is full; reads go on.
  //   kDataLoss          - a record that must be read for this is damaged.
  virtual absl::StatusOr<CommitResult> Commit(std::vector<Mutation> mutations,
                                              const CommitOptions& options) = 0;

  // Reads the current state of a record; nullopt where it never existed. A deleted
  // record is returned with no value.
  //
  // Errors of this and of every read below: kDataLoss - what it must read is damaged
  // (P11).
  virtual absl::StatusOr<std::optional<Record>> Get(const RecordKey& key) const = 0;

  // Reads what the record was at `revision` (P5); 0 is the empty store.
  virtual absl::StatusOr<std::optional<Record>> GetAt(const RecordKey& key,
                                                      Revision revision) const = 0;

  // Lists records that exist now, in key order. Deleted ones are left out.
  //
  // Errors:
  //   kInvalidArgument - `after` is no valid key.
  virtual absl::StatusOr<std::vector<Record>> List(const ListOptions& options) const = 0;

  // The changes of one record, newest first: at most `limit` of those below
  // `before` (nullopt: from the newest).
  virtual absl::StatusOr<std::vector<Record>> History(const RecordKey& key,
                                                      std::optional<Revision> before,
                                                      size_t limit) const = 0;

  // Everything that decides the calls of `app`, and the token of the state that was
  // read, as one consistent snapshot: its policy, its catalogue entries and those
  // for every app, its connections, in key order.
  struct AppSnapshot {
    RevisionToken token;
    std::vector<Record> records;
  };
  virtual absl::StatusOr<AppSnapshot> ReadApp(const AppId& app) const = 0;

  // Number of policies that exist now. Cheap: no scan.
  virtual int64_t PolicyCount() const = 0;

  // Starts a watch (P4).
  //
  // Errors:
  //   kInvalidArgument - max_queued is outside its range.
  //   kOutOfRange      - `after` is in the future, or so old that the commits above
  //                      it are no longer kept; the message names the newest or the
  //                      oldest revision to watch from.
  virtual absl::StatusOr<std::unique_ptr<Watcher>> Watch(const WatchOptions& options) = 0;

  struct BackupResult {
    RevisionToken token;
    int64_t bytes = 0;
  };
  // Writes a copy of the store as it is now into the new folder `path`, while
  // serving. kUnimplemented where a store has no files; kAlreadyExists where the
  // folder exists.
  virtual absl::StatusOr<BackupResult> Backup(const std::string& path) = 0;

  // Whether writes are possible now; the message says why not.
  virtual absl::Status WriteHealth() const = 0;
};

// What happened at an open that an operator should know.
struct OpenReport {
  bool created = false;
  // Records at the end of the log that a crash left incomplete: never acknowledged,
  // dropped. To be counted and logged.
  int64_t dropped_records = 0;
  uint64_t dropped_bytes = 0;
  // One line for each thing worth a line in the log.
  std::vector<std::string> notes;
};

}  // namespace bridgekeeper::store

#endif  // BRIDGEKEEPER_STORE_API_STORE_H_
