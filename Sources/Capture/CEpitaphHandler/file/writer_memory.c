// SPDX-License-Identifier: Apache-2.0
//
// Big values, written directly from memory, one by one or many with one call. File systems write
// one mebibyte in little more than half the time of sixteen parts.

#include "file/writer.h"

#include <errno.h>

enum {
    /// A killed process loses no more than this.
    GATHERED_BYTES_LIMIT = 1 << 20,
};

/// Writes buffer, header and payload with one call. Returns the payload bytes written, or a
/// negative errno if not even the header was.
static long write_with_memory(epitaph_writer *writer, uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE],
                              uint64_t address, uint64_t count) {
    struct iovec parts[3] = {{writer->buffer, writer->buffered_bytes},
                             {header, EPITAPH_PROPERTY_HEADER_SIZE},
                             {(void *)address, (size_t)count}};
    long own = (long)writer->buffered_bytes + EPITAPH_PROPERTY_HEADER_SIZE;
    long written = epitaph_writer_put_parts(writer, parts, 3, writer->flushed_bytes);
    if (written >= own) return written - own;
    // Some file systems check the whole vector first. Write our own memory separately.
    epitaph_writer_flush(writer);
    if (writer->error != 0) return -writer->error;
    const long size = EPITAPH_PROPERTY_HEADER_SIZE;
    written = epitaph_writer_put(writer, header, (size_t)size, writer->flushed_bytes);
    return written == size ? 0 : written < 0 ? written : -EIO;
}

// If the memory ends early, the length, already written, is patched. A process that dies in between
// leaves a length beyond the end of the file, which readers take as "cut".
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count) {
    if (writer->gathered_count > 0) epitaph_writer_flush(writer);
    if (writer->error != 0) return 0;
    uint64_t header_offset = epitaph_writer_offset(writer);
    uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE];
    epitaph_writer_make_header(header, key, count);
    long written = write_with_memory(writer, header, address, count);
    if (written < 0) {
        epitaph_writer_remember_error(writer, written);
        return 0;
    }
    uint64_t done =
        epitaph_writer_put_payload(writer, header_offset, address, count, (uint64_t)written);
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
    // The header must not fill the buffer, which would be flushed without the payload.
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
