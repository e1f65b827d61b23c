// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// What a byte is in ASCII, whatever the locale; bytes above 0x7F are none of it. Unlike
// Abseil's they take a char, whose sign conversion clang warns of, and are constexpr.
//
// Thread safety: free functions without state.

#ifndef BRIDGEKEEPER_POLICY_BASE_ASCII_H_
#define BRIDGEKEEPER_POLICY_BASE_ASCII_H_

namespace bridgekeeper {

constexpr bool IsAsciiUpper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool IsAsciiLower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool IsAsciiLetter(char c) { return IsAsciiUpper(c) || IsAsciiLower(c); }
constexpr bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsAsciiAlnum(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c); }
constexpr bool IsLowerHexDigit(char c) { return IsAsciiDigit(c) || (c >= 'a' && c <= 'f'); }
constexpr bool IsHexDigit(char c) { return IsLowerHexDigit(c) || (c >= 'A' && c <= 'F'); }
// Space, and the controls from tab to carriage return.
constexpr bool IsAsciiSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
// White space of JSON (RFC 8259, section 2).
constexpr bool IsJsonSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
// A byte of a character beyond ASCII.
constexpr bool IsBeyondAscii(char c) { return (static_cast<unsigned char>(c) & 0x80) != 0; }

constexpr char ToAsciiLower(char c) {
  return IsAsciiUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char ToAsciiUpper(char c) {
  return IsAsciiLower(c) ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace bridgekeeper

#endif  // BRIDGEKEEPER_POLICY_BASE_ASCII_H_
