// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// Whatever messages come in whatever order, a copy that follows a watch keeps its
// promises (clients/sdk/watch_copy.h): a refused message leaves no trace, a revision
// never goes back within its incarnation, and an app has a policy iff it is present.
//
// The input is messages in protobuf's text format with lines of `---` between them;
// `watch` in the place of a message begins a new watch, `drop` drops the copy.

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "clients/sdk/watch_copy.h"
#include "policy/base/check.h"

namespace {

using bridgekeeper::AppId;
using bridgekeeper::PolicyView;
using bridgekeeper::Revision;
using bridgekeeper::clients::PolicySnapshot;
using bridgekeeper::clients::WatchCopy;

class NoErrors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

bool Parse(std::string_view text, bridgekeeper::v1::WatchPoliciesResponse& message) {
  NoErrors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.SetRecursionLimit(16);
  return parser.ParseFromString(std::string(text), &message);
}

constexpr absl::Duration kNow = absl::Hours(1);
const char* const kApps[] = {"dockit", "sqlkit"};

std::vector<PolicySnapshot> ViewAll(const WatchCopy& copy) {
  std::vector<PolicySnapshot> all;
  for (const char* app : kApps) {
    all.push_back(copy.View(app, kNow));
    const PolicySnapshot& view = all.back();
    BK_CHECK((view.policy != nullptr) == (view.state == PolicyView::State::kPresent));
    if (view.policy != nullptr) {
      BK_CHECK(view.policy->policy().app.value() == app);
      BK_CHECK(view.policy->policy_revision() >= Revision{1});
      BK_CHECK(view.policy->policy_revision() <= view.token.revision);
      BK_CHECK(view.policy->catalog_revision() <= view.token.revision);
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr std::string_view kSeparator = "\n---\n";
  std::string_view input(reinterpret_cast<const char*>(data), size);
  WatchCopy copy(std::vector<AppId>{AppId(kApps[0]), AppId(kApps[1])});
  std::map<std::string, Revision> highest;  // by incarnation, since it was last entered
  std::string incarnation;

  while (!input.empty()) {
    const size_t end = input.find(kSeparator);
    const std::string_view part = input.substr(0, end);
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + kSeparator.size());
    if (part == "watch") {
      copy.BeginWatch();
      continue;
    }
    if (part == "drop") {
      copy.Drop();
      for (const PolicySnapshot& view : ViewAll(copy)) {
        BK_CHECK(view.state == PolicyView::State::kNotAuthorized);
      }
      continue;
    }
    bridgekeeper::v1::WatchPoliciesResponse message;
    if (!Parse(part, message)) return 0;

    const std::vector<PolicySnapshot> before = ViewAll(copy);
    const auto applied = copy.Apply(message, kNow);
    const std::vector<PolicySnapshot> after = ViewAll(copy);
    if (!applied.ok() || (!applied->snapshot && message.snapshot())) {
      for (size_t i = 0; i < before.size(); ++i) {
        BK_CHECK(after[i].state == before[i].state);
        BK_CHECK(after[i].policy == before[i].policy);
        BK_CHECK(after[i].token == before[i].token);
        BK_CHECK(after[i].age == before[i].age);
      }
      if (!applied.ok()) copy.BeginWatch();  // as the source does
      continue;
    }
    const auto token = copy.token();
    if (token.incarnation.empty()) continue;
    if (token.incarnation == incarnation) BK_CHECK(token.revision >= highest[incarnation]);
    incarnation = token.incarnation;
    highest[incarnation] = token.revision;
  }
  return 0;
}
