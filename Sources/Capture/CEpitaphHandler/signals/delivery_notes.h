// SPDX-License-Identifier: Apache-2.0
//
// Which signals were passed to the program's handlers, with what, and how far they have got.
// CRASH-TIME.

#ifndef EPITAPH_SIGNALS_DELIVERY_NOTES_H
#define EPITAPH_SIGNALS_DELIVERY_NOTES_H

#include "signals/actions.h"

#pragma GCC visibility push(hidden)

typedef enum epitaph_delivery_state {
    DELIVERY_NONE,
    /// A thread has taken the note and writes it.
    DELIVERY_BEING_WRITTEN,
    DELIVERY_QUEUED,
    /// The program's handler runs, or was left by a jump.
    DELIVERY_INSIDE,
    DELIVERY_RETURNED,
} epitaph_delivery_state;

/// One thread's signal.
typedef struct epitaph_delivery_note {
    uint32_t state;
    int signal;
    int32_t tid;
    int32_t pid;
    uint64_t number;
    uint64_t stack_pointer;
    uint64_t instruction_pointer;
    uint64_t address;
    uint64_t returned_ns;
    /// Of the thread; 0: not asked.
    uint64_t returned_cpu_ns;
    /// Without a system call: pthread_self(3).
    uint64_t thread_pointer;
    uint64_t registers_sum;
    /// How often the fault has come with the same registers, and of these how often at once.
    uint32_t same_count;
    uint32_t repeats;
    /// Blocked, and let through by a call with a mask of its own, sigsuspend(2) or ppoll(2), whose
    /// end blocks it again.
    bool was_blocked;
    /// Without the kernel: the handler's mask is not in force yet.
    bool is_handed_over;
    _Alignas(8) uint8_t info[EPITAPH_KERNEL_SIGINFO_SIZE];
    /// The mark of our action says something as long as this is the same.
    uint64_t installation_count;
    epitaph_kernel_sigaction action;
    /// Installed when the signal was queued.
    epitaph_kernel_sigaction present;
    /// In the thunk's frame; has this note's number as long as the frame exists.
    const volatile uint64_t *token;
    const void *context;
} epitaph_delivery_note;

/// A handler's frame has this, combined with the token's own address.
static const uint64_t epitaph_delivery_token_pattern = 0x6570697461706821;

static inline uint32_t epitaph_delivery_note_state(const epitaph_delivery_note *note) {
    return __atomic_load_n(&note->state, __ATOMIC_ACQUIRE);
}

static inline void epitaph_delivery_note_set_state(epitaph_delivery_note *note,
                                                   epitaph_delivery_state state) {
    __atomic_store_n(&note->state, state, __ATOMIC_RELEASE);
}

/// The last note of a signal at exactly this place, or NULL.
epitaph_delivery_note *epitaph_delivery_note_at(int signal, const ucontext_t *context);

/// The same, unless it is of another thread, one that used this stack or a child of vfork(2).
epitaph_delivery_note *epitaph_delivery_note_here(int signal, const ucontext_t *context);

/// The note of the innermost program handler that the calling thread is in, or NULL.
epitaph_delivery_note *epitaph_delivery_note_inside(const ucontext_t *context);

/// The note of this delivery, or NULL if another has its place.
const epitaph_delivery_note *epitaph_delivery_note_numbered(uint64_t number);

/// Whether the frame of the note's handler is still there. It was inside.
bool epitaph_delivery_note_is_intact(const epitaph_delivery_note *note);

/// Whether the time of the handler's return will tell a repaired fault from one that is not: a call
/// that is left out while the registers change.
bool epitaph_delivery_note_is_to_tell(const epitaph_delivery_note *note);

/// A new note, still being written; earlier ones of this place are removed.
epitaph_delivery_note *epitaph_delivery_note_begin(const epitaph_kernel_sigaction *action,
                                                   int signal, const siginfo_t *info,
                                                   const ucontext_t *context);

/// The program's handler is called next, from the frame that has `token`.
void epitaph_delivery_note_enter(epitaph_delivery_note *note, const volatile uint64_t *token);

#pragma GCC visibility pop

#endif
