// SPDX-License-Identifier: Apache-2.0
//
// Big values, written directly from the memory they are in. ANY-TIME.

#ifndef EPITAPH_FILE_WRITER_MEMORY_H
#define EPITAPH_FILE_WRITER_MEMORY_H

#include "epitaph_dump_format.h"
#include "file/writer.h"

#include <stdint.h>

#pragma GCC visibility push(hidden)

/// A property whose value is `count` bytes at `address` of this process, which may be unreadable:
/// the kernel copies them, and the property gets as many bytes as it could read. Flushes. Returns
/// that count.
uint64_t epitaph_writer_memory(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                               uint64_t count);

/// The same, written with a later flush together with others. If a value ends early, its `subject`
/// is put into the writer's `cut_subjects`.
void epitaph_writer_memory_later(epitaph_writer *writer, epitaph_dump_key key, uint64_t address,
                                 uint64_t count, uint64_t subject);

#pragma GCC visibility pop

#endif
