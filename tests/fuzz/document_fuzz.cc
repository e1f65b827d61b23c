// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The document readers on any bytes: no crash, no hang, and what they accept keeps
// its promises: values only without errors, and printing gives the same back.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policy/base/check.h"
#include "policy/text/document.h"

namespace bridgekeeper {
namespace {

template <typename T>
void Check(const Documents<T>& got,
           Documents<T> (*parse)(std::string_view, const DocumentOptions&)) {
  BK_CHECK(got.issues.size() <= kMaxDocumentIssues + 1);
  BK_CHECK(!HasErrors(got.issues) || got.values.empty());
  BK_CHECK(HasErrors(got.issues) || !got.values.empty());
  for (const Issue& issue : got.issues) {
    BK_CHECK(!issue.message.empty());
    BK_CHECK((issue.line == 0) == (issue.column == 0));
  }
  for (const T& value : got.values) {
    const std::string yaml = ToYaml(ToValue(value));
    BK_CHECK(yaml.size() <= kMaxDocumentBytes);
    const Documents<T> again = parse(yaml, {});
    BK_CHECK(again.values.size() == 1 && again.values[0] == value);
    BK_CHECK(parse(ToJson(ToValue(value)), {}).values == again.values);
  }
}

}  // namespace
}  // namespace bridgekeeper

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using bridgekeeper::Check;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Check(bridgekeeper::ParsePolicyDocument(text, {}), bridgekeeper::ParsePolicyDocument);
  Check(bridgekeeper::ParsePolicyDocument(text, {.default_app = "sqlkit"}),
        bridgekeeper::ParsePolicyDocument);
  Check(bridgekeeper::ParseCatalogDocument(text, {}), bridgekeeper::ParseCatalogDocument);
  Check(bridgekeeper::ParseConnectionDocument(text, {}), bridgekeeper::ParseConnectionDocument);
  return 0;
}
