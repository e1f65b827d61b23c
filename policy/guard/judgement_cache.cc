// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/judgement_cache.h"

#include <cstdint>
#include <utility>

namespace bridgekeeper {
namespace {

void AppendLength(size_t length, std::string& out) {
  char bytes[sizeof(uint64_t)];
  for (size_t i = 0; i < sizeof(bytes); ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(length) >> (8 * i));
  }
  out.append(bytes, sizeof(bytes));
}

void AppendPart(std::string_view part, std::string& out) {
  AppendLength(part.size(), out);
  out += part;
}

void AppendParts(const std::set<std::string>& parts, std::string& out) {
  AppendLength(parts.size(), out);
  for (const std::string& part : parts) AppendPart(part, out);
}

size_t BytesOf(const std::string& key, const Judgement& judgement) {
  constexpr size_t kOverhead = 160;  // list node, index slot, the vector's own
  size_t bytes = kOverhead + key.size() + sizeof(Judgement) + judgement.message.size();
  for (const Effect& effect : judgement.effects) {
    bytes += sizeof(Effect) + effect.object.size() + effect.why.size() + effect.kind.size();
  }
  return bytes;
}

}  // namespace

std::string JudgementKey(std::string_view dialect, char form, std::string_view payload,
                         const JudgeOptions& options) {
  std::string key;
  key.reserve(payload.size() + dialect.size() + 64);
  key += form;
  AppendPart(dialect, key);
  AppendPart(payload, key);
  AppendParts(options.safe_functions, key);
  AppendParts(options.databases, key);
  key += options.allow_sensitive_reads ? '1' : '0';
  key += !options.standard_conforming_strings.has_value() ? '-'
         : *options.standard_conforming_strings           ? '1'
                                                          : '0';
  key += options.sql_mode.has_value() ? '1' : '0';
  AppendPart(options.sql_mode.value_or(""), key);
  return key;
}

std::optional<Judgement> JudgementCache::Find(std::string_view key) {
  Shard& shard = ShardOf(key);
  MutexLock lock(shard.mu);
  const auto found = shard.index.find(key);
  if (found == shard.index.end()) return std::nullopt;
  shard.entries.splice(shard.entries.begin(), shard.entries, found->second);
  return found->second->judgement;
}

void JudgementCache::Insert(std::string key, const Judgement& judgement) {
  const size_t bytes = BytesOf(key, judgement);
  if (bytes > max_bytes_ / 4) return;
  Shard& shard = ShardOf(key);
  MutexLock lock(shard.mu);
  if (shard.index.contains(std::string_view(key))) return;
  shard.entries.push_front({std::move(key), judgement, bytes});
  shard.index.emplace(shard.entries.front().key, shard.entries.begin());
  shard.bytes += bytes;
  while (shard.bytes > max_bytes_) {
    const Entry& last = shard.entries.back();
    shard.bytes -= last.bytes;
    shard.index.erase(last.key);
    shard.entries.pop_back();
  }
}

}  // namespace bridgekeeper
