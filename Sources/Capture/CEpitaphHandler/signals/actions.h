// SPDX-License-Identifier: Apache-2.0
//
// What a signal says and does: its siginfo, our own action, the ones before and after it, how it is
// passed on to them, the default one, and the stop signal. CRASH-TIME unless said otherwise.

#ifndef EPITAPH_SIGNALS_ACTIONS_H
#define EPITAPH_SIGNALS_ACTIONS_H

#include "system/sys.h"

#include <signal.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

// Our own handler as an action of the kernel's.

/// An action with a handler of ours, SA_SIGINFO, `flags`, and all signals blocked while it runs
/// except faults: all 64 of the kernel's, because sigfillset(3) leaves out the two with which glibc
/// cancels threads. The trampoline is libc's; all zeros if that is not known.
epitaph_kernel_sigaction epitaph_signal_make_action(void *handler, unsigned long flags);

/// The action of our crash handler. It is marked while a handler of the program's runs to which we
/// passed a signal: its mask distinguishes it from the one that this handler may have found, kept
/// and reinstalled.
epitaph_kernel_sigaction epitaph_signal_own_action(int signal, bool is_marked);
/// Whether an action is the marked one.
bool epitaph_signal_action_is_marked(const epitaph_kernel_sigaction *action);
/// Whether the marked action is in force.
bool epitaph_signal_is_marked(int signal);

/// Gives an action with a handler the trampoline that libc gives its own.
void epitaph_signal_add_trampoline(epitaph_kernel_sigaction *action);

// The actions to which a signal is passed on in a crash.

/// The action to which the signal is passed on after the capture: the later one if there is one,
/// otherwise the previous.
epitaph_kernel_sigaction epitaph_signal_next_action(int signal);

/// The previous action, or the default if that one is replaced: it is next when the handler of the
/// later one passes the signal back to us.
epitaph_kernel_sigaction epitaph_signal_previous_action(int signal);

/// The next action as it was found, for restoring it.
epitaph_kernel_sigaction epitaph_signal_next_installed(int signal);

/// Makes `action` the later one. Returns false, with nothing changed, if other threads changed it
/// again and again meanwhile.
bool epitaph_signal_set_later(int signal, const epitaph_kernel_sigaction *action);

/// The handler of the next action asked to be called only once (SA_RESETHAND): from now on that
/// action is the default.
void epitaph_signal_forget_next(int signal);

// Signals that were passed on to a handler of the program's, and what becomes of them.

/// What kind of signal has come to the crash handler.
typedef enum epitaph_delivery_kind {
    /// A new signal, to be captured.
    EPITAPH_SIGNAL_IS_FRESH,
    /// On its way to a handler of the program's, past the thunk.
    EPITAPH_SIGNAL_IS_ON_ITS_WAY,
    /// A fault that has been captured and that the program's handler did not repair, or a fault of
    /// that handler itself: it belongs to the handler again.
    EPITAPH_SIGNAL_CAME_BACK,
    /// The program's handler has raised the signal to die of it, or passed it on to ours, which it
    /// found when it was installed.
    EPITAPH_SIGNAL_IS_TO_KILL,
} epitaph_delivery_kind;

/// Whether an action is the temporary one of a signal on its way to the program.
bool epitaph_delivery_is_thunk(const void *handler);
/// Whether a handler is ours: the crash handler, or that temporary one.
bool epitaph_delivery_is_ours(const void *handler);

/// Decides by what was passed to this thread before. `is_kernel_entry`: the kernel has called us,
/// not the program.
epitaph_delivery_kind epitaph_delivery_judge(int signal, const siginfo_t *info,
                                             const ucontext_t *context, bool is_kernel_entry);

/// The owner of one of our signals when none of the program's handlers should run.
typedef struct epitaph_delivery_owner {
    void (*handle)(int signal, siginfo_t *info, void *context);
    /// Restores the owner's handler, or the program's action if it needs none any more.
    void (*put_back)(void);
} epitaph_delivery_owner;

/// Makes the kernel deliver the signal to `action`, which is neither SIG_DFL nor SIG_IGN, when the
/// current handler returns: on the stack, with the mask and the flags that the program asked for.
/// The action in force now is restored before the program's handler runs: by `owner`, or as it was
/// if that is NULL, for the signals of the crash handler.
void epitaph_signal_deliver(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                            ucontext_t *context, const epitaph_delivery_owner *owner);

/// Calls the handler of `action` as a function, if a handler of the program's has called ours like
/// that. May not return (siglongjmp).
void epitaph_signal_call(const epitaph_kernel_sigaction *action, int signal, siginfo_t *info,
                         ucontext_t *context);

// Dies as the process would have died without us.

/// Whether the kernel would have dropped the signal if it had the default action: process 1 of a
/// pid namespace ignores all that are sent, kernel/signal.c, sig_task_ignored.
bool epitaph_signal_is_ignored_by_init(int signal, const siginfo_t *info);

/// Causes the default action, with the signal's true siginfo and the registers of the crash. If it
/// returns, the handler must return, and the process dies then.
void epitaph_default_action_perform(int signal, siginfo_t *info, ucontext_t *context);

/// The same for a process whose filter may kill it for any call: without a system call if possible.
void epitaph_default_action_perform_silently(int signal, siginfo_t *info, ucontext_t *context);

/// Ends the process with `signal` from inside a broken handler. Does not return.
_Noreturn void epitaph_signal_die_now(int signal, siginfo_t *info);

// When our handler returns: which signals are blocked then, and whether the same
// signal comes again.

/// The signals blocked when the handler returns.
uint64_t epitaph_signal_blocked(const ucontext_t *context);
void epitaph_signal_set_blocked(ucontext_t *context, uint64_t mask);

/// Queues the signal again, with its true siginfo, for the calling thread; false if that is not
/// possible. Nothing is delivered before the handler returns.
bool epitaph_signal_queue_again(int signal, const siginfo_t *info);

/// Whether the instruction will most likely raise the signal again when it is executed again.
bool epitaph_signal_happens_again(int signal, const siginfo_t *info);

// Which fields of a siginfo are set.

/// asm-generic/siginfo.h: SI_MAX_SIZE
enum { EPITAPH_KERNEL_SIGINFO_SIZE = 128 };

/// The contents of a siginfo: which fields are set depends on signal and code, sigaction(2).
typedef struct epitaph_signal_values {
    bool has_address;
    bool has_sender;
    uint64_t address;
    int32_t sender_pid;
    uint32_t sender_uid;
} epitaph_signal_values;

/// ANY-TIME.
epitaph_signal_values epitaph_signal_values_of(int signal, const siginfo_t *info);

// Names of signals and their codes, as in signal(7) and sigaction(2).

/// NULL for a signal that has no name here.
const char *epitaph_signal_name(int signal);
const char *epitaph_signal_code_name(int signal, int code);

// The stop signal (SIGPROF) belongs to the program, and is borrowed: by a live dump, to interrupt
// the thread that takes it; by a capture, to stop threads and for its watchdog; at the start, to
// hand out alternate stacks. These may overlap, so there is one handler for all of them, here, and
// one previous action. The handler is installed with the first user, and the previous action
// restored with the last. CRASH-TIME unless said otherwise.

/// In the order in which they are asked whether a signal is theirs.
typedef enum epitaph_stop_signal_user {
    EPITAPH_STOP_SIGNAL_LIVE,
    EPITAPH_STOP_SIGNAL_THREADS,
    EPITAPH_STOP_SIGNAL_OFFERS,
    EPITAPH_STOP_SIGNAL_USER_COUNT,
} epitaph_stop_signal_user;

/// Returns whether the signal was meant for this user. Called with all signals blocked except
/// faults.
typedef bool (*epitaph_stop_signal_handler)(const siginfo_t *info, ucontext_t *context);

/// ANY-TIME. From now on `handler` is called for each stop signal. False if the kernel refuses, or
/// if no handler of ours was ever installed.
bool epitaph_stop_signal_take(epitaph_stop_signal_user user, epitaph_stop_signal_handler handler);

/// ANY-TIME. Only allowed if none of this user's signals can still be pending: the action of the
/// program may be to die.
void epitaph_stop_signal_give_back(epitaph_stop_signal_user user);

/// The `si_value` of a timer whose signals go to the handler below.
const void *epitaph_stop_signal_timer_value(void);

/// From now on `handler` is called, before any user, for the signals of timers with that value. Its
/// result is ignored.
void epitaph_stop_signal_set_timer_handler(epitaph_stop_signal_handler handler);

#pragma GCC visibility pop

#endif
