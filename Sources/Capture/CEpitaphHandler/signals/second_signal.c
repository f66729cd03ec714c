// SPDX-License-Identifier: Apache-2.0
//
// The second stop signal: 33, which libc keeps for itself. sigaction(3), pthread_sigmask(3) and
// sigfillset(3) leave it out, so no program blocks it or waits for it with sigwait(3): nptl(7);
// nptl/pthread_sigmask.c; musl's src/signal/sigfillset.c. Only a dying process borrows it.
//
// libc's own signals of this number are still handled: setuid(2) sends them to every thread in
// glibc, pthread_cancel(3) in musl. Those are sent by tgkill(2). Ours are queued as the stop signal
// is, and libc's handlers ignore such signals.

#include "signals/actions.h"

#include "epitaph_sanitizers.h"
#include "epitaph_settings.h"
#include "processor/registers.h"

enum { SECOND_SIGNAL = 33 };

static epitaph_stop_signal_handler user;
static epitaph_kernel_sigaction previous_action;
/// Its address is the value of our signals.
static const char mark;

int epitaph_second_signal_number(void) {
    return SECOND_SIGNAL;
}

static bool is_own(const siginfo_t *info) {
    return info->si_code == SI_TIMER && info->si_value.sival_ptr == (const void *)&mark;
}

static void epitaph_second_signal_handle(int signal, siginfo_t *info, void *context) {
    epitaph_registers_allow_unaligned();
    epitaph_stop_signal_handler handler = __atomic_load_n(&user, __ATOMIC_ACQUIRE);
    if (is_own(info)) {
        if (handler != NULL) handler(info, context);
        return;
    }
    epitaph_kernel_sigaction previous;
    epitaph_bytes_copy(&previous, &previous_action, sizeof previous);
    if (previous.handler == (void *)SIG_IGN) return;
    if (previous.handler == (void *)SIG_DFL) {
        epitaph_default_action_perform(signal, info, context);
    } else {
        epitaph_signal_call(&previous, signal, info, context);
    }
}

bool epitaph_second_signal_is_at_entry(const ucontext_t *context) {
    return epitaph_registers_instruction_pointer(context) == (uint64_t)epitaph_second_signal_handle;
}

bool epitaph_second_signal_take(epitaph_stop_signal_handler handler) {
    // ThreadSanitizer's own thread, of which it knows nothing, would crash in our code.
    if (EPITAPH_THREADS_ARE_CHECKED) return false;
    bool is_shared = __atomic_load_n(&epitaph_capture_settings_now.shares_alternate_stacks,
                                     __ATOMIC_ACQUIRE) != 0;
    epitaph_kernel_sigaction action = epitaph_signal_make_action(
        (void *)epitaph_second_signal_handle, SA_RESTART | (is_shared ? 0 : SA_ONSTACK));
    epitaph_kernel_sigaction present;
    if (action.handler == NULL) return false;
    if (epitaph_sys_sigaction(SECOND_SIGNAL, NULL, &present) < 0) return false;
    if (present.handler != action.handler) {
        epitaph_bytes_copy(&previous_action, &present, sizeof present);
    }
    __atomic_store_n(&user, handler, __ATOMIC_RELEASE);
    return epitaph_sys_sigaction(SECOND_SIGNAL, &action, NULL) == 0;
}

void epitaph_second_signal_give_back(void) {
    epitaph_kernel_sigaction present;
    if (epitaph_sys_sigaction(SECOND_SIGNAL, NULL, &present) < 0) return;
    if (present.handler != (void *)epitaph_second_signal_handle) return;
    epitaph_sys_sigaction(SECOND_SIGNAL, &previous_action, NULL);
}

long epitaph_second_signal_send(int32_t pid, int32_t tid) {
    siginfo_t info = epitaph_stop_request_make(SECOND_SIGNAL, &mark);
    return epitaph_sys_tgsigqueueinfo(pid, tid, SECOND_SIGNAL, &info);
}
