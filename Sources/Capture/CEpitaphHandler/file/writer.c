// SPDX-License-Identifier: Apache-2.0
//
// Commands and small values.

#include "file/writer.h"

#include "system/bytes.h"

#include <errno.h>

void epitaph_writer_complete(epitaph_writer *writer) {
    writer->whole = epitaph_writer_offset(writer) * EPITAPH_WRITER_DEPTH_VALUES + writer->depth;
}

void epitaph_writer_mend(epitaph_writer *writer) {
    uint64_t offset = writer->whole / EPITAPH_WRITER_DEPTH_VALUES;
    writer->depth = (uint32_t)(writer->whole % EPITAPH_WRITER_DEPTH_VALUES);
    if (offset < writer->flushed_bytes) {
        writer->flushed_bytes = offset;
        writer->buffered_bytes = 0;
        writer->gathered_count = 0;
        writer->gathered_bytes = 0;
    } else {
        uint64_t kept = offset - writer->flushed_bytes;
        epitaph_writer_gathered_cut(writer, kept);
        writer->buffered_bytes = (uint32_t)(kept - writer->gathered_bytes);
    }
}

/// Writes what is buffered and these bytes with one call; false if not all of it was written.
static bool write_through(epitaph_writer *writer, const void *bytes, size_t count) {
    struct iovec parts[2] = {{writer->buffer, writer->buffered_bytes}, {(void *)bytes, count}};
    size_t total = writer->buffered_bytes + count;
    if (epitaph_writer_put_parts(writer, parts, 2, writer->flushed_bytes) != (long)total)
        return false;
    // Offset first, as in flushing.
    writer->flushed_bytes += total;
    writer->buffered_bytes = 0;
    return true;
}

void epitaph_writer_append(epitaph_writer *writer, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
    bool is_big = count >= EPITAPH_WRITER_BUFFER_SIZE && writer->gathered_count == 0;
    if (is_big && writer->error == 0 && write_through(writer, bytes, count)) return;
    while (count > 0 && writer->error == 0) {
        size_t room = EPITAPH_WRITER_BUFFER_SIZE - writer->buffered_bytes;
        size_t part = count < room ? count : room;
        epitaph_bytes_copy(writer->buffer + writer->buffered_bytes, next, part);
        writer->buffered_bytes += (uint32_t)part;
        next += part;
        count -= part;
        if (writer->buffered_bytes == EPITAPH_WRITER_BUFFER_SIZE) epitaph_writer_flush(writer);
    }
}

static void short_command(epitaph_writer *writer, uint8_t command) {
    epitaph_writer_append(writer, &command, 1);
    epitaph_writer_complete(writer);
}

static void command_with_key(epitaph_writer *writer, uint8_t command, epitaph_dump_key key) {
    uint8_t bytes[3] = {command, 0, 0};
    epitaph_bytes_put_little_endian(bytes + 1, key, 2);
    epitaph_writer_append(writer, bytes, sizeof bytes);
}

static void push(epitaph_writer *writer, bool is_array) {
    if (writer->depth == EPITAPH_WRITER_DEPTH_LIMIT) {
        epitaph_writer_remember_error(writer, -EOVERFLOW);
        return;
    }
    writer->is_array[writer->depth++] = is_array;
    epitaph_writer_complete(writer);
}

void epitaph_writer_root_start(epitaph_writer *writer) {
    short_command(writer, EPITAPH_COMMAND_ROOT_MAP_START);
}

void epitaph_writer_root_end(epitaph_writer *writer) {
    short_command(writer, EPITAPH_COMMAND_ROOT_MAP_END);
}

void epitaph_writer_map_start(epitaph_writer *writer, epitaph_dump_key key) {
    bool in_array = writer->depth > 0 && writer->is_array[writer->depth - 1];
    if (in_array) {
        const uint8_t command = EPITAPH_COMMAND_MAP_START;
        epitaph_writer_append(writer, &command, 1);
    } else {
        command_with_key(writer, EPITAPH_COMMAND_MAP_START, key);
    }
    push(writer, false);
}

void epitaph_writer_array_start(epitaph_writer *writer, epitaph_dump_key key) {
    command_with_key(writer, EPITAPH_COMMAND_ARRAY_START, key);
    push(writer, true);
}

void epitaph_writer_end(epitaph_writer *writer) {
    if (writer->depth == 0) return;
    writer->depth--;
    short_command(writer, writer->is_array[writer->depth] ? EPITAPH_COMMAND_ARRAY_END
                                                          : EPITAPH_COMMAND_MAP_END);
}

void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth) {
    while (writer->depth > depth)
        epitaph_writer_end(writer);
}

void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count) {
    uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE];
    epitaph_writer_make_header(header, key, count);
    epitaph_writer_append(writer, header, sizeof header);
}

void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count) {
    epitaph_writer_property_header(writer, key, count);
    epitaph_writer_append(writer, bytes, count);
    epitaph_writer_complete(writer);
}

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count) {
    header[0] = EPITAPH_COMMAND_PROPERTY;
    epitaph_bytes_put_little_endian(header + 1, key, 2);
    epitaph_bytes_put_little_endian(header + EPITAPH_PROPERTY_LENGTH_OFFSET, count, 8);
}

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
