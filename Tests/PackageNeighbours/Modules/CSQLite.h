// SPDX-License-Identifier: Apache-2.0
//
// A copy of SQLite that a package brings along, of which one function is enough: Epitaph opens the
// system's copy and declares the same functions.
#pragma once

typedef struct sqlite3 sqlite3;

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs);
