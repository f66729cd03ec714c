// SPDX-License-Identifier: Apache-2.0
//
// Whether our declarations of SQLite are those of the library's own header.

#include <sqlite3.h>

#include "same.h"

// A function that is declared twice must be declared alike.
#include "declared/epitaph_sqlite_calls.h"

#define sqlite3 our_sqlite3
#define sqlite3_stmt our_sqlite3_stmt
#define sqlite3_int64 our_sqlite3_int64
#include "declared/epitaph_sqlite_types.h"
#undef sqlite3
#undef sqlite3_stmt
#undef sqlite3_int64

SAME_SIZE(our_sqlite3_int64, sqlite3_int64);
EPITAPH_SQLITE_NUMBERS(SAME_VALUE)
