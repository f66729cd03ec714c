// SPDX-License-Identifier: Apache-2.0

#include "writer.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>

enum {
    PROPERTY_HEADER_SIZE = 11,
    LENGTH_OFFSET_IN_HEADER = 3,
    LENGTH_SIZE = 8,
    /// A write that is refused is tried again at once: quotas, network and stacked file systems
    /// refuse one write and take the next.
    WRITE_ATTEMPTS = 4,
};

void epitaph_writer_begin(epitaph_writer *writer, int fd, uint64_t offset) {
    writer->fd = fd;
    writer->error = 0;
    writer->flushed_bytes = offset;
    writer->buffered_bytes = 0;
    writer->depth = 0;
}

static void remember_error(epitaph_writer *writer, long result) {
    if (writer->error == 0) writer->error = result < 0 ? (int)-result : EIO;
}

/// Bad addresses stay bad, and are no reason to try again.
static long write_parts(int fd, const struct iovec *parts, int part_count) {
    long written = 0;
    for (int attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
        written = epitaph_sys_writev(fd, parts, part_count);
        if (written > 0 || written == -EFAULT) break;
    }
    return written;
}

void epitaph_writer_flush(epitaph_writer *writer) {
    uint8_t *next = writer->buffer;
    while (writer->error == 0 && writer->buffered_bytes > 0) {
        struct iovec part = {next, writer->buffered_bytes};
        long written = write_parts(writer->fd, &part, 1);
        if (written <= 0) {
            remember_error(writer, written);
            break;
        }
        next += written;
        writer->flushed_bytes += (uint64_t)written;
        writer->buffered_bytes -= (uint32_t)written;
    }
    writer->buffered_bytes = 0;
}

static void append(epitaph_writer *writer, const void *bytes, size_t count) {
    const uint8_t *next = bytes;
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

static void put_little_endian(uint8_t *to, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static void command_with_key(epitaph_writer *writer, uint8_t command, epitaph_dump_key key) {
    uint8_t bytes[3] = {command, 0, 0};
    put_little_endian(bytes + 1, key, 2);
    append(writer, bytes, sizeof bytes);
}

static void push(epitaph_writer *writer, bool is_array) {
    if (writer->depth < EPITAPH_WRITER_DEPTH_LIMIT) writer->is_array[writer->depth] = is_array;
    writer->depth++;
}

void epitaph_writer_root_start(epitaph_writer *writer) {
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_START;
    append(writer, &command, 1);
}

void epitaph_writer_root_end(epitaph_writer *writer) {
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_END;
    append(writer, &command, 1);
}

void epitaph_writer_map_start(epitaph_writer *writer, epitaph_dump_key key) {
    bool in_array = writer->depth > 0 && writer->is_array[writer->depth - 1];
    if (in_array) {
        const uint8_t command = EPITAPH_COMMAND_MAP_START;
        append(writer, &command, 1);
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
    uint8_t command =
        writer->is_array[writer->depth] ? EPITAPH_COMMAND_ARRAY_END : EPITAPH_COMMAND_MAP_END;
    append(writer, &command, 1);
}

void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth) {
    while (writer->depth > depth)
        epitaph_writer_end(writer);
}

static void property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count) {
    uint8_t header[PROPERTY_HEADER_SIZE];
    header[0] = EPITAPH_COMMAND_PROPERTY;
    put_little_endian(header + 1, key, 2);
    put_little_endian(header + LENGTH_OFFSET_IN_HEADER, count, 8);
    append(writer, header, sizeof header);
}

void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count) {
    property_header(writer, key, count);
    append(writer, bytes, count);
}

void epitaph_writer_text(epitaph_writer *writer, epitaph_dump_key key, const char *text,
                         size_t limit) {
    epitaph_writer_bytes(writer, key, text, epitaph_text_length(text, limit));
}

static void integer(epitaph_writer *writer, epitaph_dump_key key, uint64_t value, size_t size) {
    uint8_t bytes[8];
    put_little_endian(bytes, value, size);
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
    put_little_endian(bytes, time_ns / 1000000000, 8);
    put_little_endian(bytes + 8, time_ns % 1000000000 / 1000, 8);
    epitaph_writer_bytes(writer, key, bytes, sizeof bytes);
}

/// Hands out the buffer and `count` bytes at `address` in one call; returns how many of the latter
/// were taken.
static uint64_t flush_with_memory(epitaph_writer *writer, uint64_t address, uint64_t count) {
    struct iovec parts[2] = {{writer->buffer, writer->buffered_bytes},
                             {(void *)address, (size_t)count}};
    long written = writer->error == 0 ? write_parts(writer->fd, parts, 2) : 0;
    if (written == -EFAULT) written = 0;  // some file systems check the whole vector first
    if (written < 0) {
        remember_error(writer, written);
        return 0;
    }
    uint32_t own = writer->buffered_bytes;
    writer->flushed_bytes += (uint64_t)written;
    if (written >= own) {
        writer->buffered_bytes = 0;
        return (uint64_t)written - own;
    }
    // The rest of the buffer, from our own memory.
    writer->buffered_bytes = own - (uint32_t)written;
    epitaph_bytes_copy(writer->buffer, writer->buffer + written, writer->buffered_bytes);
    epitaph_writer_flush(writer);
    return 0;
}

/// Without its true length a property would swallow what follows: then nothing may follow.
static void correct_length(epitaph_writer *writer, uint64_t offset, uint64_t count) {
    uint8_t length[LENGTH_SIZE];
    put_little_endian(length, count, sizeof length);
    for (int attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
        if (epitaph_sys_pwrite(writer->fd, length, sizeof length, offset) == sizeof length) return;
    }
    remember_error(writer, -EIO);
}

// The payload goes to the file before its true length is known: when the memory ends early the
// length in the file is written again. A process that dies in between leaves a length that runs
// past the end, which readers take as "cut".
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count) {
    property_header(writer, key, count);
    uint64_t length_offset = writer->flushed_bytes + writer->buffered_bytes - LENGTH_SIZE;
    uint64_t done = flush_with_memory(writer, address, count);
    long result = 1;
    while (writer->error == 0 && done < count && result > 0) {
        struct iovec part = {(void *)(address + done), (size_t)(count - done)};
        result = write_parts(writer->fd, &part, 1);
        if (result > 0) {
            done += (uint64_t)result;
            writer->flushed_bytes += (uint64_t)result;
        }
    }
    if (done < count && writer->flushed_bytes > length_offset) {
        correct_length(writer, length_offset, done);
        if (result < 0 && result != -EFAULT) remember_error(writer, result);
    }
    return done;
}
