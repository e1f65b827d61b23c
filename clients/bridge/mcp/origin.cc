// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/origin.h"

#include <algorithm>

#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"
#include "policy/base/strings.h"
#include "runtime/sha256.h"

namespace bridgekeeper::bridge {
namespace {

// Beyond it only the hash tells one from another.
constexpr size_t kMaxShownBytes = 1024;

// A word of a command line may be any bytes; JSON may not.
std::string Shown(std::string_view text) { return EscapeForPeople(text, kMaxShownBytes); }

std::string JsonList(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ',';
    list += JsonString(text);
  }
  list += ']';
  return list;
}

}  // namespace

std::string OriginOfCommand(const std::vector<std::string>& command,
                            std::vector<std::string> environment, std::string_view folder) {
  BK_CHECK(!command.empty());
  std::sort(environment.begin(), environment.end());
  std::string out;
  JsonObject origin(out);
  origin.String("command", Shown(command[0]))
      .Integer("arguments", static_cast<int64_t>(command.size()) - 1)
      .String("command_sha256", Sha256Hex(JsonList(command)))
      .Raw("environment", JsonList(environment));
  if (!folder.empty())
    origin.String("folder", Shown(folder)).String("folder_sha256", Sha256Hex(folder));
  origin.Close();
  return out;
}

std::string OriginOfUrl(std::string_view url) {
  std::string out;
  JsonObject origin(out);
  const size_t host = url.find("://") + 3;
  origin.String("host", url.substr(0, url.find_first_of("/?", host)))
      .String("url_sha256", Sha256Hex(url));
  origin.Close();
  return out;
}

}  // namespace bridgekeeper::bridge
