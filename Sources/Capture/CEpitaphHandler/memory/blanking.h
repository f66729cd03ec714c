// SPDX-License-Identifier: Apache-2.0
//
// Removes the environment and the command line from bytes that are about to be written. Removed
// bytes become asterisks, as when reports are scrubbed: text stays text, and the result is neither
// an address nor zero. docs/decisions/memory.md. CRASH-TIME.

#ifndef EPITAPH_MEMORY_BLANKING_H
#define EPITAPH_MEMORY_BLANKING_H

#include "epitaph_text_index.h"
#include "memory/mappings.h"
#include "system/range.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_BLANK_BYTE = '*' };

/// What is searched for, and what was found.
typedef struct epitaph_blanking {
    /// The texts of the start, and those that the crash found besides; the latter may be NULL.
    const epitaph_text_index *known;
    const epitaph_text_index *late;
    /// Words that are addresses in it stay; NULL if it is not known.
    const epitaph_mappings *mappings;
    uint64_t blanked_bytes;
} epitaph_blanking;

/// A copy of memory. `address` is where its first byte came from. The first `before` bytes and the
/// last `after` ones are there so that runs across its ends are found; they are not changed.
typedef struct epitaph_copy {
    uint8_t *bytes;
    uint64_t count;
    uint64_t address;
    uint64_t before;
    uint64_t after;
} epitaph_copy;

/// A copy that is examined from its first byte to its last.
static inline epitaph_copy epitaph_copy_of(uint8_t *bytes, uint64_t count, uint64_t address) {
    epitaph_copy copy;
    copy.bytes = bytes;
    copy.count = count;
    copy.address = address;
    copy.before = 0;
    copy.after = 0;
    return copy;
}

/// Blanks every run of at least EPITAPH_TEXT_WINDOW bytes that is in one of the texts, except its
/// zeros. The part of a run that is in an aligned word which is an address is not blanked, so that
/// no return address is lost.
void epitaph_blank(epitaph_blanking *blanking, epitaph_copy copy);

/// The same for vector registers: any byte may be the first of a run, and no word is an address.
void epitaph_blank_registers(epitaph_blanking *blanking, epitaph_copy copy);

/// Whether `epitaph_blank` would find anything.
bool epitaph_blank_is_needed(const epitaph_blanking *blanking, epitaph_copy copy);

/// Blanks the bytes at the addresses of `range`, except zeros.
void epitaph_blank_range(epitaph_blanking *blanking, epitaph_copy copy, epitaph_range range);

#pragma GCC visibility pop

#endif
