// SPDX-License-Identifier: Apache-2.0
//
// Commands of a dump, assembled in memory by plain stores, for what is not written with the writer:
// the first record and the mark of a clean end. ANY-TIME.

#ifndef EPITAPH_FILE_STORED_VALUES_H
#define EPITAPH_FILE_STORED_VALUES_H

#include "epitaph_dump_format.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Where the next command goes, and one past the available room. What does not fit is left out.
typedef struct epitaph_stored_values {
    uint8_t *next;
    uint8_t *end;
} epitaph_stored_values;

enum { EPITAPH_STORED_HEADER_BYTES = 11 };

void epitaph_store_command(epitaph_stored_values *values, epitaph_dump_command command);
void epitaph_store_keyed_command(epitaph_stored_values *values, epitaph_dump_command command,
                                 epitaph_dump_key key);

/// Where to put a property's payload of up to `count` bytes, or NULL; `epitaph_store_header` must
/// follow with the actual count.
uint8_t *epitaph_store_place(const epitaph_stored_values *values, size_t count);
void epitaph_store_header(epitaph_stored_values *values, epitaph_dump_key key, size_t count);

/// Returns where the payload is, for one that is filled in later; NULL if there is no room.
uint8_t *epitaph_store_bytes(epitaph_stored_values *values, epitaph_dump_key key, const void *bytes,
                             size_t count);
/// The lowest `size` bytes of `number`.
uint8_t *epitaph_store_number(epitaph_stored_values *values, epitaph_dump_key key, uint64_t number,
                              size_t size);

#pragma GCC visibility pop

#endif
