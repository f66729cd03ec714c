// SPDX-License-Identifier: Apache-2.0
//
// Reads memory that may not be there. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MEMORY_READER_H
#define EPITAPH_MEMORY_MEMORY_READER_H

#include "memory/mappings.h"
#include "system/range.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_MEMORY_BATCH = 64,
    /// How many bytes of a text are read at first.
    EPITAPH_SHORT_TEXT_SIZE = 128,
};

/// Copies up to `count` bytes from `address` of this process to `buffer` and returns how many were
/// copied: the copy ends at the first page that is unreadable or would have to be waited for (see
/// residency.h). The kernel does the reading, so no address can fault.
size_t epitaph_memory_read(void *buffer, uint64_t address, size_t count);

/// The same, all or nothing.
bool epitaph_memory_read_exactly(void *buffer, uint64_t address, size_t count);

/// Whether every page of `count` bytes from `address` on can be read now. The kernel has loaded
/// each of them, as a read would. Also false if that cannot be determined: before Linux 5.14, and
/// if process_vm_readv(2) is forbidden.
bool epitaph_memory_is_readable(uint64_t address, uint64_t count);

/// Copies the memory of as many `ranges` as one call of the kernel accepts and the buffer's `size`
/// allows, one behind the other, and returns how many those are. `got[i]` is how many bytes of
/// range i were readable; the place of the next range does not depend on it.
uint32_t epitaph_memory_read_batch(void *buffer, size_t size, const epitaph_range *ranges,
                                   uint32_t count, uint32_t got[EPITAPH_MEMORY_BATCH]);

/// Reads up to EPITAPH_MEMORY_BATCH ranges of together at most 4 KiB with one call of the kernel,
/// so that the following reads of them need none. Valid until the next call; with a `count` of 0
/// nothing is kept. If any range is not readable, nothing is kept.
void epitaph_memory_read_ahead(const epitaph_range *ranges, uint32_t count);

/// Copies the text at `address` up to its NUL, cutting it to `size` - 1 bytes; returns its length.
/// `buffer` ends in NUL in every case.
size_t epitaph_memory_read_text(char *buffer, size_t size, uint64_t address);

/// Must be called first in a capture: forgets descriptors of an earlier one, and empties
/// `mappings`, the table of this capture, which shows what is on a disk; NULL for none.
void epitaph_memory_begin(epitaph_mappings *mappings);
/// The same for a capture that makes no system calls: memory is loaded, guard.h.
void epitaph_memory_begin_loading(epitaph_mappings *mappings);
/// Must be called last: closes what was opened, for a process that survives.
void epitaph_memory_end(void);

#pragma GCC visibility pop

#endif
