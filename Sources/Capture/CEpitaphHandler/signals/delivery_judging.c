// SPDX-License-Identifier: Apache-2.0
//
// What a signal is to the handler of the program that got one before, and what became of that one.

#include "epitaph_thread_registry.h"
#include "processor/registers.h"
#include "signals/delivery_notes.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>

enum { STATUS_BYTES = 4096, TASK_PATH_BYTES = 48 };

/// A fault that returns later than this is new.
static const uint64_t coming_back_ns = 1000000000;

static bool is_raised(const siginfo_t *info, const epitaph_delivery_note *note) {
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
static bool is_put_back(const epitaph_delivery_note *note) {
    return !is_marked(note->signal) &&
           note->installation_count == epitaph_signal_installation_count();
}

/// The program's handler has raised its signal, or SIGABRT, during its run or as it returned.
/// Without us its action would follow, which we know if it is virtual. If not, handlers of crashes
/// put back what they found, ours, for all signals before they abort.
static epitaph_delivery_kind judge_raise(const epitaph_delivery_note *note, int signal) {
    uint64_t virtuals =
        __atomic_load_n(&epitaph_capture_settings_now.virtual_signals, __ATOMIC_ACQUIRE);
    bool is_known = epitaph_signals_have(virtuals, signal);
    if (signal == note->signal) is_known = !is_put_back(note);
    return is_known ? EPITAPH_SIGNAL_CAME_BACK : EPITAPH_SIGNAL_IS_TO_KILL;
}

/// `note`: a signal at exactly the same place.
static epitaph_delivery_kind judge_return(const epitaph_delivery_note *note,
                                          const siginfo_t *info) {
    if (epitaph_delivery_note_state(note) == DELIVERY_QUEUED) return EPITAPH_SIGNAL_IS_ON_ITS_WAY;
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
    const epitaph_delivery_note *note = epitaph_delivery_note_here(signal, context);
    // The program's handler passed the kernel's context back: a chain that ends with ours.
    bool is_handed_back = note != NULL && epitaph_delivery_note_state(note) == DELIVERY_INSIDE &&
                          !is_kernel_entry && note->context == (const void *)context;
    if (is_handed_back) return EPITAPH_SIGNAL_IS_TO_KILL;
    // A handler that is not back at this place was left by a jump.
    bool is_left = note != NULL && epitaph_delivery_note_state(note) == DELIVERY_INSIDE;
    if (note != NULL && is_kernel_entry && !is_left) return judge_return(note, info);
    note = epitaph_delivery_note_inside(context);
    if (note == NULL || !is_kernel_entry) return EPITAPH_SIGNAL_IS_FRESH;
    bool is_same = signal == note->signal;
    if (is_raised(info, note) && (is_same || signal == SIGABRT)) return judge_raise(note, signal);
    // A fault of a handler that does not block its signal; others never get here.
    bool may_be_inside = is_same && info->si_code > 0 && (note->action.flags & SA_NODEFER) != 0;
    return may_be_inside ? EPITAPH_SIGNAL_CAME_BACK : EPITAPH_SIGNAL_IS_FRESH;
}

/// While a handler without SA_NODEFER runs, its signal is blocked; siglongjmp(3) unblocks it, or
/// the next fault would be deadly. The kernel blocks it with the signal's delivery: on top of that
/// another signal's handler may come first, and jump away.
static bool is_blocking(const epitaph_delivery_note *note, uint64_t blocked) {
    return (note->action.flags & SA_NODEFER) != 0 || epitaph_signals_have(blocked, note->signal);
}

/// Without the kernel, and not yet blocked.
static bool is_being_handed_over(const epitaph_delivery_note *note) {
    return epitaph_delivery_note_state(note) == DELIVERY_QUEUED && note->is_handed_over;
}

epitaph_delivery_progress epitaph_delivery_progress_here(uint64_t number, uint64_t stack_pointer,
                                                         uint64_t blocked) {
    const epitaph_delivery_note *note = epitaph_delivery_note_numbered(number);
    if (note == NULL) return EPITAPH_DELIVERY_IS_FORGOTTEN;
    if (epitaph_delivery_note_state(note) == DELIVERY_RETURNED)
        return EPITAPH_DELIVERY_HAS_RETURNED;
    if (is_being_handed_over(note)) return EPITAPH_DELIVERY_IS_INSIDE;
    if (!is_blocking(note, blocked)) return EPITAPH_DELIVERY_IS_LEFT;
    if (epitaph_delivery_note_state(note) == DELIVERY_QUEUED) return EPITAPH_DELIVERY_IS_INSIDE;
    bool is_inside = stack_pointer < (uint64_t)note->token && epitaph_delivery_note_is_intact(note);
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

// A return without repair ends the process at once.
epitaph_delivery_progress epitaph_delivery_progress_elsewhere(uint64_t number) {
    const epitaph_delivery_note *note = epitaph_delivery_note_numbered(number);
    uint64_t blocked = 0;
    if (note == NULL) return EPITAPH_DELIVERY_IS_FORGOTTEN;
    if (epitaph_delivery_note_state(note) == DELIVERY_RETURNED) {
        bool is_young = epitaph_sys_clock_ns(CLOCK_MONOTONIC) - note->returned_ns < coming_back_ns;
        return is_young ? EPITAPH_DELIVERY_IS_INSIDE : EPITAPH_DELIVERY_HAS_RETURNED;
    }
    if (is_being_handed_over(note)) return EPITAPH_DELIVERY_IS_INSIDE;
    long result = read_blocked(note->tid, &blocked);
    if (result == -ENOENT || result == -ESRCH) return EPITAPH_DELIVERY_IS_LEFT;
    bool is_left = result == 0 && !is_blocking(note, blocked);
    return is_left ? EPITAPH_DELIVERY_IS_LEFT : EPITAPH_DELIVERY_IS_INSIDE;
}

int32_t epitaph_delivery_thread_without_mask(uint64_t number) {
    const epitaph_delivery_note *note = epitaph_delivery_note_numbered(number);
    bool is_told = note == NULL || (note->action.flags & SA_NODEFER) == 0;
    return is_told ? 0 : note->tid;
}

bool epitaph_delivery_find(int signal, ucontext_t *context, epitaph_delivered *found) {
    const epitaph_delivery_note *note = epitaph_delivery_note_at(signal, context);
    if (note == NULL) note = epitaph_delivery_note_inside(context);
    if (note == NULL) return false;
    found->number = note->number;
    found->signal = note->signal;
    epitaph_bytes_copy(&found->info, note->info, sizeof note->info);
    // While the handler runs, the kernel's frame of its signal is there.
    bool is_inside = epitaph_delivery_note_state(note) == DELIVERY_INSIDE &&
                     epitaph_delivery_note_is_intact(note);
    found->context = is_inside ? (ucontext_t *)note->context : context;
    return true;
}

uint32_t epitaph_delivery_repeats(uint64_t number) {
    const epitaph_delivery_note *note = epitaph_delivery_note_numbered(number);
    return note == NULL ? 0 : note->repeats;
}
