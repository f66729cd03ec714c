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
    /// being written.
    uint64_t ticket;
    uint32_t count;
    char text[EPITAPH_MESSAGE_LIMIT];
} epitaph_message_slot;

/// The text with the highest ticket is current. There are several slots so that concurrent writers
/// need not wait for each other.
typedef struct epitaph_message_board {
    uint64_t last_ticket;
    epitaph_message_slot slots[EPITAPH_MESSAGE_SLOT_COUNT];
} epitaph_message_board;

/// ANY-TIME. Replaces the current text by `count` bytes of text, cut to EPITAPH_MESSAGE_LIMIT; 0
/// bytes for none. If all slots are being written by other threads at this moment, their text
/// stays.
void epitaph_message_board_put(epitaph_message_board *board, const char *text, size_t count);

/// ANY-TIME. Copies the current text to `text`, which has room for EPITAPH_MESSAGE_LIMIT bytes, and
/// returns its length: 0 if there is none.
size_t epitaph_message_board_read(const epitaph_message_board *board, char *text);

#pragma GCC visibility pop

#endif
