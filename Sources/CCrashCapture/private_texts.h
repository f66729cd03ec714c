// SPDX-License-Identifier: Apache-2.0
//
// The texts that stay out of a dump: the environment and the command line. What they were at the
// start is known from then on; in a crash `environ` is followed for what setenv(3) and putenv(3)
// have put there since. CRASH-TIME.

#ifndef EPITAPH_PRIVATE_TEXTS_H
#define EPITAPH_PRIVATE_TEXTS_H

#include "blanking.h"
#include "epitaph_dump_format.h"
#include "epitaph_text_index.h"
#include "memory.h"

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    /// Variables that are looked at in a crash, and bytes of those that are new.
    EPITAPH_VARIABLE_LIMIT = 4096,
    EPITAPH_LATE_VARIABLE_LIMIT = 1024,
    EPITAPH_LATE_TEXT_LIMIT = 64 << 10,
    EPITAPH_LATE_TABLE_LIMIT = 1 << 17,
    EPITAPH_LATE_GRAM_LIMIT = 1 << 16,
};

/// What a crash found in the environment.
typedef struct epitaph_private_texts {
    epitaph_text_index late;
    /// Where the variables lie that are not where the kernel put them, and bounds around all.
    uint32_t count;
    epitaph_range places[EPITAPH_LATE_VARIABLE_LIMIT];
    epitaph_range bounds;
    uint8_t text[EPITAPH_LATE_TEXT_LIMIT];
    uint32_t table[EPITAPH_LATE_TABLE_LIMIT];
    uint64_t grams[EPITAPH_LATE_GRAM_LIMIT];
} epitaph_private_texts;

struct epitaph_capture;

/// Forgets an earlier capture's.
void epitaph_private_texts_begin(struct epitaph_capture *capture);

/// Section: reads the environment as it is now. What cannot be read is damage.
void epitaph_private_texts_collect(struct epitaph_capture *capture);

/// Whether `address` is in a variable: nothing there is worth having.
bool epitaph_private_texts_hold(const struct epitaph_capture *capture, uint64_t address);

/// Blanks `copy` by what it says, and by where it lies.
void epitaph_private_texts_blank(struct epitaph_capture *capture, epitaph_copy copy);

/// Writes `count` bytes at `address` like `epitaph_writer_memory`, without what stays out. The
/// caller knows that they can be waited for.
uint64_t epitaph_blanked_memory_write(struct epitaph_capture *capture, epitaph_dump_key key,
                                      uint64_t address, uint64_t count);

/// Whether memory holds anything of what stays out. The same holds for the caller.
bool epitaph_memory_is_private(struct epitaph_capture *capture, uint64_t address, uint64_t count);

#pragma GCC visibility pop

#endif
