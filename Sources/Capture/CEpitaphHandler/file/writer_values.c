// SPDX-License-Identifier: Apache-2.0
//
// Numbers, times and texts as properties.

#include "file/writer.h"

#include "system/bytes.h"

void epitaph_writer_text(epitaph_writer *writer, epitaph_dump_key key, const char *text,
                         size_t limit) {
    epitaph_writer_bytes(writer, key, text, epitaph_text_length(text, limit));
}

static void integer(epitaph_writer *writer, epitaph_dump_key key, uint64_t value, size_t size) {
    uint8_t bytes[8];
    epitaph_bytes_put_little_endian(bytes, value, size);
    epitaph_writer_bytes(writer, key, bytes, size);
}

void epitaph_writer_u8(epitaph_writer *writer, epitaph_dump_key key, uint8_t value) {
    integer(writer, key, value, 1);
}

void epitaph_writer_u16(epitaph_writer *writer, epitaph_dump_key key, uint16_t value) {
    integer(writer, key, value, 2);
}

void epitaph_writer_u32(epitaph_writer *writer, epitaph_dump_key key, uint32_t value) {
    integer(writer, key, value, 4);
}

void epitaph_writer_i32(epitaph_writer *writer, epitaph_dump_key key, int32_t value) {
    integer(writer, key, (uint32_t)value, 4);
}

void epitaph_writer_u64(epitaph_writer *writer, epitaph_dump_key key, uint64_t value) {
    integer(writer, key, value, 8);
}

void epitaph_writer_i64(epitaph_writer *writer, epitaph_dump_key key, int64_t value) {
    integer(writer, key, (uint64_t)value, 8);
}

void epitaph_writer_time(epitaph_writer *writer, epitaph_dump_key key, uint64_t time_ns) {
    uint8_t bytes[16];
    epitaph_bytes_put_time(bytes, time_ns);
    epitaph_writer_bytes(writer, key, bytes, sizeof bytes);
}
