// SPDX-License-Identifier: Apache-2.0

#include "writer.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>

enum {
    PROPERTY_HEADER_SIZE = 11,
    LENGTH_OFFSET_IN_HEADER = 3,
    DEPTH_VALUES = 16,
    /// What a big value that does not fit on the disk gives back for what follows it.
    SPARE_BYTES = 128 << 10,
};

void epitaph_writer_begin(epitaph_writer *writer, int fd, uint64_t offset) {
    writer->fd = fd;
    writer->error = 0;
    writer->flushed_bytes = offset;
    writer->buffered_bytes = 0;
    writer->depth = 0;
    writer->whole = offset * DEPTH_VALUES;
}

uint64_t epitaph_writer_offset(const epitaph_writer *writer) {
    return writer->flushed_bytes + writer->buffered_bytes;
}

/// Marks the end of a command.
static void complete(epitaph_writer *writer) {
    writer->whole = epitaph_writer_offset(writer) * DEPTH_VALUES + writer->depth;
}

void epitaph_writer_mend(epitaph_writer *writer) {
    uint64_t offset = writer->whole / DEPTH_VALUES;
    writer->depth = (uint32_t)(writer->whole % DEPTH_VALUES);
    if (offset < writer->flushed_bytes) {
        writer->flushed_bytes = offset;
        writer->buffered_bytes = 0;
    } else {
        writer->buffered_bytes = (uint32_t)(offset - writer->flushed_bytes);
    }
}

static void remember_error(epitaph_writer *writer, long result) {
    if (writer->error == 0) writer->error = result < 0 ? (int)-result : EIO;
}

void epitaph_writer_flush(epitaph_writer *writer) {
    uint32_t done = 0;
    while (writer->error == 0 && done < writer->buffered_bytes) {
        long written =
            epitaph_sys_pwrite(writer->fd, writer->buffer + done, writer->buffered_bytes - done,
                               writer->flushed_bytes + done);
        if (written > 0) {
            done += (uint32_t)written;
        } else {
            remember_error(writer, written);
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
        remember_error(writer, -EOVERFLOW);
        return;
    }
    writer->is_array[writer->depth++] = is_array;
    complete(writer);
}

void epitaph_writer_root_start(epitaph_writer *writer) {
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_START;
    append(writer, &command, 1);
    complete(writer);
}

void epitaph_writer_root_end(epitaph_writer *writer) {
    const uint8_t command = EPITAPH_COMMAND_ROOT_MAP_END;
    append(writer, &command, 1);
    complete(writer);
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
    complete(writer);
}

void epitaph_writer_end_to(epitaph_writer *writer, uint32_t depth) {
    while (writer->depth > depth)
        epitaph_writer_end(writer);
}

static void make_property_header(uint8_t header[PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                 uint64_t count) {
    header[0] = EPITAPH_COMMAND_PROPERTY;
    epitaph_bytes_put_little_endian(header + 1, key, 2);
    epitaph_bytes_put_little_endian(header + LENGTH_OFFSET_IN_HEADER, count, 8);
}

static void property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count) {
    uint8_t header[PROPERTY_HEADER_SIZE];
    make_property_header(header, key, count);
    append(writer, header, sizeof header);
}

void epitaph_writer_bytes(epitaph_writer *writer, epitaph_dump_key key, const void *bytes,
                          size_t count) {
    property_header(writer, key, count);
    append(writer, bytes, count);
    complete(writer);
}

/// Writes the rest of the payload at `address`, of which `done` bytes are in the file behind the
/// header at `header_offset`; returns how many there are then. Stops at what cannot be read or
/// written.
static uint64_t write_payload(epitaph_writer *writer, uint64_t header_offset, uint64_t address,
                              uint64_t count, uint64_t done) {
    while (writer->error == 0 && done < count) {
        long written =
            epitaph_sys_pwrite(writer->fd, (const void *)(address + done), (size_t)(count - done),
                               header_offset + PROPERTY_HEADER_SIZE + done);
        if (written == -EFAULT) break;
        if ((written == -ENOSPC || written == -EDQUOT) && done > SPARE_BYTES) {
            // The disk is full. Smaller things that are worth more may follow: they get the end of
            // the room this value has taken.
            done -= SPARE_BYTES;
            break;
        }
        if (written <= 0) {
            remember_error(writer, written);
            break;
        }
        done += (uint64_t)written;
    }
    return done;
}

// The payload goes to the file before its true length is known: when the memory ends early the
// length in the file is written again. A process that dies in between leaves a length that runs
// past the end, which readers take as "cut".
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count) {
    epitaph_writer_flush(writer);
    if (writer->error != 0) return 0;
    uint64_t header_offset = writer->flushed_bytes;
    uint8_t header[PROPERTY_HEADER_SIZE];
    make_property_header(header, key, count);
    struct iovec parts[2] = {{header, sizeof header}, {(void *)address, (size_t)count}};
    long written = epitaph_sys_pwritev(writer->fd, parts, 2, header_offset);
    if (written < (long)sizeof header) {
        // Some file systems check all of the vector first. Alone, the header can be written.
        written = epitaph_sys_pwrite(writer->fd, header, sizeof header, header_offset);
        if (written < (long)sizeof header) {
            remember_error(writer, written < 0 ? written : -EIO);
            return 0;
        }
    }
    uint64_t done =
        write_payload(writer, header_offset, address, count, (uint64_t)written - sizeof header);
    if (done < count) {
        make_property_header(header, key, done);
        long patched = epitaph_sys_pwrite(writer->fd, header, sizeof header, header_offset);
        if (patched < (long)sizeof header) remember_error(writer, patched);
    }
    writer->flushed_bytes = header_offset + sizeof header + done;
    complete(writer);
    return done;
}
