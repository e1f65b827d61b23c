// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// ResultWriter turns the rows of a result into the JSON that a caller gets, within
// limits that act while the rows come:
//
//   NULL               null
//   boolean            true, false
//   integer            a number up to 2^53 - 1 either way, beyond it a string
//   float              a number; a string where it is NaN or infinite
//   text               a string; where it is no UTF-8, as bytes
//   bytes              {"$base64": "..."}
//   all else           the engine's text, as a string: decimals, times, JSON; where the
//                      engine hands out what is nested, arrays and objects of the same
//
// Rows are objects by column. A column whose name was taken by one before it gets the
// first free of NAME_2, NAME_3 ...; `columns` has the names that are used.
//
// A row that would pass the byte limit is left out, and all after it. The answer is
// valid JSON wherever it is cut, and `truncatedBy` names the limit: rows or bytes.
//
// Thread safety: used by one thread at a time.
// Source: RFC 8259 section 6 (numbers); RFC 4648 section 4 (base64).

#ifndef BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_RESULT_WRITER_H_
#define BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_RESULT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "clients/bridge/sandbox/backend.h"

namespace bridgekeeper::bridge {

// What of the byte limit is left for the message around the result.
inline constexpr size_t kEnvelopeBytes = 512;

// Writes values behind what `out` holds already, each in the form that the table above
// has for it: what stands inside the value of a type that nests.
class JsonValues {
 public:
  explicit JsonValues(std::string& out) : out_(out) {}

  void Null() { out_ += "null"; }
  void Bool(bool value) { out_ += value ? "true" : "false"; }
  void Integer(std::string_view digits);
  void Float(std::string_view text);
  void Text(std::string_view text);
  void Bytes(std::string_view bytes);

 private:
  std::string& out_;
};

struct ResultColumn {
  std::string name;
  std::string type;  // the engine's name of it
};

class ResultWriter {
 public:
  ResultWriter(Shape shape, const RunLimits& limits);

  // Once, before the first row. Columns whose names do not fit are left out, and the result
  // is cut.
  void SetColumns(const std::vector<ResultColumn>& columns);
  bool has_columns() const { return has_columns_; }

  // Begins a row. False: the result is cut, nothing more is taken.
  bool BeginRow();
  // One value of the row, in the order of the columns.
  void Null();
  void Bool(bool value);
  void Integer(std::string_view digits);  // a decimal integer as text
  void Float(std::string_view text);      // as the engine writes it
  void Text(std::string_view text);
  void Bytes(std::string_view bytes);
  void Json(std::string_view json);  // a value that nests, as it is to stand there
  // Bytes that a value of the row may still have.
  size_t left() const { return left_; }
  // Ends it. False: as BeginRow().
  bool EndRow();

  // A value that is larger than all that may be sent was met: the result is cut.
  void CutByBytes() { Cut("bytes"); }
  bool is_cut() const { return !cut_by_.empty(); }

  int64_t rows() const { return count_; }
  void SetRowsAffected(int64_t rows) { rows_affected_ = rows; }

  // The answer.
  std::string Finish(absl::Duration elapsed) &&;

 private:
  void Cut(std::string_view by);
  // Begins a value in the row; false: it cannot fit, and the row will be left out.
  bool BeginValue(size_t bytes);

  const Shape shape_;
  const RunLimits limits_;
  bool has_columns_ = false;
  std::vector<std::string> keys_;  // `"name":` by column
  std::string columns_;            // JSON arrays
  std::string types_;

  std::string rows_;  // their JSON, or with kText the lines
  int64_t count_ = 0;
  size_t left_ = 0;  // bytes that may still be written
  std::string row_;
  size_t column_ = 0;
  bool row_fits_ = true;
  std::string_view cut_by_;  // empty: it is not
  std::optional<int64_t> rows_affected_;
};

}  // namespace bridgekeeper::bridge

#endif  // BRIDGEKEEPER_CLIENTS_BRIDGE_SANDBOX_RESULT_WRITER_H_
