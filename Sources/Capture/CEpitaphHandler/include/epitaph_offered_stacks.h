// SPDX-License-Identifier: Apache-2.0
//
// The alternate stacks that existing threads were offered. Internal to the package.

#ifndef EPITAPH_OFFERED_STACKS_H
#define EPITAPH_OFFERED_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { EPITAPH_STACK_OFFER_LIMIT = 4096 };

typedef enum epitaph_stack_offer_state {
    EPITAPH_STACK_FREE,
    EPITAPH_STACK_OFFERED,
    EPITAPH_STACK_ACCEPTED,
    /// The thread already had one at least as large.
    EPITAPH_STACK_DECLINED,
} epitaph_stack_offer_state;

typedef struct epitaph_stack_offer {
    int32_t tid;
    /// An `epitaph_stack_offer_state`. From OFFERED on only the thread changes it, until it ends.
    uint32_t state;
    uint32_t is_due;
    void *memory;
    size_t size;
    /// The thread's alternate stack after its answer; 0 bytes if it was running on a small one.
    uint64_t present_start;
    uint64_t present_bytes;
    /// What the program had set in its place, which was smaller; 0 bytes for none.
    uint64_t program_start;
    uint64_t program_bytes;
} epitaph_stack_offer;

typedef struct epitaph_stack_offers {
    /// Entries ever used. Written at quiet time by one thread.
    uint32_t count;
    /// The process whose threads they were made to; 0: none yet.
    int32_t pid;
    /// Offers without a result; a futex word for the quiet-time code.
    uint32_t open_count;
    epitaph_stack_offer entries[EPITAPH_STACK_OFFER_LIMIT];
} epitaph_stack_offers;

extern epitaph_stack_offers epitaph_stack_offers_now;

/// ANY-TIME. The latest offer to a thread id, or NULL: an earlier one was to a thread that has
/// ended.
epitaph_stack_offer *epitaph_stack_offer_to(int32_t tid);

/// ANY-TIME. Whether a thread accepted the stack at `start`, and what the program had set before.
bool epitaph_stack_offer_find(const void *start, uint64_t *program_start, uint64_t *program_bytes);

/// ANY-TIME. Gives the calling thread a stack of ours; false if the kernel refuses.
bool epitaph_own_alternate_stack_set(void *memory, size_t size);

/// ANY-TIME. The program has set an alternate stack for the calling thread, or none, 0 bytes: then
/// the thread gets the one again that it accepted.
void epitaph_stack_offer_note_stack(uint64_t start, uint64_t bytes);

#pragma GCC visibility pop

#endif
