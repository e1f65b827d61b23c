// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// JudgementCache remembers judgements of repeated payloads: least recently used
// goes first, bounded by bytes. The key is everything that a judgement depends on,
// compared whole, so two payloads never share an answer.
//
// Thread safety: safe to share between threads.
// Source: policy/spec.md, clause G9.

#ifndef BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_CACHE_H_
#define BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_CACHE_H_

#include <array>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "policy/base/mutex.h"
#include "policy/base/strings.h"
#include "policy/guard/judge.h"
#include "policy/model/decision.h"

namespace bridgekeeper {

// Everything that a judgement depends on, each part with its length in front, so
// that no two different inputs have one key. `form` tells a text from an object.
std::string JudgementKey(std::string_view dialect, char form, std::string_view payload,
                         const JudgeOptions& options);

class JudgementCache {
 public:
  // `max_bytes` bounds keys and judgements together; 0 keeps nothing.
  explicit JudgementCache(size_t max_bytes) : max_bytes_(max_bytes / kShards) {}

  std::optional<Judgement> Find(std::string_view key);

  // Remembers `judgement`, unless it takes more than a quarter of a shard.
  void Insert(std::string key, const Judgement& judgement);

 private:
  // Callers rarely meet in one shard's lock. By the top bits of the hash: the index uses the low
  // ones.
  static constexpr size_t kShards = 16;

  struct Entry {
    std::string key;
    Judgement judgement;
    size_t bytes;
  };
  struct alignas(64) Shard {
    Mutex mu;
    std::list<Entry> entries ABSL_GUARDED_BY(mu);  // most recently used first
    // Keys are views of the entries' own.
    absl::flat_hash_map<std::string_view, std::list<Entry>::iterator, StringHash> index
        ABSL_GUARDED_BY(mu);
    size_t bytes ABSL_GUARDED_BY(mu) = 0;
  };

  Shard& ShardOf(std::string_view key) { return shards_[StringHash{}(key) >> 60]; }

  const size_t max_bytes_;  // of one shard
  std::array<Shard, kShards> shards_;
};

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_GUARD_JUDGEMENT_CACHE_H_
