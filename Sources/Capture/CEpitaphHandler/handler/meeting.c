// SPDX-License-Identifier: Apache-2.0
//
// Signals that meet another one: of the same thread, or of one that crashed before.

#include "handler/arrival.h"
#include "signals/actions.h"
#include "threads/threads.h"

/// How long another crashing thread waits for the capture to end the process.
static const uint64_t other_capture_timeout_ns = 20ull * 1000000000;

/// How long the first thread may take from first record to capture.
static const uint64_t first_capture_timeout_ns = 2ull * 1000000000;
static const uint64_t first_capture_pause_ns = 100000;

/// What kill(2) and tgkill(2) send has a code that only the first thread may send to the process
/// again: rt_sigqueueinfo(2). The others hide it in `si_errno`, less this.
static const int postponed_code = 0x45706974;

typedef enum postponed_place {
    AT_THREAD,
    AT_PROCESS,
} postponed_place;

static bool queue(postponed_place place, int signal, const siginfo_t *info) {
    int32_t pid = epitaph_sys_getpid();
    long result = place == AT_THREAD
                      ? epitaph_sys_tgsigqueueinfo(pid, epitaph_sys_gettid(), signal, info)
                      : epitaph_sys_sigqueueinfo(pid, signal, info);
    return result == 0;
}

/// The interrupted handler goes on, and the signal arrives once it is over.
static void postpone(const epitaph_arrival *arrived, postponed_place place) {
    uint64_t bit = epitaph_signal_bit(arrived->signal);
    epitaph_signal_set_blocked(arrived->context, epitaph_signal_blocked(arrived->context) | bit);
    epitaph_sys_sigprocmask(SIG_BLOCK, &bit, NULL);
    if (queue(place, arrived->signal, arrived->info)) return;
    siginfo_t disguised;
    epitaph_bytes_copy(&disguised, arrived->info, EPITAPH_KERNEL_SIGINFO_SIZE);
    disguised.si_errno = postponed_code - arrived->info->si_code;
    disguised.si_code = SI_QUEUE;
    queue(place, arrived->signal, &disguised);
}

void epitaph_arrival_undisguise(siginfo_t *info) {
    if (info->si_code != SI_QUEUE || info->si_errno < postponed_code) return;
    if (info->si_errno > postponed_code - SI_TKILL) return;
    info->si_code = postponed_code - info->si_errno;
    info->si_errno = 0;
}

/// Whether the process may live on after `signal`: a handler of the program gets it, or it has no
/// effect on process 1.
static bool may_survive(int signal) {
    epitaph_kernel_sigaction action = epitaph_signal_next_action(signal);
    return epitaph_signal_action_is_of_program(&action) || epitaph_process_is_init();
}

/// A process sent the signal to a thread that is in a handler of ours because of a crash: its own,
/// or that of the thread that captures. One death, one report; but nothing is lost to a process
/// that may live on.
static bool is_late(const epitaph_capture *capture, const epitaph_arrival *arrived) {
    const ucontext_t *context = arrived->context;
    bool is_stopping =
        epitaph_stop_signal_is_at_entry(context) || epitaph_second_signal_is_at_entry(context);
    bool is_during_capture = is_stopping && epitaph_owner_is_set() && !capture->is_live;
    int first = epitaph_arrival_interrupted(context);
    if (!is_during_capture && first == 0) return false;
    if (is_during_capture ? capture->may_survive : may_survive(first))
        postpone(arrived, AT_PROCESS);
    return true;
}

/// A signal that came together with another finds the handler at its first instruction: it belongs
/// to a capture of that one, if there will be any.
static bool is_together(const ucontext_t *context) {
    return epitaph_registers_instruction_pointer(context) == (uint64_t)epitaph_handle_signal;
}

/// What the thread had sent itself and blocked when the capture unblocked it goes back to where it
/// was: the kernel takes a thread's signals before those of its process. Others arrive at the
/// process: the thread has room for one, and that may be needed to pass on the signal that came
/// first.
static postponed_place place_of(const epitaph_capture *capture, const epitaph_arrival *arrived) {
    bool was_blocked =
        (epitaph_signal_blocked(capture->context) & epitaph_signal_bit(arrived->signal)) != 0;
    bool is_of_thread = was_blocked && arrived->info->si_code == SI_TKILL;
    return is_of_thread && arrived->signal != capture->signal ? AT_THREAD : AT_PROCESS;
}

bool epitaph_arrival_is_of_capture(const epitaph_capture *capture, const epitaph_arrival *arrived) {
    if (arrived->info->si_code > 0) return false;
    if (capture->is_live || capture->may_survive) postpone(arrived, place_of(capture, arrived));
    return true;
}

bool epitaph_arrival_is_met(const epitaph_capture *capture, const epitaph_arrival *arrived) {
    if (epitaph_owner_is_interrupted(arrived->context))
        return epitaph_arrival_is_of_capture(capture, arrived);
    if (is_together(arrived->context)) {
        // A filter may kill for the call.
        if (!epitaph_filters_have_come()) postpone(arrived, AT_PROCESS);
        return true;
    }
    return is_late(capture, arrived);
}

void epitaph_arrival_wait_in_place(epitaph_capture *capture, const epitaph_arrival *arrived,
                                   bool *is_over) {
    epitaph_owner_add_waiter();
    // The other thread may release it: after a live dump, or if a previous handler recovered. If
    // not, there is at best the first record, but the process dies of the right signal.
    bool has_ended =
        epitaph_thread_wait_in_place(capture, arrived->context, other_capture_timeout_ns);
    epitaph_owner_remove_waiter();
    if (has_ended) return;
    epitaph_default_action_perform(arrived->signal, arrived->info, arrived->context);
    *is_over = true;
}

void epitaph_arrival_let_first_go_first(const epitaph_arrival *arrived) {
    const epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    if (arrived->has_file || !epitaph_process_is_owner()) return;
    epitaph_deadline deadline = epitaph_deadline_after(first_capture_timeout_ns);
    while (__atomic_load_n(&file->state, __ATOMIC_ACQUIRE) == EPITAPH_FILE_TAKEN &&
           !epitaph_owner_is_set() && epitaph_deadline_left(&deadline) > 0) {
        epitaph_deadline_pause(&deadline, first_capture_pause_ns);
    }
}
