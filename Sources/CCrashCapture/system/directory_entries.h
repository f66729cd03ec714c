// SPDX-License-Identifier: Apache-2.0
//
// The names in the output of getdents64(2): records of `struct linux_dirent64`, which are inode
// u64, offset u64, length u16, type u8 and a name that ends with NUL. ANY-TIME.

#ifndef EPITAPH_DIRECTORY_ENTRIES_H
#define EPITAPH_DIRECTORY_ENTRIES_H

#include "system/bytes.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct epitaph_directory_entries {
    const uint8_t *next;
    const uint8_t *end;
} epitaph_directory_entries;

static inline epitaph_directory_entries epitaph_directory_entries_of(const void *listing,
                                                                     size_t count) {
    epitaph_directory_entries entries = {listing, (const uint8_t *)listing + count};
    return entries;
}

/// The next name, of at most `limit` bytes with its NUL; NULL if there is none, or if the record is
/// invalid.
static inline const char *epitaph_directory_entries_next(epitaph_directory_entries *entries,
                                                         size_t *limit) {
    enum { LENGTH_OFFSET = 16, NAME_OFFSET = 19 };
    size_t left = (size_t)(entries->end - entries->next);
    uint16_t bytes;
    if (left <= NAME_OFFSET) return NULL;
    epitaph_bytes_copy(&bytes, entries->next + LENGTH_OFFSET, sizeof bytes);
    if (bytes <= NAME_OFFSET || bytes > left) return NULL;
    const char *name = (const char *)entries->next + NAME_OFFSET;
    *limit = bytes - NAME_OFFSET;
    entries->next += bytes;
    return name;
}

#pragma GCC visibility pop

#endif
