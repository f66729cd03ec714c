// SPDX-License-Identifier: Apache-2.0
//
// Signals: siginfo, our action, the others', passing on, the stop signal. CRASH-TIME unless noted.

#ifndef EPITAPH_SIGNALS_ACTIONS_H
#define EPITAPH_SIGNALS_ACTIONS_H

#include "system/sys.h"

#include <signal.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

/// An action with our handler, SA_SIGINFO and `flags`, blocking all signals except faults: all 64
/// of the kernel's, because sigfillset(3) omits the two with which glibc cancels threads. The
/// trampoline is libc's; all zeros if unknown.
epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags);

/// Our crash handler's action. It is marked, by its mask, while a program handler runs to which we
/// passed a signal: this tells it from one that the handler saved earlier and reinstalled.
epitaph_kernel_sigaction epitaph_signal_own_action(int signal, bool is_marked);
bool epitaph_signal_action_is_marked(const epitaph_kernel_sigaction *action);
/// How often we have installed our action, of whatever signal, without the mark. While that is the
/// same, a mark that is gone was taken away by the program.
uint64_t epitaph_signal_installation_count(void);

/// Whether it has a handler.
static inline bool epitaph_signal_action_is_of_program(const epitaph_kernel_sigaction *action) {
    return action->handler != (void *)SIG_DFL && action->handler != (void *)SIG_IGN;
}

void epitaph_signal_add_trampoline(epitaph_kernel_sigaction *action);

/// The action to pass the signal on to after the capture: the later one, or else the previous.
epitaph_kernel_sigaction epitaph_signal_next_action(int signal);

/// The previous action, or the default if replaced: next when the later one passes the signal back.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The next action as found, for restoring it.
epitaph_kernel_sigaction epitaph_signal_next_installed(int signal);

/// Makes `action` the later one. False, with no change, if other threads keep changing it.
bool epitaph_signal_set_later(int signal, const epitaph_kernel_sigaction *action);

/// The next action wanted one call only (SA_RESETHAND): from now on it is the default.
void epitaph_signal_forget_next(int signal);

// Signals passed on to program handlers, and what becomes of them.

typedef enum epitaph_delivery_kind {
    EPITAPH_SIGNAL_IS_FRESH,
    /// On its way to a program handler, past the thunk.
    EPITAPH_SIGNAL_IS_ON_ITS_WAY,
    /// A fault that the program's handler did not repair, or its own: it gets the signal again.
    EPITAPH_SIGNAL_CAME_BACK,
    /// Raised by the program's handler to die of it, or passed on to ours, which it had found.
    EPITAPH_SIGNAL_IS_TO_KILL,
} epitaph_delivery_kind;

/// Whether it is the temporary action of a signal on its way to the program.
bool epitaph_delivery_is_thunk(const void *handler);
/// Whether it is the crash handler or that temporary one.
bool epitaph_delivery_is_ours(const void *handler);

/// By what this thread got before. `is_kernel_entry`: the kernel called us, not the program.
epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry);

/// Owner of one of our signals outside of program handlers.
typedef struct epitaph_delivery_owner {
    void (*handle)(int signal, siginfo_t *info, void *context);
    /// Restores the owner's handler, or the program's action if the owner is done.
    void (*put_back)(void);
    /// The program's handler has returned from the delivery `number`; NULL: not asked.
    void (*note_return)(uint64_t number);
} epitaph_delivery_owner;

/// A signal that a thread's program handler got from us.
typedef struct epitaph_delivered {
    uint64_t number;
    int signal;
    siginfo_t info;
    /// Of the interrupted code.
    ucontext_t *context;
} epitaph_delivered;

typedef enum epitaph_delivery_progress {
    /// Not known: its note is gone.
    EPITAPH_DELIVERY_IS_FORGOTTEN,
    /// On its way, or the handler runs.
    EPITAPH_DELIVERY_IS_INSIDE,
    /// The handler was left by a jump.
    EPITAPH_DELIVERY_IS_LEFT,
    EPITAPH_DELIVERY_HAS_RETURNED,
} epitaph_delivery_progress;

/// What has become of the delivery `number` of the calling thread, which is at `stack_pointer` with
/// these blocked signals. Makes no system call.
epitaph_delivery_progress epitaph_delivery_progress_here(uint64_t number, uint64_t stack_pointer,
                                                         uint64_t blocked);

/// The same for a delivery of another thread. Reads /proc/self/task unless the note says it.
epitaph_delivery_progress epitaph_delivery_progress_elsewhere(uint64_t number);
/// The thread of a delivery whose handler does not block its own signal, so that the thread's mask
/// does not tell whether it was left by a jump; otherwise 0.
int32_t epitaph_delivery_thread_without_mask(uint64_t number);

/// Finds the delivery to which a signal that was judged not to be fresh belongs.
bool epitaph_delivery_find(int signal, ucontext_t *context, epitaph_delivered *found);

/// How often the delivery's fault has come back at once, with the same registers.
uint32_t epitaph_delivery_repeats(uint64_t number);

/// Makes the kernel deliver the signal to `action`, neither SIG_DFL nor SIG_IGN, when the current
/// handler returns, with the stack, mask and flags the program asked for. Before the program's
/// handler runs, `owner` restores the current action; without `put_back`: as it was. Returns the
/// number of this delivery, never 0.
uint64_t epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                                ucontext_t *context, const epitaph_delivery_owner *owner);

/// Bytes to add to the addresses of frame, siginfo and context, and what to call there; NULL: stay.
typedef struct epitaph_usual_stack_move {
    uint64_t distance;
    const void *handler;
} epitaph_usual_stack_move;

/// Prepares to enter the handler as the kernel would, from the kernel's frame at `frame` of the
/// running handler, which may be moved: `move` says where the thread has to go on. Returns the
/// number of this delivery; 0, with nothing done, if only the kernel can deliver it.
uint64_t epitaph_signal_hand_over(const epitaph_kernel_sigaction *action, int signal,
                                  siginfo_t *info, ucontext_t *context, uint8_t *frame,
                                  const epitaph_delivery_owner *owner,
                                  epitaph_usual_stack_move *move);

/// Whether the signal is a fault of the very memory that would hold the frame for `action`. Then
/// the process ends, whatever the program installed. Makes no system call.
bool epitaph_signal_is_of_its_frame(const epitaph_kernel_sigaction *action, int signal,
                                    const siginfo_t *info, const ucontext_t *context);

/// False if the kernel cannot make the frame for `action`. Tries it, with system calls that store
/// where the frame would be.
bool epitaph_signal_has_room(const epitaph_kernel_sigaction *action, int signal,
                             const siginfo_t *info, const ucontext_t *context);

/// Calls the handler, if a program's handler called ours. May not return (siglongjmp).
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

/// Whether this is process 1 of a pid namespace.
bool epitaph_process_is_init(void);

/// Whether the kernel would drop the signal with the default action: process 1 of a pid namespace
/// ignores sent signals, kernel/signal.c, sig_task_ignored.
bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info);

/// Causes the default action with the true siginfo. If it returns, the handler must return to die.
void epitaph_default_action_perform(int signal, siginfo_t *info, ucontext_t *context);

/// The same if a filter may kill for any call: without a system call if possible.
void epitaph_default_action_perform_silently(int signal, siginfo_t *info, ucontext_t *context);

/// Ends the process with `signal` from inside a broken handler.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

/// Signals blocked when the handler returns.
uint64_t epitaph_signal_blocked(const ucontext_t *context);
void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask);

/// Queues the signal with its true siginfo for when the thread's handler returns. False on failure.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info);

/// Whether executing the instruction again will most likely raise the signal again.
bool epitaph_signal_happens_again(int signal, const siginfo_t *info);

/// asm-generic/siginfo.h: SI_MAX_SIZE and the code of a call that a filter refused.
enum { EPITAPH_KERNEL_SIGINFO_SIZE = 128, EPITAPH_SYS_SECCOMP = 1 };

/// The fields that are set depend on signal and code, sigaction(2).
typedef struct epitaph_signal_values {
    bool has_address;
    bool has_sender;
    uint64_t address;
    int32_t sender_pid;
    uint32_t sender_uid;
} epitaph_signal_values;

epitaph_signal_values epitaph_signal_values_of(int signal, const siginfo_t *info);

// Names as in signal(7) and sigaction(2); NULL if unknown.

const char *epitaph_signal_name(int signal);
const char *epitaph_signal_code_name(int signal, int code);

// The stop signal (SIGPROF) belongs to the program and is borrowed: by a live dump, to interrupt
// its thread; by a capture, to stop threads and for its watchdog; at the start, to hand out
// alternate stacks. These overlap, so there is one handler and one previous action. The first user
// installs the handler, the last one restores the action. CRASH-TIME unless noted.

/// In the order in which they are asked about a signal.
typedef enum epitaph_stop_signal_user {
    EPITAPH_STOP_SIGNAL_LIVE,
    EPITAPH_STOP_SIGNAL_THREADS,
    EPITAPH_STOP_SIGNAL_OFFERS,
    EPITAPH_STOP_SIGNAL_USER_COUNT,
} epitaph_stop_signal_user;

/// Returns whether the signal was for this user. Runs with all signals blocked except faults.
typedef bool (*epitaph_stop_signal_handler)(const siginfo_t *info, ucontext_t *context);

/// ANY-TIME. Calls `handler` for each stop signal. False if the kernel refuses, or if no handler of
/// ours was ever installed.
bool epitaph_stop_signal_take(epitaph_stop_signal_user user, epitaph_stop_signal_handler handler);

/// ANY-TIME. Sends it to a thread of this process; 0 or a negative errno.
long epitaph_stop_signal_send(int32_t pid, int32_t tid);

/// Whether the signal was sent by the function above.
bool epitaph_stop_signal_is_request(const siginfo_t *info);

/// Or by a timer of ours, or may have been: its siginfo was dropped.
bool epitaph_stop_signal_is_own(const siginfo_t *info);

/// Before the capturing thread unblocks the signal for ours: one of the program's that comes
/// meanwhile is kept. False if that had begun.
bool epitaph_stop_signal_keep_others(int32_t tid);
/// Keeps no more; what was kept is pending again if `goes_on`.
void epitaph_stop_signal_give_kept(bool goes_on);

/// What both stop signals are queued with, known by `mark`.
siginfo_t epitaph_stop_request_make(int signal, const void *mark);

/// ANY-TIME. Only if no signal of this user can be pending: the program's action may be to die.
void epitaph_stop_signal_give_back(epitaph_stop_signal_user user);

/// The second stop signal: one of libc's own, which programs can neither block nor wait for. For
/// the threads of a dying process only. The stop signal is the choice where it cannot be sent.
int epitaph_second_signal_number(void);

/// From now on `handler` is called for the signals that are sent below; those of libc still reach
/// libc's handler. False if the kernel refuses.
bool epitaph_second_signal_take(epitaph_stop_signal_handler handler);

/// Restores the previous action. Only allowed if none of our signals can still be pending.
void epitaph_second_signal_give_back(void);

/// Sends it to a thread of this process; 0 or a negative errno, -EAGAIN under RLIMIT_SIGPENDING.
long epitaph_second_signal_send(int32_t pid, int32_t tid);

/// Whether `context` is that of the signal's handler before the first instruction.
bool epitaph_stop_signal_is_at_entry(const ucontext_t *context);
bool epitaph_second_signal_is_at_entry(const ucontext_t *context);

/// `si_value` of timers for the handler below.
const void *epitaph_stop_signal_timer_value(void);

/// Calls `handler`, before any user, for signals of such timers; ignores its result.
void epitaph_stop_signal_set_timer_handler(epitaph_stop_signal_handler handler);

#pragma GCC visibility pop

#endif
