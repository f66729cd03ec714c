// SPDX-License-Identifier: Apache-2.0
//
// What must not be in a dump: the environment and the command line. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_PRIVACY_H
#define EPITAPH_PRIVACY_PRIVACY_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

// The state of private_texts.c: what a crash found in the environment.

enum {
    /// The most variables that are examined in a crash, and the most bytes of new ones.
    EPITAPH_VARIABLE_LIMIT = 4096,
    EPITAPH_LATE_VARIABLE_LIMIT = 1024,
    EPITAPH_LATE_TEXT_LIMIT = 64 << 10,
    EPITAPH_LATE_TABLE_LIMIT = 1 << 17,
    EPITAPH_LATE_GRAM_LIMIT = 1 << 16,
};

/// What a crash found in the environment.
typedef struct epitaph_private_texts {
    epitaph_text_index late;
    /// The places of variables that are not where the kernel put them, and bounds around all.
    uint32_t count;
    epitaph_range places[EPITAPH_LATE_VARIABLE_LIMIT];
    epitaph_range bounds;
    uint8_t text[EPITAPH_LATE_TEXT_LIMIT];
    uint32_t table[EPITAPH_LATE_TABLE_LIMIT];
    uint64_t grams[EPITAPH_LATE_GRAM_LIMIT];
} epitaph_private_texts;

// The texts that stay out of a dump: the environment and the command line. Their state at the start
// is known from then on; in a crash `environ` is followed to find what setenv(3) and putenv(3) have
// added since.

/// Forgets the texts of an earlier capture.
void epitaph_private_texts_begin(epitaph_capture *capture);

/// Section: reads the current environment. What cannot be read is damage.
void epitaph_private_texts_collect(epitaph_capture *capture);

/// Whether `address` is in a variable, so that the memory there is not wanted.
bool epitaph_private_texts_hold(const epitaph_capture *capture, uint64_t address);

/// Blanks the texts in `copy`, and the bytes at the addresses of variables.
void epitaph_private_texts_blank(epitaph_capture *capture, epitaph_copy copy);

// Where the kernel has put the program's arguments and environment, which stay out of dumps.

/// Their range; empty if it is not known.
epitaph_range epitaph_argument_area(const epitaph_capture *capture);

/// Whether any byte may belong to the program's arguments and environment, which are above the main
/// thread's stack and stay out of dumps.
bool epitaph_range_is_private(const epitaph_capture *capture, epitaph_range range);

// Writes memory into the dump without anything that must stay out.

/// Writes `count` bytes at `address` like `epitaph_writer_memory`, without what must stay out. The
/// caller must know that reading them does not wait forever.
uint64_t epitaph_blanked_memory_write(epitaph_capture *capture, epitaph_dump_key key,
                                      uint64_t address, uint64_t count);

/// Whether memory contains anything that must stay out. The same applies to the caller.
bool epitaph_memory_is_private(epitaph_capture *capture, uint64_t address, uint64_t count);

#pragma GCC visibility pop

#endif
