// SPDX-License-Identifier: Apache-2.0
//
// We do not call an earlier handler ourselves: it would run on our stack, perhaps too small for it,
// with our mask and flags. The kernel calls it. Its action is installed with a thunk as handler,
// and the signal is queued again with its own siginfo. When our handler returns, the kernel makes a
// frame for the thunk where the program's handler would have had it, or ends the process if there
// is no room, as it would have. The thunk restores our handler and calls the program's.

#include "signals/actions.h"

#include "processor/registers.h"

#include <time.h>

enum { NOTE_COUNT = 64 };

/// A fault that returns later than this is new.
static const uint64_t coming_back_ns = 1000000000;

static const uint64_t token_pattern = 0x6570697461706821;

typedef enum delivery_state {
    DELIVERY_NONE,
    DELIVERY_QUEUED,
    /// The program's handler runs, or was left by a jump.
    DELIVERY_INSIDE,
    DELIVERY_RETURNED,
} delivery_state;

/// One thread's signal. The stack pointer identifies the thread: no other has its stack there.
typedef struct delivery_note {
    uint32_t state;
    int signal;
    int32_t tid;
    int32_t pid;
    uint64_t number;
    uint64_t stack_pointer;
    uint64_t instruction_pointer;
    uint64_t address;
    uint64_t returned_ns;
    epitaph_kernel_sigaction action;
    /// Installed when the signal was queued.
    epitaph_kernel_sigaction present;
    /// In the thunk's frame; has this note's number as long as the frame exists.
    const volatile uint64_t *token;
    const void *context;
} delivery_note;

static delivery_note notes[NOTE_COUNT];
/// The owner of each signal; NULL: the crash handler.
static const epitaph_delivery_owner *owners[EPITAPH_SIGNAL_LIMIT];
static uint64_t last_number;
/// Nonzero once a note was INSIDE. Before that, threads need not find out who they are.
static uint32_t has_been_inside;

static uint32_t state_of(const delivery_note *note) {
    return __atomic_load_n(&note->state, __ATOMIC_ACQUIRE);
}

static void set_state(delivery_note *note, delivery_state state) {
    __atomic_store_n(&note->state, state, __ATOMIC_RELEASE);
}

static delivery_note *find_at(int signal, const ucontext_t *context) {
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    uint64_t instruction_pointer = epitaph_registers_instruction_pointer(context);
    for (int i = 0; i < NOTE_COUNT; i++) {
        delivery_note *note = &notes[i];
        if (state_of(note) == DELIVERY_NONE || note->signal != signal) continue;
        if (note->stack_pointer != stack_pointer) continue;
        if (note->instruction_pointer == instruction_pointer) return note;
    }
    return NULL;
}

static bool is_intact(const delivery_note *note) {
    return note->token[0] == (token_pattern ^ (uint64_t)note->token) &&
           note->token[1] == note->number;
}

/// The note of the program handler that the calling thread is in, or NULL. After siglongjmp(3) the
/// stack pointer is above the handler's frame, or the frame is overwritten.
static delivery_note *find_inside(const ucontext_t *context) {
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    if (__atomic_load_n(&has_been_inside, __ATOMIC_ACQUIRE) == 0) return NULL;
    int32_t tid = epitaph_sys_gettid();
    for (int i = 0; i < NOTE_COUNT; i++) {
        delivery_note *note = &notes[i];
        if (note->tid != tid || state_of(note) != DELIVERY_INSIDE) continue;
        if (stack_pointer < (uint64_t)note->token && is_intact(note)) return note;
    }
    return NULL;
}

/// A free note, a finished one of this thread, or else the oldest.
static delivery_note *find_room(int32_t tid, uint64_t stack_pointer) {
    delivery_note *oldest = NULL;
    for (int i = 0; i < NOTE_COUNT; i++) {
        delivery_note *note = &notes[i];
        uint32_t state = state_of(note);
        bool is_left = state == DELIVERY_INSIDE && stack_pointer >= (uint64_t)note->token;
        bool is_done = state == DELIVERY_RETURNED || is_left;
        if (state == DELIVERY_NONE || (note->tid == tid && is_done)) return note;
        if (state == DELIVERY_QUEUED) continue;
        if (oldest == NULL || note->number < oldest->number) oldest = note;
    }
    return oldest != NULL ? oldest : &notes[0];
}

static bool is_raised(const siginfo_t *info, const delivery_note *note) {
    return info->si_code <= 0 && info->si_pid == note->pid;
}

/// The program's handler has raised its signal while running or returning. Without us it would be
/// called again, unless it reinstalled our handler, which it found when it was installed.
static epitaph_delivery_kind judge_raise(const delivery_note *note, int signal) {
    bool is_untouched = signal == note->signal && epitaph_signal_is_marked(signal);
    return is_untouched ? EPITAPH_SIGNAL_CAME_BACK : EPITAPH_SIGNAL_IS_TO_KILL;
}

/// `note`: a signal at exactly the same place.
static epitaph_delivery_kind judge_return(const delivery_note *note, const siginfo_t *info) {
    if (state_of(note) == DELIVERY_QUEUED) return EPITAPH_SIGNAL_IS_ON_ITS_WAY;
    if (state_of(note) != DELIVERY_RETURNED) return EPITAPH_SIGNAL_IS_FRESH;
    uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    if (now - note->returned_ns > coming_back_ns) return EPITAPH_SIGNAL_IS_FRESH;
    if (is_raised(info, note)) return judge_raise(note, note->signal);
    if (info->si_code <= 0 || (uint64_t)info->si_addr != note->address) {
        return EPITAPH_SIGNAL_IS_FRESH;
    }
    return epitaph_signal_is_marked(note->signal) ? EPITAPH_SIGNAL_CAME_BACK
                                                  : EPITAPH_SIGNAL_IS_TO_KILL;
}

epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry) {
    const delivery_note *note = find_at(signal, context);
    // The program's handler passed the kernel's context back: a chain that ends with ours.
    bool is_handed_back = note != NULL && state_of(note) == DELIVERY_INSIDE && !is_kernel_entry &&
                          note->context == (const void *)context;
    if (is_handed_back) return EPITAPH_SIGNAL_IS_TO_KILL;
    if (note != NULL && is_kernel_entry) return judge_return(note, info);
    note = find_inside(context);
    if (note == NULL || !is_kernel_entry) return EPITAPH_SIGNAL_IS_FRESH;
    bool is_same = signal == note->signal;
    if (is_raised(info, note) && (is_same || signal == SIGABRT)) return judge_raise(note, signal);
    // A fault of a handler that does not block its signal; others never get here.
    bool may_be_inside = is_same && info->si_code > 0 && (note->action.flags & SA_NODEFER) != 0;
    return may_be_inside ? EPITAPH_SIGNAL_CAME_BACK : EPITAPH_SIGNAL_IS_FRESH;
}

/// Restores the action to use while the program's handler runs.
static void put_back(int signal, const delivery_note *note) {
    const epitaph_delivery_owner *owner = __atomic_load_n(&owners[signal], __ATOMIC_ACQUIRE);
    if (owner != NULL) {
        owner->put_back();
    } else {
        epitaph_sys_sigaction(signal, &note->present, NULL);
    }
}

static void thunk(int signal, siginfo_t *info, void *context) {
    delivery_note *note = find_at(signal, context);
    if (note == NULL || state_of(note) != DELIVERY_QUEUED) {
        // Another thread's signal, before our handler was back.
        const epitaph_delivery_owner *owner = __atomic_load_n(&owners[signal], __ATOMIC_ACQUIRE);
        void (*handle)(int, siginfo_t *, void *) =
            owner != NULL ? owner->handle : epitaph_capture_settings_now.crash_handler;
        handle(signal, info, context);
        return;
    }
    const volatile uint64_t token[2] = {token_pattern ^ (uint64_t)token, note->number};
    epitaph_kernel_sigaction action = note->action;
    put_back(signal, note);
    note->token = token;
    note->context = context;
    __atomic_store_n(&has_been_inside, 1, __ATOMIC_RELEASE);
    set_state(note, DELIVERY_INSIDE);
    epitaph_signal_call(&action, signal, info, context);
    note->returned_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    set_state(note, DELIVERY_RETURNED);
}

bool epitaph_delivery_is_thunk(const void *handler) {
    return handler == (const void *)thunk;
}

bool epitaph_delivery_is_ours(const void *handler) {
    return epitaph_delivery_is_thunk(handler) ||
           handler == (const void *)epitaph_capture_settings_now.crash_handler;
}

/// Removes notes of earlier signals here, perhaps of another thread that used this stack.
static void forget_place(int signal, const ucontext_t *context) {
    delivery_note *note;
    while ((note = find_at(signal, context)) != NULL)
        set_state(note, DELIVERY_NONE);
}

static delivery_note *begin_note(const epitaph_kernel_sigaction *action, int signal,
                                 const siginfo_t *info, const ucontext_t *context) {
    int32_t tid = epitaph_sys_gettid();
    forget_place(signal, context);
    delivery_note *note = find_room(tid, epitaph_registers_stack_pointer(context));
    set_state(note, DELIVERY_NONE);
    note->tid = tid;
    note->pid = epitaph_sys_getpid();
    note->number = __atomic_add_fetch(&last_number, 1, __ATOMIC_RELAXED);
    note->signal = signal;
    note->stack_pointer = epitaph_registers_stack_pointer(context);
    note->instruction_pointer = epitaph_registers_instruction_pointer(context);
    note->address = (uint64_t)info->si_addr;
    epitaph_bytes_copy(&note->action, action, sizeof *action);
    return note;
}

void epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                            ucontext_t *context, const epitaph_delivery_owner *owner) {
    __atomic_store_n(&owners[signal], owner, __ATOMIC_RELEASE);
    delivery_note *note = begin_note(action, signal, info, context);
    epitaph_kernel_sigaction by_thunk = epitaph_signal_make_action((void *)thunk, action->flags);
    by_thunk.mask = action->mask;
    epitaph_sys_sigaction(signal, &by_thunk, &note->present);
    bool is_ours = epitaph_delivery_is_ours(note->present.handler);
    if (is_ours) {
        epitaph_kernel_sigaction own = epitaph_signal_own_action(signal, true);
        epitaph_bytes_copy(&note->present, &own, sizeof own);
    }
    // The kernel removes such a handler when it calls it; the one we restore is ours.
    if (is_ours && (action->flags & SA_RESETHAND) != 0) epitaph_signal_forget_next(signal);
    set_state(note, DELIVERY_QUEUED);
    epitaph_signal_set_blocked(context,
                               epitaph_signal_blocked(context) & ~epitaph_signal_bit(signal));
    if (epitaph_signal_queue_again(signal, info)) return;
    // The repeated fault will find the thunk.
    if (epitaph_signal_happens_again(signal, info)) return;
    epitaph_sys_tgkill(note->pid, note->tid, signal);
}

void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context) {
    if ((action->flags & SA_SIGINFO) != 0) {
        ((void (*)(int, siginfo_t *, void *))action->handler)(signal, info, context);
    } else {
        ((void (*)(int))action->handler)(signal);
    }
}
