// SPDX-License-Identifier: Apache-2.0

#include "CSQLite.h"

#include <stddef.h>

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs) {
    (void)path, (void)flags, (void)vfs;
    *database = NULL;
    // No result of SQLite's.
    return 4711;
}
