// SPDX-License-Identifier: Apache-2.0
//
// Used of libsqlite3.so.0, which keeps them stable: sqlite.org/c3ref/intro.html.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;
typedef long long int sqlite3_int64;

/// VALUE(NAME, number)
#define EPITAPH_SQLITE_NUMBERS(VALUE)        \
    VALUE(SQLITE_OK, 0)                      \
    VALUE(SQLITE_DENY, 1)                    \
    VALUE(SQLITE_BUSY, 5)                    \
    VALUE(SQLITE_INTERRUPT, 9)               \
    VALUE(SQLITE_NOTADB, 26)                 \
    VALUE(SQLITE_ROW, 100)                   \
    VALUE(SQLITE_DONE, 101)                  \
    VALUE(SQLITE_OPEN_READONLY, 0x1)         \
    VALUE(SQLITE_OPEN_READWRITE, 0x2)        \
    VALUE(SQLITE_OPEN_NOMUTEX, 0x8000)       \
    VALUE(SQLITE_OPEN_PRIVATECACHE, 0x40000) \
    VALUE(SQLITE_OPEN_NOFOLLOW, 0x1000000)   \
    VALUE(SQLITE_INTEGER, 1)                 \
    VALUE(SQLITE_FLOAT, 2)                   \
    VALUE(SQLITE_BLOB, 4)                    \
    VALUE(SQLITE_NULL, 5)                    \
    VALUE(SQLITE_CREATE_TEMP_INDEX, 3)       \
    VALUE(SQLITE_CREATE_VTABLE, 29)          \
    VALUE(SQLITE_DROP_VTABLE, 30)            \
    VALUE(SQLITE_PRAGMA, 19)                 \
    VALUE(SQLITE_READ, 20)                   \
    VALUE(SQLITE_SELECT, 21)                 \
    VALUE(SQLITE_ATTACH, 24)                 \
    VALUE(SQLITE_DETACH, 25)                 \
    VALUE(SQLITE_FUNCTION, 31)               \
    VALUE(SQLITE_RECURSIVE, 33)              \
    VALUE(SQLITE_LIMIT_LENGTH, 0)            \
    VALUE(SQLITE_LIMIT_SQL_LENGTH, 1)        \
    VALUE(SQLITE_LIMIT_ATTACHED, 7)          \
    VALUE(SQLITE_DBCONFIG_DEFENSIVE, 1010)   \
    VALUE(SQLITE_DBCONFIG_TRUSTED_SCHEMA, 1017)
