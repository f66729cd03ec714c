// SPDX-License-Identifier: Apache-2.0
//
// Makes threads that leave the program's signals to the program.

#include "base/base.h"

#include "epitaph_system.h"

void epitaph_signals_fill_but(sigset_t *set, uint64_t signals) {
    sigfillset(set);
    for (int signal = 1; signal < EPITAPH_SIGNAL_LIMIT; signal++) {
        if (epitaph_signals_have(signals, signal)) sigdelset(set, signal);
    }
}

static void block_signals(sigset_t *earlier) {
    uint64_t let_through =
        epitaph_fault_signals() | epitaph_signal_bit(SIGABRT) | epitaph_signal_bit(SIGPROF);
    sigset_t blocked;
    epitaph_signals_fill_but(&blocked, let_through);
    pthread_sigmask(SIG_SETMASK, &blocked, earlier);
}

int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument) {
    pthread_attr_t attributes;
    sigset_t earlier;
    int result = pthread_attr_init(&attributes);
    if (result != 0) return result;
    if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    // The thread inherits the mask, so it never runs with the wrong one.
    block_signals(&earlier);
    result = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &earlier, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}
