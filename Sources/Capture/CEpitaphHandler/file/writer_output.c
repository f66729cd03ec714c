// SPDX-License-Identifier: Apache-2.0
//
// Output by pwrite(2), or by stores into the head if system calls are forbidden or writes fail.

#include "file/writer.h"

#include "epitaph_file.h"
#include "file/armed_file.h"
#include "system/sys.h"

#include <errno.h>

enum {
    WRITE_ATTEMPTS = 4,
    /// Given up from a big value on a full disk, for what follows.
    SPARE_BYTES = 128 << 10,
};

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
    // A full disk, a file size limit, an unreachable file: the head can still be stored to.
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

uint64_t epitaph_writer_put_payload(epitaph_writer *writer, uint64_t header_offset,
                                    uint64_t address, uint64_t count, uint64_t done) {
    while (writer->error == 0 && done < count) {
        long written =
            epitaph_writer_put(writer, (const void *)(address + done), (size_t)(count - done),
                               header_offset + EPITAPH_PROPERTY_HEADER_SIZE + done);
        if (written == -EFAULT) break;
        if ((written == -ENOSPC || written == -EDQUOT) && done > SPARE_BYTES) {
            // Full disk: leave the end of this value's room to smaller, more valuable data.
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
