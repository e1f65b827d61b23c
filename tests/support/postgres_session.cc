// Copyright 2026 The Bridgekeeper Authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/postgres_session.h"

#include <libpq-fe.h>

namespace bridgekeeper::support {
namespace {

void IgnoreNotice(void*, const PGresult*) {}

std::vector<std::vector<std::string>> RowsOf(const PGresult* result) {
  std::vector<std::vector<std::string>> rows(static_cast<size_t>(PQntuples(result)));
  for (int row = 0; row < PQntuples(result); ++row) {
    for (int column = 0; column < PQnfields(result); ++column) {
      rows[static_cast<size_t>(row)].emplace_back(
          PQgetisnull(result, row, column) ? "\\N" : PQgetvalue(result, row, column));
    }
  }
  return rows;
}

}  // namespace

void PostgresSession::Closer::operator()(pg_conn* connection) const { PQfinish(connection); }

absl::StatusOr<PostgresSession> PostgresSession::Connect(const std::string& dsn) {
  PostgresSession session(PQconnectdb(dsn.c_str()));
  if (!session.alive()) return absl::UnavailableError(PQerrorMessage(session.connection_.get()));
  PQsetNoticeReceiver(session.connection_.get(), &IgnoreNotice, nullptr);
  return session;
}

PostgresResult PostgresSession::Run(const std::string& sql) {
  PQsendQueryParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0);
  return Collect();
}

PostgresResult PostgresSession::RunScript(const std::string& sql) {
  PQsendQuery(connection_.get(), sql.c_str());
  return Collect();
}

PostgresResult PostgresSession::Collect() {
  PostgresResult out;
  while (PGresult* result = PQgetResult(connection_.get())) {
    switch (PQresultStatus(result)) {
      case PGRES_COPY_OUT: {
        char* line = nullptr;
        while (PQgetCopyData(connection_.get(), &line, 0) > 0) PQfreemem(line);
        break;
      }
      case PGRES_COPY_IN:
        PQputCopyEnd(connection_.get(), "the test sends nothing");
        break;
      case PGRES_TUPLES_OK:
        out.rows = RowsOf(result);
        break;
      case PGRES_COMMAND_OK:
      case PGRES_EMPTY_QUERY:
        break;
      default: {
        const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
        out.sqlstate = state != nullptr ? state : "connection";
        out.message = PQresultErrorMessage(result);
      }
    }
    PQclear(result);
    if (!alive()) break;
  }
  if (!alive()) out.sqlstate = "connection";
  return out;
}

bool PostgresSession::InTransaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(connection_.get());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

bool PostgresSession::alive() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

}  // namespace bridgekeeper::support
