// SPDX-License-Identifier: Apache-2.0

#include "epitaph_sqlite.h"

EPITAPH_LIBRARY("libsqlite3.so.0", EPITAPH_SQLITE_CALLS)
EPITAPH_LIBRARY_ONCE(epitaph_sqlite_problem, load_library)

int epitaph_sqlite_harden(sqlite3 *database) {
    int result = library.sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (result != SQLITE_OK) return result;
    return library.sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
}

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs) {
    *database = NULL;
    // Not SQLITE_OK: nothing is open.
    if (epitaph_sqlite_problem() != NULL) return SQLITE_NOTADB;
    return library.sqlite3_open_v2(path, database, flags, vfs);
}
