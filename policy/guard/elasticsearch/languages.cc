// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "policy/guard/elasticsearch/languages.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>

#include "policy/base/ascii.h"
#include "policy/base/strings.h"

namespace bridgekeeper::elasticsearch {
namespace {

bool IsAsciiWordByte(char c) { return IsAsciiAlnum(c) || c == '_'; }

bool IsWordByte(char c) { return IsAsciiWordByte(c) || IsBeyondAscii(c); }

std::string_view TrimFront(std::string_view text) {
  while (!text.empty() && IsAsciiSpace(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view Trim(std::string_view text) {
  text = TrimFront(text);
  while (!text.empty() && IsAsciiSpace(text.back())) text.remove_suffix(1);
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

// Where the next word that is one of `words` ends, from `at` on; npos: nowhere. A number
// ends where a letter follows, so that `1.FROM` and `1.5FROM` hold a word.
size_t AfterNextWord(std::string_view text, size_t at, std::span<const std::string_view> words) {
  while (at < text.size()) {
    if (!IsAsciiWordByte(text[at])) {
      ++at;
      continue;
    }
    // A field, as in `email.from`.
    const bool dotted = at > 1 && text[at - 1] == '.' && IsAsciiWordByte(text[at - 2]) &&
                        !IsAsciiDigit(text[at - 2]);
    const bool number = IsAsciiDigit(text[at]);
    const size_t begin = at;
    while (at < text.size() && IsAsciiWordByte(text[at])) ++at;
    const std::string word = AsciiLower(text.substr(begin, at - begin));
    if (dotted) continue;
    if (number ? std::any_of(words.begin(), words.end(),
                             [&](std::string_view one) { return word.ends_with(one); })
               : IsOneOf(word, words)) {
      return at;
    }
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
    return IsAsciiSpace(c) || std::string_view(",|()[];").find(c) != std::string_view::npos;
  });
  std::string name(text.begin(), end);
  text.remove_prefix(name.size());
  return name;
}

// Names looked for in one text; one that has more is not known.
constexpr size_t kMaxNames = 1000;

// Takes one index expression: a name, or a cluster and a name, as in `"a":"b"`. One that
// could be another than it seems is not known.
void TakeIndex(std::string_view& rest, QueryText& out) {
  rest = TrimFront(rest);
  const bool quoted = rest.starts_with('"') || rest.starts_with('`') || rest.starts_with('\'');
  std::string name = TakeName(rest);
  // The end of a string that the name stands in, or the beginning of the next token.
  while (!quoted && name.ends_with('"')) name.pop_back();
  const bool grave = !quoted && name.find('`') != std::string::npos;
  const bool quote_goes_on = quoted && (rest.starts_with('"') || rest.starts_with('`'));
  rest = TrimFront(rest);
  while (rest.starts_with(':')) {
    rest.remove_prefix(1);
    name += ":" + TakeName(rest);
    rest = TrimFront(rest);
  }
  const bool odd = grave || name == "." || name.find("--") != std::string::npos;
  const bool comment = rest.starts_with("--") || rest.starts_with("/*") || rest.starts_with('#');
  if (odd || quote_goes_on || comment) out.unknown = "the name " + name;
  out.names.push_back(std::move(name));
}

// A text, and the same with its strings emptied: words are looked for in the latter, since
// a string may hold any, and names are read from the former, since one may be quoted.
struct Searched {
  std::string text;
  std::string words;
};

// The lists of names after each of `words` (with `assigned`, after the word and `=`).
void FindNames(const Searched& searched, std::span<const std::string_view> words, bool assigned,
               QueryText& out) {
  const std::string_view text = searched.text;
  for (size_t at = 0; (at = AfterNextWord(searched.words, at, words)) != std::string_view::npos;) {
    std::string_view rest = TrimFront(text.substr(at));
    if (assigned) {
      if (!rest.starts_with('=')) continue;
      rest.remove_prefix(1);
    }
    while (out.names.size() < kMaxNames) {
      TakeIndex(rest, out);
      if (!rest.starts_with(',')) break;
      rest.remove_prefix(1);
    }
  }
}

// The name that may begin `rest` in SQL, behind parentheses.
void TakeSqlName(std::string_view rest, QueryText& out) {
  rest = TrimFront(rest);
  while (rest.starts_with('(')) rest = TrimFront(rest.substr(1));
  if (rest.empty() || FirstWord(rest) == "select") return;  // its own FROM follows
  // White space of Unicode, to some parsers.
  if (IsBeyondAscii(rest.front())) out.unknown = "a name that begins with no letter of ASCII";
  TakeIndex(rest, out);
}

// Whether what follows a comma is a literal, a parameter or a field of every document.
bool IsSqlValue(std::string_view rest) {
  constexpr std::string_view kFields[] = {"_id", "_index", "_score"};
  if (rest.starts_with('-')) rest.remove_prefix(1);
  return rest.empty() || rest.front() == '\'' || rest.front() == '?' ||
         IsAsciiDigit(rest.front()) || IsOneOf(FirstWord(rest), kFields);
}

// The names in SQL: after each of `words`, and after each comma behind the first, as an
// alias or a subquery may stand before the comma of a list.
void FindSqlNames(const Searched& searched, std::span<const std::string_view> words,
                  QueryText& out) {
  const std::string_view text = searched.text;
  const size_t first = AfterNextWord(searched.words, 0, words);
  for (size_t at = first; at != std::string_view::npos && out.names.size() < kMaxNames;
       at = AfterNextWord(searched.words, at, words)) {
    TakeSqlName(text.substr(at), out);
  }
  for (size_t at = first; at < text.size() && out.names.size() < kMaxNames; ++at) {
    if (searched.words[at] != ',') continue;
    const std::string_view rest = TrimFront(text.substr(at + 1));
    if (!IsSqlValue(rest)) TakeSqlName(rest, out);
  }
}

// `text` with its strings in single quotes emptied, where every dialect of SQL agrees on
// what is one; else the whole text is searched.
std::string EmptySqlStrings(std::string_view text) {
  std::string out(text);
  for (const std::string_view mark : {"\\", "--", "/*", "#"}) {  // escapes and comments
    if (text.find(mark) != std::string_view::npos) return out;
  }
  for (size_t at = 0; at < text.size(); ++at) {
    const char mark = text[at];
    if (std::string_view("'\"`").find(mark) == std::string_view::npos) continue;
    // A quote that is doubled makes two strings of one, both inside.
    const size_t end = text.find(mark, at + 1);
    if (end == std::string_view::npos) return std::string(text);
    if (mark == '\'') std::fill(out.begin() + at + 1, out.begin() + end, ' ');
    at = end;
  }
  return out;
}

// Where the string or name that begins at `at` with the quote `mark` ends; npos: in no way
// that every dialect agrees on.
size_t AfterQuoted(std::string_view text, size_t at, std::string_view mark) {
  for (size_t next = at + mark.size(); next < text.size(); ++next) {
    if (text.substr(next).starts_with(mark)) {
      next += mark.size();
      // Up to two more quotes belong to a string in three.
      for (int more = 0; mark.size() == 3 && more < 2 && text.substr(next).starts_with('"'); ++more)
        ++next;
      return next;
    }
    const char c = text[next];
    if (c == '\n' || c == '\r') return std::string_view::npos;
    if (mark == "\"" && c == '\\') ++next;
    // In the name of an index a ` is a letter to ES|QL, so it may hide nothing.
    if (mark == "`" && std::string_view("|\"'/\\").find(c) != std::string_view::npos) break;
    if (mark == "'" && c == '\\') break;
  }
  return std::string_view::npos;
}

// Where the comment that begins at `at` ends; npos: as in AfterQuoted.
size_t AfterComment(std::string_view text, size_t at) {
  const bool block = text[at + 1] == '*';
  const size_t end = text.find(block ? "*/" : "\n", at + 2);
  if (end == std::string_view::npos && block) return end;
  const std::string_view inside = text.substr(at + 2, std::min(end, text.size()) - at - 2);
  if (inside.find(block ? '/' : '\r') != std::string_view::npos) return std::string_view::npos;
  return block ? end + 2 : std::min(end, text.size());
}

// A pipeline without its comments; nullopt: it cannot be told what is a comment or a
// string. `quotes` are those of the language.
std::optional<std::string> WithoutComments(std::string_view text,
                                           std::span<const std::string_view> quotes) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    size_t end = at + 1;
    if (rest.starts_with("//") || rest.starts_with("/*")) {
      end = AfterComment(text, at);
      kept += ' ';
      if (end == std::string_view::npos) return std::nullopt;
      at = end;
      continue;
    }
    if (std::string_view("\"'`").find(rest.front()) != std::string_view::npos) {
      const auto mark = std::find_if(quotes.begin(), quotes.end(),
                                     [&](std::string_view one) { return rest.starts_with(one); });
      if (mark == quotes.end()) return std::nullopt;
      end = AfterQuoted(text, at, *mark);
      if (end == std::string_view::npos) return std::nullopt;
    }
    kept += text.substr(at, end - at);
    at = end;
  }
  return kept;
}

// The length of the quote that stands at `at`; 0: none does.
size_t QuoteAt(std::string_view text, size_t at, std::span<const std::string_view> quotes) {
  const auto mark = std::find_if(quotes.begin(), quotes.end(), [&](std::string_view one) {
    return text.substr(at).starts_with(one);
  });
  return mark == quotes.end() ? 0 : mark->size();
}

// A pipeline that WithoutComments made, to be searched. A ` may be a letter of a name.
Searched EmptyStrings(std::string text, std::span<const std::string_view> quotes) {
  std::string words = text;
  for (size_t at = 0; at < text.size();) {
    const size_t size = QuoteAt(text, at, quotes);
    if (size == 0 || text[at] == '`') {
      ++at;
      continue;
    }
    const size_t end =
        std::min(AfterQuoted(text, at, std::string_view(text).substr(at, size)), text.size());
    std::fill(words.begin() + at, words.begin() + end, ' ');
    at = end;
  }
  return {std::move(text), std::move(words)};
}

// Whether the `(` at `at` begins a branch of FORK: it follows the word, or another branch.
bool BeginsBranch(std::string_view text, size_t at) {
  std::string_view before = text.substr(0, at);
  while (!before.empty() && IsAsciiSpace(before.back())) before.remove_suffix(1);
  if (before.ends_with(')')) return true;
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), IsWordByte).base();
  return AsciiLower(std::string_view(begin, before.end())) == "fork";
}

// The commands of a pipeline that WithoutComments made: its parts between `|` that stand
// in no string, and the first of each branch of FORK.
std::vector<std::string_view> Commands(std::string_view text,
                                       std::span<const std::string_view> quotes) {
  std::vector<std::string_view> commands;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    if (const size_t size = QuoteAt(text, at, quotes); size > 0) {
      at = std::min(AfterQuoted(text, at, text.substr(at, size)), text.size());
      continue;
    }
    if (text[at] == '|' || (text[at] == '(' && BeginsBranch(text, at))) {
      commands.push_back(Trim(text.substr(begin, at - begin)));
      begin = at + 1;
    }
    ++at;
  }
  commands.push_back(Trim(text.substr(begin)));
  return commands;
}

void CheckCommands(std::span<const std::string_view> commands,
                   std::span<const std::string_view> known,
                   std::span<const std::string_view> models, QueryText& out) {
  for (const std::string_view command : commands) {
    const std::string word = FirstWord(command);
    if (IsOneOf(word, models)) {
      out.asks_a_model = true;
    } else if (!IsOneOf(word, known)) {
      out.unknown = "the command " + std::string(word.empty() ? command.substr(0, 32) : word);
    }
  }
}

// Functions that do more than compute, and what may hide one: a name that is a parameter.
// `words` has no strings.
void CheckEsqlCalls(std::string_view words, QueryText& out) {
  constexpr std::string_view kModelCalls[] = {"text_embedding"};
  for (size_t at = 0; (at = AfterNextWord(words, at, kModelCalls)) != std::string_view::npos;) {
    const std::string_view rest = TrimFront(words.substr(at + (words.substr(at).starts_with('`'))));
    if (rest.starts_with('(')) out.asks_a_model = true;
  }
  for (size_t at = 0; (at = words.find('?', at)) != std::string_view::npos;) {
    at = std::min(words.find_first_not_of('?', at), words.size());
    while (at < words.size() && IsWordByte(words[at])) ++at;
    if (TrimFront(words.substr(at)).starts_with('(')) out.unknown = "a call named by a parameter";
  }
  if (words.find(';') != std::string_view::npos) out.unknown = "a semicolon";
}

}  // namespace

QueryText ReadSql(std::string_view text) {
  constexpr std::string_view kReads[] = {"select", "show", "describe", "desc", "sys", "explain"};
  constexpr std::string_view kBeforeNames[] = {"from",   "join",     "frozen",
                                               "tables", "describe", "desc"};
  constexpr size_t kInSelect = 3;  // the first ones: DESC is an order there
  QueryText out;
  text = Trim(text);
  const std::string verb = FirstWord(text);
  out.deletes = verb == "delete";
  if (!out.deletes && !IsOneOf(verb, kReads)) out.unknown = "a statement that begins with " + verb;
  const size_t semicolon = text.find(';');
  if (semicolon != std::string_view::npos && semicolon + 1 < text.size()) {
    out.unknown = "text after a semicolon";
  }
  const std::span<const std::string_view> before(kBeforeNames);
  FindSqlNames({std::string(text), EmptySqlStrings(text)},
               verb == "select" ? before.first(kInSelect) : before, out);
  if (out.names.size() == kMaxNames) out.unknown = "more names than are looked for";
  return out;
}

QueryText ReadEsql(std::string_view whole) {
  constexpr std::string_view kReads[] = {
      "from",      "row",    "show",   "ts",          "where",  "eval",    "stats",
      "sort",      "limit",  "keep",   "drop",        "rename", "dissect", "grok",
      "mv_expand", "enrich", "lookup", "inlinestats", "inline", "sample",  "change_point",
      "left",      "inner",  "fork",   "fuse"};
  constexpr std::string_view kModels[] = {"completion", "rerank"};
  constexpr std::string_view kBeforeNames[] = {"from", "ts", "join"};
  constexpr std::string_view kQuotes[] = {"\"\"\"", "\"", "`"};
  QueryText out;
  const auto text = WithoutComments(whole, kQuotes);
  if (!text) {
    out.unknown = "a comment or string that is not understood";
    return out;
  }
  const std::vector<std::string_view> commands = Commands(*text, kQuotes);
  CheckCommands(commands, kReads, kModels, out);
  const Searched searched = EmptyStrings(*text, kQuotes);
  CheckEsqlCalls(searched.words, out);
  FindNames(searched, kBeforeNames, false, out);
  if (out.names.size() == kMaxNames) out.unknown = "more names than are looked for";
  return out;
}

QueryText ReadPpl(std::string_view whole) {
  constexpr std::string_view kReads[] = {
      "search", "source", "index", "where", "fields", "rename", "stats",    "eventstats",
      "sort",   "dedup",  "eval",  "head",  "top",    "rare",   "parse",    "grok",
      "show",   "expand", "join",  "regex", "rex",    "lookup", "fillnull", "describe"};
  constexpr std::string_view kModels[] = {"ml", "ad", "kmeans"};
  constexpr std::string_view kAssigned[] = {"source", "index"};
  constexpr std::string_view kBeforeNames[] = {"describe", "lookup"};
  constexpr std::string_view kQuotes[] = {"\"", "`", "'"};
  QueryText out;
  const auto text = WithoutComments(whole, kQuotes);
  if (!text) {
    out.unknown = "a comment or string that is not understood";
    return out;
  }
  const std::vector<std::string_view> commands = Commands(*text, kQuotes);
  CheckCommands(commands, kReads, kModels, out);
  const Searched searched = EmptyStrings(*text, kQuotes);
  // A join names its index at its end, behind its condition.
  for (const std::string_view command : commands) {
    if (FirstWord(command) == "join") out.unknown = "the command join";
  }
  FindNames(searched, kAssigned, true, out);
  FindNames(searched, kBeforeNames, false, out);
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
