// SPDX-License-Identifier: Apache-2.0
//
// How bytes get from the writer into the file. ANY-TIME.

#ifndef EPITAPH_FILE_WRITER_OUTPUT_H
#define EPITAPH_FILE_WRITER_OUTPUT_H

#include "epitaph_dump_file_state.h"
#include "file/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#pragma GCC visibility push(hidden)

/// Begins writing at `offset` of `file`.
void epitaph_writer_begin(epitaph_writer *writer, struct epitaph_dump_file *file, uint64_t offset);
/// Allows the writer to store into the file's head, from `offset` of it on, if not even the first
/// write to the file succeeds; with `is_storing` it does so from the beginning and makes no system
/// call.
void epitaph_writer_allow_stores(epitaph_writer *writer, uint64_t offset, bool is_storing);
/// The offset behind everything written so far, flushed or not.
uint64_t epitaph_writer_offset(const epitaph_writer *writer);

void epitaph_writer_remember_error(epitaph_writer *writer, long result);

/// pwrite(2), repeated if it fails: quotas, network and stacked file systems refuse one write and
/// accept the next. Bad addresses are not retried.
long epitaph_writer_put(epitaph_writer *writer, const void *bytes, size_t count, uint64_t offset);
/// The same for several parts with pwritev(2), once; not if the writer stores.
long epitaph_writer_put_parts(epitaph_writer *writer, const struct iovec *parts, int count,
                              uint64_t offset);

/// Writes the rest of the payload at `address`, of which `done` bytes are in the file behind the
/// header at `header_offset`; returns how many are there then. Stops at memory that cannot be read
/// or written.
uint64_t epitaph_writer_put_payload(epitaph_writer *writer, uint64_t header_offset,
                                    uint64_t address, uint64_t count, uint64_t done);

#pragma GCC visibility pop

#endif
