// SPDX-License-Identifier: Apache-2.0
//
// Functions used of libsqlite3.so.0. Include after the types.
#pragma once

#include "../include/epitaph_loaded_library.h"

#define EPITAPH_SQLITE_CALLS(CALL, OWN)                                                            \
    CALL(int, sqlite3_bind_blob,                                                                   \
         (sqlite3_stmt * statement, int index, const void *bytes, int count,                       \
          void (*destructor)(void *)),                                                             \
         (statement, index, bytes, count, destructor))                                             \
    CALL(int, sqlite3_bind_double, (sqlite3_stmt * statement, int index, double value),            \
         (statement, index, value))                                                                \
    CALL(int, sqlite3_bind_int64, (sqlite3_stmt * statement, int index, sqlite3_int64 value),      \
         (statement, index, value))                                                                \
    CALL(int, sqlite3_bind_null, (sqlite3_stmt * statement, int index), (statement, index))        \
    CALL(int, sqlite3_bind_parameter_count, (sqlite3_stmt * statement), (statement))               \
    CALL(int, sqlite3_bind_text,                                                                   \
         (sqlite3_stmt * statement, int index, const char *text, int count,                        \
          void (*destructor)(void *)),                                                             \
         (statement, index, text, count, destructor))                                              \
    CALL(int, sqlite3_busy_timeout, (sqlite3 * database, int ms), (database, ms))                  \
    CALL(int, sqlite3_changes, (sqlite3 * database), (database))                                   \
    CALL(int, sqlite3_close_v2, (sqlite3 * database), (database))                                  \
    CALL(const void *, sqlite3_column_blob, (sqlite3_stmt * statement, int column),                \
         (statement, column))                                                                      \
    CALL(int, sqlite3_column_bytes, (sqlite3_stmt * statement, int column), (statement, column))   \
    CALL(int, sqlite3_column_count, (sqlite3_stmt * statement), (statement))                       \
    CALL(double, sqlite3_column_double, (sqlite3_stmt * statement, int column),                    \
         (statement, column))                                                                      \
    CALL(sqlite3_int64, sqlite3_column_int64, (sqlite3_stmt * statement, int column),              \
         (statement, column))                                                                      \
    CALL(const char *, sqlite3_column_name, (sqlite3_stmt * statement, int column),                \
         (statement, column))                                                                      \
    CALL(const unsigned char *, sqlite3_column_text, (sqlite3_stmt * statement, int column),       \
         (statement, column))                                                                      \
    CALL(int, sqlite3_column_type, (sqlite3_stmt * statement, int column), (statement, column))    \
    OWN(int, sqlite3_db_config, (sqlite3 * database, int option, ...))                             \
    CALL(const char *, sqlite3_errmsg, (sqlite3 * database), (database))                           \
    CALL(const char *, sqlite3_errstr, (int code), (code))                                         \
    CALL(int, sqlite3_finalize, (sqlite3_stmt * statement), (statement))                           \
    CALL(int, sqlite3_limit, (sqlite3 * database, int limit, int value), (database, limit, value)) \
    OWN(int, sqlite3_open_v2, (const char *path, sqlite3 **database, int flags, const char *vfs))  \
    CALL(int, sqlite3_prepare_v2,                                                                  \
         (sqlite3 * database, const char *text, int count, sqlite3_stmt **statement,               \
          const char **tail),                                                                      \
         (database, text, count, statement, tail))                                                 \
    CALL(void, sqlite3_progress_handler,                                                           \
         (sqlite3 * database, int operations, int (*handler)(void *), void *context),              \
         (database, operations, handler, context))                                                 \
    CALL(int, sqlite3_set_authorizer,                                                              \
         (sqlite3 * database,                                                                      \
          int (*authorizer)(void *, int, const char *, const char *, const char *, const char *),  \
          void *context),                                                                          \
         (database, authorizer, context))                                                          \
    CALL(int, sqlite3_step, (sqlite3_stmt * statement), (statement))                               \
    CALL(int, sqlite3_stmt_readonly, (sqlite3_stmt * statement), (statement))

EPITAPH_SQLITE_CALLS(EPITAPH_LIBRARY_DECLARATION, EPITAPH_LIBRARY_DECLARATION)
