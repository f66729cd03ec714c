// SPDX-License-Identifier: Apache-2.0
//
// A text is written to a slot that nobody else writes to, and one store makes it current.

#include "epitaph_notes.h"

#include "system/bytes.h"

static const uint64_t busy = ~0ull;

/// Claims a slot that nobody else writes to; NULL if there is none.
static epitaph_message_slot *claim(epitaph_message_board *board, uint64_t ticket) {
    for (uint32_t i = 0; i < EPITAPH_MESSAGE_SLOT_COUNT; i++) {
        epitaph_message_slot *slot = &board->slots[(ticket + i) % EPITAPH_MESSAGE_SLOT_COUNT];
        uint64_t present = __atomic_load_n(&slot->ticket, __ATOMIC_RELAXED);
        if (present == busy) continue;
        if (__atomic_compare_exchange_n(&slot->ticket, &present, busy, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            // A reader that sees any byte written below must also see the busy mark: the exchange
            // alone would let later stores overtake its own.
            __atomic_thread_fence(__ATOMIC_RELEASE);
            return slot;
        }
    }
    return NULL;
}

static uint64_t take_ticket(epitaph_message_board *board) {
    uint64_t last = __atomic_load_n(&board->last_ticket, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&board->last_ticket, &last, last + 1, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
        continue;
    }
    return last + 1;
}

void epitaph_message_board_put(epitaph_message_board *board, const char *text, size_t count) {
    uint64_t ticket = take_ticket(board);
    epitaph_message_slot *slot = claim(board, ticket);
    if (slot == NULL) return;
    if (count > EPITAPH_MESSAGE_LIMIT) count = EPITAPH_MESSAGE_LIMIT;
    slot->count = (uint32_t)count;
    epitaph_bytes_copy(slot->text, text, count);
    __atomic_store_n(&slot->ticket, ticket, __ATOMIC_RELEASE);
}

static const epitaph_message_slot *find_latest(const epitaph_message_board *board,
                                               uint64_t *ticket) {
    const epitaph_message_slot *latest = NULL;
    *ticket = 0;
    for (uint32_t i = 0; i < EPITAPH_MESSAGE_SLOT_COUNT; i++) {
        uint64_t present = __atomic_load_n(&board->slots[i].ticket, __ATOMIC_ACQUIRE);
        if (present == busy || present <= *ticket) continue;
        *ticket = present;
        latest = &board->slots[i];
    }
    return latest;
}

size_t epitaph_message_board_read(const epitaph_message_board *board, char *text) {
    // A slot is overwritten only by newer texts, so each attempt finds a newer one.
    for (int attempt = 0; attempt < EPITAPH_MESSAGE_SLOT_COUNT; attempt++) {
        uint64_t ticket;
        const epitaph_message_slot *slot = find_latest(board, &ticket);
        if (slot == NULL) return 0;
        size_t count = slot->count;
        if (count > EPITAPH_MESSAGE_LIMIT) count = EPITAPH_MESSAGE_LIMIT;
        epitaph_bytes_copy(text, slot->text, count);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (__atomic_load_n(&slot->ticket, __ATOMIC_RELAXED) == ticket) return count;
    }
    return 0;
}
