// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The commands, each in the file of its name: kPolicyPut in cmd_policy_put.cc.

#ifndef BRIDGEKEEPER_CLIENTS_CLI_COMMANDS_H_
#define BRIDGEKEEPER_CLIENTS_CLI_COMMANDS_H_

#include "clients/cli/command.h"

namespace bridgekeeper::cli {

extern const Command kDecide;
extern const Command kExplain;
extern const Command kTools;
extern const Command kClientConfig;
extern const Command kJudge;
extern const Command kPolicyPut;
extern const Command kPolicyGet;
extern const Command kPolicySet;
extern const Command kPolicyEdit;
extern const Command kPolicyList;
extern const Command kPolicyHistory;
extern const Command kPolicyDiff;
extern const Command kPolicyRollback;
extern const Command kPolicySuspend;
extern const Command kPolicyResume;
extern const Command kPolicyDelete;
extern const Command kCatalogList;
extern const Command kCatalogGet;
extern const Command kCatalogPut;
extern const Command kCatalogReview;
extern const Command kCatalogDiff;
extern const Command kCatalogApprove;
extern const Command kCatalogDisable;
extern const Command kCatalogDelete;
extern const Command kConnectionsList;
extern const Command kConnectionsGet;
extern const Command kConnectionsPut;
extern const Command kConnectionsDelete;
extern const Command kStatus;
extern const Command kBackup;
extern const Command kHealthcheck;
extern const Command kCompletion;
extern const Command kVersion;

}  // namespace bridgekeeper::cli

#endif  // BRIDGEKEEPER_CLIENTS_CLI_COMMANDS_H_
