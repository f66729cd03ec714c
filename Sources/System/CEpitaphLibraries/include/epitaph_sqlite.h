// SPDX-License-Identifier: Apache-2.0
//
// SQLite, loaded to inspect a database. docs/decisions/code.md. Call sqlite3_open_v2 first: it
// loads the library, and fails if that fails.
#pragma once

// Our own names, see epitaph_loaded_library.h.
#define sqlite3_bind_blob epitaph_sqlite3_bind_blob
#define sqlite3_bind_double epitaph_sqlite3_bind_double
#define sqlite3_bind_int64 epitaph_sqlite3_bind_int64
#define sqlite3_bind_null epitaph_sqlite3_bind_null
#define sqlite3_bind_parameter_count epitaph_sqlite3_bind_parameter_count
#define sqlite3_bind_text epitaph_sqlite3_bind_text
#define sqlite3_busy_timeout epitaph_sqlite3_busy_timeout
#define sqlite3_changes epitaph_sqlite3_changes
#define sqlite3_close_v2 epitaph_sqlite3_close_v2
#define sqlite3_column_blob epitaph_sqlite3_column_blob
#define sqlite3_column_bytes epitaph_sqlite3_column_bytes
#define sqlite3_column_count epitaph_sqlite3_column_count
#define sqlite3_column_double epitaph_sqlite3_column_double
#define sqlite3_column_int64 epitaph_sqlite3_column_int64
#define sqlite3_column_name epitaph_sqlite3_column_name
#define sqlite3_column_text epitaph_sqlite3_column_text
#define sqlite3_column_type epitaph_sqlite3_column_type
#define sqlite3_db_config epitaph_sqlite3_db_config
#define sqlite3_errmsg epitaph_sqlite3_errmsg
#define sqlite3_errstr epitaph_sqlite3_errstr
#define sqlite3_finalize epitaph_sqlite3_finalize
#define sqlite3_limit epitaph_sqlite3_limit
#define sqlite3_open_v2 epitaph_sqlite3_open_v2
#define sqlite3_prepare_v2 epitaph_sqlite3_prepare_v2
#define sqlite3_progress_handler epitaph_sqlite3_progress_handler
#define sqlite3_set_authorizer epitaph_sqlite3_set_authorizer
#define sqlite3_step epitaph_sqlite3_step
#define sqlite3_stmt_readonly epitaph_sqlite3_stmt_readonly
#define sqlite3 epitaph_sqlite3
#define sqlite3_int64 epitaph_sqlite3_int64
#define sqlite3_stmt epitaph_sqlite3_stmt

#include "../declared/epitaph_sqlite_types.h"
#include "epitaph_loaded_library.h"

#define EPITAPH_ENUMERATOR(name, value) name = value,
enum { EPITAPH_SQLITE_NUMBERS(EPITAPH_ENUMERATOR) };
#undef EPITAPH_ENUMERATOR

#pragma GCC visibility push(hidden)

#include "../declared/epitaph_sqlite_calls.h"

/// Loads the library once. Returns NULL, or why it is unusable, as static text.
const char *epitaph_sqlite_problem(void);

/// Prepares for an untrusted database: its schema may not call functions with side effects, and no
/// statement may corrupt the file. Returns SQLITE_OK or an error.
int epitaph_sqlite_harden(sqlite3 *database);

#pragma GCC visibility pop
