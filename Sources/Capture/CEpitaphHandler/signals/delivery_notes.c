// SPDX-License-Identifier: Apache-2.0
//
// The notes of deliveries: found by place, by thread and by number.

#include "signals/delivery_notes.h"

#include "epitaph_placement.h"
#include "processor/registers.h"

#include <time.h>

enum { NOTE_COUNT = 64, SAME_BEFORE_CLOCK = 16 };

/// A fault that returns earlier, with the same registers, was not repaired: nothing else ran.
static const uint64_t repeating_ns = 1000000;

static EPITAPH_SPARSE epitaph_delivery_note notes[NOTE_COUNT];
static uint64_t last_number;
/// Nonzero once a note was INSIDE. Before that, threads need not find out who they are.
static uint32_t has_been_inside;

static bool is_written(const epitaph_delivery_note *note) {
    uint32_t state = epitaph_delivery_note_state(note);
    return state != DELIVERY_NONE && state != DELIVERY_BEING_WRITTEN;
}

epitaph_delivery_note *epitaph_delivery_note_at(int signal, const ucontext_t *context) {
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    uint64_t instruction_pointer = epitaph_registers_instruction_pointer(context);
    for (int i = 0; i < NOTE_COUNT; i++) {
        epitaph_delivery_note *note = &notes[i];
        if (!is_written(note) || note->signal != signal) continue;
        if (note->stack_pointer != stack_pointer) continue;
        if (note->instruction_pointer == instruction_pointer) return note;
    }
    return NULL;
}

epitaph_delivery_note *epitaph_delivery_note_here(int signal, const ucontext_t *context) {
    epitaph_delivery_note *note = epitaph_delivery_note_at(signal, context);
    return note != NULL && note->tid == epitaph_sys_gettid() ? note : NULL;
}

bool epitaph_delivery_note_is_intact(const epitaph_delivery_note *note) {
    return note->token[0] == (epitaph_delivery_token_pattern ^ (uint64_t)note->token) &&
           note->token[1] == note->number;
}

/// The note of the innermost program handler that the calling thread is in, or NULL. After
/// siglongjmp(3) the stack pointer is above the handler's frame, or the frame is overwritten.
epitaph_delivery_note *epitaph_delivery_note_inside(const ucontext_t *context) {
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    if (__atomic_load_n(&has_been_inside, __ATOMIC_ACQUIRE) == 0) return NULL;
    int32_t tid = epitaph_sys_gettid();
    epitaph_delivery_note *innermost = NULL;
    for (int i = 0; i < NOTE_COUNT; i++) {
        epitaph_delivery_note *note = &notes[i];
        if (note->tid != tid || epitaph_delivery_note_state(note) != DELIVERY_INSIDE) continue;
        if (stack_pointer >= (uint64_t)note->token || !epitaph_delivery_note_is_intact(note))
            continue;
        if (innermost == NULL || note->number > innermost->number) innermost = note;
    }
    return innermost;
}

/// A free note, a finished one of this thread, or else the oldest; `found` is its state.
static epitaph_delivery_note *find_room(int32_t tid, uint64_t stack_pointer, uint32_t *found) {
    epitaph_delivery_note *oldest = NULL;
    uint32_t state_of_oldest = DELIVERY_QUEUED;
    for (int i = 0; i < NOTE_COUNT; i++) {
        epitaph_delivery_note *note = &notes[i];
        uint32_t state = epitaph_delivery_note_state(note);
        bool is_left = state == DELIVERY_INSIDE && stack_pointer >= (uint64_t)note->token;
        bool is_done = state == DELIVERY_RETURNED || is_left;
        *found = state;
        if (state == DELIVERY_NONE || (note->tid == tid && is_done)) return note;
        if (state == DELIVERY_QUEUED || state == DELIVERY_BEING_WRITTEN) continue;
        if (oldest != NULL && note->number > oldest->number) continue;
        oldest = note;
        state_of_oldest = state;
    }
    *found = state_of_oldest;
    return oldest != NULL ? oldest : &notes[0];
}

/// Others look for one at the same time: whoever changes its state has it.
static epitaph_delivery_note *take_room(int32_t tid, uint64_t stack_pointer) {
    epitaph_delivery_note *note = NULL;
    uint32_t state;
    for (int tries = 0; tries < NOTE_COUNT; tries++) {
        note = find_room(tid, stack_pointer, &state);
        if (state == DELIVERY_QUEUED) continue;
        if (__atomic_compare_exchange_n(&note->state, &state, DELIVERY_BEING_WRITTEN, false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            return note;
        }
    }
    // Its thread does not find its signal any more, and gets it again.
    epitaph_delivery_note_set_state(note, DELIVERY_BEING_WRITTEN);
    return note;
}

const epitaph_delivery_note *epitaph_delivery_note_numbered(uint64_t number) {
    for (int i = 0; i < NOTE_COUNT; i++) {
        const epitaph_delivery_note *note = &notes[i];
        if (note->number == number && is_written(note)) return note;
    }
    return NULL;
}

/// Removes notes of earlier signals here, perhaps of another thread that used this stack.
static void forget_place(int signal, const ucontext_t *context) {
    epitaph_delivery_note *note;
    while ((note = epitaph_delivery_note_at(signal, context)) != NULL)
        epitaph_delivery_note_set_state(note, DELIVERY_NONE);
}

/// So that a fault that returns at once with the same registers can be told from a repaired one.
static uint64_t registers_sum(const ucontext_t *context) {
    uint64_t values[32];
    uint32_t count = epitaph_registers_values(context, values);
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++)
        sum = (sum ^ values[i]) * 0x100000001b3;
    return sum;
}

static bool is_same(const epitaph_delivery_note *last, const siginfo_t *info,
                    const ucontext_t *context) {
    return last != NULL && epitaph_delivery_note_state(last) == DELIVERY_RETURNED &&
           info->si_code > 0 && (uint64_t)info->si_addr == last->address &&
           registers_sum(context) == last->registers_sum;
}

bool epitaph_delivery_note_is_to_tell(const epitaph_delivery_note *note) {
    return note->same_count >= SAME_BEFORE_CLOCK;
}

// Not by a clock that goes on while other threads have the processor.
static bool is_at_once(const epitaph_delivery_note *last) {
    if (last->returned_cpu_ns == 0) return false;
    return epitaph_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - last->returned_cpu_ns < repeating_ns;
}

epitaph_delivery_note *epitaph_delivery_note_begin(const epitaph_kernel_sigaction *action,
                                                   int signal, const siginfo_t *info,
                                                   const ucontext_t *context) {
    int32_t tid = epitaph_sys_gettid();
    const epitaph_delivery_note *last = epitaph_delivery_note_at(signal, context);
    if (last != NULL && last->tid != tid) last = NULL;
    uint32_t same_count = is_same(last, info, context) ? last->same_count + 1 : 0;
    uint32_t repeats = same_count > 0 && is_at_once(last) ? last->repeats + 1 : 0;
    forget_place(signal, context);
    epitaph_delivery_note *note = take_room(tid, epitaph_registers_stack_pointer(context));
    note->tid = tid;
    note->pid = epitaph_sys_getpid();
    note->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    note->signal = signal;
    note->stack_pointer = epitaph_registers_stack_pointer(context);
    note->instruction_pointer = epitaph_registers_instruction_pointer(context);
    note->address = (uint64_t)info->si_addr;
    note->thread_pointer = epitaph_registers_thread_pointer();
    note->registers_sum = registers_sum(context);
    note->same_count = same_count;
    note->repeats = repeats;
    note->was_blocked = epitaph_signals_have(epitaph_signal_blocked(context), signal);
    note->is_handed_over = false;
    epitaph_bytes_copy(note->info, info, sizeof note->info);
    note->installation_count = epitaph_signal_installation_count();
    epitaph_bytes_copy(&note->action, action, sizeof *action);
    return note;
}

void epitaph_delivery_note_enter(epitaph_delivery_note *note, const volatile uint64_t *token) {
    note->token = token;
    __atomic_store_n(&has_been_inside, 1, __ATOMIC_RELEASE);
    epitaph_delivery_note_set_state(note, DELIVERY_INSIDE);
}
