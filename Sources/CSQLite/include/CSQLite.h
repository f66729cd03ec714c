// SPDX-License-Identifier: Apache-2.0
//
// SQLite, loaded when a database is to be inspected: a program that inspects none needs no library.
// docs/decisions/libraries-when-needed.md.
//
// The calls are the library's own, declared by us so that its header need not be there.
// sqlite3_open_v2 is the first of them, loads what is needed and fails where that fails.
#pragma once

#pragma redefine_extname sqlite3_bind_blob epitaph_sqlite3_bind_blob
#pragma redefine_extname sqlite3_bind_double epitaph_sqlite3_bind_double
#pragma redefine_extname sqlite3_bind_int64 epitaph_sqlite3_bind_int64
#pragma redefine_extname sqlite3_bind_null epitaph_sqlite3_bind_null
#pragma redefine_extname sqlite3_bind_parameter_count epitaph_sqlite3_bind_parameter_count
#pragma redefine_extname sqlite3_bind_text epitaph_sqlite3_bind_text
#pragma redefine_extname sqlite3_busy_timeout epitaph_sqlite3_busy_timeout
#pragma redefine_extname sqlite3_changes epitaph_sqlite3_changes
#pragma redefine_extname sqlite3_close_v2 epitaph_sqlite3_close_v2
#pragma redefine_extname sqlite3_column_blob epitaph_sqlite3_column_blob
#pragma redefine_extname sqlite3_column_bytes epitaph_sqlite3_column_bytes
#pragma redefine_extname sqlite3_column_count epitaph_sqlite3_column_count
#pragma redefine_extname sqlite3_column_double epitaph_sqlite3_column_double
#pragma redefine_extname sqlite3_column_int64 epitaph_sqlite3_column_int64
#pragma redefine_extname sqlite3_column_name epitaph_sqlite3_column_name
#pragma redefine_extname sqlite3_column_text epitaph_sqlite3_column_text
#pragma redefine_extname sqlite3_column_type epitaph_sqlite3_column_type
#pragma redefine_extname sqlite3_db_config epitaph_sqlite3_db_config
#pragma redefine_extname sqlite3_errmsg epitaph_sqlite3_errmsg
#pragma redefine_extname sqlite3_errstr epitaph_sqlite3_errstr
#pragma redefine_extname sqlite3_finalize epitaph_sqlite3_finalize
#pragma redefine_extname sqlite3_limit epitaph_sqlite3_limit
#pragma redefine_extname sqlite3_open_v2 epitaph_sqlite3_open_v2
#pragma redefine_extname sqlite3_prepare_v2 epitaph_sqlite3_prepare_v2
#pragma redefine_extname sqlite3_progress_handler epitaph_sqlite3_progress_handler
#pragma redefine_extname sqlite3_set_authorizer epitaph_sqlite3_set_authorizer
#pragma redefine_extname sqlite3_step epitaph_sqlite3_step
#pragma redefine_extname sqlite3_stmt_readonly epitaph_sqlite3_stmt_readonly

#include "sqlite_types.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
enum { EPITAPH_SQLITE_NUMBERS(EPITAPH_ENUMERATOR) };
#undef EPITAPH_ENUMERATOR

#pragma GCC visibility push(hidden)

#include "sqlite_calls.h"

/// Loads what is needed, once.
///
/// Returns NULL, or why it cannot be used, as words that stay valid.
const char *epitaph_sqlite_problem(void);

/// For a database whose author may be anybody: its schema may not call functions with effects, and
/// no statement may break the file. Swift cannot call sqlite3_db_config, which is variadic. Returns
/// SQLITE_OK or why not.
int epitaph_sqlite_harden(sqlite3 *database);

#pragma GCC visibility pop
