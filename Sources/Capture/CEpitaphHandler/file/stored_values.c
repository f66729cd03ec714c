// SPDX-License-Identifier: Apache-2.0
//
// Commands assembled in memory.

#include "file/writer.h"

#include "system/bytes.h"

enum { KEY_BYTES = 2, LENGTH_BYTES = 8 };

static size_t room(const epitaph_stored_values *values) {
    return (size_t)(values->end - values->next);
}

void epitaph_store_command(epitaph_stored_values *values, epitaph_dump_command command) {
    if (room(values) < 1) return;
    *values->next++ = (uint8_t)command;
}

void epitaph_store_keyed_command(epitaph_stored_values *values, epitaph_dump_command command,
                                 epitaph_dump_key key) {
    if (room(values) < 1 + KEY_BYTES) return;
    *values->next++ = (uint8_t)command;
    epitaph_bytes_put_little_endian(values->next, key, KEY_BYTES);
    values->next += KEY_BYTES;
}

uint8_t *epitaph_store_place(const epitaph_stored_values *values, size_t count) {
    if (room(values) < EPITAPH_STORED_HEADER_BYTES + count) return NULL;
    return values->next + EPITAPH_STORED_HEADER_BYTES;
}

void epitaph_store_header(epitaph_stored_values *values, epitaph_dump_key key, size_t count) {
    *values->next++ = EPITAPH_COMMAND_PROPERTY;
    epitaph_bytes_put_little_endian(values->next, key, KEY_BYTES);
    epitaph_bytes_put_little_endian(values->next + KEY_BYTES, count, LENGTH_BYTES);
    values->next += KEY_BYTES + LENGTH_BYTES + count;
}

uint8_t *epitaph_store_bytes(epitaph_stored_values *values, epitaph_dump_key key, const void *bytes,
                             size_t count) {
    uint8_t *place = epitaph_store_place(values, count);
    if (place == NULL) return NULL;
    epitaph_bytes_copy(place, bytes, count);
    epitaph_store_header(values, key, count);
    return place;
}

uint8_t *epitaph_store_number(epitaph_stored_values *values, epitaph_dump_key key, uint64_t number,
                              size_t size) {
    uint8_t bytes[8];
    epitaph_bytes_put_little_endian(bytes, number, sizeof bytes);
    return epitaph_store_bytes(values, key, bytes, size);
}
