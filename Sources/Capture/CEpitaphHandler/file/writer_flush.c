// SPDX-License-Identifier: Apache-2.0
//
// Flushes the buffer, alone or with gathered values.

#include "file/writer.h"

#include "system/bytes.h"

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

/// Writes everything with one call; on failure returns false with nothing lost.
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

/// Writes part by part; returns the end offset. After a value that ends early, the rest moves up.
static uint64_t write_in_parts(epitaph_writer *writer) {
    uint64_t offset = writer->flushed_bytes;
    uint32_t start = 0;
    for (uint32_t i = 0; i < writer->gathered_count; i++) {
        const epitaph_gathered *piece = &writer->gathered[i];
        write_own(writer, start, piece->buffer_end, offset);
        offset += piece->buffer_end - start;
        start = piece->buffer_end;
        uint64_t header_offset = offset - EPITAPH_PROPERTY_HEADER_SIZE;
        uint64_t done =
            epitaph_writer_put_payload(writer, header_offset, piece->address, piece->count, 0);
        if (done < piece->count) {
            uint8_t length[8];
            epitaph_bytes_put_little_endian(length, done, sizeof length);
            epitaph_writer_put(writer, length, sizeof length,
                               header_offset + EPITAPH_PROPERTY_LENGTH_OFFSET);
            if (writer->cut_count < EPITAPH_GATHERED_LIMIT) {
                writer->cut_subjects[writer->cut_count++] = piece->subject;
            }
        }
        offset += done;
    }
    write_own(writer, start, writer->buffered_bytes, offset);
    return offset + writer->buffered_bytes - start;
}

static void flush_gathered(epitaph_writer *writer) {
    uint64_t end = epitaph_writer_offset(writer);
    if (writer->error == 0 && !write_at_once(writer)) {
        uint64_t real_end = write_in_parts(writer);
        // The last complete command was behind all these values, so it moves up too.
        writer->whole -= (end - real_end) * EPITAPH_WRITER_DEPTH_VALUES;
        end = real_end;
    }
    if (writer->error == 0) writer->flushed_bytes = end;
    writer->gathered_count = 0;
    writer->gathered_bytes = 0;
    writer->buffered_bytes = 0;
}

void epitaph_writer_flush(epitaph_writer *writer) {
    if (writer->gathered_count > 0) {
        flush_gathered(writer);
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
    // Offset first: mending removes what an interruption in between leaves.
    writer->flushed_bytes += done;
    writer->buffered_bytes = 0;
}
