// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "service/core/app_cache.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <variant>

namespace bridgekeeper::service {
namespace {

// Shards share the places between them; below this many places a shard, a few hot
// apps that fall into one shard would drive each other out.
constexpr size_t kMinPlacesPerShard = 64;
constexpr size_t kMaxShards = 64;

// A read that takes longer than this on average belongs on another thread. It is far
// above what a read from memory takes on a busy machine, and below what one from a disk
// that must be waited for takes.
constexpr int64_t kQuickReadNanos = 1'000'000;
// Weight of the newest read in the average: one of 10 ms is enough to pass the bound,
// and a few quick ones come back below it.
constexpr int64_t kReadWeight = 8;

size_t ShardCount(const AppCacheOptions& options) {
  const size_t places = std::min(options.max_apps, options.max_unknown_apps);
  return std::bit_floor(std::clamp<size_t>(places / kMinPlacesPerShard, 1, kMaxShards));
}

size_t PerShard(size_t places, size_t shards) {
  return std::max<size_t>(1, (places + shards - 1) / shards);
}

}  // namespace

AppState CompileApp(std::vector<store::Record> records) {
  AppData data;
  bool has_policy = false;
  for (store::Record& record : records) {
    if (!record.value) continue;
    if (auto* policy = std::get_if<McpPolicy>(&*record.value)) {
      data.policy = std::move(*policy);
      data.policy_revision = record.revision;
      has_policy = true;
    } else if (auto* entry = std::get_if<CatalogEntry>(&*record.value)) {
      data.catalog.push_back(std::move(*entry));
      data.catalog_revision = std::max(data.catalog_revision, record.revision);
    } else if (auto* connection = std::get_if<ConnectionRecord>(&*record.value)) {
      data.connections.push_back(std::move(*connection));
    }
  }
  if (!has_policy) return {};
  return {CompiledPolicy::Compile(std::move(data))};
}

AppCache::AppCache(const store::PolicyStore& store, const AppCacheOptions& options,
                   const Clock& clock, Metrics& metrics)
    : store_(store), max_wait_(options.max_wait), clock_(clock), metrics_(metrics) {
  const size_t shards = ShardCount(options);
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<Shard>(PerShard(options.max_apps, shards),
                                              PerShard(options.max_unknown_apps, shards)));
  }
}

AppCache::~AppCache() = default;

AppCache::Shard& AppCache::ShardOf(std::string_view app) {
  // The high bits: the maps inside a shard use the low ones.
  const size_t hash = std::hash<std::string_view>{}(app);
  return *shards_[(hash >> 48) & (shards_.size() - 1)];
}

const AppCache::Cached* AppCache::FindFresh(Shard& shard, std::string_view app) {
  for (ClockMap<Cached>* map : {&shard.known, &shard.unknown}) {
    const Cached* cached = map->Find(app);
    if (cached != nullptr && IsFresh(*cached)) return cached;
  }
  return nullptr;
}

AppCache::Turn AppCache::JoinFlight(Shard& shard, std::string_view app,
                                    std::shared_ptr<Flight>& flight) {
  std::shared_ptr<Flight>& slot = shard.flights[app];
  const Turn turn = slot == nullptr ? Turn::kMine : Turn::kAnothers;
  if (slot == nullptr) slot = std::make_shared<Flight>();
  flight = slot;
  return turn;
}

std::optional<absl::StatusOr<AppState>> AppCache::TryGet(std::string_view app) {
  Shard& shard = ShardOf(app);
  std::shared_ptr<Flight> flight;
  {
    MutexLock lock(shard.mu);
    if (const Cached* cached = FindFresh(shard, app)) {
      metrics_.cache_hits.Add(0);
      return cached->state;
    }
    if (read_nanos_.load(std::memory_order_relaxed) > kQuickReadNanos) return std::nullopt;
    // To wait for another thread is never quick.
    if (shard.flights.contains(app)) return std::nullopt;
    if (reading_on_the_spot_.exchange(true, std::memory_order_acquire)) return std::nullopt;
    JoinFlight(shard, app, flight);
  }
  metrics_.cache_misses.Add(0);
  absl::StatusOr<AppState> state = Load(shard, app, *flight);
  reading_on_the_spot_.store(false, std::memory_order_release);
  return state;
}

absl::StatusOr<AppState> AppCache::Get(std::string_view app) {
  Shard& shard = ShardOf(app);
  std::shared_ptr<Flight> flight;
  Turn turn;
  {
    MutexLock lock(shard.mu);
    if (const Cached* cached = FindFresh(shard, app)) {
      metrics_.cache_hits.Add(0);
      return cached->state;
    }
    turn = JoinFlight(shard, app, flight);
  }
  metrics_.cache_misses.Add(0);
  return turn == Turn::kMine ? Load(shard, app, *flight) : Await(shard, *flight);
}

absl::StatusOr<store::PolicyStore::AppSnapshot> AppCache::Read(const AppId& app) {
  const absl::Duration begin = clock_.SinceBoot();
  auto snapshot = store_.ReadApp(app);
  const int64_t took = absl::ToInt64Nanoseconds(clock_.SinceBoot() - begin);
  const int64_t average = read_nanos_.load(std::memory_order_relaxed);
  read_nanos_.store(average + (took - average) / kReadWeight, std::memory_order_relaxed);
  return snapshot;
}

absl::StatusOr<AppState> AppCache::Load(Shard& shard, std::string_view app, Flight& flight) {
  const AppId id(app);
  while (true) {
    absl::StatusOr<store::PolicyStore::AppSnapshot> snapshot = Read(id);
    AppState state;
    Revision read_at;
    if (snapshot.ok()) {
      read_at = snapshot->token.revision;
      state = CompileApp(std::move(snapshot->records));
    }

    Cached gone;  // destroyed after the lock is released
    MutexLock lock(shard.mu);
    if (snapshot.ok()) {
      // INVARIANT: what is put in is at least as new as every invalidation so far.
      // Each turn reads after the invalidation that caused it, so turns are as rare
      // as commits.
      if (read_at < flight.min_revision || !IsFresh({{}, read_at})) continue;
      ClockMap<Cached>& to = state.policy != nullptr ? shard.known : shard.unknown;
      ClockMap<Cached>& other = state.policy != nullptr ? shard.unknown : shard.known;
      if (to.Put(app, {state, read_at}, gone)) metrics_.cache_evictions.Add(0);
      Cached stale;
      if (other.Take(app, stale)) gone = std::move(stale);
      flight.state = state;
    } else {
      flight.code = snapshot.status().code();
      flight.message = AsStd(snapshot.status().message());
    }
    flight.done = true;
    shard.flights.erase(shard.flights.find(app));
    shard.landed.NotifyAll();
    if (!snapshot.ok()) return std::move(snapshot).status();
    return state;
  }
}

absl::StatusOr<AppState> AppCache::Await(Shard& shard, const Flight& flight) {
  const absl::Duration deadline = clock_.SinceBoot() + max_wait_;
  MutexLock lock(shard.mu);
  while (!flight.done) {
    const absl::Duration left = deadline - clock_.SinceBoot();
    if (left <= absl::ZeroDuration()) {
      return absl::UnavailableError("the store does not answer; try again");
    }
    shard.landed.WaitFor(shard.mu, absl::ToChronoNanoseconds(left));
  }
  if (flight.code != absl::StatusCode::kOk) return absl::Status(flight.code, flight.message);
  return flight.state;
}

void AppCache::Invalidate(const store::RecordKey& key, Revision revision) {
  if (key.app.empty()) return InvalidateAll(revision);
  Shard& shard = ShardOf(key.app);
  Cached gone_known;
  Cached gone_unknown;
  MutexLock lock(shard.mu);
  const auto drop = [&](ClockMap<Cached>& map, Cached& gone) {
    const Cached* cached = map.Find(key.app);
    if (cached != nullptr && cached->read_at < revision) map.Take(key.app, gone);
  };
  drop(shard.known, gone_known);
  drop(shard.unknown, gone_unknown);
  const auto flight = shard.flights.find(key.app);
  if (flight != shard.flights.end()) {
    flight->second->min_revision = std::max(flight->second->min_revision, revision);
  }
}

void AppCache::InvalidateAll(Revision revision) {
  int64_t seen = all_apps_revision_.load(std::memory_order_relaxed);
  while (seen < revision.value && !all_apps_revision_.compare_exchange_weak(
                                      seen, revision.value, std::memory_order_acq_rel)) {
  }
}

AppCache::Size AppCache::size() const {
  Size size;
  for (const auto& shard : shards_) {
    MutexLock lock(shard->mu);
    size.apps += shard->known.size();
    size.unknown_apps += shard->unknown.size();
  }
  return size;
}

}  // namespace bridgekeeper::service
