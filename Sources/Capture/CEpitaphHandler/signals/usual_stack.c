// SPDX-License-Identifier: Apache-2.0
//
// A handler with SA_ONSTACK that the kernel calls itself finds the alternate stack that we gave its
// thread. Without us the thread has none, and the handler runs on the interrupted stack. So the
// kernel calls an entry of ours, which moves the signal frame to where it would have been and jumps
// to the program's handler: no call that a filter could forbid, and no frame of ours.

#include "signals/usual_stack.h"

#include "epitaph_thread_registry.h"
#include "processor/registers.h"

/// What the XSAVE area in the frame needs, Intel SDM 1, 13.4; aarch64 needs 16.
static const uint64_t frame_alignment = 64;

static void do_nothing(int signal) {
    (void)signal;
}

/// The program has just taken the action away: its next one gets the signal.
static const void *handler_of(int signal, const siginfo_t *info) {
    epitaph_kernel_sigaction next = epitaph_signal_next_installed(signal);
    if (epitaph_signal_action_is_of_program(&next)) return next.handler;
    epitaph_signal_queue_again(signal, info);
    return (const void *)do_nothing;
}

/// The kernel's frame ends where the alternate stack does, unless that was in use already:
/// get_sigframe of arch/x86/kernel/signal.c and sigsp of linux/sched/signal.h.
uint64_t epitaph_usual_stack_distance(const ucontext_t *context, const uint8_t *frame) {
    uint64_t start = (uint64_t)context->uc_stack.ss_sp;
    uint64_t interrupted = epitaph_registers_stack_pointer(context);
    size_t bytes = context->uc_stack.ss_size;
    bool is_on_it = (uint64_t)frame - start < bytes;
    bool was_on_it = interrupted - start < bytes;
    if (!is_on_it || was_on_it) return 0;
    return (interrupted - epitaph_red_zone_bytes - start - bytes) & ~(frame_alignment - 1);
}

void epitaph_usual_stack_copy(ucontext_t *context, uint8_t *frame, uint64_t distance) {
    const uint8_t *end = (const uint8_t *)context->uc_stack.ss_sp + context->uc_stack.ss_size;
    if (distance == 0) return;
    epitaph_registers_move_pointers(context, distance);
    epitaph_bytes_copy(frame + distance, frame, (size_t)(end - frame));
}

epitaph_usual_stack_move epitaph_usual_stack_prepare(int signal, siginfo_t *info,
                                                     ucontext_t *context, uint8_t *frame) {
    epitaph_usual_stack_move move = {0, handler_of(signal, info)};
    if (!epitaph_thread_stack_is_hidden(context->uc_stack.ss_sp)) return move;
    move.distance = epitaph_usual_stack_distance(context, frame);
    epitaph_usual_stack_copy(context, frame, move.distance);
    return move;
}

epitaph_kernel_sigaction epitaph_usual_stack_action(const epitaph_kernel_sigaction *wanted) {
    epitaph_kernel_sigaction action;
    epitaph_bytes_copy(&action, wanted, sizeof action);
    if (!epitaph_signal_action_is_of_program(wanted) || (wanted->flags & SA_ONSTACK) == 0)
        return action;
    action.handler = (void *)epitaph_usual_stack_enter;
    action.flags |= SA_SIGINFO;
    return action;
}

bool epitaph_usual_stack_has(const void *handler, const epitaph_kernel_sigaction *wanted) {
    return handler == wanted->handler || handler == (const void *)epitaph_usual_stack_enter;
}
