// SPDX-License-Identifier: Apache-2.0
//
// The functions of libsqlite3 that are called.

#include "epitaph_sqlite.h"

#include "epitaph_loaded_library.h"

/// What is called of libsqlite3.so.0.
#define SQLITE_FUNCTIONS(FUNCTION)         \
    FUNCTION(sqlite3_bind_blob)            \
    FUNCTION(sqlite3_bind_double)          \
    FUNCTION(sqlite3_bind_int64)           \
    FUNCTION(sqlite3_bind_null)            \
    FUNCTION(sqlite3_bind_parameter_count) \
    FUNCTION(sqlite3_bind_text)            \
    FUNCTION(sqlite3_busy_timeout)         \
    FUNCTION(sqlite3_changes)              \
    FUNCTION(sqlite3_close_v2)             \
    FUNCTION(sqlite3_column_blob)          \
    FUNCTION(sqlite3_column_bytes)         \
    FUNCTION(sqlite3_column_count)         \
    FUNCTION(sqlite3_column_double)        \
    FUNCTION(sqlite3_column_int64)         \
    FUNCTION(sqlite3_column_name)          \
    FUNCTION(sqlite3_column_text)          \
    FUNCTION(sqlite3_column_type)          \
    FUNCTION(sqlite3_db_config)            \
    FUNCTION(sqlite3_errmsg)               \
    FUNCTION(sqlite3_errstr)               \
    FUNCTION(sqlite3_finalize)             \
    FUNCTION(sqlite3_limit)                \
    FUNCTION(sqlite3_open_v2)              \
    FUNCTION(sqlite3_prepare_v2)           \
    FUNCTION(sqlite3_progress_handler)     \
    FUNCTION(sqlite3_set_authorizer)       \
    FUNCTION(sqlite3_step)                 \
    FUNCTION(sqlite3_stmt_readonly)

EPITAPH_LIBRARY("libsqlite3.so.0", SQLITE_FUNCTIONS)
EPITAPH_LIBRARY_ONCE(epitaph_sqlite_problem, load_library)

int sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count,
                      void (*destructor)(void *)) {
    return library.sqlite3_bind_blob(statement, index, bytes, count, destructor);
}

int sqlite3_bind_double(sqlite3_stmt *statement, int index, double value) {
    return library.sqlite3_bind_double(statement, index, value);
}

int sqlite3_bind_int64(sqlite3_stmt *statement, int index, sqlite3_int64 value) {
    return library.sqlite3_bind_int64(statement, index, value);
}

int sqlite3_bind_null(sqlite3_stmt *statement, int index) {
    return library.sqlite3_bind_null(statement, index);
}

int sqlite3_bind_parameter_count(sqlite3_stmt *statement) {
    return library.sqlite3_bind_parameter_count(statement);
}

int sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *text, int count,
                      void (*destructor)(void *)) {
    return library.sqlite3_bind_text(statement, index, text, count, destructor);
}

int sqlite3_busy_timeout(sqlite3 *database, int ms) {
    return library.sqlite3_busy_timeout(database, ms);
}

int sqlite3_changes(sqlite3 *database) {
    return library.sqlite3_changes(database);
}

int sqlite3_close_v2(sqlite3 *database) {
    return library.sqlite3_close_v2(database);
}

const void *sqlite3_column_blob(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_blob(statement, column);
}

int sqlite3_column_bytes(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_bytes(statement, column);
}

int sqlite3_column_count(sqlite3_stmt *statement) {
    return library.sqlite3_column_count(statement);
}

double sqlite3_column_double(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_double(statement, column);
}

sqlite3_int64 sqlite3_column_int64(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_int64(statement, column);
}

const char *sqlite3_column_name(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_name(statement, column);
}

const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_text(statement, column);
}

int sqlite3_column_type(sqlite3_stmt *statement, int column) {
    return library.sqlite3_column_type(statement, column);
}

int epitaph_sqlite_harden(sqlite3 *database) {
    int result = library.sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (result != SQLITE_OK) return result;
    return library.sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

const char *sqlite3_errmsg(sqlite3 *database) {
    return library.sqlite3_errmsg(database);
}

const char *sqlite3_errstr(int code) {
    return library.sqlite3_errstr(code);
}

int sqlite3_finalize(sqlite3_stmt *statement) {
    return library.sqlite3_finalize(statement);
}

int sqlite3_limit(sqlite3 *database, int limit, int value) {
    return library.sqlite3_limit(database, limit, value);
}

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs) {
    *database = NULL;
    // Not SQLITE_OK: nothing is open.
    if (epitaph_sqlite_problem() != NULL) return SQLITE_NOTADB;
    return library.sqlite3_open_v2(path, database, flags, vfs);
}

int sqlite3_prepare_v2(sqlite3 *database, const char *text, int count, sqlite3_stmt **statement,
                       const char **tail) {
    return library.sqlite3_prepare_v2(database, text, count, statement, tail);
}

void sqlite3_progress_handler(sqlite3 *database, int operations, int (*handler)(void *),
                              void *context) {
    library.sqlite3_progress_handler(database, operations, handler, context);
}

int sqlite3_set_authorizer(sqlite3 *database,
                           int (*authorizer)(void *, int, const char *, const char *, const char *,
                                             const char *),
                           void *context) {
    return library.sqlite3_set_authorizer(database, authorizer, context);
}

int sqlite3_step(sqlite3_stmt *statement) {
    return library.sqlite3_step(statement);
}

int sqlite3_stmt_readonly(sqlite3_stmt *statement) {
    return library.sqlite3_stmt_readonly(statement);
}
