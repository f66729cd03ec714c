// SPDX-License-Identifier: Apache-2.0
//
// Big values, straight from the memory they lie in: one by one, or many with one call. A file
// system takes a mebibyte at once in little more than half the time of sixteen parts of it.

#include "writer_parts.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>

enum {
    LENGTH_OFFSET_IN_HEADER = 3,
    /// What a big value that does not fit on the disk gives back for what follows it.
    SPARE_BYTES = 128 << 10,
    /// Not more than this is lost when the process is killed.
    GATHERED_BYTES_LIMIT = 1 << 20,
};

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count) {
    header[0] = EPITAPH_COMMAND_PROPERTY;
    epitaph_bytes_put_little_endian(header + 1, key, 2);
    epitaph_bytes_put_little_endian(header + LENGTH_OFFSET_IN_HEADER, count, 8);
}

/// Writes the rest of the payload at `address`, of which `done` bytes are in the file behind the
/// header at `header_offset`; returns how many there are then. Stops at what cannot be read or
/// written.
static uint64_t write_payload(epitaph_writer *writer, uint64_t header_offset, uint64_t address,
                              uint64_t count, uint64_t done) {
    while (writer->error == 0 && done < count) {
        long written =
            epitaph_writer_put(writer, (const void *)(address + done), (size_t)(count - done),
                               header_offset + EPITAPH_PROPERTY_HEADER_SIZE + done);
        if (written == -EFAULT) break;
        if ((written == -ENOSPC || written == -EDQUOT) && done > SPARE_BYTES) {
            // The disk is full. Smaller things that are worth more may follow: they get the end of
            // the room this value has taken.
            done -= SPARE_BYTES;
            break;
        }
        if (written <= 0) {
            epitaph_writer_remember_error(writer, written);
            break;
        }
        done += (uint64_t)written;
    }
    return done;
}

/// Hands out the buffer, a header and the payload in one call. Returns how much of the payload was
/// taken, or a negative errno when not even the header was.
static long write_with_memory(epitaph_writer *writer, uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE],
                              uint64_t address, uint64_t count) {
    struct iovec parts[3] = {{writer->buffer, writer->buffered_bytes},
                             {header, EPITAPH_PROPERTY_HEADER_SIZE},
                             {(void *)address, (size_t)count}};
    long own = (long)writer->buffered_bytes + EPITAPH_PROPERTY_HEADER_SIZE;
    long written = epitaph_writer_put_parts(writer, parts, 3, writer->flushed_bytes);
    if (written >= own) return written - own;
    // Some file systems check all of the vector first. Alone, our own memory can be written.
    epitaph_writer_flush(writer);
    if (writer->error != 0) return -writer->error;
    const long size = EPITAPH_PROPERTY_HEADER_SIZE;
    written = epitaph_writer_put(writer, header, (size_t)size, writer->flushed_bytes);
    return written == size ? 0 : written < 0 ? written : -EIO;
}

// The payload goes to the file before its true length is known: when the memory ends early the
// length in the file is written again. A process that dies in between leaves a length that runs
// past the end, which readers take as "cut".
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count) {
    if (writer->gathered_count > 0) epitaph_writer_flush(writer);
    if (writer->error != 0) return 0;
    uint64_t header_offset = epitaph_writer_offset(writer);
    uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE];
    epitaph_writer_make_header(header, key, count);
    long taken = write_with_memory(writer, header, address, count);
    if (taken < 0) {
        epitaph_writer_remember_error(writer, taken);
        return 0;
    }
    uint64_t done = write_payload(writer, header_offset, address, count, (uint64_t)taken);
    if (done < count) {
        epitaph_writer_make_header(header, key, done);
        long patched = epitaph_writer_put(writer, header, sizeof header, header_offset);
        if (patched < (long)sizeof header) epitaph_writer_remember_error(writer, patched);
    }
    // Offset first, as in flushing.
    writer->flushed_bytes = header_offset + sizeof header + done;
    writer->buffered_bytes = 0;
    epitaph_writer_complete(writer);
    return done;
}

void epitaph_writer_memory_later(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                                 uint64_t count, uint64_t subject) {
    uint32_t room = EPITAPH_WRITER_BUFFER_SIZE - writer->buffered_bytes;
    // The header must not fill the buffer, which would flush it alone.
    if (writer->gathered_count == EPITAPH_GATHERED_LIMIT || room <= EPITAPH_PROPERTY_HEADER_SIZE ||
        writer->gathered_bytes >= GATHERED_BYTES_LIMIT) {
        epitaph_writer_flush(writer);
    }
    if (writer->error != 0) return;
    epitaph_writer_property_header(writer, key, count);
    epitaph_gathered *piece = &writer->gathered[writer->gathered_count];
    piece->address = address;
    piece->count = count;
    piece->subject = subject;
    piece->buffer_end = writer->buffered_bytes;
    writer->gathered_bytes += count;
    writer->gathered_count++;
    epitaph_writer_complete(writer);
}

void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept) {
    uint32_t count = 0;
    uint64_t bytes = 0;
    for (; count < writer->gathered_count; count++) {
        const epitaph_gathered *piece = &writer->gathered[count];
        if (piece->buffer_end + bytes + piece->count > kept) break;
        bytes += piece->count;
    }
    writer->gathered_count = count;
    writer->gathered_bytes = bytes;
}

/// Writes everything with one call; false when it could not, with nothing lost.
static bool write_at_once(epitaph_writer *writer) {
    struct iovec parts[2 * EPITAPH_GATHERED_LIMIT + 1];
    int count = 0;
    uint32_t start = 0;
    for (uint32_t i = 0; i < writer->gathered_count; i++) {
        const epitaph_gathered *piece = &writer->gathered[i];
        parts[count].iov_base = writer->buffer + start;
        parts[count++].iov_len = piece->buffer_end - start;
        parts[count].iov_base = (void *)piece->address;
        parts[count++].iov_len = piece->count;
        start = piece->buffer_end;
    }
    parts[count].iov_base = writer->buffer + start;
    parts[count++].iov_len = writer->buffered_bytes - start;
    long written = epitaph_writer_put_parts(writer, parts, count, writer->flushed_bytes);
    return written > 0 && (uint64_t)written == writer->buffered_bytes + writer->gathered_bytes;
}

static void write_own(epitaph_writer *writer, uint32_t start, uint32_t end, uint64_t offset) {
    while (writer->error == 0 && start < end) {
        long written = epitaph_writer_put(writer, writer->buffer + start, end - start, offset);
        if (written <= 0) {
            epitaph_writer_remember_error(writer, written);
            return;
        }
        start += (uint32_t)written;
        offset += (uint64_t)written;
    }
}

/// Writes everything part by part; returns the offset behind it. Values that end early make those
/// behind them move up.
static uint64_t write_in_parts(epitaph_writer *writer) {
    uint64_t offset = writer->flushed_bytes;
    uint32_t start = 0;
    for (uint32_t i = 0; i < writer->gathered_count; i++) {
        const epitaph_gathered *piece = &writer->gathered[i];
        write_own(writer, start, piece->buffer_end, offset);
        offset += piece->buffer_end - start;
        start = piece->buffer_end;
        uint64_t header_offset = offset - EPITAPH_PROPERTY_HEADER_SIZE;
        uint64_t done = write_payload(writer, header_offset, piece->address, piece->count, 0);
        if (done < piece->count) {
            uint8_t length[8];
            epitaph_bytes_put_little_endian(length, done, sizeof length);
            epitaph_writer_put(writer, length, sizeof length,
                               header_offset + LENGTH_OFFSET_IN_HEADER);
            if (writer->cut_count < EPITAPH_GATHERED_LIMIT) {
                writer->cut_subjects[writer->cut_count++] = piece->subject;
            }
        }
        offset += done;
    }
    write_own(writer, start, writer->buffered_bytes, offset);
    return offset + writer->buffered_bytes - start;
}

void epitaph_writer_gathered_flush(epitaph_writer *writer) {
    uint64_t end = epitaph_writer_offset(writer);
    if (writer->error == 0 && !write_at_once(writer)) {
        uint64_t real_end = write_in_parts(writer);
        // The last whole command was behind all of these values, so it moves up with them.
        writer->whole -= (end - real_end) * EPITAPH_WRITER_DEPTH_VALUES;
        end = real_end;
    }
    if (writer->error == 0) writer->flushed_bytes = end;
    writer->gathered_count = 0;
    writer->gathered_bytes = 0;
    writer->buffered_bytes = 0;
}
