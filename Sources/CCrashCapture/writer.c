// SPDX-License-Identifier: Apache-2.0

#include "writer.h"

#include "bytes.h"
#include "epitaph_capture.h"
#include "head.h"
#include "sys.h"
#include "writer_parts.h"

#include <errno.h>

enum { WRITE_ATTEMPTS = 4 };

void epitaph_writer_begin(epitaph_writer *writer, epitaph_dump_file *file, uint64_t offset) {
    writer->file = file;
    writer->store_offset = 0;
    writer->begin_bytes = offset;
    writer->is_storing = false;
    writer->has_written = false;
    writer->has_met_size_limit = false;
    writer->error = 0;
    writer->flushed_bytes = offset;
    writer->buffered_bytes = 0;
    writer->depth = 0;
    writer->gathered_count = 0;
    writer->gathered_bytes = 0;
    writer->cut_count = 0;
    writer->whole = offset * EPITAPH_WRITER_DEPTH_VALUES;
}

void epitaph_writer_allow_stores(epitaph_writer *writer, uint64_t offset, bool is_storing) {
    writer->store_offset = offset;
    writer->is_storing = is_storing;
}

uint64_t epitaph_writer_offset(const epitaph_writer *writer) {
    return writer->flushed_bytes + writer->buffered_bytes + writer->gathered_bytes;
}

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

void epitaph_writer_remember_error(epitaph_writer *writer, long result) {
    if (writer->error == 0) writer->error = result < 0 ? (int)-result : EIO;
}

static long store(const epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset) {
    uint64_t place = offset - writer->begin_bytes + writer->store_offset;
    return epitaph_head_put(writer->file, bytes, count, place);
}

long epitaph_writer_put(epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset) {
    long written = 0;
    if (writer->is_storing) return store(writer, bytes, count, offset);
    for (int attempt = 0; attempt < WRITE_ATTEMPTS; attempt++) {
        int fd = epitaph_dump_file_descriptor(writer->file);
        written = fd < 0 ? fd : epitaph_sys_pwrite(fd, bytes, count, offset);
        if (written > 0) writer->has_written = true;
        if (written == -EFBIG) writer->has_met_size_limit = true;
        if (written > 0 || written == -EFAULT) return written;
    }
    if (writer->has_written || writer->store_offset == 0) return written;
    // A full disk, a file size limit, a file out of reach: the head is there all the same.
    writer->is_storing = true;
    return store(writer, bytes, count, offset);
}

long epitaph_writer_put_parts(epitaph_writer *writer, const struct iovec *parts, int count,
                              uint64_t offset) {
    if (writer->is_storing) return -EOPNOTSUPP;
    int fd = epitaph_dump_file_descriptor(writer->file);
    long written = fd < 0 ? fd : epitaph_sys_pwritev(fd, parts, count, offset);
    if (written > 0) writer->has_written = true;
    if (written == -EFBIG) writer->has_met_size_limit = true;
    return written;
}

void epitaph_writer_flush(epitaph_writer *writer) {
    if (writer->gathered_count > 0) {
        epitaph_writer_gathered_flush(writer);
        return;
    }
    uint32_t done = 0;
    while (writer->error == 0 && done < writer->buffered_bytes) {
        long written =
            epitaph_writer_put(writer, writer->buffer + done, writer->buffered_bytes - done,
                               writer->flushed_bytes + done);
        if (written > 0) {
            done += (uint32_t)written;
        } else {
            epitaph_writer_remember_error(writer, written);
        }
    }
    // Offset first: what an interruption between the two would leave is taken back by the mending.
    writer->flushed_bytes += done;
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

static void command_with_key(epitaph_writer *writer, uint8_t command, epitaph_dump_key key) {
    uint8_t bytes[3] = {command, 0, 0};
    epitaph_bytes_put_little_endian(bytes + 1, key, 2);
    append(writer, bytes, sizeof bytes);
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
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_START;
    append(writer, &command, 1);
    epitaph_writer_complete(writer);
}

void epitaph_writer_root_end(epitaph_writer *writer) {
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_END;
    append(writer, &command, 1);
    epitaph_writer_complete(writer);
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
    epitaph_writer_complete(writer);
}

void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth) {
    while (writer->depth > depth)
        epitaph_writer_end(writer);
}

void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count) {
    uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE];
    epitaph_writer_make_header(header, key, count);
    append(writer, header, sizeof header);
}

void epitaph_writer_value_start(epitaph_writer *writer, epitaph_dump_key key, size_t count) {
    epitaph_writer_property_header(writer, key, count);
}

void epitaph_writer_value_append(epitaph_writer *writer, const void *bytes, size_t count) {
    append(writer, bytes, count);
}

void epitaph_writer_value_end(epitaph_writer *writer) {
    epitaph_writer_complete(writer);
}

void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count) {
    epitaph_writer_property_header(writer, key, count);
    append(writer, bytes, count);
    epitaph_writer_complete(writer);
}
