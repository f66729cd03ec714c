// SPDX-License-Identifier: Apache-2.0
//
// Guards one frame at a time: a fault below it jumps back to where the guard was set.

#include "memory/memory.h"

#include "processor/registers.h"

enum {
    PAGE_BYTES = 4096,
    /// How far below its frame the stack pointer of a guarded function may be.
    FRAME_REACH = 16384,
};

static epitaph_jump way_out;
/// The guarded frame; 0: none. Identifies the thread too, as no other has its stack there.
static uint64_t guarded_frame;
/// No handler runs in the thread whose frame it is.
static bool is_at_rest;

static bool run(void (*function)(void *argument), void *argument) {
    bool is_done = false;
    if (epitaph_jump_set(&way_out) == 0) {
        __atomic_store_n(&guarded_frame, (uint64_t)__builtin_frame_address(0), __ATOMIC_RELEASE);
        function(argument);
        is_done = true;
    }
    __atomic_store_n(&guarded_frame, 0, __ATOMIC_RELEASE);
    return is_done;
}

bool epitaph_guard_run(void (*function)(void *argument), void *argument) {
    is_at_rest = false;
    return run(function, argument);
}

bool epitaph_guard_run_at_rest(void (*function)(void *argument), void *argument) {
    is_at_rest = true;
    return run(function, argument);
}

typedef struct guarded_copy {
    uint8_t *to;
    const uint8_t *from;
    size_t count;
    volatile size_t done;
} guarded_copy;

static void copy_pages(void *argument) {
    guarded_copy *copy = argument;
    while (copy->done < copy->count) {
        const uint8_t *from = copy->from + copy->done;
        size_t in_page = PAGE_BYTES - (size_t)((uint64_t)from % PAGE_BYTES);
        size_t left = copy->count - copy->done;
        size_t part = left < in_page ? left : in_page;
        epitaph_bytes_copy(copy->to + copy->done, from, part);
        copy->done += part;
    }
}

size_t epitaph_guarded_copy(void *to, const void *from, size_t count) {
    guarded_copy copy = {.to = to, .from = from, .count = count, .done = 0};
    epitaph_guard_run(copy_pages, &copy);
    return copy.done;
}

// A handler that jumps out makes no system call, which a filter may forbid there. One that returns
// leaves the thread its mask and its alternate stack, which sigreturn(2) restores.
bool epitaph_guard_catch(const siginfo_t *info, ucontext_t *context) {
    uint64_t frame = __atomic_load_n(&guarded_frame, __ATOMIC_ACQUIRE);
    if (frame == 0 || info->si_code <= 0) return false;
    if (frame - epitaph_registers_stack_pointer(context) > FRAME_REACH) return false;
    __atomic_store_n(&guarded_frame, 0, __ATOMIC_RELEASE);
    if (is_at_rest)
        epitaph_registers_go_to_jump(context, &way_out);
    else
        epitaph_jump_to(&way_out);
    return true;
}
