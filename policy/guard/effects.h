// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The closed vocabulary of Effect::kind. A judge uses these names and no others;
// they are part of what we print (`keeper judge`, explain, audit), so a name once
// released stays.
//
// Source: policy/spec.md, clause G3.

#ifndef BRIDGEKEEPER_POLICY_GUARD_EFFECTS_H_
#define BRIDGEKEEPER_POLICY_GUARD_EFFECTS_H_

#include <string_view>

namespace bridgekeeper::effect {

// Data.
inline constexpr std::string_view kInsert = "INSERT";
inline constexpr std::string_view kUpdate = "UPDATE";
inline constexpr std::string_view kDelete = "DELETE";
inline constexpr std::string_view kMerge = "MERGE";
inline constexpr std::string_view kTruncate = "TRUNCATE";
inline constexpr std::string_view kLock = "LOCK";          // rows, tables, advisory locks
inline constexpr std::string_view kSequence = "SEQUENCE";  // a sequence moves on
inline constexpr std::string_view kSystemWrite =
    "SYSTEM_WRITE";  // rows of a catalogue, scheduler or queue

// Definitions.
inline constexpr std::string_view kCreate = "CREATE";
inline constexpr std::string_view kAlter = "ALTER";
inline constexpr std::string_view kDrop = "DROP";
inline constexpr std::string_view kReplace = "REPLACE";
inline constexpr std::string_view kRename = "RENAME";
inline constexpr std::string_view kComment = "COMMENT";
inline constexpr std::string_view kPrivilege = "PRIVILEGE";  // grants, roles, owners, policies

// Code and reach.
inline constexpr std::string_view kFunction =
    "FUNCTION";  // a call that is not known to be harmless
inline constexpr std::string_view kStoredCode = "STORED_CODE";    // something that runs later
inline constexpr std::string_view kDynamicCode = "DYNAMIC_CODE";  // text that is run as code
inline constexpr std::string_view kExtension = "EXTENSION";  // extensions, libraries, languages
inline constexpr std::string_view kExternal =
    "EXTERNAL";  // another server: network, dblink, foreign data
inline constexpr std::string_view kHostFile = "HOST_FILE";
inline constexpr std::string_view kHostProgram = "HOST_PROGRAM";
inline constexpr std::string_view kOtherConnection =
    "OTHER_CONNECTION";  // outside the record's databases

// Server and session.
inline constexpr std::string_view kSetting = "SETTING";
inline constexpr std::string_view kTransaction = "TRANSACTION";
inline constexpr std::string_view kSession =
    "SESSION";  // this session: cursors, prepared statements, DISCARD
inline constexpr std::string_view kOtherSession = "OTHER_SESSION";  // ends or signals another one
inline constexpr std::string_view kNotify = "NOTIFY";
inline constexpr std::string_view kMaintenance = "MAINTENANCE";
inline constexpr std::string_view kServer =
    "SERVER";  // WAL, replication, statistics, the whole server
inline constexpr std::string_view kResource = "RESOURCE";  // holds or uses up what others need

// Reads that are not harmless.
inline constexpr std::string_view kSensitiveRead = "SENSITIVE_READ";

// Not judged.
inline constexpr std::string_view kUnknown = "UNKNOWN";        // read and not known
inline constexpr std::string_view kUnreadable = "UNREADABLE";  // where reading failed

// All of them.
inline constexpr std::string_view kAll[] = {
    kInsert,   kUpdate,        kDelete,          kMerge,       kTruncate,
    kLock,     kSequence,      kSystemWrite,     kCreate,      kAlter,
    kDrop,     kReplace,       kRename,          kComment,     kPrivilege,
    kFunction, kStoredCode,    kDynamicCode,     kExtension,   kExternal,
    kHostFile, kHostProgram,   kOtherConnection, kSetting,     kTransaction,
    kSession,  kOtherSession,  kNotify,          kMaintenance, kServer,
    kResource, kSensitiveRead, kUnknown,         kUnreadable,
};

}  // namespace bridgekeeper::effect

#endif  // BRIDGEKEEPER_POLICY_GUARD_EFFECTS_H_
