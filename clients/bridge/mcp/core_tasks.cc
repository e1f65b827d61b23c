// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The part of BridgeCore that knows of tasks: what a side made of a call, and how
// long it may go on.

#include <deque>
#include <utility>

#include "clients/bridge/mcp/answers.h"
#include "clients/bridge/mcp/core.h"
#include "clients/bridge/mcp/json_text.h"
#include "policy/base/check.h"

namespace bridgekeeper::bridge {
namespace {

// Forgets the oldest of `order`, and what `forget` knows of it, until `order` fits.
template <typename Forget>
void BoundTasks(std::deque<std::string>& order, Forget forget) {
  while (order.size() > kMaxTasks) {
    forget(order.front());
    order.pop_front();
  }
}

// The id of the task that a result names: {"resultType":"task","taskId":...} in
// 2026-07-28, {"task":{"taskId":...}} in 2025-11-25. Empty: none, or one too long to
// be remembered, which then is nobody's task.
std::string_view TaskIdOf(JsonValue result) {
  std::string_view id = TextOf(Member(result.Find("task"), "taskId"));
  if (id.empty() && TextOf(result.Find("resultType")) == "task") id = TextOf(result.Find("taskId"));
  return id.size() <= kMaxTaskIdBytes ? id : std::string_view();
}

// Whether a task of this status runs no more. Source: MCP 2025-11-25, tasks, status
// lifecycle; the same in 2026-07-28.
bool IsFinal(std::string_view status) {
  return status == "completed" || status == "failed" || status == "cancelled";
}

}  // namespace

void BridgeCore::UseTask(const Message& message, std::string_view line, Output& out) {
  const std::string id(TextOf(message.Param("taskId")));
  const auto task = tasks_.find(id);
  if (task == tasks_.end()) return RefuseMethod(message, out);
  ForwardRequest(message, line,
                 {.use = Pending::Use::kTask,
                  .tool = task->second.tool,
                  .decision_id = task->second.decision_id,
                  .max_bytes = task->second.max_bytes,
                  .timeout = task->second.timeout,
                  .deadline = task->second.deadline,
                  .task = id,
                  .ends_task = message.method == "tasks/result"},
                 out);
}

void BridgeCore::RememberTask(const Message& answer, const Pending& call) {
  const std::string id(TaskIdOf(*answer.body));
  if (id.empty() || !tasks_
                         .emplace(id, Task{.tool = call.tool,
                                           .decision_id = call.decision_id,
                                           .max_bytes = call.max_bytes,
                                           .timeout = call.timeout,
                                           .deadline = call.deadline})
                         .second) {
    return;
  }
  if (call.deadline != absl::InfiniteDuration()) task_deadlines_.emplace(call.deadline, id);
  const auto task = answer.body->Find("task");
  NoteTaskStatus(id, TextOf((task ? *task : *answer.body).Find("status")));
  task_order_.push_back(id);
  BoundTasks(task_order_, [&](const std::string& oldest) {
    const auto found = tasks_.find(oldest);
    if (found == tasks_.end()) return;
    task_deadlines_.erase({found->second.deadline, oldest});
    tasks_.erase(found);
  });
}

void BridgeCore::NoteTaskAnswer(const Message& answer, const Pending& request) {
  if (request.ends_task) return NoteTaskStatus(request.task, "completed");
  NoteTaskStatus(request.task, TextOf(answer.body->Find("status")));
}

void BridgeCore::NoteTaskStatus(std::string_view id, std::string_view status) {
  if (!IsFinal(status)) return;
  const auto found = tasks_.find(std::string(id));
  if (found == tasks_.end()) return;
  // It kept its time. It is still known, for as long as its server keeps the result.
  task_deadlines_.erase(
      {std::exchange(found->second.deadline, absl::InfiniteDuration()), found->first});
}

void BridgeCore::RememberClientTask(const Message& answer) {
  const std::string_view id = TaskIdOf(*answer.body);
  if (id.empty() || !client_tasks_.insert(std::string(id)).second) return;
  client_task_order_.emplace_back(id);
  BoundTasks(client_task_order_, [&](const std::string& oldest) { client_tasks_.erase(oldest); });
}

void BridgeCore::CancelTask(const std::string& id, Output& out) {
  const auto found = tasks_.find(id);
  BK_CHECK(found != tasks_.end());
  task_deadlines_.erase({found->second.deadline, id});
  tasks_.erase(found);
  ++stats_.timeouts;
  // The client is told METHOD_NOT_ALLOWED when it asks for the task again.
  AppendLine(RequestLine(NextOwnId(), "tasks/cancel", OwnParams("taskId", id)), out.to_server);
}

}  // namespace bridgekeeper::bridge
