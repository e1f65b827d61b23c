// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/isolated.h"

#include <utility>

#include "policy/guard/dialects.h"
#include "policy/guard/judgement_builder.h"
#include "policy/guard/text_scan.h"

namespace bridgekeeper {
namespace {

class Writer {
 public:
  void Number(uint64_t value) {
    for (int i = 0; i < 8; ++i) out_ += static_cast<char>(value >> (8 * i));
  }
  void Text(std::string_view text) {
    Number(text.size());
    out_ += text;
  }
  void Texts(const std::set<std::string>& texts) {
    Number(texts.size());
    for (const std::string& text : texts) Text(text);
  }
  // 0: absent.
  void Optional(const std::optional<uint64_t>& value) {
    Number(value.has_value() ? 1 : 0);
    Number(value.value_or(0));
  }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads what Writer wrote. After the first thing that is not there, everything is
// empty and done() is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  uint64_t Number() {
    if (left_.size() < 8) return Fail();
    uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value |= static_cast<uint64_t>(static_cast<unsigned char>(left_[static_cast<size_t>(i)]))
               << (8 * i);
    }
    left_.remove_prefix(8);
    return value;
  }
  // A number below `limit`.
  uint64_t Below(uint64_t limit) {
    const uint64_t value = Number();
    return value < limit ? value : Fail();
  }
  bool Truth() { return Below(2) == 1; }
  std::string Text() {
    const uint64_t size = Number();
    if (size > left_.size()) {
      Fail();
      return "";
    }
    std::string text(left_.substr(0, size));
    left_.remove_prefix(size);
    return text;
  }
  std::set<std::string> Texts() {
    std::set<std::string> texts;
    for (uint64_t left = Number(); left > 0 && ok_; --left) texts.insert(Text());
    return texts;
  }
  std::optional<uint64_t> Optional() {
    const bool present = Truth();
    const uint64_t value = Number();
    return present ? std::optional(value) : std::nullopt;
  }
  bool ok() const { return ok_; }
  bool done() const { return ok_ && left_.empty(); }

 private:
  uint64_t Fail() {
    ok_ = false;
    left_ = {};
    return 0;
  }

  std::string_view left_;
  bool ok_ = true;
};

std::optional<uint64_t> AsNumber(const std::optional<bool>& value) {
  return value.has_value() ? std::optional<uint64_t>(*value ? 1 : 0) : std::nullopt;
}

}  // namespace

std::string_view Name(JudgeFault fault) {
  switch (fault) {
    case JudgeFault::kNoThread:
      return "no_thread";
    case JudgeFault::kLate:
      return "late";
    case JudgeFault::kWorkerBusy:
      return "worker_busy";
    case JudgeFault::kWorkerLate:
      return "worker_late";
    case JudgeFault::kWorkerDied:
      return "worker_died";
    case JudgeFault::kWorkerUnavailable:
      return "worker_unavailable";
  }
  return "unknown";
}

std::string EncodeRequest(std::string_view dialect, std::string_view text,
                          const JudgeOptions& options) {
  Writer out;
  out.Text(dialect);
  out.Text(text);
  out.Texts(options.safe_functions);
  out.Texts(options.databases);
  out.Number(options.allow_sensitive_reads ? 1 : 0);
  out.Number(options.sql_mode.has_value() ? 1 : 0);
  out.Text(options.sql_mode.value_or(""));
  out.Optional(AsNumber(options.standard_conforming_strings));
  return out.Take();
}

std::optional<IsolatedRequest> DecodeRequest(std::string_view bytes) {
  Reader in(bytes);
  IsolatedRequest request;
  request.dialect = in.Text();
  request.text = in.Text();
  request.options.safe_functions = in.Texts();
  request.options.databases = in.Texts();
  request.options.allow_sensitive_reads = in.Truth();
  const bool has_mode = in.Truth();
  std::string mode = in.Text();
  if (has_mode) request.options.sql_mode = std::move(mode);
  if (const auto value = in.Optional()) request.options.standard_conforming_strings = *value == 1;
  if (!in.done()) return std::nullopt;
  return request;
}

std::string EncodeJudgement(const Judgement& judgement) {
  Writer out;
  out.Number(static_cast<uint64_t>(judgement.risk));
  out.Number(judgement.effects.size());
  for (const Effect& effect : judgement.effects) {
    out.Text(effect.kind);
    out.Text(effect.object);
    out.Optional(effect.position);
    out.Number(static_cast<uint64_t>(effect.risk));
    out.Text(effect.why);
  }
  out.Number(static_cast<uint64_t>(judgement.statements));
  out.Number(judgement.proven ? 1 : 0);
  out.Number(static_cast<uint64_t>(judgement.error));
  out.Text(judgement.message);
  return out.Take();
}

std::optional<Judgement> DecodeJudgement(std::string_view bytes) {
  constexpr auto kRisks = static_cast<uint64_t>(Risk::kSafe) + 1;
  constexpr auto kErrors = static_cast<uint64_t>(Judgement::Error::kMultiple) + 1;
  Reader in(bytes);
  Judgement judgement;
  judgement.risk = static_cast<Risk>(in.Below(kRisks));
  Risk worst = Risk::kSafe;
  for (uint64_t left = in.Below(kMaxEffects + 1); left > 0 && in.ok(); --left) {
    Effect effect;
    effect.kind = in.Text();
    effect.object = in.Text();
    effect.position = in.Optional();
    effect.risk = static_cast<Risk>(in.Below(kRisks));
    effect.why = in.Text();
    worst = Worst(worst, effect.risk);
    judgement.effects.push_back(std::move(effect));
  }
  judgement.statements = static_cast<int>(in.Below(uint64_t{1} << 31));
  judgement.proven = in.Truth();
  judgement.error = static_cast<Judgement::Error>(in.Below(kErrors));
  judgement.message = in.Text();
  if (!in.done()) return std::nullopt;
  // Never better than its parts say.
  if (judgement.error != Judgement::Error::kNone) worst = Risk::kDestructive;
  if (MoreHarmful(worst, judgement.risk)) return std::nullopt;
  return judgement;
}

std::string JudgeIsolated(std::string_view request, StackPool& pool) {
  const auto decoded = DecodeRequest(request);
  const Dialect* dialect = decoded.has_value() ? FindDialect(decoded->dialect) : nullptr;
  if (dialect == nullptr || dialect->text == nullptr) {
    return EncodeJudgement(
        JudgementError(Judgement::Error::kUnreadable, "the worker does not read the request"));
  }
  if (auto problem = ScanText(decoded->text, dialect->limits)) return EncodeJudgement(*problem);
  Judgement judgement;
  if (!pool.Run([&] { judgement = dialect->text(decoded->text, decoded->options); })) {
    judgement = JudgementError(Judgement::Error::kUnreadable, "the worker has no thread");
  }
  return EncodeJudgement(judgement);
}

}  // namespace bridgekeeper
