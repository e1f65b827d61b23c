// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/mcp/answers.h"

#include "clients/bridge/mcp/json_text.h"

namespace bridgekeeper::bridge {

void AppendLine(std::string_view line, std::string& out) {
  out += line;
  out += '\n';
}

std::string DenialJson(const DenialData& denial) {
  std::string out;
  JsonObject object(out);
  object.String("verdict", Name(Verdict::kDeny))
      .String("reason_code", Name(denial.reason))
      .String("effective_risk", Name(denial.effective_risk))
      .String("app", denial.app)
      .String("server", denial.server);
  if (!denial.tool.empty()) object.String("tool", denial.tool);
  if (!denial.connection.empty()) object.String("connection_id", denial.connection);
  object.Integer("policy_revision", denial.policy_revision)
      .Integer("catalog_revision", denial.catalog_revision)
      .String("decision_id", denial.decision_id);
  object.Close();
  return out;
}

std::string ErrorLine(std::string_view id_token, int code, std::string_view message,
                      std::string_view data) {
  std::string out;
  JsonObject envelope(out);
  envelope.String("jsonrpc", "2.0").Raw("id", id_token.empty() ? "null" : id_token).Key("error");
  JsonObject error(out);
  error.Integer("code", code).String("message", message);
  if (!data.empty()) error.Raw("data", data);
  error.Close();
  envelope.Close();
  return out;
}

std::string ResultLine(std::string_view id_token, std::string_view result) {
  std::string out;
  JsonObject envelope(out);
  envelope.String("jsonrpc", "2.0").Raw("id", id_token).Raw("result", result);
  envelope.Close();
  return out;
}

std::string ToolErrorLine(std::string_view id_token, std::string_view text,
                          std::string_view meta_key, std::string_view data,
                          const ResultShape& shape) {
  std::string content = "[";
  JsonObject block(content);
  block.String("type", "text").String("text", text);
  block.Close();
  content += ']';

  std::string meta;
  JsonObject meta_object(meta);
  meta_object.Raw(meta_key, data);
  meta_object.Close();

  std::string out;
  JsonObject result(out);
  if (shape.stateless) result.String("resultType", "complete");
  result.Raw("content", content).Bool("isError", true).Raw("_meta", meta);
  if (shape.structured_content) result.Raw("structuredContent", data);
  result.Close();
  return ResultLine(id_token, out);
}

std::string NotificationLine(std::string_view method, std::string_view params) {
  std::string out;
  JsonObject envelope(out);
  envelope.String("jsonrpc", "2.0").String("method", method);
  if (!params.empty()) envelope.Raw("params", params);
  envelope.Close();
  return out;
}

std::string RequestLine(std::string_view id, std::string_view method, std::string_view params) {
  std::string out;
  JsonObject envelope(out);
  envelope.String("jsonrpc", "2.0").String("id", id).String("method", method);
  if (!params.empty()) envelope.Raw("params", params);
  envelope.Close();
  return out;
}

}  // namespace bridgekeeper::bridge
