// SPDX-License-Identifier: Apache-2.0
//
// Keeps the environment and the command line out of dumps. CRASH-TIME.

#ifndef EPITAPH_PRIVACY_PRIVACY_H
#define EPITAPH_PRIVACY_PRIVACY_H

#include "capture/capture.h"

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_VARIABLE_LIMIT = 4096,
    EPITAPH_LATE_VARIABLE_LIMIT = 1024,
    EPITAPH_LATE_TEXT_LIMIT = 64 << 10,
    EPITAPH_LATE_TABLE_LIMIT = 1 << 17,
    EPITAPH_LATE_FILTER_LIMIT = 1 << 16,
};

typedef struct epitaph_private_texts {
    epitaph_text_index late;
    /// Places of variables that are not where the kernel put them, and bounds of all.
    uint32_t count;
    epitaph_range bounds;
    epitaph_range places[EPITAPH_LATE_VARIABLE_LIMIT];
    uint8_t text[EPITAPH_LATE_TEXT_LIMIT];
    uint32_t table[EPITAPH_LATE_TABLE_LIMIT];
    uint64_t filter[EPITAPH_LATE_FILTER_LIMIT];
} epitaph_private_texts;

// Texts known at the start, and those a crash finds in `environ` after setenv(3) and putenv(3).

void epitaph_private_texts_begin(epitaph_capture *capture);

void epitaph_private_texts_collect(epitaph_capture *capture);

bool epitaph_private_texts_hold(const epitaph_capture *capture, uint64_t address);

void epitaph_private_texts_blank(epitaph_capture *capture, epitaph_copy copy);

/// Range of the program's arguments and environment, above the main stack; empty if unknown.
epitaph_range epitaph_argument_area(const epitaph_capture *capture);

bool epitaph_range_is_private(const epitaph_capture *capture, epitaph_range range);

/// Like `epitaph_writer_memory`, blanked. The caller must know that reading does not wait forever.
uint64_t epitaph_blanked_memory_write(epitaph_capture *capture, epitaph_dump_key key,
                                      uint64_t address, uint64_t count);

/// Whether memory contains anything to blank, under the same condition.
bool epitaph_memory_is_private(epitaph_capture *capture, uint64_t address, uint64_t count);

#pragma GCC visibility pop

#endif
