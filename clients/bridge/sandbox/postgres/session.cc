// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "clients/bridge/sandbox/postgres/session.h"

#include <errno.h>
#include <fcntl.h>
#include <libpq-fe.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "clients/bridge/sandbox/error_text.h"
#include "clients/bridge/sandbox/postgres/postgres_backend.h"
#include "policy/base/strings.h"

namespace bridgekeeper::bridge {
namespace {

// Types by their number, which never changes.
// Source: PostgreSQL 15, src/include/catalog/pg_type.dat.
enum class TypeKind : uint8_t { kText, kBool, kInteger, kFloat, kBytes };
struct TypeRow {
  Oid oid;
  std::string_view name;
  TypeKind kind = TypeKind::kText;
};
constexpr TypeRow kTypes[] = {
    {16, "boolean", TypeKind::kBool},
    {17, "bytea", TypeKind::kBytes},
    {18, "\"char\""},
    {19, "name"},
    {20, "bigint", TypeKind::kInteger},
    {21, "smallint", TypeKind::kInteger},
    {23, "integer", TypeKind::kInteger},
    {25, "text"},
    {26, "oid", TypeKind::kInteger},
    {114, "json"},
    {142, "xml"},
    {700, "real", TypeKind::kFloat},
    {701, "double precision", TypeKind::kFloat},
    {790, "money"},
    {869, "inet"},
    {650, "cidr"},
    {1000, "boolean[]"},
    {1007, "integer[]"},
    {1009, "text[]"},
    {1016, "bigint[]"},
    {1042, "character"},
    {1043, "character varying"},
    {1082, "date"},
    {1083, "time without time zone"},
    {1114, "timestamp without time zone"},
    {1184, "timestamp with time zone"},
    {1186, "interval"},
    {1266, "time with time zone"},
    {1560, "bit"},
    {1562, "bit varying"},
    {1700, "numeric"},
    {2950, "uuid"},
    {3802, "jsonb"},
};

// How the tags of commands begin that say how many rows they changed. The number behind
// others is of rows that were read.
constexpr std::string_view kChanges[] = {"INSERT ", "UPDATE ", "DELETE ", "MERGE "};

// The name of what Prepare() prepares; the unnamed one ends with the next statement.
constexpr char kPrepared[] = "keeper_bridge";

const TypeRow* FindType(Oid oid) {
  for (const TypeRow& row : kTypes) {
    if (row.oid == oid) return &row;
  }
  return nullptr;
}

// `\x` and hexadecimal digits, as bytea_output=hex has it; nullopt: another form.
std::optional<std::string> BytesOf(std::string_view text) {
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return std::nullopt;
  return absl::HexStringToBytes(AsAbsl(text.substr(2)));
}

int MillisecondsUntil(absl::Duration deadline, const Clock& clock) {
  const absl::Duration left = std::max(deadline - clock.SinceBoot(), absl::ZeroDuration());
  return static_cast<int>(absl::ToInt64Milliseconds(
      absl::Ceil(std::min(left, absl::Hours(24)), absl::Milliseconds(1))));
}

std::string WithoutNewline(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

void PostgresSession::ConnectionCloser::operator()(pg_conn* connection) const {
  PQfinish(connection);
}
void PostgresSession::ResultCloser::operator()(pg_result* result) const { PQclear(result); }

PostgresSession::PostgresSession(const Clock& clock, absl::Duration deadline,
                                 const StopSignal& stop)
    : clock_(clock), deadline_(deadline), stop_(stop) {}

PostgresSession::~PostgresSession() = default;

PostgresSession::MaybeFailure PostgresSession::Await(int fd, short events) {
  while (true) {
    std::array<pollfd, 2> ready = {pollfd{fd, events, 0}, pollfd{stop_.fd(), POLLIN, 0}};
    const int wait = MillisecondsUntil(deadline_, clock_);
    const int n = poll(ready.data(), ready.size(), wait);
    if (stop_.raised()) return Failure{{"CANCELLED", "the call was cancelled"}, {}};
    if (n > 0) return std::nullopt;
    if (n == 0 && wait == 0) return Failure{{"TIMEOUT", "the call ran out of time"}, {}};
    if (n < 0 && errno != EINTR) return Lost();
  }
}

PostgresSession::Failure PostgresSession::Lost() const {
  return {{"CONNECTION", "the session with the database has ended"},
          connection_ == nullptr ? "" : WithoutNewline(PQerrorMessage(connection_.get()))};
}

PostgresSession::MaybeFailure PostgresSession::Connect(const Secret& dsn,
                                                       const std::string& settings) {
  // The message of a parser quotes what it cannot read, so it goes nowhere.
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> parsed(
      PQconninfoParse(dsn.Reveal().c_str(), nullptr), &PQconninfoFree);
  const Failure unreadable = {{"CONNECTION", "the database is not configured"},
                              "the connection string cannot be read"};
  if (parsed == nullptr) return unreadable;
  std::vector<const char*> names;
  std::vector<const char*> values;
  std::string options;
  std::string password;
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view name = option->keyword;
    // Another protocol, in which a text is a command.
    if (name == "replication") return unreadable;
    if (name == "options") options = std::string(option->val) + " ";
    if (name == "password") password = option->val;
    if (name == "options" || name == "client_encoding" || name == "connect_timeout") continue;
    names.push_back(option->keyword);
    values.push_back(option->val);
  }
  options += settings;  // what comes last counts
  for (const auto& [name, value] :
       {std::pair("options", options.c_str()), std::pair("client_encoding", "UTF8"),
        std::pair("fallback_application_name", "keeper-bridge")}) {
    names.push_back(name);
    values.push_back(value);
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(names.data(), values.data(), /*expand_dbname=*/0));
  const auto refused = [&] {
    std::string detail =
        connection_ == nullptr ? "no memory" : WithoutNewline(PQerrorMessage(connection_.get()));
    for (size_t at = 0;
         !password.empty() && (at = detail.find(password, at)) != std::string::npos;) {
      detail.replace(at, password.size(), "***");
      at += 3;
    }
    return Failure{{"CONNECTION", "the database cannot be reached"}, std::move(detail)};
  };
  if (connection_ == nullptr || PQstatus(connection_.get()) == CONNECTION_BAD) return refused();
  // A notice can carry anything, and libpq would print it.
  PQsetNoticeReceiver(
      connection_.get(), [](void*, const PGresult*) {}, nullptr);
  PostgresPollingStatusType status = PGRES_POLLING_WRITING;
  while (status != PGRES_POLLING_OK) {
    if (status == PGRES_POLLING_FAILED) return refused();
    const short events = status == PGRES_POLLING_READING ? POLLIN : POLLOUT;
    if (auto failure = Await(PQsocket(connection_.get()), events)) return failure;
    status = PQconnectPoll(connection_.get());
  }
  if (PQsetnonblocking(connection_.get(), 1) != 0) return refused();
  return std::nullopt;
}

std::string PostgresSession::database() const { return PQdb(connection_.get()); }

bool PostgresSession::in_transaction() const {
  return !has_ended_transaction_ && PQtransactionStatus(connection_.get()) == PQTRANS_INTRANS;
}

PostgresSession::MaybeFailure PostgresSession::Flush() {
  int left = 0;
  while ((left = PQflush(connection_.get())) > 0) {
    const int fd = PQsocket(connection_.get());
    if (auto failure = Await(fd, POLLIN | POLLOUT)) return failure;
    // The server may be waiting for us to read before it reads on.
    if (PQconsumeInput(connection_.get()) == 0) return Lost();
  }
  return left == 0 ? std::nullopt : MaybeFailure(Lost());
}

PostgresSession::MaybeFailure PostgresSession::RunOwn(const char* sql,
                                                      std::vector<std::optional<std::string>>* row,
                                                      const char* parameter) {
  if (PQsendQueryParams(connection_.get(), sql, parameter == nullptr ? 0 : 1, nullptr, &parameter,
                        nullptr, nullptr, 0) == 0) {
    return Lost();
  }
  return Finish(sql, row);
}

PostgresSession::MaybeFailure PostgresSession::Prepare(const Statement& statement) {
  if (PQsendPrepare(connection_.get(), kPrepared, statement.sql.c_str(), 0, nullptr) == 0) {
    return Lost();
  }
  is_prepared_ = true;
  return Finish(statement.sql, nullptr);
}

PostgresSession::MaybeFailure PostgresSession::Finish(
    std::string_view sql, std::vector<std::optional<std::string>>* row) {
  if (auto failure = Flush()) return failure;
  MaybeFailure failed;
  while (true) {
    while (PQisBusy(connection_.get()) != 0) {
      if (auto failure = Await(PQsocket(connection_.get()), POLLIN)) return failure;
      if (PQconsumeInput(connection_.get()) == 0) return Lost();
    }
    const Result result(PQgetResult(connection_.get()));
    if (result == nullptr) return failed;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      if (!failed) failed = FailureOf(result.get(), sql);
    } else if (row != nullptr && PQntuples(result.get()) > 0) {
      row->clear();
      for (int i = 0; i < PQnfields(result.get()); ++i) {
        row->push_back(PQgetisnull(result.get(), 0, i) != 0
                           ? std::nullopt
                           : std::optional<std::string>(PQgetvalue(result.get(), 0, i)));
      }
    }
  }
}

PostgresSession::MaybeFailure PostgresSession::BeginFeeding() {
  const int own = PQsocket(connection_.get());
  std::array<int, 2> pair = {-1, -1};
  server_ = UniqueFd(fcntl(own, F_DUPFD_CLOEXEC, 3));
  if (!server_ ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair.data()) != 0) {
    return Failure{{"CONNECTION", "the session with the database has ended"}, "no descriptor left"};
  }
  const UniqueFd libpqs(pair[0]);
  feed_ = UniqueFd(pair[1]);
  if (dup3(libpqs.get(), own, O_CLOEXEC) < 0) return Lost();
  buffer_.resize(kReceiveBytes);
  return std::nullopt;
}

void PostgresSession::EndFeeding() {
  if (server_ && dup3(server_.get(), PQsocket(connection_.get()), O_CLOEXEC) >= 0) {
    server_.Reset();
    feed_.Reset();
  }
}

PostgresSession::MaybeFailure PostgresSession::Feed() {
  // What libpq has not taken yet comes first. What is inside its TLS layer cannot be
  // seen, so it is asked; it reads at least 8 KiB each time where there is something.
  for (size_t taken = 0; taken <= kReceiveBytes; taken += 8 << 10) {
    int unread = 0;
    ioctl(PQsocket(connection_.get()), FIONREAD, &unread);
    if (unread == 0 && PQsslInUse(connection_.get()) == 0) break;
    if (PQconsumeInput(connection_.get()) == 0) return Lost();
    if (PQisBusy(connection_.get()) == 0) return std::nullopt;
  }
  // Something that libpq says now would not reach the server.
  int unsent = 0;
  ioctl(feed_.get(), FIONREAD, &unsent);
  if (unsent > 0) return Lost();
  ssize_t n = 0;
  while ((n = recv(server_.get(), buffer_.data(), buffer_.size(), MSG_DONTWAIT)) < 0) {
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) return Lost();
    if (auto failure = Await(server_.get(), POLLIN)) return failure;
  }
  if (n == 0) {
    feed_.Reset();
    PQconsumeInput(connection_.get());
    return Lost();
  }
  bytes_since_row_ += n;
  std::string_view piece(buffer_.data(), static_cast<size_t>(n));
  while (!piece.empty()) {
    const ssize_t fed = send(feed_.get(), piece.data(), piece.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (fed > 0) {
      piece.remove_prefix(static_cast<size_t>(fed));
    } else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
      return Lost();
    }
    if (PQconsumeInput(connection_.get()) == 0) return Lost();
  }
  return std::nullopt;
}

void PostgresSession::SetColumns(const pg_result* result, ResultWriter& writer) const {
  std::vector<ResultColumn> columns;
  for (int i = 0; i < PQnfields(result); ++i) {
    const Oid oid = PQftype(result, i);
    const TypeRow* type = FindType(oid);
    columns.push_back({PQfname(result, i), type == nullptr ? absl::StrFormat("type %d", oid)
                                                           : std::string(type->name)});
  }
  writer.SetColumns(columns);
}

PostgresSession::MaybeFailure PostgresSession::WriteRow(const pg_result* row,
                                                        ResultWriter& writer) {
  for (int i = 0; i < PQnfields(row); ++i) {
    if (PQgetisnull(row, 0, i) != 0) {
      writer.Null();
      continue;
    }
    const std::string_view text(PQgetvalue(row, 0, i), static_cast<size_t>(PQgetlength(row, 0, i)));
    const TypeRow* type = FindType(PQftype(row, i));
    switch (type == nullptr ? TypeKind::kText : type->kind) {
      case TypeKind::kText:
        writer.Text(text);
        break;
      case TypeKind::kBool:
        writer.Bool(text == "t");
        break;
      case TypeKind::kInteger:
        writer.Integer(text);
        break;
      case TypeKind::kFloat:
        writer.Float(text);
        break;
      case TypeKind::kBytes:
        if (const auto bytes = BytesOf(text)) {
          writer.Bytes(*bytes);
        } else {
          writer.Text(text);
        }
        break;
    }
  }
  return std::nullopt;
}

PostgresSession::Failure PostgresSession::FailureOf(const pg_result* result,
                                                    std::string_view statement) const {
  const auto field = [&](int code) {
    const char* text = PQresultErrorField(result, code);
    return std::string_view(text == nullptr ? "" : text);
  };
  const std::string_view state = field(PG_DIAG_SQLSTATE);
  // Without a state it is libpq that speaks: the session is gone.
  if (state.empty()) return Lost();
  return {{std::string(state), ErrorForCaller(field(PG_DIAG_MESSAGE_PRIMARY), statement)}, {}};
}

PostgresSession::MaybeFailure PostgresSession::Run(const Statement& statement, int64_t max_bytes,
                                                   ResultWriter& writer) {
  std::vector<const char*> values;
  for (const auto& parameter : statement.parameters) {
    values.push_back(parameter ? parameter->c_str() : nullptr);
  }
  const int count = static_cast<int>(values.size());
  const int sent = is_prepared_
                       ? PQsendQueryPrepared(connection_.get(), kPrepared, count, values.data(),
                                             nullptr, nullptr, /*resultFormat=*/0)
                       : PQsendQueryParams(connection_.get(), statement.sql.c_str(), count, nullptr,
                                           values.data(), nullptr, nullptr, /*resultFormat=*/0);
  if (sent == 0 || PQsetSingleRowMode(connection_.get()) == 0) {
    return Lost();
  }
  if (auto failure = Flush()) return failure;
  if (auto failure = BeginFeeding()) return failure;
  MaybeFailure failed;
  while (true) {
    while (PQisBusy(connection_.get()) != 0) {
      if (bytes_since_row_ > max_bytes + static_cast<int64_t>(kReceiveBytes)) {
        writer.CutByBytes();
        if (!statement.writes) return std::nullopt;
        return Failure{{"TOO_LARGE", "a row of the answer is larger than the limits allow"}, {}};
      }
      if (auto failure = Feed()) return failure;
    }
    const Result result(PQgetResult(connection_.get()));
    if (result == nullptr) break;
    switch (PQresultStatus(result.get())) {
      case PGRES_SINGLE_TUPLE:
        bytes_since_row_ = 0;
        if (!writer.has_columns()) SetColumns(result.get(), writer);
        if (writer.BeginRow()) {
          if (auto failure = WriteRow(result.get(), writer)) return failure;
          writer.EndRow();
        }
        if (writer.is_cut() && !statement.writes) return std::nullopt;
        break;
      case PGRES_TUPLES_OK:
      case PGRES_COMMAND_OK: {
        if (!writer.has_columns()) SetColumns(result.get(), writer);
        const std::string_view tag = PQcmdStatus(result.get());
        // COMMIT AND CHAIN leaves a transaction too, but not the one that it came in.
        has_ended_transaction_ = tag == "COMMIT" || tag == "ROLLBACK";
        int64_t rows = 0;
        const bool changes =
            std::any_of(std::begin(kChanges), std::end(kChanges),
                        [&](std::string_view change) { return tag.starts_with(change); });
        if (statement.writes && changes && absl::SimpleAtoi(PQcmdTuples(result.get()), &rows)) {
          writer.SetRowsAffected(rows);
        }
        break;
      }
      case PGRES_EMPTY_QUERY:
        failed = Failure{{"UNSUPPORTED", "there is no statement in the text"}, {}};
        break;
      case PGRES_COPY_OUT:
      case PGRES_COPY_IN:
      case PGRES_COPY_BOTH:
        return Failure{{"UNSUPPORTED", "COPY from or to the client is not served"}, {}};
      case PGRES_BAD_RESPONSE:
      case PGRES_NONFATAL_ERROR:
      case PGRES_FATAL_ERROR:
      case PGRES_PIPELINE_SYNC:
      case PGRES_PIPELINE_ABORTED:
        if (!failed) failed = FailureOf(result.get(), statement.sql);
        break;
    }
  }
  EndFeeding();
  return failed;
}

void PostgresSession::Cancel() {
  if (connection_ == nullptr) return;
  if (PGcancel* cancel = PQgetCancel(connection_.get())) {
    // A server that cannot be told has its own limits, and sees that we are gone.
    std::array<char, 256> ignored = {};
    PQcancel(cancel, ignored.data(), ignored.size());
    PQfreeCancel(cancel);
  }
  connection_.reset();
  server_.Reset();
  feed_.Reset();
}

}  // namespace bridgekeeper::bridge
