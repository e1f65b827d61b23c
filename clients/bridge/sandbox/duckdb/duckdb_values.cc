// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/duckdb/duckdb_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/civil_time.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// Types that the header does not have. Source: DuckDB 1.5, LogicalTypeId of the C API.
constexpr int kGeometry = 40;

constexpr int64_t kSecondsOfDay = 86'400;

struct PlainType {
  duckdb_type id;
  const char* name;
};
constexpr PlainType kPlainTypes[] = {
    {DUCKDB_TYPE_BOOLEAN, "BOOLEAN"},
    {DUCKDB_TYPE_TINYINT, "TINYINT"},
    {DUCKDB_TYPE_SMALLINT, "SMALLINT"},
    {DUCKDB_TYPE_INTEGER, "INTEGER"},
    {DUCKDB_TYPE_BIGINT, "BIGINT"},
    {DUCKDB_TYPE_UTINYINT, "UTINYINT"},
    {DUCKDB_TYPE_USMALLINT, "USMALLINT"},
    {DUCKDB_TYPE_UINTEGER, "UINTEGER"},
    {DUCKDB_TYPE_UBIGINT, "UBIGINT"},
    {DUCKDB_TYPE_HUGEINT, "HUGEINT"},
    {DUCKDB_TYPE_UHUGEINT, "UHUGEINT"},
    {DUCKDB_TYPE_BIGNUM, "BIGNUM"},
    {DUCKDB_TYPE_FLOAT, "FLOAT"},
    {DUCKDB_TYPE_DOUBLE, "DOUBLE"},
    {DUCKDB_TYPE_DATE, "DATE"},
    {DUCKDB_TYPE_TIME, "TIME"},
    {DUCKDB_TYPE_TIME_NS, "TIME_NS"},
    {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE"},
    {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP"},
    {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S"},
    {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS"},
    {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS"},
    {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE"},
    {DUCKDB_TYPE_INTERVAL, "INTERVAL"},
    {DUCKDB_TYPE_UUID, "UUID"},
    {DUCKDB_TYPE_VARCHAR, "VARCHAR"},
    {DUCKDB_TYPE_BLOB, "BLOB"},
    {DUCKDB_TYPE_BIT, "BIT"},
    {DUCKDB_TYPE_ENUM, "ENUM"},
    {DUCKDB_TYPE_SQLNULL, "NULL"},
    {static_cast<duckdb_type>(kGeometry), "GEOMETRY"},
};

std::string Digits(absl::uint128 value) {
  std::string digits;
  do {
    digits += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::string Digits(absl::int128 value) {
  if (value >= 0) return Digits(static_cast<absl::uint128>(value));
  return "-" + Digits(absl::uint128(0) - static_cast<absl::uint128>(value));
}

absl::int128 Wide(duckdb_hugeint value) { return absl::MakeInt128(value.upper, value.lower); }

std::string DecimalText(absl::int128 value, int scale) {
  const bool is_negative = value < 0;
  std::string digits = Digits(value).substr(is_negative ? 1 : 0);
  const auto after = static_cast<size_t>(scale);
  if (after > 0) {
    if (digits.size() <= after) digits.insert(0, after + 1 - digits.size(), '0');
    digits.insert(digits.size() - after, 1, '.');
  }
  return (is_negative ? "-" : "") + digits;
}

// Three bytes of size and sign, then the magnitude, the first byte the highest; all of
// it inverted where the number is negative. Source: DuckDB, bignum.hpp.
std::string BignumText(std::string_view bytes) {
  constexpr size_t kHeader = 3;
  constexpr uint64_t kBase = 1'000'000'000;
  if (bytes.size() < kHeader) return "";
  const bool is_negative = (static_cast<unsigned char>(bytes[0]) & 0x80) == 0;
  std::vector<uint64_t> limbs = {0};  // to the base kBase, the lowest first
  for (const char c : bytes.substr(kHeader)) {
    const auto byte = static_cast<unsigned char>(c);
    uint64_t carry = is_negative ? static_cast<unsigned char>(~byte) : byte;
    for (uint64_t& limb : limbs) {
      limb = limb * 256 + carry;
      carry = limb / kBase;
      limb %= kBase;
    }
    if (carry != 0) limbs.push_back(carry);
  }
  std::string text = is_negative ? "-" : "";
  text += std::to_string(limbs.back());
  for (auto limb = limbs.rbegin() + 1; limb != limbs.rend(); ++limb) {
    text += absl::StrFormat("%09d", *limb);
  }
  return text;
}

std::string DateText(int64_t days) {
  const absl::CivilDay day = absl::CivilDay(1970, 1, 1) + days;
  const bool is_before = day.year() <= 0;
  return absl::StrFormat("%04d-%02d-%02d%s", is_before ? 1 - day.year() : day.year(), day.month(),
                         day.day(), is_before ? " (BC)" : "");
}

// The part of a second, without zeros at its end.
std::string FractionText(int64_t units, int64_t per_second) {
  if (units == 0) return "";
  std::string digits = std::to_string(per_second + units).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  return "." + digits;
}

std::string TimeText(int64_t units, int64_t per_second) {
  const int64_t seconds = units / per_second;
  return absl::StrFormat("%02d:%02d:%02d%s", seconds / 3600, seconds / 60 % 60, seconds % 60,
                         FractionText(units % per_second, per_second));
}

std::string TimestampText(int64_t units, int64_t per_second) {
  if (units == std::numeric_limits<int64_t>::max()) return "infinity";
  if (units == -std::numeric_limits<int64_t>::max()) return "-infinity";
  const int64_t of_day = kSecondsOfDay * per_second;
  int64_t days = units / of_day;
  int64_t rest = units % of_day;
  if (rest < 0) --days, rest += of_day;
  return DateText(days) + " " + TimeText(rest, per_second);
}

std::string TimeTzText(uint64_t bits) {
  constexpr int64_t kMaxOffset = 16 * 60 * 60 - 1;
  const int64_t offset = kMaxOffset - static_cast<int64_t>(bits & 0xffffff);
  std::string text = TimeText(static_cast<int64_t>(bits >> 24), 1'000'000);
  const int64_t size = std::abs(offset);
  text += absl::StrFormat("%c%02d", offset < 0 ? '-' : '+', size / 3600);
  if (size % 3600 != 0) text += absl::StrFormat(":%02d", size / 60 % 60);
  if (size % 60 != 0) text += absl::StrFormat(":%02d", size % 60);
  return text;
}

std::string IntervalText(const duckdb_interval& interval) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, std::string_view unit) {
    if (count == 0) return;
    parts.push_back(absl::StrFormat("%d %s%s", count, unit, std::abs(count) == 1 ? "" : "s"));
  };
  add(interval.months / 12, "year");
  add(interval.months % 12, "month");
  add(interval.days, "day");
  if (interval.micros != 0 || parts.empty()) {
    // As a negative number, which all of them have.
    const int64_t micros = interval.micros < 0 ? interval.micros : -interval.micros;
    const int64_t seconds = -(micros / 1'000'000);
    parts.push_back(absl::StrFormat("%s%02d:%02d:%02d%s", interval.micros < 0 ? "-" : "",
                                    seconds / 3600, seconds / 60 % 60, seconds % 60,
                                    FractionText(-(micros % 1'000'000), 1'000'000)));
  }
  return absl::StrJoin(parts, " ");
}

std::string UuidText(duckdb_hugeint value) {
  const uint64_t high = static_cast<uint64_t>(value.upper) ^ (uint64_t{1} << 63);
  const uint64_t low = value.lower;
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", high >> 32, (high >> 16) & 0xffff,
                         high & 0xffff, low >> 48, low & 0xffffffffffff);
}

// A byte that counts the unused bits of the next, then the bits.
std::string BitText(std::string_view bytes) {
  std::string text;
  if (bytes.empty()) return text;
  size_t skip = static_cast<unsigned char>(bytes[0]);
  for (const char byte : bytes.substr(1)) {
    for (int bit = 7; bit >= 0; --bit) {
      if (skip > 0) {
        --skip;
        continue;
      }
      text += (static_cast<unsigned char>(byte) >> bit & 1) != 0 ? '1' : '0';
    }
  }
  return text;
}

template <typename Number>
std::string FloatText(Number value) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

std::string_view StringOf(const duckdb_string_t& string) {
  constexpr uint32_t kInlined = 12;
  const uint32_t size = string.value.inlined.length;
  return {size <= kInlined ? string.value.inlined.inlined : string.value.pointer.ptr, size};
}

// Inside a value that nests: what is beyond `limit` is not copied. Text that was cut is
// longer than the limit, so that the row it is of is left out.
class NestedValues {
 public:
  NestedValues(std::string& out, size_t limit) : out_(out), values_(out), limit_(limit) {}

  void Null() { values_.Null(); }
  void Bool(bool value) { values_.Bool(value); }
  void Integer(std::string_view digits) { values_.Integer(digits); }
  void Float(std::string_view text) { values_.Float(text); }
  void Text(std::string_view text) {
    if (Fits(text)) values_.Text(text);
  }
  void Bytes(std::string_view bytes) {
    if (Fits(bytes)) values_.Bytes(bytes);
  }
  bool is_full() const { return out_.size() > limit_; }
  std::string& out() { return out_; }
  size_t limit() const { return limit_; }

 private:
  bool Fits(std::string_view text) {
    if (out_.size() + text.size() <= limit_) return true;
    if (!is_full()) out_.append(limit_ + 1 - out_.size(), ' ');
    return false;
  }

  std::string& out_;
  JsonValues values_;
  const size_t limit_;
};

class Reader {
 public:
  Reader(const DuckdbApi& api, const DuckdbType& type, duckdb_vector vector)
      : api_(api), type_(type), vector_(vector), data_(api.vector_get_data(vector)) {}

  bool IsNull(idx_t row) const {
    const uint64_t* const valid = api_.vector_get_validity(vector_);
    return type_.id == DUCKDB_TYPE_SQLNULL ||
           (valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0);
  }

  bool nests() const { return !type_.parts.empty(); }

  // REQUIRES: nests() || IsNull(row)
  void WriteNested(idx_t row, NestedValues& out) const {
    if (out.is_full()) return;
    if (IsNull(row)) return out.Null();
    if (!nests()) return WritePlain(row, out);
    switch (type_.id) {
      case DUCKDB_TYPE_LIST: {
        const auto entry = At<duckdb_list_entry>(row);
        return WriteList(api_.list_vector_get_child(vector_), entry.offset, entry.length, out);
      }
      case DUCKDB_TYPE_ARRAY:
        return WriteList(api_.array_vector_get_child(vector_), row * type_.size, type_.size, out);
      case DUCKDB_TYPE_MAP:
        return WriteMap(At<duckdb_list_entry>(row), out);
      case DUCKDB_TYPE_STRUCT:
        return WriteStruct(row, out);
      case DUCKDB_TYPE_UNION: {
        // The first member says which of the others it is.
        const auto* tags = static_cast<const uint8_t*>(
            api_.vector_get_data(api_.struct_vector_get_child(vector_, 0)));
        const size_t tag = tags[row];
        if (tag >= type_.parts.size()) return out.Null();
        return Part(tag, api_.struct_vector_get_child(vector_, tag + 1)).WriteNested(row, out);
      }
      default:  // no other type nests
        return out.Null();
    }
  }

  // REQUIRES: !nests() && !IsNull(row)
  template <typename Out>
  void WritePlain(idx_t row, Out& out) const {
    switch (type_.id) {
      case DUCKDB_TYPE_BOOLEAN:
        return out.Bool(At<bool>(row));
      case DUCKDB_TYPE_TINYINT:
        return out.Integer(std::to_string(At<int8_t>(row)));
      case DUCKDB_TYPE_SMALLINT:
        return out.Integer(std::to_string(At<int16_t>(row)));
      case DUCKDB_TYPE_INTEGER:
        return out.Integer(std::to_string(At<int32_t>(row)));
      case DUCKDB_TYPE_BIGINT:
        return out.Integer(std::to_string(At<int64_t>(row)));
      case DUCKDB_TYPE_UTINYINT:
        return out.Integer(std::to_string(At<uint8_t>(row)));
      case DUCKDB_TYPE_USMALLINT:
        return out.Integer(std::to_string(At<uint16_t>(row)));
      case DUCKDB_TYPE_UINTEGER:
        return out.Integer(std::to_string(At<uint32_t>(row)));
      case DUCKDB_TYPE_UBIGINT:
        return out.Integer(std::to_string(At<uint64_t>(row)));
      case DUCKDB_TYPE_HUGEINT:
        return out.Integer(Digits(Wide(At<duckdb_hugeint>(row))));
      case DUCKDB_TYPE_UHUGEINT: {
        const auto value = At<duckdb_uhugeint>(row);
        return out.Integer(Digits(absl::MakeUint128(value.upper, value.lower)));
      }
      case DUCKDB_TYPE_BIGNUM:
        return out.Integer(BignumText(StringOf(At<duckdb_string_t>(row))));
      case DUCKDB_TYPE_FLOAT:
        return out.Float(FloatText(At<float>(row)));
      case DUCKDB_TYPE_DOUBLE:
        return out.Float(FloatText(At<double>(row)));
      case DUCKDB_TYPE_DECIMAL:
        return out.Text(DecimalText(Unscaled(row), type_.scale));
      case DUCKDB_TYPE_DATE: {
        const int32_t days = At<duckdb_date>(row).days;
        if (days == std::numeric_limits<int32_t>::max()) return out.Text("infinity");
        if (days == -std::numeric_limits<int32_t>::max()) return out.Text("-infinity");
        return out.Text(DateText(days));
      }
      case DUCKDB_TYPE_TIME:
        return out.Text(TimeText(At<int64_t>(row), 1'000'000));
      case DUCKDB_TYPE_TIME_NS:
        return out.Text(TimeText(At<int64_t>(row), 1'000'000'000));
      case DUCKDB_TYPE_TIME_TZ:
        return out.Text(TimeTzText(At<uint64_t>(row)));
      case DUCKDB_TYPE_TIMESTAMP:
        return out.Text(TimestampText(At<int64_t>(row), 1'000'000));
      case DUCKDB_TYPE_TIMESTAMP_S:
        return out.Text(TimestampText(At<int64_t>(row), 1));
      case DUCKDB_TYPE_TIMESTAMP_MS:
        return out.Text(TimestampText(At<int64_t>(row), 1'000));
      case DUCKDB_TYPE_TIMESTAMP_NS:
        return out.Text(TimestampText(At<int64_t>(row), 1'000'000'000));
      case DUCKDB_TYPE_TIMESTAMP_TZ: {
        const std::string text = TimestampText(At<int64_t>(row), 1'000'000);
        return out.Text(text.ends_with("infinity") ? text : text + "+00");
      }
      case DUCKDB_TYPE_INTERVAL:
        return out.Text(IntervalText(At<duckdb_interval>(row)));
      case DUCKDB_TYPE_UUID:
        return out.Text(UuidText(At<duckdb_hugeint>(row)));
      case DUCKDB_TYPE_VARCHAR:
        return out.Text(StringOf(At<duckdb_string_t>(row)));
      case DUCKDB_TYPE_BIT:
        return out.Text(BitText(StringOf(At<duckdb_string_t>(row))));
      case DUCKDB_TYPE_ENUM: {
        const std::unique_ptr<char, void (*)(void*)> text(
            api_.enum_dictionary_value(type_.handle.get(), EnumIndex(row)), api_.free);
        return out.Text(text == nullptr ? "" : text.get());
      }
      default:
        // BLOB and GEOMETRY: columns of any other type are refused before.
        return out.Bytes(StringOf(At<duckdb_string_t>(row)));
    }
  }

 private:
  template <typename Value>
  Value At(idx_t row) const {
    return static_cast<const Value*>(data_)[row];
  }

  Reader Part(size_t part, duckdb_vector vector) const { return {api_, type_.parts[part], vector}; }

  absl::int128 Unscaled(idx_t row) const {
    switch (type_.internal) {
      case DUCKDB_TYPE_SMALLINT:
        return At<int16_t>(row);
      case DUCKDB_TYPE_INTEGER:
        return At<int32_t>(row);
      case DUCKDB_TYPE_BIGINT:
        return At<int64_t>(row);
      default:
        return Wide(At<duckdb_hugeint>(row));
    }
  }

  idx_t EnumIndex(idx_t row) const {
    switch (type_.internal) {
      case DUCKDB_TYPE_UTINYINT:
        return At<uint8_t>(row);
      case DUCKDB_TYPE_USMALLINT:
        return At<uint16_t>(row);
      default:
        return At<uint32_t>(row);
    }
  }

  void WriteList(duckdb_vector child, idx_t offset, idx_t length, NestedValues& out) const {
    const Reader items = Part(0, child);
    out.out() += '[';
    for (idx_t i = 0; i < length && !out.is_full(); ++i) {
      if (i > 0) out.out() += ',';
      items.WriteNested(offset + i, out);
    }
    out.out() += ']';
  }

  void WriteStruct(idx_t row, NestedValues& out) const {
    const bool has_names = std::none_of(type_.names.begin(), type_.names.end(),
                                        [](const std::string& name) { return name.empty(); });
    out.out() += has_names ? '{' : '[';
    for (size_t i = 0; i < type_.parts.size() && !out.is_full(); ++i) {
      if (i > 0) out.out() += ',';
      if (has_names) {
        out.Text(type_.names[i]);
        out.out() += ':';
      }
      Part(i, api_.struct_vector_get_child(vector_, i)).WriteNested(row, out);
    }
    out.out() += has_names ? '}' : ']';
  }

  void WriteMap(duckdb_list_entry entry, NestedValues& out) const {
    duckdb_vector const pairs = api_.list_vector_get_child(vector_);
    const Reader keys = Part(0, api_.struct_vector_get_child(pairs, 0));
    const Reader values = Part(1, api_.struct_vector_get_child(pairs, 1));
    out.out() += '{';
    for (idx_t i = 0; i < entry.length && !out.is_full(); ++i) {
      if (i > 0) out.out() += ',';
      std::string key;
      NestedValues key_out(key, out.limit());
      keys.WriteNested(entry.offset + i, key_out);
      // A text is its own key; anything else is the JSON that it would be.
      if (key.starts_with('"')) {
        out.out() += key;
      } else {
        out.Text(key);
      }
      out.out() += ':';
      values.WriteNested(entry.offset + i, out);
    }
    out.out() += '}';
  }

  const DuckdbApi& api_;
  const DuckdbType& type_;
  duckdb_vector const vector_;
  const void* const data_;
};

std::string QuotedName(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// "a BIGINT, b VARCHAR"
std::string MembersText(const DuckdbType& type) {
  std::vector<std::string> members;
  for (size_t i = 0; i < type.parts.size(); ++i) {
    members.push_back(type.names[i].empty() ? type.parts[i].name
                                            : QuotedName(type.names[i]) + " " + type.parts[i].name);
  }
  return absl::StrJoin(members, ", ");
}

std::string Taken(const DuckdbApi& api, char* text) {
  std::string out = text == nullptr ? "" : text;
  api.free(text);
  return out;
}

}  // namespace

DuckdbType ReadDuckdbType(const DuckdbApi& api, duckdb_logical_type type) {
  const std::shared_ptr<_duckdb_logical_type> handle(
      type, [&api](duckdb_logical_type each) { api.destroy_logical_type(&each); });
  DuckdbType read;
  read.id = api.get_type_id(type);
  for (const PlainType& plain : kPlainTypes) {
    if (plain.id == read.id) read.name = plain.name;
  }
  switch (static_cast<int>(read.id)) {
    case DUCKDB_TYPE_DECIMAL:
      read.internal = api.decimal_internal_type(type);
      read.scale = api.decimal_scale(type);
      read.name = absl::StrFormat("DECIMAL(%d,%d)", api.decimal_width(type), read.scale);
      break;
    case DUCKDB_TYPE_ENUM:
      read.internal = api.enum_internal_type(type);
      read.handle = handle;
      break;
    case DUCKDB_TYPE_LIST:
      read.parts.push_back(ReadDuckdbType(api, api.list_type_child_type(type)));
      read.name = read.parts[0].name + "[]";
      break;
    case DUCKDB_TYPE_ARRAY:
      read.size = api.array_type_array_size(type);
      read.parts.push_back(ReadDuckdbType(api, api.array_type_child_type(type)));
      read.name = absl::StrFormat("%s[%d]", read.parts[0].name, read.size);
      break;
    case DUCKDB_TYPE_MAP:
      read.parts.push_back(ReadDuckdbType(api, api.map_type_key_type(type)));
      read.parts.push_back(ReadDuckdbType(api, api.map_type_value_type(type)));
      read.name = absl::StrFormat("MAP(%s, %s)", read.parts[0].name, read.parts[1].name);
      break;
    case DUCKDB_TYPE_STRUCT:
      for (idx_t i = 0; i < api.struct_type_child_count(type); ++i) {
        read.names.push_back(Taken(api, api.struct_type_child_name(type, i)));
        read.parts.push_back(ReadDuckdbType(api, api.struct_type_child_type(type, i)));
      }
      read.name = "STRUCT(" + MembersText(read) + ")";
      break;
    case DUCKDB_TYPE_UNION:
      for (idx_t i = 0; i < api.union_type_member_count(type); ++i) {
        read.names.push_back(Taken(api, api.union_type_member_name(type, i)));
        read.parts.push_back(ReadDuckdbType(api, api.union_type_member_type(type, i)));
      }
      read.name = "UNION(" + MembersText(read) + ")";
      break;
    default:
      read.is_readable = !read.name.empty();
      break;
  }
  read.is_readable =
      read.is_readable && std::all_of(read.parts.begin(), read.parts.end(),
                                      [](const DuckdbType& part) { return part.is_readable; });
  // JSON is a VARCHAR with a name of its own.
  const std::string alias = Taken(api, api.logical_type_get_alias(type));
  if (!alias.empty()) read.name = alias;
  return read;
}

void WriteDuckdbValue(const DuckdbApi& api, const DuckdbType& type, duckdb_vector vector, idx_t row,
                      ResultWriter& writer) {
  const Reader reader(api, type, vector);
  if (reader.IsNull(row)) return writer.Null();
  if (!reader.nests()) return reader.WritePlain(row, writer);
  std::string json;
  NestedValues values(json, writer.left());
  reader.WriteNested(row, values);
  writer.Json(json);
}

}  // namespace bridgekeeper::bridge
