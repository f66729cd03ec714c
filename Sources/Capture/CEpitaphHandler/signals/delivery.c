// SPDX-License-Identifier: Apache-2.0
//
// We do not call an earlier handler ourselves: it would run on our stack, perhaps too small for it,
// with our mask and flags. The kernel calls it. Its action is installed with a thunk as handler,
// and the signal is queued again with its own siginfo. When our handler returns, the kernel makes a
// frame for the thunk where the program's handler would have had it, or ends the process if there
// is no room, as it would have. The thunk restores our handler and calls the program's.

#include "signals/actions.h"

#include "epitaph_thread_registry.h"
#include "processor/registers.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

enum { NOTE_COUNT = 64, STATUS_BYTES = 4096, TASK_PATH_BYTES = 48 };

/// A fault that returns later than this is new.
static const uint64_t coming_back_ns = 1000000000;

/// A fault that returns earlier, with the same registers, was not repaired: nothing else ran.
static const uint64_t repeating_ns = 1000000;

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
    /// Of the thread.
    uint64_t returned_cpu_ns;
    /// Without a system call: pthread_self(3).
    uint64_t thread_pointer;
    uint64_t registers_sum;
    uint32_t repeats;
    _Alignas(8) uint8_t info[EPITAPH_KERNEL_SIGINFO_SIZE];
    /// The mark of our action says something as long as this is the same.
    uint64_t installation_count;
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

/// The note of the innermost program handler that the calling thread is in, or NULL. After
/// siglongjmp(3) the stack pointer is above the handler's frame, or the frame is overwritten.
static delivery_note *find_inside(const ucontext_t *context) {
    uint64_t stack_pointer = epitaph_registers_stack_pointer(context);
    if (__atomic_load_n(&has_been_inside, __ATOMIC_ACQUIRE) == 0) return NULL;
    int32_t tid = epitaph_sys_gettid();
    delivery_note *innermost = NULL;
    for (int i = 0; i < NOTE_COUNT; i++) {
        delivery_note *note = &notes[i];
        if (note->tid != tid || state_of(note) != DELIVERY_INSIDE) continue;
        if (stack_pointer >= (uint64_t)note->token || !is_intact(note)) continue;
        if (innermost == NULL || note->number > innermost->number) innermost = note;
    }
    return innermost;
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

static bool is_marked(int signal) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(signal, NULL, &present) < 0) return false;
    // The thunk: another thread's signal is on its way. The marked action follows.
    return epitaph_delivery_is_thunk(present.handler) || epitaph_signal_action_is_marked(&present);
}

/// The program's handler has put back our action, which it found when it was installed: it wants
/// what was before it.
static bool is_put_back(const delivery_note *note) {
    return !is_marked(note->signal) &&
           note->installation_count == epitaph_signal_installation_count();
}

/// The program's handler has raised its signal, or SIGABRT, during its run or as it returned.
/// Without us its action would follow, which we know if it is virtual. If not, handlers of crashes
/// put back what they found, ours, for all signals before they abort.
static epitaph_delivery_kind judge_raise(const delivery_note *note, int signal) {
    uint64_t virtuals =
        __atomic_load_n(&epitaph_capture_settings_now.virtual_signals, __ATOMIC_ACQUIRE);
    bool is_known = epitaph_signals_have(virtuals, signal);
    if (signal == note->signal) is_known = !is_put_back(note);
    return is_known ? EPITAPH_SIGNAL_CAME_BACK : EPITAPH_SIGNAL_IS_TO_KILL;
}

/// `note`: a signal at exactly the same place.
static epitaph_delivery_kind judge_return(const delivery_note *note, const siginfo_t *info) {
    if (state_of(note) == DELIVERY_QUEUED) return EPITAPH_SIGNAL_IS_ON_ITS_WAY;
    uint64_t now = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    if (now - note->returned_ns > coming_back_ns) return EPITAPH_SIGNAL_IS_FRESH;
    if (is_raised(info, note)) return judge_raise(note, note->signal);
    if (info->si_code <= 0 || (uint64_t)info->si_addr != note->address) {
        return EPITAPH_SIGNAL_IS_FRESH;
    }
    return is_put_back(note) ? EPITAPH_SIGNAL_IS_TO_KILL : EPITAPH_SIGNAL_CAME_BACK;
}

epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry) {
    const delivery_note *note = find_at(signal, context);
    // The program's handler passed the kernel's context back: a chain that ends with ours.
    bool is_handed_back = note != NULL && state_of(note) == DELIVERY_INSIDE && !is_kernel_entry &&
                          note->context == (const void *)context;
    if (is_handed_back) return EPITAPH_SIGNAL_IS_TO_KILL;
    // A handler that is not back at this place was left by a jump.
    bool is_left = note != NULL && state_of(note) == DELIVERY_INSIDE;
    if (note != NULL && is_kernel_entry && !is_left) return judge_return(note, info);
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

// Inlined: backtraces that the program's handler takes show each of our frames.
__attribute__((always_inline)) static inline void
call_handler(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info, void *context) {
    if ((action->flags & SA_SIGINFO) != 0) {
        ((void (*)(int, siginfo_t *, void *))action->handler)(signal, info, context);
    } else {
        ((void (*)(int))action->handler)(signal);
    }
}

__attribute__((always_inline)) static inline void run(delivery_note *note, int signal,
                                                      siginfo_t *info, void *context) {
    const volatile uint64_t token[2] = {token_pattern ^ (uint64_t)token, note->number};
    epitaph_kernel_sigaction action = note->action;
    note->token = token;
    note->context = context;
    __atomic_store_n(&has_been_inside, 1, __ATOMIC_RELEASE);
    set_state(note, DELIVERY_INSIDE);
    call_handler(&action, signal, info, context);
    note->returned_ns = epitaph_sys_clock_ns(CLOCK_MONOTONIC);
    note->returned_cpu_ns = epitaph_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    set_state(note, DELIVERY_RETURNED);
}

/// A sandbox refuses what it takes to let the kernel deliver the signal: on our stack, but under
/// the mask that the program wants.
static void run_here(delivery_note *note, int signal, siginfo_t *info, ucontext_t *context) {
    uint64_t mask = epitaph_signal_blocked(context) | note->action.mask;
    if ((note->action.flags & SA_NODEFER) == 0) mask |= epitaph_signal_bit(signal);
    // Without our mark in force it says nothing.
    note->installation_count = 0;
    epitaph_sys_sigprocmask(SIG_SETMASK, &mask, NULL);
    run(note, signal, info, context);
}

static void epitaph_delivery_thunk(int signal, siginfo_t *info, void *context) {
    delivery_note *note = find_at(signal, context);
    if (note == NULL || state_of(note) != DELIVERY_QUEUED) {
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
    put_back(signal, note);
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

/// Removes notes of earlier signals here, perhaps of another thread that used this stack.
static void forget_place(int signal, const ucontext_t *context) {
    delivery_note *note;
    while ((note = find_at(signal, context)) != NULL)
        set_state(note, DELIVERY_NONE);
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

static uint32_t repeats_of(const delivery_note *last, const siginfo_t *info,
                           const ucontext_t *context) {
    if (last == NULL || state_of(last) != DELIVERY_RETURNED) return 0;
    if (info->si_code <= 0 || (uint64_t)info->si_addr != last->address) return 0;
    if (registers_sum(context) != last->registers_sum) return 0;
    // Not by a clock that goes on while other threads have the processor.
    uint64_t now = epitaph_sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    return now - last->returned_cpu_ns < repeating_ns ? last->repeats + 1 : 0;
}

static delivery_note *begin_note(const epitaph_kernel_sigaction *action, int signal,
                                 const siginfo_t *info, const ucontext_t *context) {
    int32_t tid = epitaph_sys_gettid();
    uint32_t repeats = repeats_of(find_at(signal, context), info, context);
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
    note->thread_pointer = epitaph_registers_thread_pointer();
    note->registers_sum = registers_sum(context);
    note->repeats = repeats;
    epitaph_bytes_copy(note->info, info, sizeof note->info);
    note->installation_count = epitaph_signal_installation_count();
    epitaph_bytes_copy(&note->action, action, sizeof *action);
    return note;
}

/// Without us the thread would have no alternate stack: the program's handler runs where it ran.
static unsigned long flags_of(const epitaph_kernel_sigaction *action, const ucontext_t *context) {
    bool is_ours =
        (action->flags & SA_ONSTACK) != 0 && epitaph_thread_stack_is_ours(context->uc_stack.ss_sp);
    return is_ours ? action->flags & ~(unsigned long)SA_ONSTACK : action->flags;
}

uint64_t epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                                ucontext_t *context, const epitaph_delivery_owner *owner) {
    __atomic_store_n(&owners[signal], owner, __ATOMIC_RELEASE);
    delivery_note *note = begin_note(action, signal, info, context);
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
    // The kernel removes such a handler when it calls it; the one we restore is ours.
    if (is_ours && (action->flags & SA_RESETHAND) != 0) epitaph_signal_forget_next(signal);
    set_state(note, DELIVERY_QUEUED);
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

static const delivery_note *find_number(uint64_t number) {
    for (int i = 0; i < NOTE_COUNT; i++) {
        const delivery_note *note = &notes[i];
        if (note->number == number && state_of(note) != DELIVERY_NONE) return note;
    }
    return NULL;
}

/// While a handler without SA_NODEFER runs, its signal is blocked; siglongjmp(3) unblocks it, or
/// the next fault would be deadly.
static bool is_blocking(const delivery_note *note, uint64_t blocked) {
    return (note->action.flags & SA_NODEFER) != 0 || epitaph_signals_have(blocked, note->signal);
}

epitaph_delivery_progress epitaph_delivery_progress_here(uint64_t number, uint64_t stack_pointer,
                                                         uint64_t blocked) {
    const delivery_note *note = find_number(number);
    if (note == NULL) return EPITAPH_DELIVERY_IS_FORGOTTEN;
    if (state_of(note) == DELIVERY_RETURNED) return EPITAPH_DELIVERY_HAS_RETURNED;
    if (state_of(note) == DELIVERY_QUEUED) return EPITAPH_DELIVERY_IS_INSIDE;
    if (!is_blocking(note, blocked)) return EPITAPH_DELIVERY_IS_LEFT;
    bool is_inside = stack_pointer < (uint64_t)note->token && is_intact(note);
    return is_inside ? EPITAPH_DELIVERY_IS_INSIDE : EPITAPH_DELIVERY_IS_LEFT;
}

/// The blocked signals of `tid`, "SigBlk:\t<hex>" of its status, proc(5). Returns 0 or a negative
/// errno.
static long read_blocked(int32_t tid, uint64_t *blocked) {
    char path[TASK_PATH_BYTES];
    char text[STATUS_BYTES];
    size_t length = 0;
    epitaph_text_append(path, sizeof path, &length, "/proc/self/task/");
    epitaph_text_append_number(path, sizeof path, &length, (uint64_t)tid);
    epitaph_text_append(path, sizeof path, &length, "/status");
    long fd = epitaph_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) return fd;
    long count = epitaph_sys_read_full((int)fd, text, sizeof text);
    epitaph_sys_close((int)fd);
    for (long i = 0; i + 8 < count; i++) {
        if (text[i] != 'S' || text[i + 3] != 'B' || text[i + 4] != 'l' || text[i + 6] != ':')
            continue;
        const char *next = text + i + 8;
        *blocked = epitaph_text_read_hex(&next, text + count);
        return 0;
    }
    return count < 0 ? count : -ENODATA;
}

// A handler that does not block its own signal leaves no trace in the mask. A return without repair
// ends the process at once.
epitaph_delivery_progress epitaph_delivery_progress_elsewhere(uint64_t number) {
    const delivery_note *note = find_number(number);
    uint64_t blocked = 0;
    if (note == NULL) return EPITAPH_DELIVERY_IS_FORGOTTEN;
    if (state_of(note) == DELIVERY_RETURNED) {
        bool is_young = epitaph_sys_clock_ns(CLOCK_MONOTONIC) - note->returned_ns < coming_back_ns;
        return is_young ? EPITAPH_DELIVERY_IS_INSIDE : EPITAPH_DELIVERY_HAS_RETURNED;
    }
    if (state_of(note) == DELIVERY_QUEUED) return EPITAPH_DELIVERY_IS_INSIDE;
    long result = read_blocked(note->tid, &blocked);
    if (result == -ENOENT || result == -ESRCH) return EPITAPH_DELIVERY_IS_LEFT;
    bool is_left = result == 0 && !is_blocking(note, blocked);
    return is_left ? EPITAPH_DELIVERY_IS_LEFT : EPITAPH_DELIVERY_IS_INSIDE;
}

bool epitaph_delivery_find(int signal, ucontext_t *context, epitaph_delivered *found) {
    const delivery_note *note = find_at(signal, context);
    if (note == NULL) note = find_inside(context);
    if (note == NULL) return false;
    found->number = note->number;
    found->signal = note->signal;
    epitaph_bytes_copy(&found->info, note->info, sizeof note->info);
    // While the handler runs, the kernel's frame of its signal is there.
    bool is_inside = state_of(note) == DELIVERY_INSIDE && is_intact(note);
    found->context = is_inside ? (ucontext_t *)note->context : context;
    return true;
}

uint32_t epitaph_delivery_repeats(uint64_t number) {
    const delivery_note *note = find_number(number);
    return note == NULL ? 0 : note->repeats;
}

void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context) {
    call_handler(action, signal, info, context);
}
