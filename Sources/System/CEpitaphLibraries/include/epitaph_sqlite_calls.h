// SPDX-License-Identifier: Apache-2.0
//
// The functions of libsqlite3.so.0 that are called. To be included behind the types.
#pragma once

int sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count,
                      void (*destructor)(void *));
int sqlite3_bind_double(sqlite3_stmt *statement, int index, double value);
int sqlite3_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 value);
int sqlite3_bind_null(sqlite3_stmt *statement, int index);
int sqlite3_bind_parameter_count(sqlite3_stmt *statement);
int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int count,
                      void (*destructor)(void *));
int sqlite3_busy_timeout(sqlite3 *database, int ms);
int sqlite3_changes(sqlite3 *database);
int sqlite3_close_v2(sqlite3 *database);
const void *sqlite3_column_blob(sqlite3_stmt *statement, int column);
int sqlite3_column_bytes(sqlite3_stmt *statement, int column);
int sqlite3_column_count(sqlite3_stmt *statement);
double sqlite3_column_double(sqlite3_stmt *statement, int column);
sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *statement, int column);
const char *sqlite3_column_name(sqlite3_stmt *statement, int column);
const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column);
int sqlite3_column_type(sqlite3_stmt *statement, int column);
int sqlite3_db_config(sqlite3 *database, int option, ...);
const char *sqlite3_errmsg(sqlite3 *database);
const char *sqlite3_errstr(int code);
int sqlite3_finalize(sqlite3_stmt *statement);
int sqlite3_limit(sqlite3 *database, int limit, int value);
int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs);
int sqlite3_prepare_v2(sqlite3 *database, const char *text, int count, sqlite3_stmt **statement,
                       const char **tail);
void sqlite3_progress_handler(sqlite3 *database, int operations, int (*handler)(void *),
                              void *context);
int sqlite3_set_authorizer(sqlite3 *database,
                           int (*authorizer)(void *, int, const char *, const char *, const char *,
                                             const char *),
                           void *context);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_stmt_readonly(sqlite3_stmt *statement);
