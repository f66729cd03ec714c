// SPDX-License-Identifier: Apache-2.0
//
// Memory that may not be there: read by the kernel, read only where no page has to be waited for,
// and loaded under guard. CRASH-TIME.

#ifndef EPITAPH_MEMORY_MEMORY_READER_H
#define EPITAPH_MEMORY_MEMORY_READER_H

#include "epitaph_dump_format.h"
#include "memory/mappings.h"
#include "system/range.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_MEMORY_BATCH = 64,
    /// How many bytes of a text are read at first.
    EPITAPH_SHORT_TEXT_SIZE = 128,
};

/// Copies up to `count` bytes from `address` of this process to `buffer` and returns how many were
/// copied: the copy ends at the first page that is unreadable or would have to be waited for (see
/// residency.c). The kernel does the reading, so no address can fault.
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
/// The same for a capture that makes no system calls: memory is loaded, guard.c.
void epitaph_memory_begin_loading(epitaph_mappings *mappings);
/// Must be called last: closes what was opened, for a process that survives.
void epitaph_memory_end(void);

// Which memory can be read without waiting for its pages. A page that a userfaultfd or a file
// system has to provide may never arrive, and only SIGKILL ends that wait: mm/userfaultfd.c,
// handle_userfault; mm/filemap.c, folio_wait_bit_killable.

/// Forgets what was found out in an earlier capture, and what `mappings` contains of it; NULL for
/// none. If `can_ask` is false, or the kernel does not report it, everything counts as resident.
void epitaph_residency_begin(bool can_ask, epitaph_mappings *mappings);

/// Counts `range` as resident until another one is trusted: a thread's own stack. Swapped-out parts
/// of it come back, and untouched parts are zeros.
void epitaph_residency_trust(epitaph_range range);

/// The range that is currently trusted.
epitaph_range epitaph_residency_trusted(void);

/// How many of `count` bytes from `address` on precede the first page that is mapped but not
/// resident. Unmapped addresses count, because reading them fails at once.
uint64_t epitaph_residency_prefix(uint64_t address, uint64_t count);

/// Whether `address` is in a page that is mapped but not resident.
bool epitaph_residency_is_absent(uint64_t address);

/// Why memory at `address`, which could not be read, is missing.
epitaph_dump_why epitaph_residency_why(uint64_t address);

// Plain loads and stores that may fault, without a system call: the fault returns to our own
// handler, which continues behind them. For the first record and for captures that may only load
// and store; everything else lets the kernel read, memory_reader.h. One user at a time: the thread
// that has taken the armed file.

/// Calls `function` and returns true, or false if it faulted; then it was abandoned at that point.
bool epitaph_guard_run(void (*function)(void *argument), void *argument);

/// Copies up to `count` bytes and returns how many were copied, up to the first page that cannot be
/// read or written.
size_t epitaph_guarded_copy(void *to, const void *from, size_t count);

/// Must be called first in the handler. Does not return if the fault belongs to guarded code.
void epitaph_guard_catch(const siginfo_t *info, const ucontext_t *context);

#pragma GCC visibility pop

#endif
