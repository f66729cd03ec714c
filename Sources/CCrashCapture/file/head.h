// SPDX-License-Identifier: Apache-2.0
//
// The head of an armed file: its first bytes, allocated and mapped, so that the end of the process,
// clean or not, can be recorded by stores alone, without a system call for which a filter might
// kill the process, and without a descriptor that the program may have closed. docs/dump-format.md,
// "The head".

#ifndef EPITAPH_FILE_HEAD_H
#define EPITAPH_FILE_HEAD_H

#include "epitaph_dump_file_state.h"

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_HEAD_BYTES = 65536,
};

/// ANY-TIME. Gives a new, empty file a head. If that is not possible (the file system cannot
/// reserve blocks permanently, or cannot map) the file stays as it was.
void epitaph_head_make(epitaph_dump_file *file);
void epitaph_head_unmap(epitaph_dump_file *file);

/// CRASH-TIME. Copies memory that may be unreadable to `offset` of the head. Returns how many bytes
/// were copied, -ENOSPC behind its end, or -EFAULT if not one could be copied.
long epitaph_head_put(epitaph_dump_file *file, const void *bytes, size_t count, uint64_t offset);

/// CRASH-TIME. Removes everything that was stored behind the launch record.
void epitaph_head_clear(epitaph_dump_file *file);

/// CRASH-TIME. One past the last byte of the head that can be stored to, determined by a guarded
/// store to each page: the file may have been truncated, its disk may be gone, or full if the head
/// is a hole. Pages that were tried have blocks from then on. In a head that has its blocks only
/// the pages that a record usually needs are tried.
uint8_t *epitaph_head_reach(const epitaph_dump_file *file);

#pragma GCC visibility pop

#endif
