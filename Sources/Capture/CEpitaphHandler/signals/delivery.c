// SPDX-License-Identifier: Apache-2.0
//
// We do not call an earlier handler ourselves: it would run on our stack, perhaps too small for it,
// with our mask and flags. The kernel calls it. Its action is installed with a thunk as handler,
// and the signal is queued again with its own siginfo. When our handler returns, the kernel makes a
// frame for the thunk where the program's handler would have had it, or ends the process if there
// is no room, as it would have. The thunk restores our handler and calls the program's.
//
// A fault is handed over instead: its frame goes where the kernel would have made it.

#include "epitaph_thread_registry.h"
#include "processor/registers.h"
#include "signals/delivery_notes.h"
#include "signals/usual_stack.h"

#include <errno.h>
#include <time.h>

/// The owner of each signal; NULL: the crash handler.
static const epitaph_delivery_owner *owners[EPITAPH_SIGNAL_LIMIT];

/// Restores the action to use while the program's handler runs.
static void put_back(int signal, const epitaph_delivery_note *note) {
    const epitaph_delivery_owner *owner = __atomic_load_n(&owners[signal], __ATOMIC_ACQUIRE);
    if (owner != NULL && owner->put_back != NULL) {
        owner->put_back();
    } else {
        epitaph_sys_sigaction(signal, &note->present, NULL);
    }
}

/// Sends a crash signal that met the thunk of another thread's to our handler. Called there, it
/// would run on the program's stack under the program's mask, where a fault of its own is deadly.
static bool send_back(int signal, const siginfo_t *info) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    if (epitaph_delivery_is_thunk(present.handler)) {
        // The other signal finds our handler too, which passes it on again.
        epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
        epitaph_sys_sigaction(signal, &own, NULL);
    }
    return epitaph_signal_queue_again(signal, info) || epitaph_signal_happens_again(signal, info);
}

/// As the program has it, after we unblocked it to let it come again.
static void block_on_return(int signal, ucontext_t *context) {
    uint64_t blocked = epitaph_signal_blocked(context);
    epitaph_signal_set_blocked(context, blocked | epitaph_signal_bit(signal));
}

// Inlined: backtraces that the program's handler takes show each of our frames.
__attribute__((always_inline)) static inline void
call_handler(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info, void *context) {
    if ((action->flags & SA_SIGINFO) != 0) {
        ((void (*)(int, siginfo_t *, void *))action->handler)(signal, info, context);
    } else {
        ((void (*)(int))action->handler)(signal);
    }
}

__attribute__((always_inline)) static inline void run(epitaph_delivery_note *note, int signal,
                                                      siginfo_t *info, ucontext_t *context) {
    const volatile uint64_t token[2] = {epitaph_delivery_token_pattern ^ (uint64_t)token,
                                        note->number};
    epitaph_kernel_sigaction action = note->action;
    note->context = context;
    if (note->was_blocked) block_on_return(signal, context);
    epitaph_delivery_note_enter(note, token);
    call_handler(&action, signal, info, context);
    note->returned_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    bool is_to_tell = epitaph_delivery_note_is_to_tell(note);
    note->returned_cpu_ns = is_to_tell ? epitaph_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) : 0;
    epitaph_delivery_note_set_state(note, DELIVERY_RETURNED);
}

/// As the kernel for a handler: signal_delivered, kernel/signal.c. A signal that is pending comes
/// now, on top of it.
static void put_mask_in_force(const epitaph_delivery_note *note, int signal,
                              const ucontext_t *context) {
    uint64_t mask = epitaph_signal_blocked(context) | note->action.mask;
    if ((note->action.flags & SA_NODEFER) == 0) mask |= epitaph_signal_bit(signal);
    epitaph_sys_sigprocmask(SIG_SETMASK, &mask, NULL);
}

/// A sandbox refuses what it takes to let the kernel deliver the signal: on our stack, but under
/// the mask that the program wants.
static void run_here(epitaph_delivery_note *note, int signal, siginfo_t *info,
                     ucontext_t *context) {
    // Without our mark in force it says nothing.
    note->installation_count = 0;
    put_mask_in_force(note, signal, context);
    run(note, signal, info, context);
}

static void epitaph_delivery_thunk(int signal, siginfo_t *info, void *context) {
    epitaph_delivery_note *note = epitaph_delivery_note_at(signal, context);
    if (note == NULL || epitaph_delivery_note_state(note) != DELIVERY_QUEUED) {
        // Another thread's signal, before our handler was back.
        const epitaph_delivery_owner *owner = __atomic_load_n(&owners[signal], __ATOMIC_ACQUIRE);
        bool is_crash = owner == NULL || owner->put_back == NULL;
        if (is_crash && send_back(signal, info)) return;
        void (*handle)(int, siginfo_t *, void *) =
            owner != NULL ? owner->handle : epitaph_capture_settings_now.crash_handler;
        handle(signal, info, context);
        return;
    }
    uint64_t number = note->number;
    if (note->is_handed_over) {
        put_mask_in_force(note, signal, context);
    } else {
        put_back(signal, note);
    }
    run(note, signal, info, context);
    const epitaph_delivery_owner *owner = __atomic_load_n(&owners[signal], __ATOMIC_ACQUIRE);
    if (owner != NULL && owner->note_return != NULL) owner->note_return(number);
}

bool epitaph_delivery_is_thunk(const void *handler) {
    return handler == (const void *)epitaph_delivery_thunk;
}

bool epitaph_delivery_is_ours(const void *handler) {
    return epitaph_delivery_is_thunk(handler) ||
           handler == (const void *)epitaph_capture_settings_now.crash_handler;
}

/// Without us the thread would have no alternate stack: the program's handler runs where it ran.
static unsigned long flags_of(const epitaph_kernel_sigaction *action, const ucontext_t *context) {
    bool is_ours = (action->flags & SA_ONSTACK) != 0 &&
                   epitaph_thread_stack_is_hidden(context->uc_stack.ss_sp);
    return is_ours ? action->flags & ~(unsigned long)SA_ONSTACK : action->flags;
}

static bool is_on_own_stack(const epitaph_kernel_sigaction *action, const ucontext_t *context) {
    return (flags_of(action, context) & SA_ONSTACK) != 0 &&
           (context->uc_stack.ss_flags & SS_DISABLE) == 0;
}

/// Where the kernel would make the frame: below the red zone of the interrupted code.
static epitaph_range frame_place(const ucontext_t *context) {
    const uint64_t alignment = 64;
    uint64_t end = epitaph_registers_stack_pointer(context) - epitaph_red_zone_bytes;
    uint64_t bytes = epitaph_capture_settings_now.facts.signal_frame_bytes + alignment;
    epitaph_range place = {end - bytes, end};
    return place;
}

bool epitaph_signal_is_of_its_frame(const epitaph_kernel_sigaction *action, int signal,
                                    const siginfo_t *info, const ucontext_t *context) {
    uint64_t page_bytes = epitaph_capture_settings_now.facts.page_size;
    uint64_t address = (uint64_t)info->si_addr;
    bool is_of_memory = info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR;
    if (signal != SIGSEGV || !is_of_memory || is_on_own_stack(action, context)) return false;
    // Code on a stack that may be written but not executed.
    if (address == epitaph_registers_instruction_pointer(context)) return false;
    uint64_t page = address & ~(page_bytes - 1);
    // The page of the stack pointer, too, although the frame may begin below it: what the kernel
    // refuses to grow downwards it does not grow further down.
    return page <= epitaph_registers_stack_pointer(context) &&
           page + page_bytes > frame_place(context).start;
}

/// Whether the kernel can store there. As with the frame, it lets the stack grow for that.
static bool can_store(uint64_t address) {
    return epitaph_sys_sigprocmask(SIG_BLOCK, NULL, (uint64_t *)address) != -EFAULT;
}

static bool has_frame_place(const ucontext_t *context) {
    uint64_t page_bytes = epitaph_capture_settings_now.facts.page_size;
    epitaph_range place = frame_place(context);
    uint64_t at = place.end - sizeof(uint64_t);
    while (can_store(at)) {
        if (at / page_bytes == place.start / page_bytes) return true;
        at = at - place.start > page_bytes ? at - page_bytes : place.start;
    }
    return false;
}

// A large frame of the program's can reach far beyond the end of the stack, and the fault be
// anywhere in it.
bool epitaph_signal_has_room(const epitaph_kernel_sigaction *action, int signal,
                             const siginfo_t *info, const ucontext_t *context) {
    if (epitaph_signal_is_of_its_frame(action, signal, info, context)) return false;
    return signal != SIGSEGV || is_on_own_stack(action, context) || has_frame_place(context);
}

/// True if our marked action is in force now.
static bool mark_own_action(int signal) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    if (epitaph_signal_action_is_marked(&present)) return true;
    if (present.handler != (void *)epitaph_capture_settings_now.crash_handler) return false;
    epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
    return epitaph_sys_sigaction(signal, &own, NULL) == 0;
}

// The frame is the kernel's, whatever the processor saves in it, and rt_sigreturn(2) ends it.
uint64_t epitaph_signal_hand_over(const epitaph_kernel_sigaction *action, int signal,
                                  siginfo_t *info, ucontext_t *context, uint8_t *frame,
                                  const epitaph_delivery_owner *owner,
                                  epitaph_usual_stack_move *move) {
    // Left to the kernel, which takes the action away in the same moment.
    if ((action->flags & SA_RESETHAND) != 0) return 0;
    bool keeps_stack = is_on_own_stack(action, context);
    uint64_t distance = keeps_stack ? 0 : epitaph_usual_stack_distance(context, frame);
    bool is_in_place = (uint64_t)frame + distance >= frame_place(context).start;
    if (distance != 0 && (!is_in_place || !has_frame_place(context))) return 0;
    if (!mark_own_action(signal)) return 0;
    __atomic_store_n(&owners[signal], owner, __ATOMIC_RELEASE);
    epitaph_delivery_note *note = epitaph_delivery_note_begin(action, signal, info, context);
    note->is_handed_over = true;
    epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
    epitaph_bytes_copy(&note->present, &own, sizeof own);
    epitaph_delivery_note_set_state(note, DELIVERY_QUEUED);
    epitaph_usual_stack_copy(context, frame, distance);
    move->distance = distance;
    move->handler = (const void *)epitaph_delivery_thunk;
    return note->number;
}

/// A child of vfork(2) has its parent's memory, and actions of its own.
static bool are_actions_of_parent(const epitaph_delivery_note *note) {
    const epitaph_process_page *page = epitaph_process_page_now;
    if (page == NULL) return false;
    uint32_t owner = __atomic_load_n(&page->actions_pid, __ATOMIC_ACQUIRE);
    return owner != 0 && owner != (uint32_t)note->pid;
}

/// The kernel removes such a handler when it calls it; the one we restore is ours.
static void remove_once_called(int signal, epitaph_delivery_note *note) {
    if (are_actions_of_parent(note)) {
        note->present.handler = (void *)SIG_DFL;
    } else {
        epitaph_signal_forget_next(signal);
    }
}

uint64_t epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                                ucontext_t *context, const epitaph_delivery_owner *owner) {
    const uint64_t all = EPITAPH_ALL_SIGNALS;
    // The next one arrives when our handler is over, and not on top of it.
    epitaph_sys_sigprocmask(SIG_SETMASK, &all, NULL);
    __atomic_store_n(&owners[signal], owner, __ATOMIC_RELEASE);
    epitaph_delivery_note *note = epitaph_delivery_note_begin(action, signal, info, context);
    uint64_t number = note->number;
    epitaph_kernel_sigaction by_thunk =
        epitaph_signal_make_action((void *)epitaph_delivery_thunk, flags_of(action, context));
    by_thunk.mask = action->mask;
    if (epitaph_sys_sigaction(signal, &by_thunk, &note->present) < 0) {
        run_here(note, signal, info, context);
        return number;
    }
    bool is_ours = epitaph_delivery_is_ours(note->present.handler);
    if (is_ours) {
        epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
        epitaph_bytes_copy(&note->present, &own, sizeof own);
    }
    if (is_ours && (action->flags & SA_RESETHAND) != 0) remove_once_called(signal, note);
    epitaph_delivery_note_set_state(note, DELIVERY_QUEUED);
    epitaph_signal_set_blocked(context,
                               epitaph_signal_blocked(context) & ~epitaph_signal_bit(signal));
    if (epitaph_signal_queue_again(signal, info)) return number;
    // The repeated fault will find the thunk.
    if (epitaph_signal_happens_again(signal, info)) return number;
    if (epitaph_sys_tgkill(note->pid, note->tid, signal) == 0) return number;
    put_back(signal, note);
    run_here(note, signal, info, context);
    return number;
}

void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context) {
    call_handler(action, signal, info, context);
}
