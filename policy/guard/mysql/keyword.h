// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0
//
// The words that mean something to MySQL and MariaDB.
//
// Source: MySQL Reference Manual, "Keywords and Reserved Words" (5.7, 8.0, 8.4);
// MariaDB 10.11, information_schema.KEYWORDS.

#ifndef BRIDGEKEEPER_POLICY_GUARD_MYSQL_KEYWORD_H_
#define BRIDGEKEEPER_POLICY_GUARD_MYSQL_KEYWORD_H_

#include <cstdint>
#include <string_view>

namespace bridgekeeper::mysql {

// Where a word may stand. A word that only some versions reserve is kFree: for the
// others it is a name.
enum class Place : uint8_t {
  kFree,      // may be a name
  kQuery,     // reserved, and has its place in a query
  kFunction,  // reserved, and in a query only a function that `(` follows
  kReserved,  // reserved, and has no place in a query
};

// In the order of their names.
// clang-format off
#define BRIDGEKEEPER_MYSQL_KEYWORDS(X) \
  X(kAccessible, "ACCESSIBLE", kReserved) \
  X(kAccount, "ACCOUNT", kFree) \
  X(kAdd, "ADD", kReserved) \
  X(kAgainst, "AGAINST", kFree) \
  X(kAggregate, "AGGREGATE", kFree) \
  X(kAlgorithm, "ALGORITHM", kFree) \
  X(kAll, "ALL", kQuery) \
  X(kAlter, "ALTER", kReserved) \
  X(kAlways, "ALWAYS", kFree) \
  X(kAnalyze, "ANALYZE", kReserved) \
  X(kAnd, "AND", kQuery) \
  X(kAs, "AS", kQuery) \
  X(kAsc, "ASC", kQuery) \
  X(kAsensitive, "ASENSITIVE", kReserved) \
  X(kBackup, "BACKUP", kFree) \
  X(kBefore, "BEFORE", kReserved) \
  X(kBegin, "BEGIN", kFree) \
  X(kBetween, "BETWEEN", kQuery) \
  X(kBigint, "BIGINT", kQuery) \
  X(kBinary, "BINARY", kQuery) \
  X(kBinlog, "BINLOG", kFree) \
  X(kBlob, "BLOB", kQuery) \
  X(kBoth, "BOTH", kQuery) \
  X(kBy, "BY", kQuery) \
  X(kCache, "CACHE", kFree) \
  X(kCall, "CALL", kReserved) \
  X(kCascade, "CASCADE", kReserved) \
  X(kCase, "CASE", kQuery) \
  X(kCatalogName, "CATALOG_NAME", kFree) \
  X(kChange, "CHANGE", kReserved) \
  X(kChar, "CHAR", kQuery) \
  X(kCharacter, "CHARACTER", kQuery) \
  X(kCharset, "CHARSET", kFree) \
  X(kCheck, "CHECK", kReserved) \
  X(kChecksum, "CHECKSUM", kFree) \
  X(kClone, "CLONE", kFree) \
  X(kCode, "CODE", kFree) \
  X(kCollate, "COLLATE", kQuery) \
  X(kCollation, "COLLATION", kFree) \
  X(kColumn, "COLUMN", kReserved) \
  X(kColumns, "COLUMNS", kFree) \
  X(kCommit, "COMMIT", kFree) \
  X(kCondition, "CONDITION", kReserved) \
  X(kConnection, "CONNECTION", kFree) \
  X(kConstraint, "CONSTRAINT", kReserved) \
  X(kContinue, "CONTINUE", kReserved) \
  X(kConvert, "CONVERT", kQuery) \
  X(kCount, "COUNT", kFree) \
  X(kCreate, "CREATE", kReserved) \
  X(kCross, "CROSS", kQuery) \
  X(kCurrentDate, "CURRENT_DATE", kQuery) \
  X(kCurrentTime, "CURRENT_TIME", kQuery) \
  X(kCurrentTimestamp, "CURRENT_TIMESTAMP", kQuery) \
  X(kCurrentUser, "CURRENT_USER", kQuery) \
  X(kCursor, "CURSOR", kReserved) \
  X(kData, "DATA", kFree) \
  X(kDatabase, "DATABASE", kFree) \
  X(kDatabases, "DATABASES", kReserved) \
  X(kDayHour, "DAY_HOUR", kQuery) \
  X(kDayMicrosecond, "DAY_MICROSECOND", kQuery) \
  X(kDayMinute, "DAY_MINUTE", kQuery) \
  X(kDaySecond, "DAY_SECOND", kQuery) \
  X(kDeallocate, "DEALLOCATE", kFree) \
  X(kDec, "DEC", kQuery) \
  X(kDecimal, "DECIMAL", kQuery) \
  X(kDeclare, "DECLARE", kReserved) \
  X(kDefault, "DEFAULT", kQuery) \
  X(kDefiner, "DEFINER", kFree) \
  X(kDelayed, "DELAYED", kReserved) \
  X(kDelete, "DELETE", kReserved) \
  X(kDelimiter, "DELIMITER", kFree) \
  X(kDesc, "DESC", kQuery) \
  X(kDescribe, "DESCRIBE", kReserved) \
  X(kDeterministic, "DETERMINISTIC", kReserved) \
  X(kDirectory, "DIRECTORY", kFree) \
  X(kDistinct, "DISTINCT", kQuery) \
  X(kDistinctrow, "DISTINCTROW", kQuery) \
  X(kDiv, "DIV", kQuery) \
  X(kDo, "DO", kFree) \
  X(kDouble, "DOUBLE", kQuery) \
  X(kDrop, "DROP", kReserved) \
  X(kDual, "DUAL", kQuery) \
  X(kDumpfile, "DUMPFILE", kFree) \
  X(kDuplicate, "DUPLICATE", kFree) \
  X(kEach, "EACH", kReserved) \
  X(kElse, "ELSE", kQuery) \
  X(kElseif, "ELSEIF", kReserved) \
  X(kEnclosed, "ENCLOSED", kReserved) \
  X(kEnd, "END", kFree) \
  X(kEngine, "ENGINE", kFree) \
  X(kEngines, "ENGINES", kFree) \
  X(kErrors, "ERRORS", kFree) \
  X(kEscaped, "ESCAPED", kReserved) \
  X(kEvent, "EVENT", kFree) \
  X(kEvents, "EVENTS", kFree) \
  X(kExcept, "EXCEPT", kFree) \
  X(kExecute, "EXECUTE", kFree) \
  X(kExists, "EXISTS", kQuery) \
  X(kExit, "EXIT", kReserved) \
  X(kExplain, "EXPLAIN", kReserved) \
  X(kExtended, "EXTENDED", kFree) \
  X(kFalse, "FALSE", kQuery) \
  X(kFetch, "FETCH", kQuery) \
  X(kFields, "FIELDS", kFree) \
  X(kFloat, "FLOAT", kQuery) \
  X(kFloat4, "FLOAT4", kQuery) \
  X(kFloat8, "FLOAT8", kQuery) \
  X(kFlush, "FLUSH", kFree) \
  X(kFor, "FOR", kQuery) \
  X(kForce, "FORCE", kQuery) \
  X(kForeign, "FOREIGN", kReserved) \
  X(kFormat, "FORMAT", kFree) \
  X(kFrom, "FROM", kQuery) \
  X(kFull, "FULL", kFree) \
  X(kFulltext, "FULLTEXT", kReserved) \
  X(kFunction, "FUNCTION", kFree) \
  X(kGenerated, "GENERATED", kFree) \
  X(kGlobal, "GLOBAL", kFree) \
  X(kGrant, "GRANT", kReserved) \
  X(kGrants, "GRANTS", kFree) \
  X(kGroup, "GROUP", kQuery) \
  X(kGrouping, "GROUPING", kFree) \
  X(kHandler, "HANDLER", kFree) \
  X(kHaving, "HAVING", kQuery) \
  X(kHelp, "HELP", kFree) \
  X(kHighPriority, "HIGH_PRIORITY", kQuery) \
  X(kHistory, "HISTORY", kFree) \
  X(kHourMicrosecond, "HOUR_MICROSECOND", kQuery) \
  X(kHourMinute, "HOUR_MINUTE", kQuery) \
  X(kHourSecond, "HOUR_SECOND", kQuery) \
  X(kIf, "IF", kFunction) \
  X(kIgnore, "IGNORE", kQuery) \
  X(kImport, "IMPORT", kFree) \
  X(kIn, "IN", kQuery) \
  X(kIndex, "INDEX", kQuery) \
  X(kIndexes, "INDEXES", kFree) \
  X(kInfile, "INFILE", kReserved) \
  X(kInner, "INNER", kQuery) \
  X(kInout, "INOUT", kReserved) \
  X(kInsensitive, "INSENSITIVE", kReserved) \
  X(kInsert, "INSERT", kFunction) \
  X(kInstall, "INSTALL", kFree) \
  X(kInt, "INT", kQuery) \
  X(kInt1, "INT1", kQuery) \
  X(kInt2, "INT2", kQuery) \
  X(kInt3, "INT3", kQuery) \
  X(kInt4, "INT4", kQuery) \
  X(kInt8, "INT8", kQuery) \
  X(kInteger, "INTEGER", kQuery) \
  X(kIntersect, "INTERSECT", kFree) \
  X(kInterval, "INTERVAL", kQuery) \
  X(kInto, "INTO", kQuery) \
  X(kIs, "IS", kQuery) \
  X(kIterate, "ITERATE", kReserved) \
  X(kJoin, "JOIN", kQuery) \
  X(kKey, "KEY", kQuery) \
  X(kKeys, "KEYS", kReserved) \
  X(kKill, "KILL", kReserved) \
  X(kLateral, "LATERAL", kFree) \
  X(kLeading, "LEADING", kQuery) \
  X(kLeave, "LEAVE", kReserved) \
  X(kLeft, "LEFT", kFunction) \
  X(kLike, "LIKE", kQuery) \
  X(kLimit, "LIMIT", kQuery) \
  X(kLinear, "LINEAR", kReserved) \
  X(kLines, "LINES", kReserved) \
  X(kLoad, "LOAD", kReserved) \
  X(kLocal, "LOCAL", kFree) \
  X(kLocaltime, "LOCALTIME", kQuery) \
  X(kLocaltimestamp, "LOCALTIMESTAMP", kQuery) \
  X(kLock, "LOCK", kQuery) \
  X(kLogs, "LOGS", kFree) \
  X(kLong, "LONG", kReserved) \
  X(kLongblob, "LONGBLOB", kQuery) \
  X(kLongtext, "LONGTEXT", kQuery) \
  X(kLoop, "LOOP", kReserved) \
  X(kLowPriority, "LOW_PRIORITY", kReserved) \
  X(kMaster, "MASTER", kFree) \
  X(kMatch, "MATCH", kQuery) \
  X(kMaxvalue, "MAXVALUE", kReserved) \
  X(kMediumblob, "MEDIUMBLOB", kQuery) \
  X(kMediumint, "MEDIUMINT", kQuery) \
  X(kMediumtext, "MEDIUMTEXT", kQuery) \
  X(kMiddleint, "MIDDLEINT", kQuery) \
  X(kMinuteMicrosecond, "MINUTE_MICROSECOND", kQuery) \
  X(kMinuteSecond, "MINUTE_SECOND", kQuery) \
  X(kMod, "MOD", kQuery) \
  X(kModifies, "MODIFIES", kReserved) \
  X(kNatural, "NATURAL", kQuery) \
  X(kNext, "NEXT", kFree) \
  X(kNextval, "NEXTVAL", kFree) \
  X(kNonblocking, "NONBLOCKING", kFree) \
  X(kNot, "NOT", kQuery) \
  X(kNoWriteToBinlog, "NO_WRITE_TO_BINLOG", kReserved) \
  X(kNull, "NULL", kQuery) \
  X(kNumeric, "NUMERIC", kQuery) \
  X(kOf, "OF", kFree) \
  X(kOffset, "OFFSET", kFree) \
  X(kOn, "ON", kQuery) \
  X(kOnline, "ONLINE", kFree) \
  X(kOpen, "OPEN", kFree) \
  X(kOptimize, "OPTIMIZE", kReserved) \
  X(kOptionally, "OPTIONALLY", kReserved) \
  X(kOr, "OR", kQuery) \
  X(kOrder, "ORDER", kQuery) \
  X(kOut, "OUT", kReserved) \
  X(kOuter, "OUTER", kQuery) \
  X(kOutfile, "OUTFILE", kReserved) \
  X(kOver, "OVER", kFree) \
  X(kPackage, "PACKAGE", kFree) \
  X(kPartition, "PARTITION", kQuery) \
  X(kPartitions, "PARTITIONS", kFree) \
  X(kPassword, "PASSWORD", kFree) \
  X(kPersist, "PERSIST", kFree) \
  X(kPersistOnly, "PERSIST_ONLY", kFree) \
  X(kPlugins, "PLUGINS", kFree) \
  X(kPrecision, "PRECISION", kQuery) \
  X(kPrepare, "PREPARE", kFree) \
  X(kPrevious, "PREVIOUS", kFree) \
  X(kPrimary, "PRIMARY", kQuery) \
  X(kPrivileges, "PRIVILEGES", kFree) \
  X(kProcedure, "PROCEDURE", kReserved) \
  X(kProcesslist, "PROCESSLIST", kFree) \
  X(kProfile, "PROFILE", kFree) \
  X(kProfiles, "PROFILES", kFree) \
  X(kPurge, "PURGE", kReserved) \
  X(kQualify, "QUALIFY", kFree) \
  X(kRange, "RANGE", kQuery) \
  X(kRead, "READ", kReserved) \
  X(kReads, "READS", kReserved) \
  X(kReadWrite, "READ_WRITE", kReserved) \
  X(kReal, "REAL", kQuery) \
  X(kRecursive, "RECURSIVE", kFree) \
  X(kReferences, "REFERENCES", kReserved) \
  X(kRegexp, "REGEXP", kQuery) \
  X(kRelease, "RELEASE", kReserved) \
  X(kRename, "RENAME", kReserved) \
  X(kRepair, "REPAIR", kFree) \
  X(kRepeat, "REPEAT", kFunction) \
  X(kReplace, "REPLACE", kFunction) \
  X(kReplica, "REPLICA", kFree) \
  X(kRequire, "REQUIRE", kReserved) \
  X(kReset, "RESET", kFree) \
  X(kResignal, "RESIGNAL", kReserved) \
  X(kRestart, "RESTART", kFree) \
  X(kRestrict, "RESTRICT", kReserved) \
  X(kReturn, "RETURN", kReserved) \
  X(kReturning, "RETURNING", kFree) \
  X(kRevoke, "REVOKE", kReserved) \
  X(kRight, "RIGHT", kFunction) \
  X(kRlike, "RLIKE", kQuery) \
  X(kRole, "ROLE", kFree) \
  X(kRollback, "ROLLBACK", kFree) \
  X(kRows, "ROWS", kFree) \
  X(kSavepoint, "SAVEPOINT", kFree) \
  X(kSchema, "SCHEMA", kFree) \
  X(kSchemas, "SCHEMAS", kReserved) \
  X(kSecondMicrosecond, "SECOND_MICROSECOND", kQuery) \
  X(kSecurity, "SECURITY", kFree) \
  X(kSelect, "SELECT", kQuery) \
  X(kSensitive, "SENSITIVE", kReserved) \
  X(kSeparator, "SEPARATOR", kQuery) \
  X(kSequence, "SEQUENCE", kFree) \
  X(kServer, "SERVER", kFree) \
  X(kSession, "SESSION", kFree) \
  X(kSet, "SET", kReserved) \
  X(kShare, "SHARE", kFree) \
  X(kShow, "SHOW", kReserved) \
  X(kShutdown, "SHUTDOWN", kFree) \
  X(kSignal, "SIGNAL", kReserved) \
  X(kSlave, "SLAVE", kFree) \
  X(kSmallint, "SMALLINT", kQuery) \
  X(kSpatial, "SPATIAL", kReserved) \
  X(kSpecific, "SPECIFIC", kReserved) \
  X(kSql, "SQL", kReserved) \
  X(kSqlexception, "SQLEXCEPTION", kReserved) \
  X(kSqlstate, "SQLSTATE", kReserved) \
  X(kSqlwarning, "SQLWARNING", kReserved) \
  X(kSqlBigResult, "SQL_BIG_RESULT", kQuery) \
  X(kSqlCalcFoundRows, "SQL_CALC_FOUND_ROWS", kQuery) \
  X(kSqlSmallResult, "SQL_SMALL_RESULT", kQuery) \
  X(kSsl, "SSL", kReserved) \
  X(kStart, "START", kFree) \
  X(kStarting, "STARTING", kReserved) \
  X(kStatement, "STATEMENT", kFree) \
  X(kStatus, "STATUS", kFree) \
  X(kStop, "STOP", kFree) \
  X(kStorage, "STORAGE", kFree) \
  X(kStraightJoin, "STRAIGHT_JOIN", kQuery) \
  X(kSystemTime, "SYSTEM_TIME", kFree) \
  X(kTable, "TABLE", kQuery) \
  X(kTables, "TABLES", kFree) \
  X(kTablespace, "TABLESPACE", kFree) \
  X(kTemporary, "TEMPORARY", kFree) \
  X(kTerminated, "TERMINATED", kReserved) \
  X(kThen, "THEN", kQuery) \
  X(kTinyblob, "TINYBLOB", kQuery) \
  X(kTinyint, "TINYINT", kQuery) \
  X(kTinytext, "TINYTEXT", kQuery) \
  X(kTo, "TO", kQuery) \
  X(kTrailing, "TRAILING", kQuery) \
  X(kTransaction, "TRANSACTION", kFree) \
  X(kTrigger, "TRIGGER", kReserved) \
  X(kTriggers, "TRIGGERS", kFree) \
  X(kTrue, "TRUE", kQuery) \
  X(kTruncate, "TRUNCATE", kFree) \
  X(kUndo, "UNDO", kReserved) \
  X(kUninstall, "UNINSTALL", kFree) \
  X(kUnion, "UNION", kQuery) \
  X(kUnique, "UNIQUE", kReserved) \
  X(kUnlock, "UNLOCK", kReserved) \
  X(kUnsigned, "UNSIGNED", kQuery) \
  X(kUpdate, "UPDATE", kReserved) \
  X(kUsage, "USAGE", kReserved) \
  X(kUse, "USE", kQuery) \
  X(kUser, "USER", kFree) \
  X(kUsing, "USING", kQuery) \
  X(kUtcDate, "UTC_DATE", kQuery) \
  X(kUtcTime, "UTC_TIME", kQuery) \
  X(kUtcTimestamp, "UTC_TIMESTAMP", kQuery) \
  X(kValue, "VALUE", kFree) \
  X(kValues, "VALUES", kQuery) \
  X(kVarbinary, "VARBINARY", kQuery) \
  X(kVarchar, "VARCHAR", kQuery) \
  X(kVarcharacter, "VARCHARACTER", kReserved) \
  X(kVariables, "VARIABLES", kFree) \
  X(kVarying, "VARYING", kReserved) \
  X(kView, "VIEW", kFree) \
  X(kWarnings, "WARNINGS", kFree) \
  X(kWhen, "WHEN", kQuery) \
  X(kWhere, "WHERE", kQuery) \
  X(kWhile, "WHILE", kReserved) \
  X(kWindow, "WINDOW", kFree) \
  X(kWith, "WITH", kQuery) \
  X(kWork, "WORK", kFree) \
  X(kWrite, "WRITE", kReserved) \
  X(kXa, "XA", kFree) \
  X(kXor, "XOR", kQuery) \
  X(kYear, "YEAR", kFree) \
  X(kYearMonth, "YEAR_MONTH", kQuery) \
  X(kZerofill, "ZEROFILL", kReserved)
// clang-format on

enum class Keyword : uint16_t {
  kNone,
#define BRIDGEKEEPER_MYSQL_KEYWORD(enumerator, name, place) enumerator,
  BRIDGEKEEPER_MYSQL_KEYWORDS(BRIDGEKEEPER_MYSQL_KEYWORD)
#undef BRIDGEKEEPER_MYSQL_KEYWORD
};

// The keyword that is `word`, ASCII case ignored.
Keyword FindKeyword(std::string_view word);
Place PlaceOf(Keyword keyword);
inline bool IsReserved(Keyword keyword) { return PlaceOf(keyword) != Place::kFree; }
std::string_view NameOf(Keyword keyword);

}  // namespace bridgekeeper::mysql

#endif  // BRIDGEKEEPER_POLICY_GUARD_MYSQL_KEYWORD_H_
