// SPDX-License-Identifier: Apache-2.0
//
// Texts that the program leaves for its crash report, from any thread and without a lock.

#ifndef EPITAPH_MESSAGE_BOARD_H
#define EPITAPH_MESSAGE_BOARD_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_MESSAGE_LIMIT = 4096,
    EPITAPH_MESSAGE_SLOT_COUNT = 4,
};

typedef struct epitaph_message_slot {
    /// The ticket of the text, counted from 1; 0 for none yet, EPITAPH_MESSAGE_BUSY while it is
    /// written.
    uint64_t ticket;
    uint32_t count;
    char text[EPITAPH_MESSAGE_LIMIT];
} epitaph_message_slot;

/// The text with the highest ticket counts. There are several, so that those who write at the same
/// time need not wait for each other.
typedef struct epitaph_message_board {
    uint64_t last_ticket;
    epitaph_message_slot slots[EPITAPH_MESSAGE_SLOT_COUNT];
} epitaph_message_board;

/// ANY-TIME. Puts up `count` bytes of text in the place of the present one, cut to
/// EPITAPH_MESSAGE_LIMIT; 0 bytes for none. When all slots are being written by others at this very
/// moment, theirs stand.
void epitaph_message_board_put(epitaph_message_board *board, const char *text, size_t count);

/// ANY-TIME. Copies the present text to `text`, which has room for EPITAPH_MESSAGE_LIMIT bytes, and
/// returns its length: 0 when there is none.
size_t epitaph_message_board_read(const epitaph_message_board *board, char *text);

#pragma GCC visibility pop

#endif
