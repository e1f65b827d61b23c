// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/languages.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>

#include "policy/base/strings.h"

namespace bridgekeeper::elasticsearch {
namespace {

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view TrimFront(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view Trim(std::string_view text) {
  text = TrimFront(text);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// The word that `text` begins with, in lower case.
std::string FirstWord(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsWordByte);
  return AsciiLower(text.substr(0, static_cast<size_t>(end - text.begin())));
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where the next whole word that is one of `words` ends, from `at` on; npos: nowhere.
size_t AfterNextWord(std::string_view text, size_t at, std::span<const std::string_view> words) {
  while (at < text.size()) {
    if (!IsWordByte(text[at])) {
      ++at;
      continue;
    }
    const std::string word = FirstWord(text.substr(at));
    const bool dotted = at > 0 && text[at - 1] == '.';  // a field, as in `email.from`
    at += word.size();
    if (!dotted && IsOneOf(word, words)) return at;
  }
  return std::string_view::npos;
}

// Takes one name, quoted or not, from the front of `text`.
std::string TakeName(std::string_view& text) {
  text = TrimFront(text);
  for (const std::string_view quote : {"\"\"\"", "\"", "`", "'"}) {
    if (!text.starts_with(quote)) continue;
    const size_t end = text.find(quote, quote.size());
    std::string name(text.substr(
        quote.size(), end == std::string_view::npos ? std::string_view::npos : end - quote.size()));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + quote.size());
    return name;
  }
  const auto end = std::find_if(text.begin(), text.end(), [](char c) {
    return IsSpace(c) || std::string_view(",|()[];").find(c) != std::string_view::npos;
  });
  std::string name(text.begin(), end);
  text.remove_prefix(name.size());
  return name;
}

// Names looked for in one text; one that has more is not known.
constexpr size_t kMaxNames = 1000;

// The names after each of `words` (with `assigned`, after the word and `=`).
void FindNames(std::string_view text, std::span<const std::string_view> words, bool assigned,
               std::vector<std::string>& names) {
  for (size_t at = 0; (at = AfterNextWord(text, at, words)) != std::string_view::npos;) {
    if (names.size() == kMaxNames) return;
    std::string_view rest = TrimFront(text.substr(at));
    if (assigned) {
      if (!rest.starts_with('=')) continue;
      rest.remove_prefix(1);
    }
    if (TrimFront(rest).starts_with('(')) continue;  // its own FROM follows
    while (names.size() < kMaxNames) {
      std::string name = TakeName(rest);
      // `"a":"b"`: a quoted cluster before a quoted index.
      while (rest.starts_with(':')) {
        rest.remove_prefix(1);
        name += ":" + TakeName(rest);
      }
      names.push_back(std::move(name));
      rest = TrimFront(rest);
      if (!rest.starts_with(',')) break;
      rest.remove_prefix(1);
    }
  }
}

// The commands of a pipeline: its parts between `|` that stand in no string.
std::vector<std::string_view> Commands(std::string_view text) {
  std::vector<std::string_view> commands;
  size_t begin = 0;
  std::string_view quote;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!quote.empty()) {
      if (text[at] == '\\' && quote == "\"") {
        ++at;
      } else if (text.substr(at).starts_with(quote)) {
        at += quote.size() - 1;
        quote = {};
      }
      continue;
    }
    for (const std::string_view mark : {"\"\"\"", "\"", "`", "'"}) {
      if (!text.substr(at).starts_with(mark)) continue;
      quote = mark;
      at += mark.size() - 1;
      break;
    }
    if (text[at] == '|' && quote.empty()) {
      commands.push_back(Trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
  }
  commands.push_back(Trim(text.substr(begin)));
  return commands;
}

void CheckCommands(std::string_view text, std::span<const std::string_view> known,
                   std::span<const std::string_view> models, QueryText& out) {
  for (const std::string_view command : Commands(text)) {
    const std::string word = FirstWord(command);
    if (IsOneOf(word, models)) {
      out.asks_a_model = true;
    } else if (!IsOneOf(word, known)) {
      out.unknown = "the command " + std::string(word.empty() ? command.substr(0, 32) : word);
    }
  }
}

}  // namespace

QueryText ReadSql(std::string_view text) {
  constexpr std::string_view kReads[] = {"select", "show", "describe", "desc", "sys", "explain"};
  constexpr std::string_view kBeforeNames[] = {"from", "join", "describe", "desc", "tables"};
  QueryText out;
  text = Trim(text);
  const std::string verb = FirstWord(text);
  out.deletes = verb == "delete";
  if (!out.deletes && !IsOneOf(verb, kReads)) out.unknown = "a statement that begins with " + verb;
  const size_t semicolon = text.find(';');
  if (semicolon != std::string_view::npos && semicolon + 1 < text.size()) {
    out.unknown = "text after a semicolon";
  }
  FindNames(text, kBeforeNames, false, out.names);
  if (out.names.size() == kMaxNames) out.unknown = "more names than are looked for";
  return out;
}

QueryText ReadEsql(std::string_view text) {
  constexpr std::string_view kReads[] = {
      "from",      "row",    "show",   "ts",          "where",  "eval",    "stats",
      "sort",      "limit",  "keep",   "drop",        "rename", "dissect", "grok",
      "mv_expand", "enrich", "lookup", "inlinestats", "inline", "sample",  "change_point",
      "left",      "inner",  "fork",   "fuse",        "set"};
  constexpr std::string_view kModels[] = {"completion", "rerank"};
  constexpr std::string_view kBeforeNames[] = {"from", "ts", "join"};
  QueryText out;
  CheckCommands(text, kReads, kModels, out);
  FindNames(text, kBeforeNames, false, out.names);
  if (out.names.size() == kMaxNames) out.unknown = "more names than are looked for";
  return out;
}

QueryText ReadPpl(std::string_view text) {
  constexpr std::string_view kReads[] = {
      "search", "source", "index", "where", "fields", "rename", "stats",    "eventstats",
      "sort",   "dedup",  "eval",  "head",  "top",    "rare",   "parse",    "grok",
      "show",   "expand", "join",  "regex", "rex",    "lookup", "fillnull", "describe"};
  constexpr std::string_view kModels[] = {"ml", "ad", "kmeans"};
  constexpr std::string_view kAssigned[] = {"source", "index"};
  constexpr std::string_view kBeforeNames[] = {"describe", "lookup"};
  QueryText out;
  CheckCommands(text, kReads, kModels, out);
  // A join names its index at its end, behind its condition.
  for (const std::string_view command : Commands(text)) {
    if (FirstWord(command) == "join") out.unknown = "the command join";
  }
  FindNames(text, kAssigned, true, out.names);
  FindNames(text, kBeforeNames, false, out.names);
  if (out.names.size() == kMaxNames) out.unknown = "more names than are looked for";
  return out;
}

bool ChangesOnlySource(std::string_view script) {
  constexpr std::string_view kContext = "ctx";
  constexpr std::string_view kSource = "._source";
  for (size_t at = script.find(kContext); at != std::string_view::npos;
       at = script.find(kContext, at + 1)) {
    std::string_view rest = script.substr(at + kContext.size());
    if (!rest.starts_with(kSource)) return false;
    rest.remove_prefix(kSource.size());
    if (!rest.empty() && IsWordByte(rest.front())) return false;
  }
  return true;
}

}  // namespace bridgekeeper::elasticsearch
