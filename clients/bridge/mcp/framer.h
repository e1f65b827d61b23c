// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// LineFramer cuts a byte stream into the frames of MCP's stdio transport: one JSON
// value a line. Lines may end in CR LF; blank lines are skipped. A line that is
// longer than the limit is not kept: its beginning and its end are shown, so that
// its id can be looked for, and the line after it is served as if nothing was.
//
// A raw CR anywhere else makes the frame kBareCarriageReturn: it is white space to
// a JSON parser, but readers with universal newlines end a line there, and would
// find a whole message inside what we took for a part of another.
//
// Thread safety: used by one thread at a time.
// Source: MCP 2025-11-25 and 2026-07-28, transports, stdio.

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FRAMER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FRAMER_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace bridgekeeper::bridge {

// Longest line that is served, in bytes without its end.
inline constexpr size_t kMaxLineBytes = 16 << 20;

// How much of a line above the limit is shown, at its beginning and at its end.
inline constexpr size_t kShownOfLongLineBytes = 4096;

struct Frame {
  enum class Kind {
    kLine,                // `text` is one line, without its end, not blank
    kBareCarriageReturn,  // the same, with a CR inside
    // The line has passed the limit; `text` is its beginning. Comes as soon as
    // that is seen, since such a line may never end.
    kTooLong,
    kEndOfTooLong,  // the line that was too long has ended; `text` is its end
  };
  Kind kind;
  std::string_view text;  // valid until the framer is used again
};

class LineFramer {
 public:
  explicit LineFramer(size_t max_line_bytes = kMaxLineBytes);

  // Where the next bytes of the stream are to be read to: at least `wanted` bytes.
  std::span<char> Prepare(size_t wanted);
  // Takes in the first `n` bytes of what Prepare() returned.
  void Commit(size_t n);

  // The next frame that is complete, or nullopt.
  std::optional<Frame> Next();

  // The last line, where the stream has ended without an end of line: as Next(),
  // once Next() has returned nullopt.
  std::optional<Frame> Finish();

  // Bytes held now. At most the limit and what one Prepare() asked for.
  size_t buffered_bytes() const { return end_ - begin_; }

 private:
  std::optional<Frame> LineUpTo(size_t line_end);
  std::optional<Frame> SkipLongLine();

  const size_t max_line_bytes_;
  std::vector<char> buffer_;
  size_t begin_ = 0;       // first byte that was not handed out
  size_t scanned_ = 0;     // no line end in [begin_, scanned_)
  size_t end_ = 0;         // behind the last byte
  bool skipping_ = false;  // inside a line above the limit
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_MCP_FRAMER_H_
