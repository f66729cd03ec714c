// SPDX-License-Identifier: Apache-2.0
//
// What the files of the writer share. All ANY-TIME.

#ifndef EPITAPH_WRITER_PARTS_H
#define EPITAPH_WRITER_PARTS_H

#include "writer.h"

#include <sys/uio.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_PROPERTY_HEADER_SIZE = 11, EPITAPH_WRITER_DEPTH_VALUES = 16 };

void epitaph_writer_remember_error(epitaph_writer *writer, long result);

/// Marks the end of a command.
void epitaph_writer_complete(epitaph_writer *writer);

void epitaph_writer_make_header(uint8_t header[EPITAPH_PROPERTY_HEADER_SIZE], epitaph_dump_key key,
                                uint64_t count);
void epitaph_writer_property_header(epitaph_writer *writer, epitaph_dump_key key, uint64_t count);

/// Writes the buffer and the values that were gathered.
void epitaph_writer_gathered_flush(epitaph_writer *writer);

/// Forgets gathered values that do not lie in the first `kept` bytes of what is to be written.
void epitaph_writer_gathered_cut(epitaph_writer *writer, uint64_t kept);

/// pwrite(2), made again when it is refused: quotas, network and stacked file systems refuse one
/// write and take the next. Bad addresses stay bad.
long epitaph_writer_put(epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset);
/// The same for several parts with pwritev(2), once; not while the writer stores.
long epitaph_writer_put_parts(epitaph_writer *writer, const struct iovec *parts, int count,
                              uint64_t offset);

#pragma GCC visibility pop

#endif
