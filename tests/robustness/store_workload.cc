// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/robustness/store_workload.h"

#include <atomic>
#include <charconv>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "store/testing/samples.h"

namespace bridgekeeper::store {
namespace {

// The record that all writers count up with compare-and-set.
constexpr char kShared[] = "shared";

std::string MarkText(uint64_t mark) { return absl::StrFormat("mark %016x", mark); }

McpPolicy Counting(std::string_view app, int64_t count, std::string_view rest) {
  McpPolicy policy = SamplePolicy(app);
  policy.suspend_reason = absl::StrFormat("%d %s", count, rest);
  return policy;
}

// The count in such a policy; 0 for one that does not exist.
int64_t CountIn(const std::optional<Record>& record) {
  if (!record || !record->value) return 0;
  const std::string& text = std::get<McpPolicy>(*record->value).suspend_reason;
  int64_t count = -1;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

class Writer {
 public:
  Writer(PolicyStore& store, uint64_t seed, uint32_t round, uint32_t number)
      : store_(store),
        random_(seed * 1'000'003 + round * 101 + number),
        number_(number),
        next_mark_((uint64_t{round} << 32) | (uint64_t{number} << 24)) {}

  // One commit. Errors: as the store.
  absl::StatusOr<Acknowledged> Step() {
    const uint64_t mark = next_mark_++;
    CommitOptions options = By(absl::StrFormat("writer-%d", number_));
    options.reason = MarkText(mark);
    if (random_() % 8 == 0) options.request_id = MarkText(mark);
    std::vector<Mutation> mutations;
    switch (random_() % 4) {
      case 0:
        return CountUp(mark, options);
      case 1:
        mutations = Batch();
        break;
      case 2:
        mutations.push_back(Delete(PolicyKey(OwnApp())));
        break;
      default:
        mutations.push_back(Put(OwnPolicy(OwnApp())));
        break;
    }
    // What changes nothing is no commit: make sure that this one does.
    mutations.push_back(Put(OwnPolicy(absl::StrFormat("writer-%d", number_))));
    const auto result = store_.Commit(std::move(mutations), options);
    if (!result.ok()) return result.status();
    return Acknowledged{result->revision.value, mark};
  }

 private:
  absl::StatusOr<Acknowledged> CountUp(uint64_t mark, const CommitOptions& options) {
    while (true) {
      const auto shared = store_.Get(PolicyKey(kShared));
      if (!shared.ok()) return shared.status();
      // The mark makes it another's: two who write the same would both be right.
      const McpPolicy next = Counting(kShared, CountIn(*shared) + 1, MarkText(mark));
      const auto result =
          store_.Commit({Put(next, *shared ? (*shared)->revision.value : 0)}, options);
      if (absl::IsAborted(result.status())) continue;
      if (!result.ok()) return result.status();
      return Acknowledged{result->revision.value, mark};
    }
  }

  std::string OwnApp() { return absl::StrFormat("app-%d-%d", number_, random_() % 5); }

  McpPolicy OwnPolicy(std::string_view app) {
    return Counting(app, static_cast<int64_t>(next_mark_), std::string(random_() % 400, 'x'));
  }

  std::vector<Mutation> Batch() {
    const std::string app = OwnApp();
    std::vector<Mutation> out;
    out.push_back(Put(OwnPolicy(app)));
    const size_t more = random_() % 40;
    for (size_t i = 0; i < more; ++i) {
      CatalogEntry entry = SampleEntry(app, "", absl::StrFormat("tool-%d", i));
      entry.connection_argument = absl::StrFormat("%x", next_mark_);
      out.push_back(Put(std::move(entry)));
      out.push_back(Put(
          SampleConnection(app, absl::StrFormat("c-%d", i), absl::StrFormat("%x", next_mark_))));
    }
    return out;
  }

  PolicyStore& store_;
  std::mt19937_64 random_;
  const uint32_t number_;
  uint64_t next_mark_;
};

using State = std::map<RecordKey, Record>;

// Reads every commit of `store` in order and adds them up.
struct Replay {
  State state;
  std::map<std::string, int64_t> revision_of;  // by reason
  std::vector<State> samples;                  // the state at each kSampleEvery revisions
  std::vector<std::string> problems;
};

constexpr int64_t kSampleEvery = 64;

Replay ReplayCommits(PolicyStore& store) {
  Replay out;
  const int64_t head = store.Token().revision.value;
  auto watcher = store.Watch({});
  if (!watcher.ok()) {
    out.problems.push_back("watch: " + watcher.status().ToString());
    return out;
  }
  int64_t shared = 0;
  for (int64_t revision = 1; revision <= head; ++revision) {
    const auto event = (*watcher)->Next(absl::ZeroDuration());
    if (!event.ok() || !event->has_value()) {
      out.problems.push_back(
          absl::StrFormat("revision %d is missing: %s", revision, event.status().ToString()));
      return out;
    }
    if ((*event)->revision.value != revision || (*event)->records.empty()) {
      out.problems.push_back(absl::StrFormat("got revision %d with %d records, want revision %d",
                                             (*event)->revision.value, (*event)->records.size(),
                                             revision));
      return out;
    }
    const std::string& reason = (*event)->records.front().reason;
    if (!out.revision_of.emplace(reason, revision).second) {
      out.problems.push_back(absl::StrFormat("`%s` was committed twice", reason));
    }
    for (const Record& record : (*event)->records) {
      if (record.revision.value != revision || record.reason != reason) {
        out.problems.push_back(absl::StrFormat("revision %d holds %s of `%s`, revision %d",
                                               revision, Describe(record.key), record.reason,
                                               record.revision.value));
      }
      if (record.key == PolicyKey(kShared) && CountIn(record) != ++shared) {
        out.problems.push_back(absl::StrFormat("the shared count is %d in revision %d, want %d",
                                               CountIn(record), revision, shared));
      }
      out.state[record.key] = record;
    }
    if (revision % kSampleEvery == 0) out.samples.push_back(out.state);
  }
  const auto more = (*watcher)->Next(absl::ZeroDuration());
  if (!more.ok() || more->has_value()) out.problems.push_back("a commit comes after the newest");
  return out;
}

void CompareStates(const PolicyStore& store, const State& want,
                   std::vector<std::string>& problems) {
  State existing;
  int64_t policies = 0;
  for (const auto& [key, record] : want) {
    const auto got = store.Get(key);
    if (!got.ok() || !*got || **got != record) {
      problems.push_back(absl::StrFormat("%s is not what its last commit wrote: %s", Describe(key),
                                         got.status().ToString()));
    }
    if (!record.value) continue;
    existing.emplace(key, record);
    if (key.kind == RecordKind::kPolicy) ++policies;
  }
  if (store.PolicyCount() != policies) {
    problems.push_back(
        absl::StrFormat("got a count of %d policies, want %d", store.PolicyCount(), policies));
  }
  State listed;
  for (const RecordKind kind :
       {RecordKind::kPolicy, RecordKind::kCatalogEntry, RecordKind::kConnection}) {
    const auto page = store.List({.kind = kind, .limit = 1'000'000});
    if (!page.ok()) {
      problems.push_back("list: " + page.status().ToString());
      return;
    }
    for (const Record& record : *page) listed.emplace(record.key, record);
  }
  if (listed != existing) {
    problems.push_back(absl::StrFormat("a list gives %d records that are not the %d that exist",
                                       listed.size(), existing.size()));
  }
}

void CompareHistory(const PolicyStore& store, const std::vector<State>& samples,
                    std::vector<std::string>& problems) {
  // The first, the last and one between: all of them each time would be most of the test.
  std::set<size_t> looked_at;
  if (!samples.empty()) looked_at = {0, samples.size() / 2, samples.size() - 1};
  for (const size_t i : looked_at) {
    const Revision revision{static_cast<int64_t>(i + 1) * kSampleEvery};
    for (const auto& [key, record] : samples[i]) {
      const auto got = store.GetAt(key, revision);
      if (!got.ok() || !*got || **got != record) {
        problems.push_back(absl::StrFormat("%s at revision %d is not what was written: %s",
                                           Describe(key), revision.value, got.status().ToString()));
        return;
      }
    }
  }
}

}  // namespace

void RunWriters(PolicyStore& store, uint64_t seed, uint32_t round,
                const std::function<void(const Acknowledged&)>& acknowledge,
                const std::function<bool()>& stop) {
  std::vector<std::jthread> threads;
  for (uint32_t number = 0; number < kWriters; ++number) {
    threads.emplace_back([&, number] {
      Writer writer(store, seed, round, number);
      while (!stop()) {
        const absl::StatusOr<Acknowledged> step = writer.Step();
        if (!step.ok()) return;
        acknowledge(*step);
      }
    });
  }
}

std::vector<std::string> CheckStoreKeptItsWord(PolicyStore& store,
                                               const std::vector<Acknowledged>& acknowledged,
                                               int crashes) {
  Replay replay = ReplayCommits(store);
  std::vector<std::string> problems = std::move(replay.problems);
  if (!problems.empty()) return problems;

  std::set<int64_t> revisions;
  for (const Acknowledged& ack : acknowledged) {
    const auto found = replay.revision_of.find(MarkText(ack.writer_mark));
    if (found == replay.revision_of.end()) {
      problems.push_back(absl::StrFormat("`%s` was acknowledged as revision %d and is gone",
                                         MarkText(ack.writer_mark), ack.revision));
    } else if (found->second != ack.revision) {
      problems.push_back(absl::StrFormat("`%s` was acknowledged as revision %d and is %d",
                                         MarkText(ack.writer_mark), ack.revision, found->second));
    }
    if (!revisions.insert(ack.revision).second) {
      problems.push_back(absl::StrFormat("revision %d was acknowledged twice", ack.revision));
    }
  }
  // Beside those only what was in flight when it crashed.
  const int64_t head = store.Token().revision.value;
  const auto unanswered = head - static_cast<int64_t>(revisions.size());
  if (unanswered > int64_t{crashes} * kWriters) {
    problems.push_back(absl::StrFormat("%d commits were never acknowledged, want at most %d",
                                       unanswered, crashes * kWriters));
  }
  CompareStates(store, replay.state, problems);
  CompareHistory(store, replay.samples, problems);
  return problems;
}

}  // namespace bridgekeeper::store
