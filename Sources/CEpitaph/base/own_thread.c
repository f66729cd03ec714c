// SPDX-License-Identifier: Apache-2.0
//
// Makes threads that leave the program's signals to the program.

#include "base/own_thread.h"

#include <signal.h>

static void block_signals(sigset_t *earlier) {
    static const int let_through[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,
                                      SIGTRAP, SIGSYS, SIGABRT, SIGPROF};
    sigset_t blocked;
    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof let_through / sizeof *let_through; i++)
        sigdelset(&blocked, let_through[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, earlier);
}

int epitaph_own_thread_make(pthread_t *thread, size_t stack_bytes, void *(*run)(void *),
                            void *argument) {
    pthread_attr_t attributes;
    sigset_t earlier;
    int result = pthread_attr_init(&attributes);
    if (result != 0) return result;
    if (stack_bytes != 0) pthread_attr_setstacksize(&attributes, stack_bytes);
    // It inherits the mask, so there is no moment in which it has the wrong one.
    block_signals(&earlier);
    result = pthread_create(thread, &attributes, run, argument);
    pthread_sigmask(SIG_SETMASK, &earlier, NULL);
    pthread_attr_destroy(&attributes);
    return result;
}
