// SPDX-License-Identifier: Apache-2.0
//
// Which memory can be read without waiting for its pages. A page that a userfaultfd or a file
// system has to provide may never arrive, and only SIGKILL ends that wait: mm/userfaultfd.c,
// handle_userfault; mm/filemap.c, folio_wait_bit_killable. CRASH-TIME.

#ifndef EPITAPH_MEMORY_RESIDENCY_H
#define EPITAPH_MEMORY_RESIDENCY_H

#include "epitaph_dump_format.h"
#include "memory/mappings.h"
#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

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

#pragma GCC visibility pop

#endif
